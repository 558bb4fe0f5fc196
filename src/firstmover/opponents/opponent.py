"""The opponent as the simulation knows it."""

from dataclasses import dataclass

import numpy as np

from firstmover.contracts import Game, ResponseFunction, TrueRewards, TypeSource
from firstmover.errors import InvalidInput
from firstmover.records import Matrix, Vector


@dataclass(frozen=True)
class Opponent:
    """Who answers: where types come from, b, and the standard deviation of the noise on each output."""

    types: TypeSource
    respond: ResponseFunction
    noise_std: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.noise_std) and self.noise_std >= 0):
            raise InvalidInput(f"noise_std is {self.noise_std}: give a finite number, 0 or more.")


def responses_of(game: Game, respond: ResponseFunction, opponent_type: Vector, rows: list[int] | None = None) -> Matrix:
    """b(x, θ) of all actions (n, m), or of some rows, refused when it is not of that shape or not finite."""
    actions = game.actions if rows is None else game.actions[rows]
    responses = np.asarray(respond(actions, opponent_type), dtype=float)
    if responses.shape != (len(actions), game.n_outputs):
        raise InvalidInput(
            f"respond gave shape {responses.shape} for {len(actions)} action(s): "
            f"game {game.name!r} needs ({len(actions)}, {game.n_outputs})."
        )
    if not np.all(np.isfinite(responses)):
        raise InvalidInput(f"respond gave a number that is not finite for type {np.asarray(opponent_type).tolist()}.")
    return responses


def true_rewards(game: Game, respond: ResponseFunction) -> TrueRewards:
    """θ to r(x, b(x, θ)) of all actions (n,): what full information would show."""
    return lambda opponent_type: game.reward(game.actions, responses_of(game, respond, opponent_type))
