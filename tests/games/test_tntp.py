from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.city_formats import read_city
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from tests.games.city_folders import GEOJSON, TNTP, changed, refusals, write

NET, TRIPS, NODE = TNTP
WITHOUT_NODES = {name: text for name, text in TNTP.items() if name != NODE}
WITH_POINTS = {**WITHOUT_NODES, "town.geojson": GEOJSON}


def test_links_nodes_and_trips_are_those_of_the_files(tmp_path: Path) -> None:
    network, kind, notes = read_city(write(tmp_path, TNTP))
    assert kind == "TNTP"
    assert network.nodes.tolist() == [1, 2, 3, 4, 6]
    assert network.positions.tolist() == [[0, 0], [1, 0], [2, 2], [0.5, 1], [0.5, -1]]
    assert network.through.tolist() == [False, False, False, True, True]
    assert network.nodes[network.tails].tolist() == [1, 4, 1, 6, 2, 4]
    assert network.nodes[network.heads].tolist() == [4, 2, 6, 2, 4, 1]
    assert network.capacity.tolist() == [0, 900.5, 800, 700, 600, 600]
    assert network.length.tolist() == [0, 2.5, 3, 1, 1, 1]
    assert network.free_flow_time.tolist() == [0, 1.25, 2, 1, 1, 1]
    assert network.b.tolist() == [0, 0.15, 1, 0.5, 0.15, 0.15]
    assert network.power.tolist() == [0, 4, 1.5, 1, 4, 4]
    assert network.nodes[network.origins].tolist() == [1, 1, 2]
    assert network.nodes[network.destinations].tolist() == [2, 3, 1]
    assert network.demand.tolist() == [100.25, 0, 3]
    assert notes == ("Left out: 7.5 trips within 1 zone.", "Left out: 1 node without links and trips.")


def test_an_equilibrium_of_a_city_with_connectors_is_found(tmp_path: Path) -> None:
    network = read_city(write(tmp_path, TNTP)).network.pairs_with_demand()
    found = equilibria(network, network.demand[None], LinkTimes.of(network))
    assert found.gap.max() <= 1e-6
    assert found.flows[0, [0, 2]].sum() == pytest.approx(100.25)


def test_coordinates_may_be_points_of_a_geojson_file(tmp_path: Path) -> None:
    with_rows = read_city(write(tmp_path / "rows", TNTP)).network
    assert np.array_equal(read_city(write(tmp_path / "points", WITH_POINTS)).network.positions, with_rows.positions)


def test_nodes_without_coordinates_are_placed_on_a_circle(tmp_path: Path) -> None:
    network, _, notes = read_city(write(tmp_path, WITHOUT_NODES))
    assert notes[-1] == "There are no coordinates: nodes are placed on a circle."
    assert np.allclose(np.hypot(*network.positions.T), 1)
    assert len(np.unique(network.positions.round(6), axis=0)) == 5


LINK = "\t4\t2\t900.5\t2.5\t1.25\t0.15\t4\t0"
BAD = {
    "zones": (NET, "ZONES> 3", "ZONES> 9", "line 1 has NUMBER OF ZONES 9: give 1 to 6, the number of nodes"),
    "zones differ": (
        TRIPS,
        "ZONES> 3",
        "ZONES> 2",
        "line 1 has NUMBER OF ZONES 2: the file of links has 3; give the same",
    ),
    "more nodes": (NET, "NODES>\t6", "NODES>\t7", "line 2 has NUMBER OF NODES 7: the largest node of the links is 6"),
    "fewer nodes": (NET, "NODES>\t6", "NODES>\t5", "line 12 has init_node 6: give 1 to 5, the NUMBER OF NODES"),
    "links": (
        NET,
        "LINKS> 6",
        "LINKS> 5",
        "line 4 has NUMBER OF LINKS 5: the file has 6 links; check that it is complete",
    ),
    "through": (NET, "THRU NODE> 4", "THRU NODE> 8", "line 3 has FIRST THRU NODE 8: give 1 to 7"),
    "total": (TRIPS, "110.75", "111", "line 2 has TOTAL OD FLOW 111: the trips add up to 110.75; check that"),
    "count in words": (NET, "LINKS> 6", "LINKS> six", "line 4 has NUMBER OF LINKS six: give a whole number"),
    "no count": (NET, "LINKS> 6", "LINKS>", "line 4 has NUMBER OF LINKS empty: give a whole number"),
    "no metadata": (NET, "<NUMBER OF LINKS> 6\n", "", "has no line <NUMBER OF LINKS>: add it with its number"),
    "no total": (TRIPS, "<TOTAL OD FLOW> 110.75\n", "", "has no line <TOTAL OD FLOW>: add it with its number"),
    "no end": (NET, "<END OF METADATA>", "", "has no line <END OF METADATA> below its metadata: add it"),
    "empty": (TRIPS, TNTP[TRIPS], "", "has no line <END OF METADATA> below its metadata"),
    "no links": (NET, TNTP[NET][TNTP[NET].index("~ \t") :], "", "has no rows: give at least one"),
    "cut row": (
        NET,
        "\t4\t1\t600\t1\t1\t0.15\t4\t0\t0\t1\t;",
        "\t4\t1\t600",
        "line 14 has 3 values and no ;: give init_node",
    ),
    "no semicolon": (
        NET,
        "0.5 1 0 0 1 ;",
        "0.5 1",
        "line 12 has 7 values and no ;: give init_node, term_node, capacity, length",
    ),
    "too many": (
        NET,
        "0.5 1 0 0 1 ;",
        "0.5 1 0 0 0 0 ;",
        "line 12 has 11 values: give init_node, .* at most 10 values",
    ),
    "one missing": (NET, "700 1 1 0.5", "700 1 0.5", "line 12 has 9 values, and those above have 10: give as many"),
    "cut trips": (
        TRIPS,
        " 1 : 3 ;\norigin 3\n",
        " 1 : 3",
        "line 9 is no list of trips: give entries such as 5 : 402.1 ;",
    ),
    "cut between": (
        TRIPS,
        "Origin 2\n 2 : 0.0 ; 1 : 3 ;\norigin 3\n",
        "",
        "line 2 has TOTAL OD FLOW 110.75: the trips add up to 107.75",
    ),
    "no origin": (TRIPS, "Origin \t1\n", "", "line 5 is no list of trips: .* below a line Origin 3"),
    "no colon": (TRIPS, "1 : 3 ;", "1 3 ;", "line 9 is no list of trips"),
    "link twice": (NET, "\t1\t6\t800", "\t4\t2\t800", "line 11 gives init_node 4, term_node 2 a second time: keep one"),
    "loop": (
        NET,
        "\t2\t4\t600",
        "\t4\t4\t600",
        "line 13 has term_node 4: it must differ from the node in column init_node",
    ),
    "trips twice": (TRIPS, " 3 : 0.0", " 2 : 0.0", "line 6 gives Origin 1, destination 2 a second time: keep one"),
    "unknown zone": (TRIPS, " 3 : 0.0", " 4 : 0.0", "line 6 has destination 4: give 1 to 3, the NUMBER OF ZONES"),
    "unknown origin": (TRIPS, "Origin 2", "Origin 0", "line 9 has Origin 0: give 1 to 3, the NUMBER OF ZONES"),
    "no route": (TRIPS, " 1 : 3 ;", " 3 : 3 ;", "line 9 asks for trips from 2 to 3: no route joins them"),
    "negative trips": (TRIPS, "3 : 0.0", "3 : -1.0", "line 6 has trips -1.0: it must be 0 or more"),
    "capacity": (NET, LINK, LINK.replace("900.5", "0"), "line 10 has capacity 0.0: it must be above 0"),
    "negative capacity": (NET, "4\t0\t0\t0\t0\t0", "4\t-1\t0\t0\t0\t0", "line 9 has capacity -1.0: it must be above 0"),
    "negative length": (NET, LINK, LINK.replace("\t2.5", "\t-2.5"), "line 10 has length -2.5: it must be 0 or more"),
    "negative time": (NET, LINK, LINK.replace("1.25", "-1"), "line 10 has free_flow_time -1.0: it must be 0 or more"),
    "b": (NET, LINK, LINK.replace("0.15", "-0.15"), "line 10 has b -0.15: it must be 0 or more"),
    "power": (NET, LINK, LINK.replace("0.15\t4", "0.15\t-4"), "line 10 has power -4.0: it must be 0 or more"),
    "flat power": (
        NET,
        LINK,
        LINK.replace("0.15\t4", "0.15\t0.5"),
        "line 10 has power 0.5: it must be 0, or 1 or more",
    ),
    "nan": (NET, LINK, LINK.replace("900.5", "NaN"), "line 10 has capacity NaN: give a finite number"),
    "infinite": (NET, LINK, LINK.replace("1.25", "inf"), "line 10 has free_flow_time inf: give a finite number"),
    "words": (NET, LINK, LINK.replace("2.5", "long"), "line 10 has length long: give a finite number"),
    "label": (NET, LINK, LINK.replace("\t2\t", "\ttwo\t"), "line 10 has term_node two: give a whole number"),
    "trips in words": (TRIPS, "1 : 3 ;", "1 : few ;", "line 9 has trips few: give a finite number"),
    "infinite trips": (TRIPS, "1 : 3 ;", "1 : inf ;", "line 9 has trips inf: give a finite number"),
    "no coordinates": (NODE, "3\t2\t2\t;\n", "", "has no coordinates of node 3: add them, or remove the file"),
    "coordinates twice": (NODE, "3\t2\t2", "2\t2\t2", "line 5 gives node 2 a second time: keep one of the lines"),
    "coordinate": (NODE, "3\t2\t2", "3\t2\tnan", "line 5 has y nan: give a finite number"),
    "one coordinate": (NODE, "3\t2\t2", "3\t2", "line 5 has 2 values: give node, x and y"),
}


@pytest.mark.parametrize(("name", "old", "new", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, name: str, old: str, new: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{name} {sentence}") as refusal:
        read_city(write(tmp_path, changed(TNTP, name, old, new)))
    assert "\n" not in str(refusal.value)


POINTS = {
    "no json": (GEOJSON, "{", "cannot be read as GeoJSON: something is missing or wrong in line 1, column 2"),
    "no features": ('"features"', '"points"', "feature 1 is no point with a property id: remove it"),
    "no id": ('{"id": 1}', "{}", "feature 2 is no point with a property id: remove it"),
    "null": ('{"id": 1}', "null", "feature 2 is no point with a property id: remove it"),
    "id": ('"id": 1', '"id": 1.5', "feature 2 has node 1.5: give a whole number"),
    "nan": ("[0, 0]", "[NaN, 0]", "feature 2 has x nan: give a finite number"),
    "list": ("[0, 0]", "[[0, 0], 0]", r"feature 2 has x \[0, 0\]: give a finite number"),
    "one": ("[0, 0]", "[0]", "feature 2 is no point with a property id: remove it"),
    "twice": ('"id": 1', '"id": 6', "feature 2 gives node 6 a second time: keep one of the features"),
    "missing": ('"id": 1', '"id": 5', "has no coordinates of node 1: add them"),
    "deep": (GEOJSON, "[" * 100_000, "cannot be read as GeoJSON: it is nested too deeply"),
    "list of all": (GEOJSON, "[]", "feature 1 is no point with a property id: remove it"),
}


@pytest.mark.parametrize(("old", "new", "sentence"), POINTS.values(), ids=POINTS.keys())
def test_bad_points_are_refused_in_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^town.geojson {sentence}") as refusal:
        read_city(write(tmp_path, changed(WITH_POINTS, "town.geojson", old, new)))
    assert "\n" not in str(refusal.value)


def test_trips_within_zones_only_are_refused(tmp_path: Path) -> None:
    trips = "<NUMBER OF ZONES> 3\n<TOTAL OD FLOW> 5\n<END OF METADATA>\nOrigin 1\n 1 : 5 ;\n"
    with pytest.raises(InvalidInput, match=r"town_trips.tntp has no trips between two zones: give at least one pair"):
        read_city(write(tmp_path, {**TNTP, TRIPS: trips}))


def test_each_file_is_needed_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"needs one file \*_trips.tntp, and has none"):
        read_city(write(tmp_path / "none", {NET: TNTP[NET]}))
    with pytest.raises(InvalidInput, match=r"needs one file \*_net.tntp, and has a_net.tntp, town_net.tntp"):
        read_city(write(tmp_path / "two", {**TNTP, "a_net.tntp": ""}))
    with pytest.raises(InvalidInput, match=r"has coordinates in a_node.tntp and town_node.tntp: keep one"):
        read_city(write(tmp_path / "nodes", {**TNTP, "a_node.tntp": ""}))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"town_net.tntp cannot be read as text: give text in UTF-8"):
        read_city(write(tmp_path, {**TNTP, NET: b"\xff\xfe\x00"}))


@pytest.mark.parametrize("files", [TNTP, WITH_POINTS], ids=["rows", "points"])
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, files: dict[str, str]) -> None:
    said = refusals(tmp_path, files, count=300, seed=1)
    assert 150 < len(said) < 300
    assert [sentence for sentence in said if len(sentence.splitlines()) != 1] == []
