from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.city_formats import read_city
from tests.games.city_folders import GMNS, changed, refusals, write


def test_links_nodes_and_trips_are_those_of_the_files(tmp_path: Path) -> None:
    network, kind, notes = read_city(write(tmp_path, GMNS))
    assert kind == "GMNS"
    assert network.nodes.tolist() == [11, 12, 13, 14]
    assert network.positions.tolist() == [[0, 0], [1, 0], [2, 0], [3, 1]]
    assert network.through.all()
    assert network.nodes[network.tails].tolist() == [11, 12, 13, 11, 12]
    assert network.nodes[network.heads].tolist() == [12, 13, 11, 14, 11]
    assert network.capacity.tolist() == [1800, 800, 700, 600, 1800]
    assert network.length.tolist() == [2.5, 1, 3, 1, 2.5]
    assert network.free_flow_time.tolist() == [3, 2, 4.5, 0, 3]
    assert network.b.tolist() == [0.15, 0.5, 0, 0.15, 0.15]
    assert network.power.tolist() == [4, 2, 4, 4, 4]
    assert network.nodes[network.origins].tolist() == [11, 13]
    assert network.nodes[network.destinations].tolist() == [13, 11]
    assert network.demand.tolist() == [100.5, 0]
    assert notes == ("Left out: 7 trips within 1 zone.",)


def test_the_columns_of_dtalite_are_known(tmp_path: Path) -> None:
    link = "from_node_id,to_node_id,length,free_speed,capacity,VDF_fftt1,VDF_alpha1,VDF_beta1\n11,13,2,40,900,7,0.3,2\n"
    network = read_city(write(tmp_path, {**GMNS, "link.csv": link})).network
    assert [network.free_flow_time[0], network.b[0], network.power[0]] == [7, 0.3, 2]


def test_labels_may_be_whole_numbers_with_a_point(tmp_path: Path) -> None:
    """As data frames write columns of whole numbers in which some are missing."""
    files = changed(GMNS, "node.csv", "0,0,1\n", "0,0,1.0\n")
    assert read_city(write(tmp_path, files)).network.nodes.tolist() == [11, 12, 13, 14]
    with pytest.raises(InvalidInput, match=r"node.csv line 2 has zone_id 1.5: give a whole number"):
        read_city(write(tmp_path, changed(GMNS, "node.csv", "0,0,1\n", "0,0,1.5\n")))


def test_zones_are_nodes_of_the_same_number_without_zone_id(tmp_path: Path) -> None:
    files = {**GMNS, "node.csv": "node_id,x_coord,y_coord\n11,0,0\n12,1,0\n13,2,0\n14,3,1\n"}
    files["demand.csv"] = "o_zone_id,d_zone_id,volume\n11,14,5\n"
    network, _, notes = read_city(write(tmp_path, files))
    assert network.nodes[[network.origins[0], network.destinations[0]]].tolist() == [11, 14]
    assert notes == ("node.csv has no zone_id: zones are nodes with the same number.",)


@pytest.mark.parametrize(
    ("config", "minutes"),
    [
        ("long_length,speed\nmile,mph\n", 3.0),
        ("long_length,speed\nkm,km/h\n", 3.0),
        ("long_length,speed\nMile,KPH\n", 3 * 1.609344),
        ("long_length,speed\nmeters,km/h\n", 0.003),
        ("long_length,speed\nfeet,mph\n", 3 / 5280),
        ("long_length\nmile\n", 3.0),
        ("dataset_name,speed\ntown,\n", 3.0),
    ],
)
def test_units_of_lengths_and_speeds_are_those_of_the_configuration(
    tmp_path: Path, config: str, minutes: float
) -> None:
    network = read_city(write(tmp_path, {**GMNS, "config.csv": config})).network
    assert network.free_flow_time[0] == pytest.approx(minutes, rel=1e-12)
    assert network.free_flow_time[2] == 4.5  # given in minutes


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("long_length,speed\nleague,mph\n", "Unknown unit in column long_length of config.csv 'league': Known: feet, "),
        ("long_length,speed\nmile,mp\n", "Unknown unit in column speed of config.csv 'mp': did you mean 'mph'"),
        ("long_length,speed\n", "config.csv has 0 rows: give one"),
        ("", "config.csv cannot be read as a CSV table: it is empty"),
    ],
)
def test_bad_units_are_refused(tmp_path: Path, config: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_city(write(tmp_path, {**GMNS, "config.csv": config}))


BAD = {
    "no column": (
        "link.csv",
        "capacity",
        "width",
        "has no column 'capacity': it needs from_node_id, to_node_id, capacity",
    ),
    "short row": ("link.csv", ",700,1,0,NaN,4.5,", ",700", "line 4 has 7 values, and the header 12: give as many"),
    "no coordinate": ("node.csv", "a,11,0,0", "a,11,,0", "line 2 has x_coord empty: give a finite number"),
    "node twice": ("node.csv", "b,12", "b,11", "line 3 gives node_id 11 a second time: keep one of the lines"),
    "node in words": ("node.csv", "a,11", "a,north", "line 2 has node_id north: give a whole number"),
    "zone in words": ("node.csv", "0,0,1\n", "0,0,centre\n", "line 2 has zone_id centre: give a whole number"),
    "unknown node": ("link.csv", "2,12,13", "2,12,99", "line 3 has to_node_id 99: node.csv has no such node"),
    "link twice": ("link.csv", "4,11,14", "4,12,13", "line 5 gives from_node_id 12, to_node_id 13 a second time"),
    "back twice": ("link.csv", "4,11,14", "4,12,11", "line 2 gives from_node_id 12, to_node_id 11 a second time"),
    "loop": ("link.csv", "4,11,14", "4,14,14", "line 5 has to_node_id 14: it must differ from .* from_node_id"),
    "directed": (
        "link.csv",
        "11,12,0",
        "11,12,2",
        "line 2 has directed 2.0: give 1, or 0 for a link in both directions",
    ),
    "maybe": ("link.csv", "12,13,true", "12,13,maybe", "line 3 has directed maybe: give a finite number"),
    "lanes": ("link.csv", "50,900,2", "50,900,0", "line 2 has lanes 0.0: it must be above 0; leave out links without"),
    "capacity": ("link.csv", "50,900,2", "50,0,2", "line 2 has capacity 0.0: it must be above 0"),
    "no capacity": ("link.csv", "50,900,2", "50,,2", "line 2 has capacity empty: give a finite number"),
    "large": ("link.csv", "50,900,2", "50,1e308,20", "line 2 has lanes 20.0: the capacity is too large; give fewer"),
    "negative length": ("link.csv", "2.5,50", "-2.5,50", "line 2 has length -2.5: it must be 0 or more"),
    "no speed": (
        "link.csv",
        "2.5,50",
        "2.5,",
        "line 2 has free_speed nan: give it, or the time in minutes as vdf_fftt",
    ),
    "speed": ("link.csv", "2.5,50", "2.5,0", "line 2 has free_speed 0.0: it must be above 0"),
    "slow": ("link.csv", "2.5,50", "2.5,1e-308", "line 2 has free_speed 1e-308: the free-flow time is too large"),
    "infinite": ("link.csv", "2.5,50", "2.5,inf", "line 2 has free_speed inf: give a finite number"),
    "b": ("link.csv", "0.5,2", "-0.5,2", "line 3 has vdf_alpha -0.5: it must be 0 or more"),
    "power": ("link.csv", "0.5,2", "0.5,-2", "line 3 has vdf_beta -2.0: it must be 0 or more"),
    "flat power": ("link.csv", "0.5,2", "0.5,0.5", "line 3 has vdf_beta 0.5: it must be 0, or 1 or more"),
    "time": ("link.csv", "NaN,4.5", "NaN,-4.5", "line 4 has vdf_fftt -4.5: it must be 0 or more"),
    "unknown zone": (
        "demand.csv",
        "1,2,100.5",
        "1,9,100.5",
        "line 2 has d_zone_id 9: node.csv has no node with this zone",
    ),
    "trips twice": ("demand.csv", "2,1,0", "1,2,0", "line 3 gives o_zone_id 1, d_zone_id 2 a second time"),
    "negative trips": ("demand.csv", "2,1,0", "2,1,-3", "line 3 has volume -3.0: it must be 0 or more"),
    "trips in words": ("demand.csv", "2,1,0", "2,1,few", "line 3 has volume few: give a finite number"),
    "no trips": ("demand.csv", "1,2,100.5\n2,1,0\n", "", "has no trips between two zones: give at least one pair"),
    "no rows": ("demand.csv", "1,2,100.5\n2,1,0\n2,2,7\n", "", "has no rows: give at least one"),
}


@pytest.mark.parametrize(("name", "old", "new", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, name: str, old: str, new: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{name} {sentence}") as refusal:
        read_city(write(tmp_path, changed(GMNS, name, old, new)))
    assert "\n" not in str(refusal.value)


def test_a_zone_with_trips_has_one_node(tmp_path: Path) -> None:
    files = changed(GMNS, "node.csv", "1,0,\n", "1,0,1\n")
    with pytest.raises(
        InvalidInput, match=r"demand.csv line 2 has o_zone_id 1: node.csv gives this zone_id to several"
    ):
        read_city(write(tmp_path, files))
    read_city(write(tmp_path, changed(GMNS, "node.csv", "1,0,\n", "1,0,0\n") | {"demand.csv": GMNS["demand.csv"]}))


def test_trips_need_a_route(tmp_path: Path) -> None:
    files = changed(GMNS, "node.csv", "3,1,NaN\n", "3,1,3\n") | {"demand.csv": GMNS["demand.csv"] + "3,1,1\n"}
    with pytest.raises(InvalidInput, match=r"demand.csv line 5 asks for trips from 14 to 11: no route joins them"):
        read_city(write(tmp_path, files))


def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    said = refusals(tmp_path, {**GMNS, "config.csv": "long_length,speed\nmile,mph\n"}, count=300, seed=2)
    assert 150 < len(said) < 300
    assert [sentence for sentence in said if len(sentence.splitlines()) != 1] == []
