from math import sin

import numpy as np
import pytest

from firstmover.core.records import Box
from firstmover.games import GAMES, flock_game, shore_game
from firstmover.games.toy.game import FLOCK_PEN, catch
from firstmover.simulation import true_rewards


def test_the_shore_by_hand() -> None:
    """Site 5 of 24 lies at 5/23; half the catch of 0.7 + 0.3 sin(200/23) is left when raiders take half."""
    game = shore_game()
    assert game.n_actions == 24
    earned = game.reward(game.actions[[5]], np.array([[0.5]]))
    assert earned[0] == pytest.approx((0.7 + 0.3 * sin(200 / 23)) / 2, rel=1e-12)


def test_raiders_who_take_less_leave_more() -> None:
    game = shore_game()
    best = game.reward.best_in_box(game.actions[[5]], Box([[0.2]], [[0.9]]))
    np.testing.assert_allclose(best, 0.8 * catch(game.actions[[5]]), rtol=1e-12)


def test_every_site_is_spoilt_by_some_raiders_so_that_none_is_safe() -> None:
    """A predictable learner suffers linear regret: each site's worst type takes two thirds of the catch or more."""
    game = shore_game()
    shares = np.stack([GAMES["shore"].opponents(game).respond(game.actions, theta)[:, 0] for theta in game.types])
    assert shares.max(axis=0).min() > 2 / 3
    rewards = np.stack([true_rewards(game, GAMES["shore"].opponents(game).respond)(theta) for theta in game.types])
    assert rewards.min(axis=0).max() < 0.35  # the most that any one site gives against its worst type
    assert rewards.mean(axis=0).max() > 0.65  # and the best site on average


def test_the_flock_by_hand() -> None:
    """At the pen the reward is 1; at (0.3, 0.6), half a field to its left, ¾."""
    game = flock_game()
    assert game.actions.shape == (49, 2)
    np.testing.assert_allclose(
        game.reward(game.actions[:2], np.array([FLOCK_PEN, [0.3, 0.6]])), [1.0, 0.75], rtol=1e-12
    )


def test_the_best_place_in_a_box_is_the_nearest_to_the_pen() -> None:
    game = flock_game()
    box = Box([[0.0, 0.0], [0.0, 0.7]], [[1.0, 1.0], [0.5, 1.0]])
    best = game.reward.best_in_box(game.actions[:2], box)
    np.testing.assert_allclose(best, [1.0, 1 - 0.3**2 - 0.1**2], atol=1e-9)


def test_no_two_types_of_flock_want_the_dog_in_the_same_place() -> None:
    game = flock_game()
    rewards = true_rewards(game, GAMES["flock"].opponents(game).respond)
    assert len({int(rewards(theta).argmax()) for theta in game.types}) == 3
