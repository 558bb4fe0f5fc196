from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import load_network, sioux_falls
from firstmover.games.routing.opponents import RoadUsers

TABLES = {
    "nodes.csv": "node,x,y,name\n30,0,0,west\n10,1,0,middle\n20,2,5,east\n",
    "links.csv": "from,to,capacity,length,free_flow_time\n30,10,7,4,5\n10,20,8,3,3\n30,20,9,8,6\n",
    "demand.csv": "from,to,trips\n30,20,6\n10,20,0\n20,30,0\n",
}


def write(folder: Path, **changes: str | bytes | None) -> Path:
    """The three tables in a folder; `nodes=...` replaces a table and None leaves it out."""
    for name, text in TABLES.items():
        content = changes.get(name.removesuffix(".csv"), text)
        if content is not None:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def test_sioux_falls_is_the_published_network():
    network = sioux_falls()
    assert (len(network.nodes), network.n_links, network.n_pairs) == (24, 76, 552)
    assert np.array_equal(network.nodes, np.arange(1, 25))
    assert network.demand.sum() == 360_600
    assert (network.demand == 0).sum() == 24
    assert len(set(zip(network.origins, network.destinations, strict=True))) == 552
    assert np.array_equal(network.length, network.free_flow_time)
    one_way = set(zip(network.tails, network.heads, strict=True))
    assert one_way == {(head, tail) for tail, head in one_way}


def test_links_and_pairs_point_at_rows_whatever_the_labels(tmp_path):
    network = load_network(write(tmp_path))
    assert network.nodes.tolist() == [30, 10, 20]
    assert network.tails.tolist() == [0, 1, 0]
    assert network.heads.tolist() == [1, 2, 2]
    assert network.origins.tolist() == [0, 1, 2]
    assert network.destinations.tolist() == [2, 2, 0]
    assert network.positions.tolist() == [[0, 0], [1, 0], [2, 5]]
    assert network.graph.toarray().tolist() == [[0, 4, 8], [0, 0, 3], [0, 0, 0]]
    assert network.row(20) == 2


def test_a_folder_may_be_named_by_a_string(tmp_path):
    assert load_network(str(write(tmp_path))).n_links == 3


def test_scaling_touches_capacity_and_demand_only(tmp_path):
    network = load_network(write(tmp_path))
    small = network.scaled(0.5)
    assert small.capacity.tolist() == [3.5, 4, 4.5]
    assert small.demand.tolist() == [3, 0, 0]
    assert small.length is network.length
    assert small.free_flow_time is network.free_flow_time


def test_pairs_with_demand_leaves_the_others_out(tmp_path):
    network = load_network(write(tmp_path)).pairs_with_demand()
    assert (network.origins.tolist(), network.destinations.tolist(), network.demand.tolist()) == ([0], [2], [6])


def test_connectors_have_no_length_time_or_capacity(tmp_path):
    connector = CURVED + "30,10,0,0,0,0,0\n10,20,8,3,3,0.5,2\n"
    network = load_network(write(tmp_path, links=connector))
    assert [network.capacity[0], network.length[0], network.free_flow_time[0], network.b[0], network.power[0]] == [
        0
    ] * 5
    assert LinkTimes.of(network)(np.array([[5.0], [8.0]]))[0].tolist() == [[0.0], [4.5]]
    assert equilibria(network, network.demand[None], LinkTimes.of(network)).flows.tolist() == [[6.0, 6.0]]


@pytest.mark.parametrize(
    ("links", "column"),
    [("30,20,7,0,5,1,4\n", "length"), ("30,20,0,4,5,0,4\n", "capacity"), ("30,20,7,4,0,1,4\n", "free_flow_time")],
)
def test_the_game_of_two_routes_refuses_connectors(tmp_path, links, column):
    network = load_network(write(tmp_path, links=CURVED + links))
    with pytest.raises(InvalidInput, match=f"The link from 30 to 20 has {column} 0: this game needs it above 0."):
        RoadUsers(network)


def test_nodes_that_may_not_be_passed_still_begin_and_end_trips(tmp_path):
    nodes = "node,x,y,through\n30,0,0,0\n10,1,0,1\n20,2,5,0\n"
    assert load_network(write(tmp_path, nodes=nodes)).unreachable().tolist() == [False, False, True]


def test_a_network_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        sioux_falls().capacity[0] = 1.0


HEAD = "from,to,capacity,length,free_flow_time\n"
CURVED = "from,to,capacity,length,free_flow_time,b,power\n"
BAD = {
    "no route": (dict(demand="from,to,trips\n30,20,6\n20,30,1\n"), "demand.csv line 3 .* from 20 to 30: no route"),
    "zero capacity": (
        dict(links=HEAD + "30,10,7,4,5\n10,20,0,3,3\n"),
        r"links.csv line 3 has capacity 0.0: .* above 0",
    ),
    "negative capacity": (dict(links=HEAD + "30,10,-7,4,5\n"), r"links.csv line 2 has capacity -7.0: .* above 0"),
    "negative length": (dict(links=HEAD + "30,10,7,-4,5\n"), r"links.csv line 2 has length -4.0: .* 0 or more"),
    "negative time": (dict(links=HEAD + "30,10,7,4,-1\n"), r"links.csv line 2 has free_flow_time -1.0: .* 0 or more"),
    "negative b": (dict(links=CURVED + "30,20,7,4,5,-1,4\n"), r"links.csv line 2 has b -1.0: .* 0 or more"),
    "negative power": (dict(links=CURVED + "30,20,7,4,5,1,-4\n"), r"links.csv line 2 has power -4.0: .* 0 or more"),
    "flat power": (dict(links=CURVED + "30,20,7,4,5,1,0.5\n"), r"links.csv line 2 has power 0.5: .* 0, or 1 or more"),
    "no b": (dict(links=CURVED + "30,20,7,4,5,,4\n"), "links.csv line 2 has b empty: give a finite number"),
    "no way through": (
        dict(nodes="node,x,y,through\n30,0,0,1\n10,1,0,0\n20,2,5,1\n", links=HEAD + "30,10,7,4,5\n10,20,8,3,3\n"),
        "demand.csv line 2 asks for trips from 30 to 20: no route joins them",
    ),
    "through": (dict(nodes="node,x,y,through\n30,0,0,2\n"), r"nodes.csv line 2 has through 2.0: give 1 where"),
    "underscore": (dict(links=HEAD + "30,20,1_000,4,5\n"), "links.csv line 2 has capacity 1_000: give a finite number"),
    "large label": (dict(nodes="node,x,y\n9007199254740993,0,0\n"), "node 9007199254740993: give a whole number"),
    "long cell": (dict(links=HEAD + f"30,20,{'x' * 500},4,5\n"), r"capacity 'x+\.\.\.x+': give a finite number"),
    "not text": (dict(demand=b"\xff\xfe"), "demand.csv cannot be read as a CSV table: give text in UTF-8"),
    "no coordinate": (dict(nodes="node,x,y\n30,0,0\n10,,0\n20,2,5\n"), "nodes.csv line 3 has x empty: .* finite"),
    "node twice": (dict(nodes="node,x,y\n30,0,0\n10,1,0\n20,2,5\n10,3,3\n"), "nodes.csv line 5 .* node 10 a second"),
    "link twice": (dict(links=HEAD + "30,20,7,4,5\n30,20,7,4,6\n"), "links.csv line 3 gives from 30, to 20 a second"),
    "demand twice": (dict(demand="from,to,trips\n30,20,6\n30,20,7\n"), "demand.csv line 3 gives from 30, to 20 a sec"),
    "unknown end": (dict(links=HEAD + "30,99,7,4,5\n"), "links.csv line 2 has to 99: nodes.csv has no such node"),
    "unknown start": (dict(demand="from,to,trips\n98,20,6\n"), "demand.csv line 2 has from 98: nodes.csv has no such"),
    "loop": (dict(links=HEAD + "30,30,7,4,5\n"), "links.csv line 2 has to 30: it must differ"),
    "nan": (dict(links=HEAD + "30,20,NaN,4,5\n"), "links.csv line 2 has capacity NaN: give a finite number"),
    "infinite": (dict(links=HEAD + "30,20,7,inf,5\n"), "links.csv line 2 has length inf: give a finite number"),
    "words": (dict(demand="from,to,trips\n30,20,many\n"), "demand.csv line 2 has trips many: give a finite number"),
    "label": (dict(nodes="node,x,y\n30,0,0\n1.5,1,0\n20,2,5\n"), "nodes.csv line 3 has node 1.5: give a whole number"),
    "negative trips": (dict(demand="from,to,trips\n30,20,-6\n"), "demand.csv line 2 has trips -6.0: .* 0 or more"),
    "no column": (dict(links="from,to,capacity,length\n30,20,7,4\n"), "links.csv has no column 'free_flow_time'"),
    "no rows": (dict(demand="from,to,trips\n"), "demand.csv has no rows"),
    "empty file": (dict(demand=""), "demand.csv cannot be read as a CSV table"),
    "no file": (dict(nodes=None), "nodes.csv cannot be read as a CSV table"),
}


@pytest.mark.parametrize(("changes", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_tables_are_refused_in_one_sentence(tmp_path, changes, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refusal:
        load_network(write(tmp_path, **changes))
    assert "\n" not in str(refusal.value)


def test_bad_requests_are_refused():
    with pytest.raises(InvalidInput, match=r"node 25 is not in the network: give one of 1, 2, 3, 4, 5, \.\.\."):
        sioux_falls().row(25)
    with pytest.raises(InvalidInput, match="scale is -1"):
        sioux_falls().scaled(-1)
