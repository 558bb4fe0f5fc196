"""The best mixed strategy against known types: the strong Stackelberg equilibrium when there is one type."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector, as_array
from firstmover.games.stackelberg.game import StackelbergGame
from firstmover.games.stackelberg.opponents import follower
from firstmover.games.stackelberg.simplex import simplex_grid


@dataclass(frozen=True)
class BestMixture:
    """The best fixed mixed strategy (d,) and its mean reward per round."""

    action: Vector
    value: float


def best_on_simplex(game: StackelbergGame, opponent_types: Matrix, radius: float = 0.02) -> BestMixture:
    """Return max_x 1/T Σ_t r(x, b(x, θ_t)) over all mixed strategies; for one type, the strong Stackelberg equilibrium.

    The search starts at the best point of a grid, which is at most L_r (1 + L_b) · radius below the maximum, and
    continues by SLSQP. For payoff tables `optimal_commitment` is exact.

    >>> from firstmover.games.stackelberg.harbour_game import CREWS, harbour
    >>> best = best_on_simplex(harbour(), CREWS[:1])
    >>> print(best.action.round(4), round(best.value, 6))
    [0.6 0.4 0. ] 0.816667
    """
    types = as_array("opponent_types", opponent_types, ndim=2)
    if len(types) == 0:
        raise InvalidInput("opponent_types has no rows: hindsight needs at least one round.")
    if types.shape[1] != game.types.shape[1]:
        raise InvalidInput(
            f"opponent_types has {types.shape[1]} column(s): types of game {game.name!r} have {game.types.shape[1]}."
        )
    value = _mean_payoff(game, types)
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
    return BestMixture(both[best], float(values[best]))


def _mean_payoff(game: StackelbergGame, opponent_types: Matrix) -> Callable[[Matrix], Vector]:
    """The mean payoff of mixed strategies (k, n) against the types; b is evaluated once per distinct type."""
    kinds, counts = np.unique(opponent_types, axis=0, return_counts=True)
    respond, shares = follower(game), counts / counts.sum()

    def payoff(strategies: Matrix) -> Vector:
        earned = [game.leader_payoff(strategies, respond(strategies, kind)) for kind in kinds]
        return shares @ np.array(earned)

    return payoff
