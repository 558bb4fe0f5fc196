"""The road network as a map: congestion and flow of every link without the plan and with it, the plan on top."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.records import Matrix, Vector
from firstmover.games.map_record import Axis, Lines, MapRecord, MapTable, Panel, Points, Scale, short
from firstmover.games.match_view import MatchView
from firstmover.games.menu_map import default_map
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import Network
from firstmover.games.routing.opponents import RoadUsers, demand_of, sioux_falls_users
from firstmover.games.routing.words import link_names

MOST_SHOWN = 5.0
"""The end of the colour scale of t / t₀: a road that takes longer has the same colour."""

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
    Where types do not say how much traffic there is, the map is that of any menu.
    """
    users, actions = sioux_falls_users(), view.game.actions
    types = view.game.types
    if types is not None and types.shape[1] not in (1, users.network.n_pairs):
        return default_map(view)
    demand, said = _demand(view, users)
    plans = [0] if view.action is None else [0, view.action]
    congestion = users.congestion(actions[plans], demand)
    widest = max(float(_flow(users.network, congestion).max()), 1.0)
    panels = [
        _panel((title, _predicted(view, plan)), users.network, congestion[i], actions[plan], widest)
        for i, (title, plan) in enumerate(zip(("Without a plan", view.title), plans, strict=False))
    ]
    partial = bool(view.observed) and view.forecast is None
    note = f"{said} Flows on roads are modelled, not predicted: every driver takes the quicker of two shortest routes."
    return MapRecord("The roads", tuple(panels), note, partial=partial)


def _predicted(view: MatchView, plan: int) -> str:
    """The forecast of a plan at the last reported demand, in words; empty if there is none."""
    if view.forecast is None or not view.observed:
        return ""
    (interval,) = view.forecast(plan, view.observed[-1].opponent_type).responses
    band = "" if interval.lower is None else f" ({short(interval.lower)} to {short(interval.upper)})"
    return f"Predicted {view.responses[0].name}: {short(interval.mean)}{band}"


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


def _flow(network: Network, congestion: NDArray[np.float64]) -> NDArray[np.float64]:
    """z_e from c_e = 0.15 (z_e / C_e)⁴."""
    return network.capacity * (congestion / 0.15) ** 0.25


def _panel(words: tuple[str, str], network: Network, congestion: Vector, plan: Vector, widest: float) -> Panel:
    title, subtitle = words
    flow = _flow(network, congestion)
    starts, ends = arrows(network)
    x, y = (np.column_stack([starts[:, axis], ends[:, axis]]) for axis in (0, 1))
    ratio, width, used = 1 + congestion, 1.5 + 6.5 * flow / widest, plan > 0
    names = link_names(network)
    arriving = float(plan @ operator_plans().arrivals)
    subtitle = "; ".join(filter(None, (subtitle, f"{short(arriving)} units arrive" if arriving else "")))
    labels = tuple(
        f"{name}: {short(r)} × the free-flow time, {short(z)} units{f', {short(u)} of the plan' if u > 0 else ''}"
        for name, r, z, u in zip(names, ratio, flow, plan, strict=True)
    )
    scale = Scale(
        "congestion",
        "time on a road (t / t₀):",
        1.0,
        MOST_SHOWN,
        "as when empty",
        f"{MOST_SHOWN:g} times that, or more",
    )
    planned = "blue around a road: the plan, and its direction"
    around = width[used] + _AROUND
    roads = "a road: the thicker, the more traffic"
    order = np.argsort(-ratio, kind="stable")
    (left, right), (bottom, top) = ((network.positions[:, i].min(), network.positions[:, i].max()) for i in (0, 1))
    pixel = max(right - left, top - bottom) / _SIDE
    edge = _EDGE * pixel
    return Panel(
        title,
        Axis(float(left - edge), float(right + edge)),
        Axis(float(bottom - edge), float(top + edge)),
        (
            Lines(x[used], y[used], "day-0", around, legend=planned, arrows=True),
            Lines(x, y, "black", width + 1.4, 0.6),
            Lines(x[used], y[used], "white", width[used] + 2.6),
            Lines(x, y, width=width, scale=scale, values=ratio, labels=labels, legend=roads),
            *_nodes(network),
        ),
        MapTable(
            "Links, the most congested first",
            ("link", "times the free-flow time (t / t₀)", "units", "of the plan"),
            tuple((names[i], float(ratio[i]), float(flow[i]), float(plan[i])) for i in order),
        ),
        ". ".join(filter(None, (title, subtitle, f"Most congested: {labels[order[0]]}."))),
        (float((right - left) / pixel + 2 * _EDGE), float((top - bottom) / pixel + 2 * _EDGE)),
        subtitle,
        light_ground=True,
    )


def _nodes(network: Network) -> tuple[Points, ...]:
    """All nodes, the origin as a larger circle, the destination as a diamond."""
    labels, (x, y) = tuple(str(node) for node in network.nodes), network.positions.T
    origin, destination = operator_plans().routes[0][0], operator_plans().routes[0][-1]
    start, end = [origin], [destination]
    rest = [i for i in range(len(labels)) if i not in (origin, destination)]
    return (
        Points(x[rest], y[rest], size=9, fill="white", edge="black", texts=tuple(labels[i] for i in rest)),
        Points(
            x[start],
            y[start],
            "circle",
            12,
            "white",
            "day-0",
            3.5,
            (labels[origin],),
            legend=f"from node {labels[origin]}",
        ),
        Points(
            x[end],
            y[end],
            "diamond",
            15,
            "white",
            "day-2",
            3.5,
            (labels[destination],),
            legend=f"to node {labels[destination]}",
        ),
    )
