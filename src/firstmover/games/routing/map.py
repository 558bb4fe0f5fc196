"""The road network as a map: congestion and flow of every link without the plan and with it, the plan on top."""

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.default_map import default_map
from firstmover.games.map_record import Axis, Lines, MapRecord, MapTable, Panel, Points, Scale, short
from firstmover.games.match_view import MatchView
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.network import Network
from firstmover.games.routing.opponents import RoadUsers, demand_of, sioux_falls_users
from firstmover.games.routing.words import link_names

MOST_SHOWN = 5.0
"""The end of the colour scale of t / t₀: a road that takes longer has the same colour."""

_SCALE = Scale(
    "congestion", "time on a road (t / t₀):", 1.0, MOST_SHOWN, "as when empty", f"{MOST_SHOWN:g} times that, or more"
)
_ASIDE, _GAP = 0.05, 0.1  # distance of links from the straight line and from their nodes, in typical lengths
_SIDE, _EDGE = 468.0, 26.0  # pixels of the longer side, and around the outermost nodes
_AROUND = 9.0  # pixels by which the plan is wider than its roads, so that their colour stays visible


def arrows(network: Network) -> tuple[Matrix, Matrix]:
    """Return starts and ends of the links, drawn a little to the right of the straight line to show both directions."""
    tail, head = network.positions[network.tails], network.positions[network.heads]
    along = head - tail
    unit = along / np.linalg.norm(along, axis=1, keepdims=True)
    typical = np.median(np.linalg.norm(along, axis=1))
    aside = _ASIDE * typical * np.stack([unit[:, 1], -unit[:, 0]], axis=1)
    gap = _GAP * typical * unit
    return tail + aside + gap, head + aside - gap


def road_map(view: MatchView) -> MapRecord | None:
    """The roads at the last reported demand, without any plan and with the one shown.

    Flows are not measured: they follow from the demand when drivers take the quicker of their two shortest routes.
    Where types do not describe the traffic, the map is that of any menu.
    """
    users, types = sioux_falls_users(), view.game.types
    if types is not None and types.shape[1] not in (1, users.network.n_pairs):
        return default_map(view)
    demand, words = _demand(view, users)
    plans = [0] if view.action is None else [0, view.action]
    congestion = users.congestion(view.game.actions[plans], demand)
    flows = users.network.capacity * (congestion / 0.15) ** 0.25  # z_e from c_e = 0.15 (z_e / C_e)⁴
    widest = max(float(flows.max()), 1.0)
    panels = tuple(
        _panel(
            (title, _predicted(view, plan)),
            users.network,
            (1 + congestion[i], flows[i], widest),
            view.game.actions[plan],
        )
        for i, (title, plan) in enumerate(zip(("Without a plan", view.title), plans, strict=False))
    )
    partial = bool(view.observed) and view.posterior is None
    note = f"{words} Flows on roads are modelled, not predicted: every driver takes the quicker of two shortest routes."
    return MapRecord("The roads", panels, note, partial=partial)


def _predicted(view: MatchView, plan: int) -> str:
    """The prediction for a plan at the last reported demand, in words; empty if there is none."""
    if view.posterior is None or not view.observed:
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


def _panel(words: tuple[str, str], network: Network, traffic: tuple[Vector, Vector, float], plan: Vector) -> Panel:
    """The roads under one plan; `traffic` has t / t₀ and the flow of each link, and the largest flow of all panels."""
    (title, predicted), (ratio, flow, widest) = words, traffic
    width = 1.5 + 6.5 * flow / widest
    starts, ends = arrows(network)
    x, y = (np.column_stack([starts[:, axis], ends[:, axis]]) for axis in (0, 1))
    used, names = plan > 0, link_names(network)
    arriving = float(plan @ sioux_falls_plans().arrivals)
    subtitle = "; ".join(filter(None, (predicted, f"{short(arriving)} units arrive" if arriving else "")))
    labels = tuple(
        f"{name}: {short(r)} × the free-flow time, {short(z)} units{f', {short(u)} of the plan' if u > 0 else ''}"
        for name, r, z, u in zip(names, ratio, flow, plan, strict=True)
    )
    planned = "blue around a road: the plan, and its direction"
    roads = "a road: the thicker, the more traffic"
    order = np.argsort(-ratio, kind="stable")
    low, high = network.positions.min(axis=0), network.positions.max(axis=0)
    pixel = (high - low).max() / _SIDE
    size = (high - low) / pixel + 2 * _EDGE
    axes = [Axis(float(low[i] - _EDGE * pixel), float(high[i] + _EDGE * pixel)) for i in (0, 1)]
    return Panel(
        title,
        axes[0],
        axes[1],
        (
            Lines(x[used], y[used], "day-0", width[used] + _AROUND, legend=planned, arrows=True),
            Lines(x, y, "black", width + 1.4, 0.6),
            Lines(x[used], y[used], "white", width[used] + 2.6),
            Lines(x, y, width=width, scale=_SCALE, values=ratio, labels=labels, legend=roads),
            *_nodes(network),
        ),
        MapTable(
            "Links, the most congested first",
            ("link", "times the free-flow time (t / t₀)", "units", "of the plan"),
            tuple((names[i], float(ratio[i]), float(flow[i]), float(plan[i])) for i in order),
        ),
        ". ".join(filter(None, (title, subtitle, f"Most congested: {labels[order[0]]}."))),
        (float(size[0]), float(size[1])),
        subtitle,
        light_ground=True,
    )


def _nodes(network: Network) -> tuple[Points, ...]:
    """All nodes, the origin as a larger circle, the destination as a diamond."""
    labels, (x, y) = [str(node) for node in network.nodes], network.positions.T
    route = sioux_falls_plans().routes[0]
    a, b = route[0], route[-1]
    rest = [i for i in range(len(labels)) if i not in (a, b)]
    return (
        Points(x[rest], y[rest], size=9, fill="white", edge="black", texts=tuple(labels[i] for i in rest)),
        Points(x[[a]], y[[a]], "circle", 12, "white", "day-0", 3.5, (labels[a],), legend=f"from node {labels[a]}"),
        Points(x[[b]], y[[b]], "diamond", 15, "white", "day-2", 3.5, (labels[b],), legend=f"to node {labels[b]}"),
    )
