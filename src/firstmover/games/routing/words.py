"""Plans of routes in words."""

from firstmover.games.menu import Menu
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.network import link_names, sioux_falls
from firstmover.games.words import Sheet, SheetRow, Words


def plan_sheet(_: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """Units by route, and the nodes on each route."""
    plans, nodes = sioux_falls_plans(), sioux_falls().nodes
    units, groups = float(plans.units[action]), plans.groups[action]
    sent = (units * groups / max(1, int(groups.sum()))).tolist()
    rows = tuple(
        SheetRow(f"Route {i}", on_route, "units", " → ".join(str(nodes[row]) for row in route))
        for i, (on_route, route) in enumerate(zip(sent, plans.routes, strict=True), 1)
    )
    used = ", ".join(f"{on_route:g} by route {i}" for i, on_route in enumerate(sent, 1) if on_route)
    ends = f"From node {nodes[plans.routes[0][0]]} to node {nodes[plans.routes[0][-1]]}."
    return Sheet(f"Send {units:g} units: {used}" if units else "Send nothing", rows, ends)


WORDS = Words(
    labels=lambda _: sioux_falls_plans().labels, features=lambda _: link_names(sioux_falls()), sheet=plan_sheet
)
