"""`python -m benchmarks.equilibria FOLDER ...`: user equilibria of random demands, beside AequilibraE, on one thread.

Each folder holds the files of a city, as `firstmover city add` reads them. Every instance is solved to the same
relative gap; times are of the processor, in one run. It needs the extra `bench`.
"""

import resource
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import numpy as np
import typer

from firstmover.core.arrays import Matrix
from firstmover.core.numerics import one_thread
from firstmover.games.routing.city_formats import read_city
from firstmover.games.routing.city_users import CityUsers
from firstmover.games.routing.controls import fleet
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import Network

MOST_ITERATIONS = 10_000
"""Of the peer; it stops where it reaches the gap."""


def main(
    folders: Annotated[list[Path], typer.Argument(help="Folders with the files of a city.")],
    demands: Annotated[int, typer.Option(help="Random demands that are solved as a batch.")] = 100,
    gap: Annotated[float, typer.Option(help="The relative gap.")] = 1e-6,
    peer: Annotated[int, typer.Option(help="Demands that the peer solves, one after another; 0 for none.")] = 3,
    plans: Annotated[str, typer.Option(help="ORIGIN,DESTINATION of a fleet: its 41 plans at all demands too.")] = "",
) -> None:
    """Print seconds of one equilibrium: ours in a batch and alone, and the peer's."""
    typer.echo(
        "| city | nodes | links | pairs | ours, batch | ours, alone | peer | ratio | largest gap, ours | memory, MB |"
    )
    typer.echo("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for folder in folders:
        network = read_city(folder).network.pairs_with_demand()
        drawn = network.demand * np.random.default_rng(0).random((demands, network.n_pairs))
        with one_thread():
            batch, worst = _ours(network, drawn, gap)
            alone, _ = _ours(network, drawn[:1], gap)
            other = _peer(network, drawn[:peer], gap) if peer else float("nan")
        size = f"{len(network.nodes)} | {network.n_links} | {network.n_pairs}"
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        typer.echo(
            f"| {folder.name} | {size} | {batch / demands:.4f} | {alone:.3f} | {other:.3f} "
            f"| {other * demands / batch:.0f} | {worst:.1e} | {memory:.0f} |"
        )
        if plans:
            _plans(network, drawn, *map(int, plans.split(",")))


def _ours(network: Network, demands: Matrix, gap: float) -> tuple[float, float]:
    start = process_time()
    found = equilibria(network, demands, LinkTimes.of(network), gap=gap)
    return process_time() - start, float(found.gap.max())


def _plans(network: Network, demands: Matrix, origin: int, destination: int) -> None:
    units = float(np.median(network.capacity))
    menu = fleet(network, operator_plans(network, origin=origin, destination=destination, units=units))
    start = process_time()
    with one_thread():
        CityUsers(network, menu).batch(menu.features, demands)
    spent = process_time() - start
    typer.echo(f"{len(menu.labels)} plans x {len(demands)} demands: {spent:.1f} s of the processor.")


def _peer(network: Network, demands: Matrix, gap: float) -> float:
    """The mean seconds of AequilibraE's biconjugate Frank-Wolfe for one demand, without its preparation."""
    spent = 0.0
    for demand in demands:
        assignment = _prepared(network, demand, gap)
        start = process_time()
        assignment.execute()
        spent += process_time() - start
    return spent / len(demands)


def _prepared(network: Network, demand: Any, gap: float) -> Any:
    import pandas as pd
    from aequilibrae.matrix import AequilibraeMatrix
    from aequilibrae.paths import Graph, TrafficAssignment, TrafficClass
    from aequilibrae.utils import python_signal

    python_signal.PythonSignal.emit = lambda *_: None  # progress bars would count as its time
    zones = np.unique(np.concatenate([network.origins, network.destinations]))
    rest = np.setdiff1d(np.arange(len(network.nodes)), zones)
    number = np.empty(len(network.nodes), dtype=np.int64)
    number[np.concatenate([zones, rest])] = np.arange(1, len(network.nodes) + 1)
    links = {
        "link_id": np.arange(1, network.n_links + 1),
        "a_node": number[network.tails],
        "b_node": number[network.heads],
        "direction": 1,
        "capacity": np.maximum(network.capacity, 1e-9),
        "free_flow_time": network.free_flow_time,
        "b": network.b,
        "power": network.power,
    }
    graph = Graph()
    graph.network = pd.DataFrame(links)
    graph.network_ok, graph.status = True, "OK"
    graph.prepare_graph(np.arange(1, len(zones) + 1))
    graph.set_graph("free_flow_time")
    graph.set_skimming(["free_flow_time"])
    graph.set_blocked_centroid_flows(bool((~network.through).any()))
    matrix = AequilibraeMatrix()
    matrix.create_empty(zones=len(zones), matrix_names=["users"], memory_only=True)
    matrix.index[:] = np.arange(1, len(zones) + 1)
    trips = np.zeros((len(zones), len(zones)))
    trips[number[network.origins] - 1, number[network.destinations] - 1] = demand
    matrix.matrices[:, :, 0] = trips
    matrix.computational_view(["users"])
    assignment = TrafficAssignment()
    assignment.set_classes([TrafficClass("users", graph, matrix)])
    assignment.set_vdf("BPR")
    assignment.set_vdf_parameters({"alpha": "b", "beta": "power"})
    assignment.set_capacity_field("capacity")
    assignment.set_time_field("free_flow_time")
    assignment.set_algorithm("bfw")
    assignment.max_iter, assignment.rgap_target = MOST_ITERATIONS, gap
    assignment.set_cores(1)
    return assignment


if __name__ == "__main__":
    typer.run(main)
