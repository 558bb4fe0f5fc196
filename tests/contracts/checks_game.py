"""What every game must do: each check raises AssertionError."""

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, ResponseFunction


def check_menu(game: Game) -> None:
    """At least two actions, no two alike, and no two types alike: else a learner could not tell them apart."""
    assert game.n_actions >= 2, "a game without a choice"
    assert len(np.unique(game.actions, axis=0)) == game.n_actions, "two actions are alike"
    if game.types is not None:
        assert len(np.unique(game.types, axis=0)) == len(game.types), "two types are alike"


def check_rewards_in_range(game: Game, respond: ResponseFunction, opponent_type: Vector) -> None:
    """r(x, b(x, θ)) is one finite number an action, inside the stated range."""
    rewards = game.reward(game.actions, respond(game.actions, opponent_type))
    assert rewards.shape == (game.n_actions,), f"rewards have shape {rewards.shape}"
    assert np.all(np.isfinite(rewards)), "a reward is not finite"
    if game.reward_range is not None:
        low, high = game.reward_range
        slack = 1e-9 * (high - low)
        assert low - slack <= rewards.min(), f"reward {rewards.min()} is below the range {game.reward_range}"
        assert rewards.max() <= high + slack, f"reward {rewards.max()} is above the range {game.reward_range}"


def check_reward_rows_are_independent(game: Game, respond: ResponseFunction, opponent_type: Vector) -> None:
    """The reward of a pair (x, y) does not depend on the other pairs, and nothing is written."""
    x, y = np.array(game.actions), np.array(respond(game.actions, opponent_type))
    before = x.copy(), y.copy()
    whole = game.reward(x, y)
    for rows in ([0], [game.n_actions - 1], list(range(game.n_actions))[::-1], [1, 1, 0]):
        part = game.reward(x[rows], y[rows])
        np.testing.assert_allclose(part, whole[rows], rtol=1e-9, atol=1e-12, err_msg=f"rows {rows[:5]} earn otherwise")
    assert np.array_equal(x, before[0]), "the reward wrote into the actions"
    assert np.array_equal(y, before[1]), "the reward wrote into the responses"
