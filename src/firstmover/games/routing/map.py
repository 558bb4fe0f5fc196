"""The road network as a map: congestion and flow of every link with the plan and without it, and the difference."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.default_map import default_map
from firstmover.games.map_record import Axis, Layer, Lines, MapRecord, MapTable, Panel, Points, Scale, short
from firstmover.games.match_view import MatchView
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.network import Network, link_names
from firstmover.games.routing.opponents import RoadUsers, demand_of, sioux_falls_users

MOST_SHOWN = 5.0
"""The end of the colour scale of t / t₀: a road that takes longer has the same colour."""

LEAST_CHANGE = 0.05
"""A change of t / t₀ below this is drawn as none."""

_SCALE = Scale(
    "congestion", "time on a road (t / t₀):", 1.0, MOST_SHOWN, "as when empty", f"{MOST_SHOWN:g} times that, or more"
)
_MOST_CHANGE = MOST_SHOWN - 1
_CHANGE = Scale(
    "change",
    "change of the time (in t₀):",
    -_MOST_CHANGE,
    _MOST_CHANGE,
    f"−{_MOST_CHANGE:g}, quicker",
    f"+{_MOST_CHANGE:g} or more, slower",
)
_ASIDE = 0.055  # distance of links from the straight line between their nodes, in typical lengths
_SIDE, _EDGE = 560.0, 26.0  # pixels of the longer side, and around the outermost nodes
_CASING = 2.4  # pixels by which the edge of a road is wider
_AROUND = 9.0  # pixels by which the plan is wider than its roads, so that their colour stays visible

WITH, WITHOUT, DIFFERENCE = "With the plan", "Without the plan", "Difference"
"""The tabs of the map."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """The state of the links (E,) under one plan: t / t₀, the flow, and the units of the plan."""

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
    unit = along / length * np.median(length)
    aside = _ASIDE * np.stack([unit[:, 1], -unit[:, 0]], axis=1)
    starts, ends = tail + aside + gap * unit, head + aside - gap * unit
    return np.column_stack([starts[:, 0], ends[:, 0]]), np.column_stack([starts[:, 1], ends[:, 1]])


def road_map(view: MatchView) -> MapRecord | None:
    """The roads at the last reported demand: with the plan shown, without any, and the difference.

    Flows are not measured: they follow from the demand when drivers take the quicker of their two shortest routes.
    Where types do not describe the traffic, the map is that of any menu.
    """
    users, types = sioux_falls_users(), view.game.types
    if types is not None and types.shape[1] not in (1, users.network.n_pairs):
        return default_map(view)
    demand, words = _demand(view, users)
    network, plans = users.network, [0] if view.action is None else [0, view.action]
    congestion = users.congestion(view.game.actions[plans], demand)
    flows = network.capacity * (congestion / 0.15) ** 0.25  # z_e from c_e = 0.15 (z_e / C_e)⁴
    without, *planned = (Traffic(1 + congestion[i], flows[i], view.game.actions[plan]) for i, plan in enumerate(plans))
    widest = max(float(flows.max()), 1.0)
    panels = [_roads(network, without, widest, ("Without a plan", _predicted(view, 0)), WITHOUT)]
    for traffic in planned:
        assert view.action is not None
        arriving = float(traffic.plan @ sioux_falls_plans().arrivals)
        arrive = f"{short(arriving)} units arrive" if arriving else ""
        subtitle = "; ".join(filter(None, (_predicted(view, view.action), arrive)))
        roads = _roads(network, traffic, widest, (view.title, subtitle), WITH)
        panels = [roads, *panels, _difference(network, without, traffic, view.title)]
    partial = bool(view.observed) and view.posterior is None
    note = f"{words} Flows on roads are modelled, not predicted: every driver takes the quicker of two shortest routes."
    return MapRecord("The roads", tuple(panels), note, partial=partial)


def _predicted(view: MatchView, plan: int) -> str:
    """The prediction for a plan at the last reported demand, in words; empty if there is none."""
    if not view.observed:
        return "Nothing is known about the response yet: no round has been reported"
    if view.posterior is None:
        return ""
    mean, lower, upper = (float(part[plan, 0]) for part in view.posterior.intervals(view.observed[-1].opponent_type))
    name = view.responses[0].name
    if np.isnan(mean):
        return f"Not known yet: {name}"
    return f"Predicted {name}: {short(mean)} ({short(lower)} to {short(upper)})"


def _demand(view: MatchView, users: RoadUsers) -> tuple[Vector, str]:
    """The demand of each pair in the last reported round, and words for it."""
    if not view.observed:
        return users.network.demand / 2, "At half of the largest demand, since no round has been reported yet."
    opponent_type = view.observed[-1].opponent_type
    demand = demand_of(opponent_type, users)
    if len(opponent_type) == 1:
        return demand, f"At the demand of the last reported round: {view.last_type}."
    share = demand.sum() / users.network.demand.sum()
    return demand, f"At the demand of the last reported round, {share:.0%} of the largest."


def _roads(network: Network, traffic: Traffic, widest: float, words: tuple[str, str], tab: str) -> Panel:
    """The roads under one plan; the widest line has the flow `widest`."""
    (title, subtitle), (x, y), names = words, link_ends(network), link_names(network)
    width = 3.5 + 4.5 * traffic.flow / widest
    order = np.argsort(-traffic.ratio, kind="stable")
    table = MapTable(
        "Links, the most congested first",
        ("link", "time (t / t₀)", "units", "of the plan"),
        tuple((names[i], *(float(part[i]) for part in (traffic.ratio, traffic.flow, traffic.plan))) for i in order),
    )
    rows = tuple(np.argsort(order).tolist())
    legend = "a road: the thicker, the more traffic"
    layers = (
        *_plan(x, y, width, traffic.plan),
        Lines(x, y, "casing", width + _CASING),
        Lines(x, y, width=width, scale=_SCALE, values=traffic.ratio, rows=rows, legend=legend),
    )
    worst = f"Most congested: {names[order[0]]}, {short(traffic.ratio[order[0]])} times the free-flow time."
    return _panel(network, layers, table, (title, subtitle, worst), tab)


def _difference(network: Network, without: Traffic, planned: Traffic, title: str) -> Panel:
    """The change of the time on every road by the plan; roads that become quicker are dashed."""
    change, (x, y), names = planned.ratio - without.ratio, link_ends(network), link_names(network)
    width = 3.0 + 5.0 * np.minimum(np.abs(change), _MOST_CHANGE) / _MOST_CHANGE
    order = np.argsort(-np.abs(change), kind="stable")
    columns = (without.ratio, planned.ratio, change, planned.flow - without.flow, planned.plan)
    table = MapTable(
        "Links, the most changed first",
        ("link", "t / t₀ without", "with the plan", "change", "change of units", "of the plan"),
        tuple((names[i], *(float(part[i]) for part in columns)) for i in order),
    )
    rows = np.argsort(order)
    slower, quicker = change > LEAST_CHANGE, change < -LEAST_CHANGE
    same = ~slower & ~quicker
    counts = f"{int(slower.sum())} roads slower, {int(quicker.sum())} quicker, {int(same.sum())} about the same"
    shown = [(same, False, "about the same"), (slower, False, "slower"), (quicker, True, "quicker: dashed")]
    layers = (
        *_plan(x, y, width, planned.plan),
        Lines(x, y, "casing", width + _CASING),
        *(
            Lines(
                x[part],
                y[part],
                width=width[part],
                dashed=dashed,
                scale=_CHANGE,
                values=change[part],
                rows=tuple(rows[part].tolist()),
                legend=legend,
            )
            for part, dashed, legend in shown
        ),
    )
    most = f"Most changed: {names[order[0]]}, {short(change[order[0]])} times the free-flow time."
    return _panel(network, layers, table, (f"What the plan changes · {title}", counts, most), DIFFERENCE)


def _plan(x: Matrix, y: Matrix, width: Vector, plan: Vector) -> tuple[Lines, ...]:
    """The roads of a plan, wider than the roads themselves, with their direction."""
    used, legend = plan > 0, "blue around a road: the plan, and its direction"
    around = width[used] + _AROUND
    return (Lines(x[used], y[used], "line-0", around, legend=legend, arrows=True),) if used.any() else ()


def _panel(
    network: Network, layers: tuple[Layer, ...], table: MapTable, words: tuple[str, str, str], tab: str
) -> Panel:
    title, subtitle, about = words
    low, high = network.positions.min(axis=0), network.positions.max(axis=0)
    pixel = (high - low).max() / _SIDE
    size = (high - low) / pixel + 2 * _EDGE
    axes = [Axis(float(low[i] - _EDGE * pixel), float(high[i] + _EDGE * pixel)) for i in (0, 1)]
    summary = f"{'. '.join(filter(None, (title, subtitle)))}. {about}"
    layers, size_in_pixels = (*layers, *_nodes(network)), (float(size[0]), float(size[1]))
    return Panel(title, axes[0], axes[1], layers, table, summary, size_in_pixels, subtitle, tab=tab)


def _nodes(network: Network) -> tuple[Points, ...]:
    """All nodes, the origin as a larger circle, the destination as a diamond."""
    labels, (x, y) = [str(node) for node in network.nodes], network.positions.T
    route = sioux_falls_plans().routes[0]
    a, b = route[0], route[-1]
    rest = [i for i in range(len(labels)) if i not in (a, b)]
    return (
        Points(x[rest], y[rest], size=8.5, fill="ground", edge="soft", texts=tuple(labels[i] for i in rest)),
        Points(
            x[[a]], y[[a]], "circle", 12, "ground", "line-0", 3.5, 1.0, (labels[a],), legend=f"from node {labels[a]}"
        ),
        Points(
            x[[b]], y[[b]], "diamond", 15, "ground", "line-2", 3.5, 1.0, (labels[b],), legend=f"to node {labels[b]}"
        ),
    )
