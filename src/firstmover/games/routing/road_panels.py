"""Pictures of a road network at its coordinates: the time on every link, and how a plan changes it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.map_record import Axis, Layer, Lines, MapTable, Panel, Points, Scale, short
from firstmover.games.match_view import MatchView
from firstmover.games.routing.network import Network, link_names

WITH, WITHOUT, DIFFERENCE = "With the plan", "Without the plan", "Difference"
"""The tabs of the map."""

LEAST_CHANGE = 1 / 80
"""A change below this part of the largest on the scale is drawn as none."""

MOST_LABELLED = 60
"""The largest number of nodes that are drawn with their labels; of more, only those of the plan are drawn."""

_ASIDE = 0.055  # distance of links from the straight line between their nodes, in typical lengths
_SIDE, _EDGE = 560.0, 26.0  # pixels of the longer side, and around the outermost nodes
_USUAL, _THINNEST = 60.0, 0.3  # pixels of a typical link from which on roads are as wide as can be, and the least width
_CASING = 2.4  # pixels by which the edge of a road is wider
_AROUND = 9.0  # pixels by which the plan is wider than its roads, so that their colour stays visible
_DEGREES = 5.0  # networks of a smaller extent, within ±180 and ±90, may have longitudes and latitudes


@dataclass(frozen=True, eq=False)
class LinkState:
    """The state of the links (E,) under one plan: t / t₀, the flow, and what the plan sets there, 0 if nothing."""

    ratio: Vector
    flow: Vector
    plan: Vector


def link_ends(network: Network, gap: float = 0.0) -> tuple[Matrix, Matrix]:
    """Return x and y of the ends of the links (E, 2), a little to the right of the line to show both directions.

    Nodes lie at the coordinates of the network; a `gap`, in typical lengths, separates links from them.
    """
    tail, head = network.positions[network.tails], network.positions[network.heads]
    along = head - tail
    length = np.linalg.norm(along, axis=1, keepdims=True)
    unit = along / np.where(length > 0, length, 1.0) * np.median(length)
    aside = _ASIDE * np.stack([unit[:, 1], -unit[:, 0]], axis=1)
    starts, ends = tail + aside + gap * unit, head + aside - gap * unit
    return np.column_stack([starts[:, 0], ends[:, 0]]), np.column_stack([starts[:, 1], ends[:, 1]])


def undistorted(network: Network) -> Network:
    """The network with coordinates in which both directions have the same scale.

    Longitudes become shorter by the cosine of the latitude. Near 0 this changes nothing, so that it does no harm where
    small coordinates are not degrees.
    """
    positions = network.positions
    largest, extent = np.abs(positions).max(axis=0), np.ptp(positions, axis=0)
    if largest[0] > 180 or largest[1] > 90 or extent.max() > _DEGREES:
        return network
    shorter = np.cos(np.radians(positions[:, 1].mean()))
    return replace(network, positions=positions * [shorter, 1.0])


@dataclass(frozen=True, eq=False)
class RoadPanels:
    """Panels of a network.

    Parameters
    ----------
    network
        The roads; both directions of its coordinates have the same scale.
    most
        The end of the colour scale of t / t₀: a road that takes longer has the same colour.
    most_change
        The ends of the colour scale of changes of t / t₀.
    route
        The rows of the first and of the last node of a fleet; None without a fleet.
    plan
        What a plan sets on a road, as the title of a column.
    """

    network: Network
    most: float
    most_change: float
    route: tuple[int, int] | None
    plan: str

    @cached_property
    def _thin(self) -> float:
        """The width of roads, relative to that of a network of few."""
        ends = self.network.positions[self.network.heads] - self.network.positions[self.network.tails]
        extent = np.ptp(self.network.positions, axis=0).max()
        typical = float(np.median(np.linalg.norm(ends, axis=1))) / extent * _SIDE
        return float(np.clip(np.sqrt(typical / _USUAL), _THINNEST, 1.0))

    def of_match(
        self, view: MatchView, states: list[LinkState], words: str = "", *, none: int | None
    ) -> tuple[Panel, ...]:
        """The roads with the plan of the round shown, without it, and the difference.

        The first of the states is without a plan, a second one with it; `words` are about the plan. `none` is the
        action that sets nothing, if there is one.
        """
        widest = max(1.0, *(float(state.flow.max()) for state in states))
        bare = self._roads(states[0], widest, ("Without a plan", _predicted(view, none)), WITHOUT)
        if len(states) == 1:
            return (bare,)
        without, planned = states
        subtitle = "; ".join(filter(None, (_predicted(view, view.action), words)))
        roads = self._roads(planned, widest, (view.title, subtitle), WITH)
        return roads, bare, self._difference(without, planned, view.title)

    def _roads(self, state: LinkState, widest: float, words: tuple[str, str], tab: str) -> Panel:
        """The roads under one plan, titled by two lines; the widest line has the flow `widest`."""
        (title, subtitle), (x, y), names = words, link_ends(self.network), link_names(self.network)
        width = self._thin * (3.5 + 4.5 * state.flow / widest)
        order = np.argsort(-state.ratio, kind="stable")
        table = MapTable(
            "Links, the most congested first",
            ("link", "time (t / t₀)", "units", self.plan),
            tuple((names[i], *(float(part[i]) for part in (state.ratio, state.flow, state.plan))) for i in order),
        )
        rows = tuple(np.argsort(order).tolist())
        scale = Scale(
            "congestion",
            "time on a road (t / t₀):",
            1.0,
            self.most,
            "as when empty",
            f"{self.most:g} times that, or more",
        )
        legend = "a road: the thicker, the more traffic"
        layers = (
            *self._planned(x, y, width, state.plan),
            Lines(x, y, "casing", width + self._thin * _CASING),
            Lines(x, y, width=width, scale=scale, values=state.ratio, rows=rows, legend=legend),
        )
        worst = f"Most congested: {names[order[0]]}, {short(state.ratio[order[0]])} times the free-flow time."
        return self._panel(layers, table, (title, subtitle, worst), tab)

    def _difference(self, without: LinkState, planned: LinkState, title: str) -> Panel:
        """The change of the time on every road by the plan; roads that become quicker are dashed."""
        change, (x, y), names = planned.ratio - without.ratio, link_ends(self.network), link_names(self.network)
        most, least = self.most_change, LEAST_CHANGE * self.most_change
        width = self._thin * (3.0 + 5.0 * np.minimum(np.abs(change), most) / most)
        order = np.argsort(-np.abs(change), kind="stable")
        columns = (without.ratio, planned.ratio, change, planned.flow - without.flow, planned.plan)
        table = MapTable(
            "Links, the most changed first",
            ("link", "t / t₀ without", "with the plan", "change", "change of units", self.plan),
            tuple((names[i], *(float(part[i]) for part in columns)) for i in order),
        )
        rows = np.argsort(order)
        slower, quicker = change > least, change < -least
        same = ~slower & ~quicker
        counts = f"{int(slower.sum())} roads slower, {int(quicker.sum())} quicker, {int(same.sum())} about the same"
        shown = [(same, False, "about the same"), (slower, False, "slower"), (quicker, True, "quicker: dashed")]
        scale = Scale(
            "change",
            "change of the time (in t₀):",
            -most,
            most,
            f"−{most:g}, quicker",
            f"+{most:g} or more, slower",
        )
        layers = (
            *self._planned(x, y, width, planned.plan),
            Lines(x, y, "casing", width + self._thin * _CASING),
            *(
                Lines(
                    x[part],
                    y[part],
                    width=width[part],
                    dashed=dashed,
                    scale=scale,
                    values=change[part],
                    rows=tuple(rows[part].tolist()),
                    legend=legend,
                )
                for part, dashed, legend in shown
            ),
        )
        about = f"Most changed: {names[order[0]]}, {short(change[order[0]])} times the free-flow time."
        return self._panel(layers, table, (f"What the plan changes · {title}", counts, about), DIFFERENCE)

    def _planned(self, x: Matrix, y: Matrix, width: Vector, plan: Vector) -> tuple[Lines, ...]:
        """The roads of a plan, wider than the roads themselves, with their direction."""
        used, legend = plan > 0, "blue around a road: the plan, and its direction"
        around = width[used] + self._thin * _AROUND
        return (Lines(x[used], y[used], "line-0", around, legend=legend, arrows=True),) if used.any() else ()

    def _panel(self, layers: tuple[Layer, ...], table: MapTable, words: tuple[str, str, str], tab: str) -> Panel:
        title, subtitle, about = words
        low, high = self.network.positions.min(axis=0), self.network.positions.max(axis=0)
        pixel = (high - low).max() / _SIDE
        size = (high - low) / pixel + 2 * _EDGE
        axes = [Axis(float(low[i] - _EDGE * pixel), float(high[i] + _EDGE * pixel)) for i in (0, 1)]
        summary = f"{'. '.join(filter(None, (title, subtitle)))}. {about}"
        layers, size_in_pixels = (*layers, *self._nodes()), (float(size[0]), float(size[1]))
        return Panel(title, axes[0], axes[1], layers, table, summary, size_in_pixels, subtitle, tab=tab)

    def _nodes(self) -> tuple[Points, ...]:
        """The nodes if they are few, the origin of a fleet as a larger circle, its destination as a diamond."""
        labels, (x, y) = [str(node) for node in self.network.nodes], self.network.positions.T
        rest = [i for i in range(len(labels)) if i not in (self.route or ())]
        points = (Points(x[rest], y[rest], size=8.5, fill="ground", edge="soft", texts=tuple(labels[i] for i in rest)),)
        ends: tuple[Points, ...] = ()
        if self.route is not None:
            a, b = self.route
            ends = (
                Points(
                    x[[a]],
                    y[[a]],
                    "circle",
                    12,
                    "ground",
                    "line-0",
                    3.5,
                    1.0,
                    (labels[a],),
                    legend=f"from node {labels[a]}",
                ),
                Points(
                    x[[b]],
                    y[[b]],
                    "diamond",
                    15,
                    "ground",
                    "line-2",
                    3.5,
                    1.0,
                    (labels[b],),
                    legend=f"to node {labels[b]}",
                ),
            )
        return (*(points if len(labels) <= MOST_LABELLED else ()), *ends)


def _predicted(view: MatchView, plan: int | None) -> str:
    """The prediction for a plan at the last reported demand, in words; empty if there is none."""
    if not view.observed:
        return "Nothing is known about the response yet: no round has been reported"
    if view.posterior is None or plan is None:
        return ""
    ends = (part[plan, 0] for part in view.posterior.intervals(view.observed[-1].opponent_type))
    mean, lower, upper = map(float, ends)
    name = view.responses[0].name
    if np.isnan(mean):
        return f"Not known yet: {name}"
    return f"Predicted {name}: {short(mean)} ({short(lower)} to {short(upper)})"


def demand_in_words(view: MatchView, share: float) -> str:
    """The demand of a map: that of the last reported round, a share of the largest."""
    if not view.observed:
        return "At half of the largest demand, since no round has been reported yet."
    if len(view.observed[-1].opponent_type) == 1:
        return f"At the demand of the last reported round: {view.last_type}."
    return f"At the demand of the last reported round, {share:.0%} of the largest."
