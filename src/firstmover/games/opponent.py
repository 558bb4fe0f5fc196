"""The opponent as the simulation knows it, and how opponents of a game behave."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from firstmover.core.contracts import Game, ResponseFunction, TrueRewards, TypeSource
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action
from firstmover.core.records import Matrix, Vector, as_array, distribution, non_negative


class Drift(NamedTuple):
    """How opponents change: what their type looks like all the time, and b by the round for so many rounds of drift."""

    opponent_type: Vector
    over: Callable[[float], ResponseFunction]


@dataclass(frozen=True)
class Behaviour:
    """How a game's opponents respond, with what noise, where new types come from, and if they see commitments.

    Where they choose by chance, `sampled` ones show one choice. `logit` has them do so at a rationality; `drift` says
    how they change, where it is not from the first of the game's types to the last.
    """

    respond: ResponseFunction
    noise_std: float
    sampler: Callable[[np.random.Generator], Vector] | None = None
    sees_commitment: bool = False
    sampled: bool = False
    logit: "Callable[[Game, float], Behaviour] | None" = None
    drift: Drift | None = None


@dataclass(frozen=True)
class Opponent:
    """Who answers: where types come from, b, and the standard deviation of the noise, one number for all outputs.

    With `sampled`, b gives the chances of finitely many places, and what is seen of them is the one place drawn. With
    `drifts`, b is asked about the number of the round instead of the type that the learner sees.
    """

    types: TypeSource
    respond: ResponseFunction
    noise_std: float = 0.0
    sampled: bool = False
    drifts: bool = False

    def __post_init__(self) -> None:
        non_negative("noise_std", self.noise_std)

    def asked(self, opponent_types: Matrix, first: int = 1) -> Matrix:
        """What b is asked about in each round, from the first on: the types (k, p), or the rounds (k, 1)."""
        return first + np.arange(len(opponent_types), dtype=float)[:, None] if self.drifts else opponent_types

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """What a learner sees of b(x, θ): with noise, or one place drawn, as 1 among zeros."""
        noise = self.noise_std * rng.standard_normal(len(true_response))
        if not self.sampled:
            return true_response + noise
        chances = distribution("responses of a sampled opponent", true_response, len(true_response))
        place = sample_action(chances, rng.random())
        return np.eye(len(chances))[place] + noise


def responses_of(game: Game, respond: ResponseFunction, opponent_type: Vector, rows: list[int] | None = None) -> Matrix:
    """b(x, θ) of all actions (n, m), or of some rows, refused when it is not of that shape or not finite."""
    actions = game.actions if rows is None else game.actions[rows]
    try:
        responses = np.asarray(respond(actions, opponent_type), dtype=float)
    except InvalidInput:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"respond failed for {len(actions)} action(s) of game {game.name!r}: {error}.") from error
    if responses.shape != (len(actions), game.n_outputs):
        raise InvalidInput(
            f"respond gave shape {responses.shape} for {len(actions)} action(s): "
            f"game {game.name!r} needs ({len(actions)}, {game.n_outputs})."
        )
    if not isfinite(np.vdot(responses, responses)) and not np.isfinite(responses).all():
        raise InvalidInput(f"respond gave a number that is not finite for type {np.asarray(opponent_type).tolist()}.")
    _check_domain(game, responses)
    return responses


def _check_domain(game: Game, responses: Matrix) -> None:
    """Refuse responses outside the domain that boxes are cut to: optimism would be lost without a word."""
    low, high = game.response_domain.lower, game.response_domain.upper
    if (responses >= low).all() and (responses <= high).all():
        return
    slack = 1e-9 * (1 + np.abs(responses))
    outside = (responses < low - slack) | (responses > high + slack)
    if outside.any():
        worst, output = np.argwhere(outside)[0]
        raise InvalidInput(
            f"respond gave {responses[worst, output]:.6g} for output {output}, outside the response_domain "
            f"({low[output]:.6g}, {high[output]:.6g}) of game {game.name!r}: state where responses can lie."
        )


def true_rewards(game: Game, respond: ResponseFunction) -> TrueRewards:
    """θ to r(x, b(x, θ)) of all actions (n,): what full information would show."""

    def earned(opponent_type: Vector) -> Vector:
        rewards = game.reward(game.actions, responses_of(game, respond, opponent_type))
        return as_array("reward", rewards, ndim=1, length=game.n_actions)

    return earned
