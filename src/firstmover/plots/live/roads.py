"""The roads of a live match: congestion and flow of every link without the plan and with it, the plan on top."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from firstmover.games.network import Network
from firstmover.games.routing import operator_plans
from firstmover.matches.setting import Setting
from firstmover.opponents import BEHAVIOURS
from firstmover.opponents.road_users import RoadUsers
from firstmover.plots.live.trace import Known
from firstmover.plots.routing import arrows
from firstmover.plots.style import COLOURS, colour_map
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

MOST_SHOWN = 5.0
"""Where the colours of t / t₀ end: a road that takes more than so many times its free-flow time looks full."""


@dataclass(frozen=True)
class RoadPanel:
    """One state of the roads: t_e / t₀_e, all units z_e and those of the plan x_e of each link (E,), and averages."""

    title: str
    ratio: Vector
    flow: Vector
    plan: Vector
    congestion: float
    arriving: float


@dataclass(frozen=True)
class RoadMap:
    """The network, as arrows from (E, 2) to (E, 2), and its states side by side.

    Flows are not measured: they follow from the day's demand when drivers take the quicker of their two shortest
    routes; `note` says so.
    """

    kind: str
    nodes: tuple[str, ...]
    positions: Matrix
    starts: Matrix
    ends: Matrix
    links: tuple[str, ...]
    origin: int
    destination: int
    limit: float
    panels: tuple[RoadPanel, ...]
    note: str


def suits(setting: Setting) -> bool:
    """Whether types say how much traffic there is: a share of the largest demand, or the demand of every pair."""
    return setting.config.menu.game == "routing" and (
        setting.game.types is None or setting.game.types.shape[1] in (1, _users(setting).network.n_pairs)
    )


def road_map(trace: Known, *, reveal: bool) -> RoadMap:
    """The roads at the demand that was told last, without any plan and with the one that is shown."""
    setting, played = trace.state.setting, trace.shown(reveal=reveal)
    users, actions = _users(setting), setting.game.actions
    demand, said = _demand(trace, users)
    found = users.congestion(actions[[0, 0 if played is None else played.action]], demand)
    before = _panel("Without a plan", found[0], actions[0], users.network)
    panels = [before]
    if played is not None:
        label = f"Round {played.round_id} · {setting.menu.labels[played.action]}"
        panels.append(_panel(label, found[1], actions[played.action], users.network))
    network = users.network
    starts, ends = arrows(network)
    names = tuple(f"{network.nodes[a]}→{network.nodes[b]}" for a, b in zip(network.tails, network.heads, strict=True))
    return RoadMap(
        "routing",
        tuple(str(node) for node in network.nodes),
        network.positions,
        starts,
        ends,
        names,
        operator_plans().routes[0][0],
        operator_plans().routes[0][-1],
        MOST_SHOWN,
        tuple(panels),
        f"{said} Flows are modelled, not measured: every driver takes the quicker of the two shortest routes.",
    )


def _users(setting: Setting) -> RoadUsers:
    users = BEHAVIOURS["routing"](setting.game).respond
    assert isinstance(users, RoadUsers)
    return users


def _demand(trace: Known, users: RoadUsers) -> tuple[Vector, str]:
    """The demand of each pair in the round that was told last, and how that is said."""
    rows = [(step, row) for step in trace.state.steps[-1:] for row in step.rows[-1:]]
    if not rows:
        return users.network.demand / 2, "At half of the largest demand, since no round was told yet."
    values = rows[-1][1][1]
    theta = trace.state.setting.types.vector(values)
    if len(theta) == 1:
        said = ", ".join(f"{name} {value}" for name, value in values.items())
        return theta[0] * users.network.demand, f"At the demand of the round that was told last: {said}."
    share = theta.sum() / users.network.demand.sum()
    return theta, f"At the demand of the round that was told last, {share:.0%} of the largest."


def _panel(title: str, congestion: Vector, plan: Vector, network: Network) -> RoadPanel:
    """c_e = 0.15 (z_e / C_e)⁴ gives both t / t₀ = 1 + c_e and z_e."""
    flow = network.capacity * (congestion / 0.15) ** 0.25
    units = plan @ operator_plans().arrivals
    return RoadPanel(title, 1 + congestion, flow, plan, float(congestion.mean()), float(units))


def draw_roads(record: RoadMap, figure: "Figure") -> None:
    """The panels side by side on one scale."""
    axes = figure.subplots(1, len(record.panels), squeeze=False)[0]
    widest = max(float(panel.flow.max()) for panel in record.panels)
    for panel, ax in zip(record.panels, axes, strict=True):
        drawn = _draw_panel(record, panel, widest, ax)
    bar = figure.colorbar(drawn, ax=list(axes), shrink=0.7, extend="max")
    bar.set_label("t / t₀: times the free-flow time", fontsize="small")
    ends = f"circle: from node {record.nodes[record.origin]}, diamond: to node {record.nodes[record.destination]}"
    legend = f"width: units on the link; blue around a road: the plan; {ends}."
    figure.supxlabel(f"{legend}\n{record.note}", fontsize="x-small")


def _draw_panel(record: RoadMap, panel: RoadPanel, widest: float, ax: "Axes") -> "ScalarMappable":
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - records need no matplotlib

    lines = np.stack([record.starts, record.ends], axis=1)
    widths = 1.0 + 6.0 * panel.flow / widest
    used = panel.plan > 0
    ax.add_collection(LineCollection(list(lines[used]), colors=COLOURS[0], linewidths=widths[used] + 5.0))
    ax.add_collection(LineCollection(list(lines), colors="0.35", linewidths=widths + 1.0))
    roads = LineCollection(list(lines), cmap=colour_map("congestion"), linewidths=widths)
    roads.set_array(panel.ratio)
    roads.set_clim(1.0, record.limit)
    ax.add_collection(roads)
    ax.plot(*record.positions.T, "o", markersize=7, color="white", markeredgecolor="0.3", zorder=3, linestyle="none")
    for row, name in enumerate(record.nodes):
        ax.annotate(name, record.positions[row], ha="center", va="center", fontsize=5, zorder=5)
    for row, colour, shape in ((record.origin, COLOURS[0], "o"), (record.destination, COLOURS[2], "D")):
        ax.plot(*record.positions[row], shape, markersize=10, markerfacecolor="white", markeredgecolor=colour, zorder=4)
    ax.set_title(f"{panel.title}\naverage congestion {panel.congestion:.2f}", fontsize="small", wrap=True)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.margins(0.06)
    return roads
