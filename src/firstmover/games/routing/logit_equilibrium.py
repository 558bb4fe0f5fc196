"""Stochastic user equilibrium: users of a pair choose among its routes by logit, given the times that all cause.

Fisk (1980): the flows minimise Beckmann's objective plus Σ f log f / λ over the routes of a given set. Newton steps
with conjugate gradients find them, as in equilibrium.py; all flows stay above 0. A large λ is approached from smaller
ones, whose solutions are easy to find.
"""

import numpy as np

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import PrecisionLost
from firstmover.games.routing.equilibrium import conjugate_gradients
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.route_set import RouteSet

ACCURACY = 1e-8
"""The largest difference between the share of a route and its logit probability."""

ROUGHLY, FACTOR = 1e-2, 4.0
"""The same at smaller λ on the way, and the factor between two of them."""

MOST_STEPS, HALVINGS = 100, 40
"""Newton steps at each λ, and halvings of the length of one."""

LEAST = 1e-100
"""The least share of a route, which keeps the logarithm finite."""


def logit_equilibria(
    routes: RouteSet, demands: Matrix, times: LinkTimes, background: Matrix | float, rationality: float
) -> Matrix:
    """Return the users' flows on links (B, E) at demands (B, p), with flows of others (B, E).

    Of the users of a pair, a share exp(−λ c_k) / Σ_j exp(−λ c_j) takes route k of cost c_k.
    """
    positive("rationality", rationality)
    demand = np.asarray(demands, dtype=float).T[routes.pairs]
    others = np.broadcast_to(background, (demand.shape[1], routes.n_links)).T
    empty = times(others + 0.0)[0]
    easy = 1 / float(np.mean(routes.by_route @ empty))
    levels = [rationality]
    while levels[-1] > easy:
        levels.append(levels[-1] / FACTOR)
    share = _chosen(routes, empty, levels[-1])
    for level in reversed(levels):
        accuracy = ACCURACY if level == rationality else ROUGHLY
        for _ in range(MOST_STEPS):
            total = others + routes.by_link @ (demand * share)
            time, slope = times(total)
            if np.abs(_chosen(routes, time, level) - share).max() <= accuracy:
                break
            share = _newton_step(routes, (demand, share), times, (total, others, time, slope), level)
        else:
            raise PrecisionLost(
                f"The logit equilibrium has not settled after {MOST_STEPS} steps: give a smaller rationality than "
                f"{rationality:g}."
            )
    return np.asarray((total - others).T)


def _chosen(routes: RouteSet, time: Matrix, rationality: float) -> Matrix:
    """The logit probabilities of routes at these times of links."""
    cost = routes.by_route @ time
    weight = np.exp(-rationality * (cost - routes.least(cost)))
    return np.maximum(weight / routes.total(weight), LEAST)


def _newton_step(
    routes: RouteSet,
    now: tuple[Matrix, Matrix],
    times: LinkTimes,
    links: tuple[Matrix, Matrix, Matrix, Matrix],
    rationality: float,
) -> Matrix:
    """The shares after a Newton step on the objective, in flows, or after a half, a quarter, … of it: it must fall."""
    (demand, share), (total, others, time, slope) = now, links
    flows = np.maximum(demand * share, LEAST)
    cost = routes.by_route @ time + np.log(share) / rationality
    bend = 1 / (rationality * flows)
    weight = 1 / (routes.by_route @ slope + bend)
    whole = routes.total(weight)
    step = conjugate_gradients(
        lambda x: np.asarray(routes.by_route @ (slope * (routes.by_link @ x)) + bend * x),
        lambda residual: residual - routes.total(weight * residual) / whole,
        weight,
        -cost,
    )
    before, descent = _objective(times, total, demand, share, rationality), np.sum(cost * step, axis=0)
    relative = np.where(demand > 0, step / np.maximum(demand, LEAST), 0.0)
    length, waiting, accepted = np.ones(len(before)), np.ones(len(before), dtype=bool), share.copy()
    for _ in range(HALVINGS):
        moved = np.where(share + length * relative > 0.01 * share, share + length * relative, 0.01 * share)
        moved = np.maximum(moved / routes.total(moved), LEAST)
        after = _objective(times, others + routes.by_link @ (demand * moved), demand, moved, rationality)
        taken = waiting & (after <= before + 1e-4 * length * np.minimum(descent, 0.0) + 1e-14 * np.abs(before))
        accepted[:, taken] = moved[:, taken]
        waiting &= ~taken
        if not waiting.any():
            break
        length = np.where(waiting, length / 2, length)
    return accepted


def _objective(times: LinkTimes, total: Matrix, demand: Matrix, share: Matrix, rationality: float) -> Vector:
    return np.asarray(times.integral(total) + np.sum(demand * share * np.log(share), axis=0) / rationality)
