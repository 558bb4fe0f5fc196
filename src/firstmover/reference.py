"""Reference answers: the best fixed action in hindsight, from r and b alone, so that regret has a known zero."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

from firstmover.contracts import Game, ResponseFunction
from firstmover.errors import InvalidInput
from firstmover.games.simplex import simplex_grid
from firstmover.games.stackelberg import StackelbergGame
from firstmover.opponents.follower import follower
from firstmover.opponents.opponent import true_rewards
from firstmover.records import Matrix, Vector, as_array
from firstmover.regret import reward_table


@dataclass(frozen=True)
class Reference:
    """The best fixed action (d,) against types that came, and what it earns in a round on average."""

    action: Vector
    value: float


def best_of_menu(game: Game, respond: ResponseFunction, opponent_types: Matrix) -> Reference:
    """max_x 1/T Σ_t r(x, b(x, θ_t)) over the menu of a game: the zero of Eq. (1), ties to the first.

    >>> from firstmover.games import shore_game
    >>> from firstmover.opponents.toy import raiders
    >>> best = best_of_menu(shore_game(), raiders, np.array([[0.1], [0.1], [0.5]]))
    >>> print(best.action.round(3), round(best.value, 4))
    [0.826] 0.9912
    """
    rewards = reward_table(true_rewards(game, respond), _came(opponent_types)).mean(axis=0)
    best = int(np.argmax(rewards))
    return Reference(game.actions[best], float(rewards[best]))


def best_on_simplex(game: StackelbergGame, opponent_types: Matrix, radius: float = 0.02) -> Reference:
    """max_x 1/T Σ_t r(x, b(x, θ_t)) over all mixed strategies; for one type, the strong Stackelberg equilibrium.

    The best point of a grid, at most L_r (1 + L_b) · radius below the maximum, from which a smooth payoff is climbed
    further (SLSQP). For payoff tables `optimal_commitment` is exact instead.

    >>> from firstmover.games.harbour import CREWS, harbour
    >>> best = best_on_simplex(harbour(), CREWS[:1])
    >>> print(best.action.round(4), round(best.value, 6))
    [0.6 0.4 0. ] 0.816667
    """
    came = _came(opponent_types)
    if came.shape[1] != game.types.shape[1]:
        raise InvalidInput(
            f"opponent_types has {came.shape[1]} column(s): types of game {game.name!r} have {game.types.shape[1]}."
        )
    value = _mean_payoff(game, came)
    grid = simplex_grid(game.n_leader_actions, radius)
    start = grid[np.argmax(value(grid))]

    def cost(x: Vector) -> float:
        return -float(value(x[None])[0])

    limits, whole = Bounds(np.zeros(len(start)), np.ones(len(start))), LinearConstraint(np.ones((1, len(start))), 1, 1)
    climbed = minimize(cost, start, method="SLSQP", bounds=limits, constraints=[whole], tol=1e-14).x
    climbed = np.maximum(climbed, 0) / np.maximum(climbed, 0).sum()
    both = np.stack([start, climbed])
    values = value(both)
    best = int(np.argmax(values))
    return Reference(both[best], float(values[best]))


def _mean_payoff(game: StackelbergGame, opponent_types: Matrix) -> Callable[[Matrix], Vector]:
    """Mixed strategies (k, n) to their mean payoff against the types (k,); each distinct type is asked once."""
    kinds, counts = np.unique(opponent_types, axis=0, return_counts=True)
    respond, shares = follower(game), counts / counts.sum()

    def payoff(strategies: Matrix) -> Vector:
        earned = [game.leader_payoff(strategies, respond(strategies, kind)) for kind in kinds]
        return shares @ np.array(earned)

    return payoff


def _came(opponent_types: Matrix) -> Matrix:
    types = as_array("opponent_types", opponent_types, ndim=2)
    if len(types) == 0:
        raise InvalidInput("opponent_types has no rows: hindsight needs at least one round.")
    return types
