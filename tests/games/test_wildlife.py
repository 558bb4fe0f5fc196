import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.wildlife.game import RangersReward, guaranteed, patrol_menu, wildlife_game
from firstmover.games.wildlife.park import Park, published_park


def hand_worked_park():
    """φ = exp(−(d₁² + 2 d₂²) / 2) around (1, 1): 1 there, e^−½ at (0, 1), e^−1 at (1, 0), e^−1.5 at (0, 0)."""
    return Park([1.0], [[1.0, 1.0]], [[[1.0, 0.0], [0.0, 0.5]]], cells=(2, 2), density_scale=2 * np.pi * np.sqrt(0.5))


def test_the_published_game_has_525_patrols_of_25_cells():
    game = wildlife_game()
    assert game.actions.shape == (525, 25)
    np.testing.assert_allclose(game.actions.sum(axis=1), 1.0)
    np.testing.assert_array_equal(game.actions[500:], np.eye(25))
    np.testing.assert_array_equal(game.response_domain.upper, [5.0, 5.0])
    np.testing.assert_array_equal(game.types, published_park().largest_in_cells[None])


def test_the_published_menu_is_drawn_patrol_by_patrol():
    legacy = np.random.RandomState(3)
    for patrol in patrol_menu(25)[:500]:
        borders = np.sort(np.concatenate([[0.0, 1.0], legacy.rand(24)]))
        np.testing.assert_array_equal(patrol, borders[1:] - borders[:-1])


def test_the_menu_s_seed_and_size_are_the_users():
    assert patrol_menu(4, n_mixed=2, pure=False).shape == (2, 4)
    assert patrol_menu(4, n_mixed=0).tolist() == np.eye(4).tolist()
    assert not np.array_equal(patrol_menu(4, menu_seed=1), patrol_menu(4, menu_seed=2))


def test_the_reward_is_as_worked_by_hand():
    x = np.tile([0.1, 0.2, 0.3, 0.4], (5, 1))
    y = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [-3.0, 1.0]])
    # 0.2 − 0.8 e^−½, 0.3 − 0.7 e^−1, 0.1 − 0.9 e^−1.5, 0.4 − 0.6; and (−3, 1) counts as (0, 1)
    expected = [-0.2852245278, 0.0424843912, -0.1008171441, -0.2, -0.2852245278]
    np.testing.assert_allclose(RangersReward(hand_worked_park())(x, y), expected, atol=1e-9)


def test_the_best_in_a_box_is_as_worked_by_hand():
    reward = RangersReward(hand_worked_park())
    x = np.array([[0.1, 0.2, 0.3, 0.4]] * 3)
    box = Box([[0.5, 1.5], [0.2, 0.1], [1.2, 1.0]], [[0.75, 2.0], [1.0, 1.0], [1.4, 1.2]])
    # 1: cell 1, its lowest φ at (0.5, 2). 2: all four cells, of which cell 3 has the point (1, 1), 0.4 − 0.6, cell 1
    # the edge towards (0.2, 1), 0.2 − 0.8 e^−0.32, cell 2 the edge towards (1, 0.1), 0.3 − 0.7 e^−0.81, the best, and
    # cell 0 the point (0.2, 0.1), 0.1 − 0.9 e^−1.13. 3: cell 3, its lowest φ at (1.4, 1.2).
    expected = [0.2 - 0.8 * np.exp(-1.125), 0.3 - 0.7 * np.exp(-0.81), 0.4 - 0.6 * np.exp(-0.12)]
    best = reward.best_in_box(x, box)
    assert np.all(best >= expected)
    np.testing.assert_allclose(best, expected, atol=reward.box_error)
    assert reward.box_error < 0.005


def test_the_corner_alone_counts_when_asked():
    park = published_park(density_scale=1.0)
    reward, x = RangersReward(park, corner=True), patrol_menu(25)[:4]
    lower = np.array([[0.2, 0.3], [4.0, 4.0], [-2.0, -2.0], [1.0, 2.0]])
    upper = np.array([[1.7, 0.4], [6.0, 4.5], [-1.0, 3.0], [1.0, 2.0]])
    corner = np.array([[1.7, 0.4], [4.999, 4.5], [0.001, 3.0], [1.0, 2.0]])
    np.testing.assert_array_equal(reward.best_in_box(x, Box(lower, upper)), reward(x, corner))


def test_the_reward_range_holds_every_reward_and_optimistic_reward():
    game = wildlife_game()
    rng = np.random.default_rng(0)
    low, high = game.reward_range
    for _ in range(20):
        y = rng.uniform(0, 5, (525, 2))
        rewards = game.reward(game.actions, y)
        optimistic = game.reward.best_in_box(game.actions, Box(y - rng.uniform(), y + rng.uniform()))
        assert low <= rewards.min()
        assert optimistic.max() <= high
    assert high == 1.0


def test_max_min_guarantees_what_was_published():
    park = published_park(density_scale=1.0)
    least = guaranteed(park, patrol_menu(25))
    assert f"{least.max():.5f}" == "-0.04262"
    everywhere = RangersReward(park)(np.tile(patrol_menu(25)[int(least.argmax())], (2500, 1)), park.grid)
    np.testing.assert_allclose(everywhere.min(), least.max(), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: patrol_menu(25, n_mixed=0, pure=False), "n_mixed is 0 with pure=False: a menu needs at least one"),
        (lambda: patrol_menu(25, n_mixed=-1), "n_mixed is -1"),
        (lambda: patrol_menu(25, menu_seed=-1), "menu_seed is -1: give a whole number from 0"),
        (lambda: wildlife_game(actions=np.ones((3, 4))), r"actions has shape \(3, 4\): give one row or more of 25"),
        (lambda: wildlife_game(actions=np.full((1, 25), 1.5)), "actions reach from 1.5 to 1.5: give probabilities"),
        (lambda: wildlife_game(actions=np.empty((0, 25))), r"actions has shape \(0, 25\): give one row"),
        (lambda: wildlife_game(per_cell=1), "per_cell is 1: the lattice needs 2 or more steps to a cell"),
    ],
)
def test_a_game_that_makes_no_sense_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        call()
