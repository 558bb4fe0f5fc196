"""The best mixed strategy to commit to when all payoffs are known: exactly for tables, by search for other games."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, minimize

from firstmover.core.arrays import Matrix, Vector, as_array, distribution
from firstmover.core.errors import InvalidInput
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.stackelberg.game import StackelbergGame
from firstmover.games.stackelberg.opponents import follower
from firstmover.games.stackelberg.simplex import simplex_grid

MOST_PROGRAMS = 10_000
"""The largest number of linear programs, which take about two milliseconds each."""

PRECISION = 1e-10
"""The tolerance of a constraint whose largest coefficient is 1."""


@dataclass(frozen=True)
class Commitment:
    """The best mixed strategy to commit to, as `optimal_commitment` returns it.

    Parameters
    ----------
    strategy
        x (n,).
    responses
        The follower actions that answer it, one per type (q,).
    value
        The leader's expected payoff.

    Examples
    --------
    >>> from firstmover import BimatrixGame, optimal_commitment
    >>> optimal_commitment(BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])).value
    3.5
    """

    strategy: Vector
    responses: NDArray[np.intp]
    value: float


def optimal_commitment(game: BimatrixGame, weights: ArrayLike | None = None) -> Commitment:
    """The strong Stackelberg equilibrium (Conitzer and Sandholm 2006), against types that come with given weights.

    The best of the feasible linear programs, one for every choice j of one follower action per type:

    max_x Σ_θ w_θ xᵀ A[:, j_θ]   over x ∈ Δⁿ   with   xᵀ B_θ[:, j_θ] ≥ xᵀ B_θ[:, k]   for every type θ and action k

    One type takes f programs, q types f^q; types of weight 0 are left out. With the shares of the types in past rounds,
    this is the best fixed strategy in hindsight, over the whole simplex. Without weights, all types are equally likely.
    Raises an error if the followers' best responses to the solution differ from j.

    Parameters
    ----------
    game
        The payoff tables.
    weights
        w_θ (q,), 0 or more with sum 1.

    Returns
    -------
    Commitment
        The strategy, the follower actions that answer it, and its value.

    Raises
    ------
    InvalidInput
        If the weights are no distribution, more than 10 000 programs are needed, or payoffs differ too much in size for
        the solver.

    Examples
    --------
    >>> from firstmover import BimatrixGame, optimal_commitment
    >>> game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    >>> best = optimal_commitment(game)
    >>> print(best.strategy, best.responses, best.value)
    [0.5 0.5] [1] 3.5
    """
    q, f = len(game.followers), game.leader.shape[1]
    w = distribution("weights", np.full(q, 1 / q) if weights is None else weights, q)
    present = np.flatnonzero(w)
    if f ** len(present) > MOST_PROGRAMS:
        raise InvalidInput(
            f"{len(present)} types with {f} actions each need {float(f) ** len(present):.3g} linear programs, more "
            f"than {MOST_PROGRAMS:_}: give fewer types, or look for the best of a grid with StackelbergGame.on_grid."
        )
    choices = [np.array(j) for j in product(range(f), repeat=len(present))]
    answers = [(answer, j) for j in choices if (answer := _program(game, w, present, j)) is not None]
    if not answers:  # one program is always feasible: a solver that finds none has lost it to rounding
        raise _too_uneven(game)
    (value, strategy), chosen = max(answers, key=lambda pair: pair[0][0])
    for kind, j in zip(game.types[present], chosen, strict=True):
        if not game.ties(strategy[None], kind)[0, j]:
            raise _too_uneven(game)
    responses = np.array([int(np.argmax(game.best_response(strategy[None], kind))) for kind in game.types])
    responses[present] = chosen  # ties go in the leader's favour, also after rounding
    return Commitment(strategy, responses, value)


def _program(
    game: BimatrixGame, w: Vector, present: NDArray[np.intp], chosen: NDArray[np.intp]
) -> tuple[float, Vector] | None:
    """The value and strategy of one choice of follower actions; None if it is infeasible."""
    payoff = game.leader[:, chosen] @ w[present]
    tables = game.followers[present]
    lost = tables - np.take_along_axis(tables, chosen[:, None, None], axis=2)  # (q, n, f): at most 0 in sum
    answer = linprog(
        _scaled(payoff.min() - payoff),
        A_ub=_scaled(lost.transpose(0, 2, 1).reshape(-1, len(payoff))),
        b_ub=np.zeros(lost[:, 0].size),
        A_eq=np.ones((1, len(payoff))),
        b_eq=[1.0],
        bounds=(0, 1),
        options={"primal_feasibility_tolerance": PRECISION, "dual_feasibility_tolerance": PRECISION},
    )
    if answer.status == 2:  # infeasible
        return None
    if answer.x is None:
        raise _too_uneven(game)
    strategy = np.clip(answer.x, 0, None)
    strategy /= strategy.sum()
    return float(payoff @ strategy), strategy


def _scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows scaled to a largest entry of size 1, as the solver's tolerance is absolute; rows of zeros stay."""
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    return np.asarray(rows / np.where(largest > 0, largest, 1.0))


def _too_uneven(game: BimatrixGame) -> InvalidInput:
    return InvalidInput(
        f"payoffs of game {game.name!r} differ too much in size for the linear programs, as followers would not "
        "answer the way these have it: bring large and small payoffs of a follower nearer to each other."
    )


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
    >>> best_on_simplex(harbour(), CREWS[:1]).action.round(4)
    array([0.6, 0.4, 0. ])
    """
    types = as_array("opponent_types", opponent_types, ndim=2)
    if len(types) == 0:
        raise InvalidInput("opponent_types has no rows: hindsight needs at least one round.")
    if types.shape[1] != game.types.shape[1]:
        raise InvalidInput(
            f"opponent_types has {types.shape[1]} column(s): types of game {game.name!r} have {game.types.shape[1]}."
        )
    kinds, counts = np.unique(types, axis=0, return_counts=True)
    respond, shares = follower(game), counts / counts.sum()

    def value(strategies: Matrix) -> Vector:
        """The mean payoff of mixed strategies (k, n)."""
        return shares @ np.array([game.leader_payoff(strategies, respond(strategies, kind)) for kind in kinds])

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
