"""The best mixed strategy to commit to in a finite game whose payoffs are all known, by linear programs."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Vector, distribution
from firstmover.games.stackelberg.bimatrix import BimatrixGame

MOST_PROGRAMS = 10_000
"""Linear programs, about two milliseconds each, beyond which the answer is not waited for."""


PRECISION = 1e-10
"""By how much a solution may break a constraint whose largest coefficient is 1."""


@dataclass(frozen=True)
class Commitment:
    """x (n,), the follower actions that answer it, one a type (q,), and the leader's expected payoff."""

    strategy: Vector
    responses: NDArray[np.intp]
    value: float


def optimal_commitment(game: BimatrixGame, weights: ArrayLike | None = None) -> Commitment:
    """The strong Stackelberg equilibrium (Conitzer and Sandholm 2006), against types that come with given weights.

    For every choice j of one follower action a type, a linear program; the best of those that can be met:

    max_x Σ_θ w_θ xᵀ A[:, j_θ]   over x ∈ Δⁿ   with   xᵀ B_θ[:, j_θ] ≥ xᵀ B_θ[:, k]   for every type θ and action k

    One type takes f programs, q types f^q; types of weight 0 are left out. With the shares in which types came, this is
    the best fixed strategy in hindsight, over the whole simplex. Without weights, types come equally often. What the
    followers, asked again, would not answer as the programs have it is refused.

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
    if not answers:  # some answer is always best: a solver that finds none has lost it to rounding
        raise _too_uneven(game)
    (value, strategy), chosen = max(answers, key=lambda pair: pair[0][0])
    for kind, j in zip(game.types[present], chosen, strict=True):
        if not game.ties(strategy[None], kind)[0, j]:
            raise _too_uneven(game)
    responses = np.array([int(np.argmax(game.best_response(strategy[None], kind))) for kind in game.types])
    responses[present] = chosen  # a tie is the leader's, whatever rounding makes of it
    return Commitment(strategy, responses, value)


def _program(
    game: BimatrixGame, w: Vector, present: NDArray[np.intp], chosen: NDArray[np.intp]
) -> tuple[float, Vector] | None:
    """The value and strategy of one choice of follower actions; None when no strategy makes the types choose so."""
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
    """Rows whose largest entry has size 1, where there is one: the solver's tolerance is absolute."""
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    return np.asarray(rows / np.where(largest > 0, largest, 1.0))


def _too_uneven(game: BimatrixGame) -> InvalidInput:
    return InvalidInput(
        f"payoffs of game {game.name!r} differ too much in size for the linear programs, as followers would not "
        "answer the way these have it: bring large and small payoffs of a follower nearer to each other."
    )
