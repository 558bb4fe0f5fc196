"""Appendix E by plain loops, as the text has it: the oracle of the road users."""

from functools import lru_cache

from firstmover.games.routing.network import Network
from firstmover.games.routing.routes import shortest_routes


@lru_cache
def two_shortest(network: Network, ties: str) -> list[list[tuple[int, ...]]]:
    ends = zip(network.origins, network.destinations, strict=True)
    return [shortest_routes(network, origin, destination, 2, ties) for origin, destination in ends]


def loads_of_the_text(network: Network, plan, demand, *, ties="node order", released=False) -> tuple[list[float], list]:
    """Appendix E by plain loops: the occupancy of each link, and the links that each pair takes."""
    road = {(a, b): e for e, (a, b) in enumerate(zip(network.tails, network.heads, strict=True))}
    time = []
    for e in range(network.n_links):
        load = plan[e] / network.capacity[e]
        slower = (1 + 0.15 * load) ** 4 if released else 1 + 0.15 * load**4
        time.append(network.free_flow_time[e] * slower)
    occupancy, taken = list(plan), []
    for i in range(network.n_pairs):
        routes = [
            [road[route[j], route[j + 1]] for j in range(len(route) - 1)] for route in two_shortest(network, ties)[i]
        ]
        if released and sum(network.free_flow_time[e] for e in routes[1]) >= 3 * sum(
            network.free_flow_time[e] for e in routes[0]
        ):
            routes.pop()
        times = [sum(time[e] for e in route) for route in routes]
        best = routes[-1] if times[-1] < times[0] - 1e-9 else routes[0]
        for e in best:
            occupancy[e] += demand[i]
        taken.append(best)
    return occupancy, taken


def congestion_of_the_text(network: Network, occupancy) -> float:
    return sum(0.15 * (occupancy[e] / network.capacity[e]) ** 4 for e in range(network.n_links)) / network.n_links
