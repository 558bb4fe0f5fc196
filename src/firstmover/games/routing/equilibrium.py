"""User equilibrium (Wardrop 1952): nobody has a quicker route, given the flows of all; many instances at once.

An equilibrium minimises Beckmann's objective over the flows of routes. Routes are found as they are needed, by shortest
paths at the present times. Between two searches, flows are moved by projected gradients (Jayakrishnan et al. 1994) and,
near the solution, by Newton steps on the routes in use, whose equations are solved by conjugate gradients with the
diagonal as preconditioner and the demand of each pair as constraint (Gould, Hribar and Nocedal 2001). All instances of
a batch share the routes, so that each operation is a product with one sparse matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import Network
from firstmover.games.routing.route_set import RouteSet, ShortestRoutes

OfRoutes = Callable[[Matrix], Matrix]
"""A linear map of numbers of routes."""

GAP = 1e-6
"""The relative gap at which an equilibrium is accepted."""

LEAST_GAP = 1e-13
"""Smaller gaps are lost in rounding."""

MOST_ROUNDS = 200
"""Searches for routes."""

CELLS = 60_000
"""Pairs times instances that are solved at once, so that arrays stay in the processor's cache."""

NEAR = 1e-2
"""The relative gap below which Newton steps are taken."""

GRADIENT_STEPS, NEWTON_STEPS = 10, 3
"""Steps between two searches: far from the solution, and near it."""

CG_STEPS, CG_ACCURACY = 30, 0.1
"""Conjugate gradients of a Newton step: at most so many, and the factor by which the residual falls."""

EMPTIED = 1e-2
"""The share of a pair's demand up to which a route that is too slow loses all its flow in a Newton step."""

RIDGE = 1e-7
"""Added to the second derivative, relative to the cost of a route over the demand: some links have constant times."""

HALVINGS = 25
"""Of the length of a Newton step."""


@dataclass(frozen=True, eq=False)
class Equilibria:
    """The users' flows on links (B, E), the least cost of each pair (B, p), and the relative gap (B,) of B instances.

    `routes` are all routes that were found on the way. The gap is 1 − Σ_w d_w c_w / Σ_e u_e t_e: the share of the
    users' cost that they would save at the present times.
    """

    flows: Matrix
    costs: Matrix
    gap: Vector
    routes: RouteSet


def equilibria(
    network: Network, demands: Matrix, times: LinkTimes, background: Matrix | float = 0.0, gap: float = GAP
) -> Equilibria:
    """Return the equilibria of demands (B, p), with flows of others on the links (B, E) that users cannot change."""
    demands = np.asarray(demands, dtype=np.float64)
    gap = max(positive("gap", gap), LEAST_GAP)
    background = np.broadcast_to(background, (len(demands), network.n_links)).T
    search = ShortestRoutes(network)
    nominal = _Flows(search, demands.mean(axis=0)[:, None], background.mean(axis=1)[:, None], times.mean())
    nominal.solve(max(gap, NEAR / 100))
    step, parts, routes = max(1, CELLS // network.n_pairs), [], nominal.routes
    for start in range(0, len(demands), step):
        chosen = np.arange(start, min(start + step, len(demands)))
        part = _Flows(search, demands[chosen].T, background[:, chosen], times.of_instances(chosen))
        part.begin_as(nominal)
        parts.append(part.solve(gap))
        routes = routes.with_new(part.routes)
    flows, costs, gaps = zip(*parts, strict=True)
    return Equilibria(np.hstack(flows).T, np.hstack(costs).T, np.concatenate(gaps), routes)


class _Flows:
    """Flows of routes (routes, B) of a batch of instances with demands (p, B), on their way to equilibrium."""

    def __init__(self, search: ShortestRoutes, demands: Matrix, background: Matrix, times: LinkTimes) -> None:
        self.search, self.demands, self.background, self.times = search, demands, background, times
        self.routes = RouteSet.empty(search.network.n_links)
        self.flows = np.zeros((0, demands.shape[1]))
        self.total = background + np.zeros(demands.shape[1])

    def begin_as(self, solved: "_Flows") -> None:
        """Split the users of each pair among its routes as in another solution."""
        routes = self.routes = solved.routes
        whole = routes.total(solved.flows)
        share = np.where(whole > 0, solved.flows / np.where(whole > 0, whole, 1.0), 0.0)
        share[routes.first] += (whole == 0)[routes.first]
        self._set(share * self.demands[routes.pairs])

    def _set(self, flows: Matrix) -> None:
        self.flows, self.total = flows, self.background + self.routes.by_link @ flows

    def solve(self, gap: float) -> tuple[Matrix, Matrix, Vector]:
        """Return the users' flows on links (E, B), the costs of pairs (p, B) and the gaps (B,)."""
        left = np.arange(self.demands.shape[1])
        flows, costs, gaps = np.empty_like(self.total), np.empty_like(self.demands), np.empty(len(left))
        for _ in range(MOST_ROUNDS):
            least, found = self._searched()
            flows[:, left], costs[:, left], gaps[left] = self.total - self.background, least, found
            going = found > gap
            if not going.any():
                return flows, costs, gaps
            left = left[going]
            self._keep(np.flatnonzero(going))
            self._improve(float(found.max()))
        raise InvalidInput(
            f"The equilibrium has a relative gap of {gaps.max():.2g} after {MOST_ROUNDS} searches for routes: ask for "
            f"a larger gap than {gap:g}, or check the links."
        )

    def _searched(self) -> tuple[Matrix, Vector]:
        """Add the shortest routes; return the least costs and the relative gaps. The first search loads the routes."""
        time, _ = self.times(self.total)
        nearest = self.search.nearest(time)
        self._refuse_unreachable(nearest.costs)
        begins = not len(self.flows)
        self.routes, self.flows = self.routes.joined(self.search.routes(nearest, self.routes.keys), self.flows)
        if begins:
            self._set(np.where(np.isin(self.routes.keys, nearest.keys)[:, None], self.demands[self.routes.pairs], 0.0))
            return self._searched()
        spent = np.sum((self.total - self.background) * time, axis=0)
        least = np.sum(self.demands * np.where(self.demands > 0, nearest.costs, 0.0), axis=0)
        return nearest.costs, np.where(spent > 0, 1 - least / np.where(spent > 0, spent, 1.0), 0.0)

    def _refuse_unreachable(self, costs: Matrix) -> None:
        lost = np.isinf(costs) & (self.demands > 0)
        if lost.any():
            network, pair = self.search.network, int(np.argwhere(lost)[0][0])
            ends = network.nodes[[network.origins[pair], network.destinations[pair]]]
            raise InvalidInput(f"demand from {ends[0]} to {ends[1]}: no route joins them; leave it out.")

    def _keep(self, chosen: NDArray[np.intp]) -> None:
        """Go on with some instances."""
        self.demands, self.background = self.demands[:, chosen], self.background[:, chosen]
        self.flows, self.total = self.flows[:, chosen], self.total[:, chosen]
        self.times = self.times.of_instances(chosen)

    def _improve(self, gap: float) -> None:
        if gap > NEAR:
            for _ in range(GRADIENT_STEPS):
                self._gradient_step()
            return
        self._gradient_step()
        for _ in range(NEWTON_STEPS):
            self._newton_step()

    def _gradient_step(self) -> None:
        """Move flow from slower routes of a pair to its quickest, as far as lowers the objective on that line."""
        routes, flows = self.routes, self.flows
        time, slope = self.times(self.total)
        cost, rising = routes.by_route @ time, routes.by_route @ slope
        least = routes.least(cost)
        quickest = (cost == least) / routes.total((cost == least).astype(float))
        curvature = rising + routes.total(quickest * rising)
        excess = cost - least
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(excess > 0, np.minimum(flows, excess / curvature), 0.0)
        step = quickest * routes.total(moved) - moved
        on_links = routes.by_link @ step
        length = self._least_on_line(on_links)
        self._set(flows + length * step)

    def _least_on_line(self, change: Matrix) -> Vector:
        """The length in [0, 1] of a step with this change of link flows at which the objective is least (B,)."""
        low, high, length = np.zeros(change.shape[1]), np.ones(change.shape[1]), np.ones(change.shape[1])
        for _ in range(6):
            time, slope = self.times(self.total + length * change)
            first, second = np.sum(time * change, axis=0), np.sum(slope * change * change, axis=0)
            low, high = np.where(first <= 0, length, low), np.where(first > 0, length, high)
            newton = length - first / np.where(second > 0, second, 1.0)
            inside = (newton > low) & (newton < high)
            length = np.where(low == 1, 1.0, np.where(inside, newton, (low + high) / 2))
        return length

    def _newton_step(self) -> None:
        """Solve for equal costs of the routes in use, by the present slopes, and search along the way there."""
        routes, flows, demand = self.routes, self.flows, self.demands[self.routes.pairs]
        time, slope = self.times(self.total)
        cost, rising = routes.by_route @ time, routes.by_route @ slope
        least = routes.least(cost)
        usual = max(float(self.demands.mean()), np.finfo(float).tiny)
        ridge = RIDGE * np.maximum(cost, cost.mean(axis=0)) / np.maximum(demand, usual)
        emptied = (
            (flows > 0) & (cost > least) & (flows <= np.minimum(EMPTIED * demand, (cost - least) / (rising + ridge)))
        )
        quickest = (cost == least) / routes.total((cost == least).astype(float))
        out = np.where(emptied, flows, 0.0)
        forced = quickest * routes.total(out) - out
        mean = routes.total(flows * cost) / np.where(demand > 0, demand, 1.0)
        free = ((flows > 0) & ~emptied) | ((cost < mean) & (demand > 0))
        weight = np.where(free, 1 / (rising + ridge), 0.0)
        weight_of_pair = routes.total(weight)
        weight_of_pair = np.where(weight_of_pair > 0, weight_of_pair, 1.0)

        def curvature(of_routes: Matrix) -> Matrix:
            return np.asarray(routes.by_route @ (slope * (routes.by_link @ of_routes)) + ridge * of_routes)

        def feasible(residual: Matrix) -> Matrix:
            """The residual less a multiplier of each pair, such that the preconditioned step moves no demand."""
            return np.where(free, residual - routes.total(weight * residual) / weight_of_pair, 0.0)

        step = conjugate_gradients(curvature, feasible, weight, -(cost + curvature(forced))) + forced
        self._search_along(step, np.sum(cost * step, axis=0))

    def _search_along(self, step: Matrix, descent: Vector) -> None:
        """Take the step, or a half, a quarter, … of it, at which the objective falls; flows below 0 are cut."""
        routes, demand = self.routes, self.demands[self.routes.pairs]
        before = self.times.integral(self.total)
        length, accepted, total = np.ones(len(before)), self.flows.copy(), self.total.copy()
        waiting = np.ones(len(before), dtype=bool)
        for _ in range(HALVINGS):
            flows = np.maximum(self.flows + length * step, 0.0)
            whole = routes.total(flows)
            flows *= demand / np.where(whole > 0, whole, 1.0)
            links = self.background + routes.by_link @ flows
            enough = before + 1e-4 * np.minimum(length * descent, 0.0) + 1e-15 * np.abs(before)
            taken = waiting & (self.times.integral(links) <= enough)
            accepted[:, taken], total[:, taken] = flows[:, taken], links[:, taken]
            waiting &= ~taken
            if not waiting.any():
                break
            length = np.where(waiting, length / 2, length)
        self.flows, self.total = accepted, total


def conjugate_gradients(curvature: OfRoutes, feasible: OfRoutes, weight: Matrix, target: Matrix) -> Matrix:
    """Solve curvature(x) = target for x that move no demand, for each instance (a column) on its own."""
    found = np.zeros_like(target)
    residual = feasible(target)
    direction = weight * residual
    size = np.sum(residual * direction, axis=0)
    enough = CG_ACCURACY**2 * size
    for _ in range(CG_STEPS):
        going = size > enough
        if not going.any():
            break
        bent = curvature(direction)
        along = np.sum(direction * bent, axis=0)
        length = np.where(going & (along > 0), size / np.where(along > 0, along, 1.0), 0.0)
        found += length * direction
        residual = feasible(residual - length * bent)
        preconditioned = weight * residual
        new = np.sum(residual * preconditioned, axis=0)
        direction = preconditioned + np.where(size > 0, new / np.where(size > 0, size, 1.0), 0.0) * direction
        size = np.where(going, new, size)
    return found
