"""What every source of types and every response function must do: each check raises AssertionError."""

from unittest.mock import patch

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, Learner, ResponseFunction, TypeSource
from firstmover.core.numerics import sample_action
from firstmover.core.records import Round, Run
from firstmover.simulation import Opponent
from firstmover.simulation.loop import play_run
from tests.contracts.checks_learner import global_streams


def check_draws(source: TypeSource, game: Game, past: list[Round]) -> None:
    """Types are rows of numbers (of Θ where it is known), the same for the same arguments, and nothing is written."""
    given = np.full(game.n_actions, 1 / game.n_actions)
    before, rounds_before = given.copy(), list(past)
    state = global_streams()
    one, two = (source.draw(given, past, np.random.default_rng(3)) for _ in range(2))
    assert one.ndim == 1, f"a type has shape {one.shape}"
    assert np.all(np.isfinite(one)), "a type is not finite"
    assert np.array_equal(one, two), "equal arguments and equal streams give different types"
    assert global_streams() == state, "a type was drawn from a global random stream"
    assert np.array_equal(given, before), "drawing a type wrote into the strategy"
    assert len(past) == len(rounds_before), "drawing a type changed the past"
    assert all(a is b for a, b in zip(past, rounds_before, strict=True)), "drawing a type changed the past"
    if game.types is not None:
        assert np.any(np.all(game.types == one, axis=1)), f"type {one} is none of the game's"


def check_blind_to_this_round(game: Game, opponent: Opponent, learner: Learner, rounds: int) -> None:
    """Another action in the last round leaves that round's type, and all before it, as they were."""

    def run(shift: int) -> Run:
        drawn = iter(range(rounds))

        def shifted(strategy: Vector, uniform: float) -> int:
            action = sample_action(strategy, uniform)
            return (action + shift) % game.n_actions if next(drawn) == rounds - 1 else action

        with patch("firstmover.simulation.loop.sample_action", shifted):
            return play_run(game, opponent, learner, rounds, seed=11)

    one, two = run(0), run(1)
    assert one.actions[-1] != two.actions[-1]
    assert np.array_equal(one.actions[:-1], two.actions[:-1])
    assert np.array_equal(one.opponent_types, two.opponent_types), "a type depends on the action of its own round"


def check_responses(respond: ResponseFunction, game: Game, opponent_type: Vector) -> None:
    """Responses have the right shape, are finite, lie in the domain, and repeat."""
    y = respond(game.actions, opponent_type)
    assert y.shape == (game.n_actions, game.n_outputs), f"responses have shape {y.shape}"
    assert np.all(np.isfinite(y)), "a response is not finite"
    low, high = game.response_domain.lower, game.response_domain.upper
    slack = 1e-9 * np.where(np.isfinite(high - low), high - low, 1.0)
    assert np.all((y >= low - slack) & (y <= high + slack)), "a response lies outside the response_domain"
    assert np.array_equal(y, respond(game.actions, opponent_type)), "equal arguments give different responses"


def check_rows_are_independent(respond: ResponseFunction, actions: Matrix, opponent_type: Vector) -> None:
    """The answer to an action does not depend on which other actions were asked about, nor on their order."""
    whole = respond(actions, opponent_type)
    n = len(actions)
    for rows in ([0], [n - 1], [n // 2], list(range(n))[::-1], list(range(0, n, 3)), [1, 1, 0]):
        part = respond(actions[rows], opponent_type)
        np.testing.assert_allclose(
            part, whole[rows], rtol=1e-9, atol=1e-12, err_msg=f"rows {rows[:5]} answer otherwise"
        )


def check_writes_nothing(respond: ResponseFunction, actions: Matrix, opponent_type: Vector) -> None:
    """Neither the actions nor the type are changed by asking."""
    x, theta = np.array(actions), np.array(opponent_type)
    respond(x, theta)
    assert np.array_equal(x, actions), "responding wrote into the actions"
    assert np.array_equal(theta, opponent_type), "responding wrote into the type"
