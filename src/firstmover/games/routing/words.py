"""Plans of routes in words."""

from firstmover.core.contracts import Game
from firstmover.games.menu import Menu
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import Network, sioux_falls
from firstmover.games.words import Sheet, SheetRow, Words


def link_names(network: Network) -> tuple[str, ...]:
    """The links by their ends, as in 12→18."""
    return tuple(
        f"{network.nodes[tail]}→{network.nodes[head]}" for tail, head in zip(network.tails, network.heads, strict=True)
    )


def _labels(_: Game) -> tuple[str, ...]:
    return operator_plans().labels


def _features(_: Game) -> tuple[str, ...]:
    return link_names(sioux_falls())


def plan_sheet(_: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """Units by route, and the nodes on each route."""
    plans, nodes = operator_plans(), sioux_falls().nodes
    units, groups = float(plans.units[action]), plans.groups[action]
    sent = units * groups / max(1, int(groups.sum()))
    ways = [" → ".join(str(nodes[row]) for row in route) for route in plans.routes]
    rows = [
        SheetRow(f"Route {i}", float(s), "units", way) for i, (s, way) in enumerate(zip(sent, ways, strict=True), 1)
    ]
    used = ", ".join(f"{s:g} by route {i}" for i, s in enumerate(sent, 1) if s)
    ends = f"From node {nodes[plans.routes[0][0]]} to node {nodes[plans.routes[0][-1]]}."
    return Sheet(f"Send {units:g} units: {used}" if units else "Send nothing", tuple(rows), ends)


WORDS = Words(labels=_labels, features=_features, sheet=plan_sheet)
