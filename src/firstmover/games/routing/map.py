"""The map of Sioux Falls with the paper's drivers: every link with the plan and without it, and the difference."""

from firstmover.games.default_map import default_map
from firstmover.games.map_record import MapRecord, short
from firstmover.games.match_view import MatchView
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.opponents import demand_of, sioux_falls_users
from firstmover.games.routing.road_panels import LinkState, RoadPanels, demand_in_words

MOST_SHOWN = 5.0
"""The end of the colour scale of t / t₀: a road that takes longer has the same colour."""


def road_map(view: MatchView) -> MapRecord | None:
    """The roads at the last reported demand: with the plan shown, without any, and the difference.

    Flows are not measured: they follow from the demand when drivers take the quicker of their two shortest routes.
    Where types do not describe the traffic, the map is that of any menu.
    """
    users, types = sioux_falls_users(), view.game.types
    if types is not None and types.shape[1] not in (1, users.network.n_pairs):
        return default_map(view)
    network = users.network
    demand = demand_of(view.observed[-1].opponent_type, users) if view.observed else network.demand / 2
    plans = [0] if view.action is None else [0, view.action]
    congestion = users.congestion(view.game.actions[plans], demand)
    flows = network.capacity * (congestion / 0.15) ** 0.25  # z_e from c_e = 0.15 (z_e / C_e)⁴
    states = [LinkState(1 + congestion[i], flows[i], view.game.actions[plan]) for i, plan in enumerate(plans)]
    route = sioux_falls_plans().routes[0]
    drawn = RoadPanels(network, MOST_SHOWN, MOST_SHOWN - 1, (int(route[0]), int(route[-1])), "of the plan")
    arriving = 0.0 if view.action is None else float(states[-1].plan @ sioux_falls_plans().arrivals)
    arrive = f"{short(arriving)} units arrive" if arriving else ""
    words = demand_in_words(view, demand.sum() / network.demand.sum())
    note = f"{words} Flows on roads are modelled, not predicted: every driver takes the quicker of two shortest routes."
    partial = bool(view.observed) and view.posterior is None
    return MapRecord("The roads", drawn.of_match(view, states, arrive, none=0), note, partial=partial)
