"""Seasons to rehearse, and what policies gain in them."""

import numpy as np
import pytest

from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games import increasing
from firstmover.learners.fixed import Fixed, always
from firstmover.simulation.gains import Gain
from firstmover.simulation.response_model import History
from firstmover.simulation.seasons import Seasons

GAME = Game(
    "shop", np.array([[1.0], [2.0]]), increasing(lambda x, y: x[:, 0] * y[:, 0]), Box([0.0], [6.0]), context=(0,)
)
PAST = History(
    np.array([[1.1], [2.0], [1.0], [1.8]]),
    np.array([[0.0], [1.0], [0.0], [2.0]]),
    np.array([[5.0], [3.0], [5.0], [2.0]]),
)


class Known:
    """Draw number i answers i + θ + 1 to price 1, and half of it to price 2."""

    noise_std = np.array([0.25])

    def draw_functions(self, n, _rng, types):
        base = np.arange(n)[:, None, None] + types[None] + 1.0
        return np.concatenate([base, base / 2], axis=2)[..., None]


def seasons(rounds: int = 8) -> Seasons:
    return Seasons.drawn(GAME, Known(), PAST, n=3, rounds=rounds, seed=0, noise_factor=2.0)


def test_responses_are_drawn_for_each_different_type_and_cut_to_the_domain() -> None:
    found = seasons()
    assert found.types[:, 0].tolist() == [0.0, 1.0, 2.0]
    assert found.responses[:, :, 0, 0].tolist() == [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert found.noise_std.tolist() == [0.5]
    more = Seasons.drawn(GAME, Known(), PAST, n=9, rounds=2, seed=0)
    assert more.responses.max() == 6.0


def test_rounds_come_in_blocks_of_the_past_with_the_actions_that_were_played() -> None:
    found = seasons(40)
    past_types, past_actions = [0, 1, 0, 2], [0, 1, 0, 1]  # the nearest of 1.1, 2, 1 and 1.8
    steps = set(zip(past_types, past_actions, [*past_types[1:], past_types[0]], strict=True))
    for order, present in zip(found.order, found.present, strict=True):
        assert set(zip(order, present, strict=True)) <= set(zip(past_types, past_actions, strict=True))
        followed = [(a, p, b) in steps for a, p, b in zip(order[::2], present[::2], order[1::2], strict=True)]
        assert all(followed)  # blocks of two rounds: ⌈4^(1/3)⌉ = 2
    assert not np.array_equal(found.order[0], found.order[1])


def test_blocks_are_as_long_as_the_cube_root_of_the_past() -> None:
    t = 27
    past = History(np.ones((t, 1)), np.arange(t, dtype=float)[:, None], np.zeros((t, 1)))
    order = Seasons.drawn(GAME, Known(), past, n=20, rounds=30, seed=1).order
    follows = (np.diff(order, axis=1) % t == 1).mean(axis=0)
    assert (follows[np.arange(29) % 3 != 2] == 1).all()  # within blocks of three
    assert (follows[np.arange(29) % 3 == 2] < 0.5).all()  # between them, but for chance


def test_rewards_of_policies_by_hand() -> None:
    found = seasons()
    assert found.rewards.shape == (3, 8, 2)
    kinds = found.types[found.order, 0]
    sold = np.arange(3)[:, None] + kinds + 1
    assert found.rewards[:, :, 0] == pytest.approx(sold)
    assert found.rewards[:, :, 1] == pytest.approx(sold)  # twice the price, half the sales
    assert found.of_actions(found.present) == pytest.approx(sold)
    assert found.of_oracle() == pytest.approx(found.rewards.max(axis=2))
    assert found.of_best_fixed().sum(axis=1) == pytest.approx(found.rewards.sum(axis=1).max(axis=1))
    assert found.reward_range == (sold.min(), sold.max())


def test_a_learner_plays_the_rounds_of_its_season() -> None:
    found = seasons()
    earned = found.played_by(Fixed(always(1, 2)), 2, 5)
    assert earned == pytest.approx(found.rewards[2, :5, 1])
    assert found.played_by(Fixed(always(1, 2)), 2, 5).tolist() == earned.tolist()


def gain() -> Gain:
    earned = np.array([[0.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 3.0], [1.0, 1.0, 1.0, 1.0]])
    return Gain("a", earned, np.full((3, 4), 2.0))


def test_gains_by_hand() -> None:
    found = gain()
    assert found.ahead.tolist() == [[-2, -1, 0, 1], [1, 2, 3, 4], [-1, -2, -3, -4]]
    assert found.relative == pytest.approx([0.125, 0.5, -0.5])
    assert found.per_round == pytest.approx(25 / 12)
    assert found.worse_after(1) == pytest.approx(2 / 3)
    assert found.worse_after(3) == pytest.approx(1 / 3)  # equal is not behind
    assert found.worse_after(4) == pytest.approx(1 / 3)
    assert found.worse_after(12) is None
    # behind for the last time in rounds 2, 0 (never) and 4: the median season is ahead from after round 2 on
    assert found.pays_after == (2, pytest.approx(1 / 3))
    assert found.curve().shape == (3, 4)
    assert found.curve()[1].tolist() == [-1, -1, 0, 1]
    figures = found.as_dict()
    assert figures["gain"] == pytest.approx(0.125 / 3)
    assert figures["worse_after"] == {"4": pytest.approx(1 / 3)}


def test_a_policy_whose_median_season_ends_behind_never_pays() -> None:
    found = Gain("b", np.ones((3, 4)), np.full((3, 4), 2.0))
    assert found.pays_after == (None, 1.0)
    assert Gain("c", np.full((3, 4), 3.0), np.full((3, 4), 2.0)).pays_after == (0, 0.0)


def test_the_relative_gain_of_losses_has_the_right_sign() -> None:
    found = Gain("d", np.full((2, 3), -1.0), np.full((2, 3), -2.0))
    assert found.relative == pytest.approx([0.5, 0.5])


def test_gains_over_a_policy_that_earns_nothing_are_shares_of_the_earnings() -> None:
    assert Gain("e", np.full((2, 3), 4.0), np.zeros((2, 3))).relative == pytest.approx([1.0, 1.0])
    assert Gain("f", np.zeros((2, 3)), np.zeros((2, 3))).relative == pytest.approx([0.0, 0.0])
