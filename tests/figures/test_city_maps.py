"""Maps of cities: times on all links from the equilibrium with the leader's action and without it."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.figures.live import Trace, map_of
from firstmover.games.map_record import Lines, MapRecord, Panel, Points
from firstmover.games.routing.cities import add_city
from firstmover.games.routing.city_files import has_coordinates, on_circle
from firstmover.games.routing.city_game import CityParameters, city_game, game_of
from firstmover.games.routing.city_map import _end_of_scale, set_by
from firstmover.games.routing.city_match import match_document
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import link_names, sioux_falls
from firstmover.games.routing.road_panels import DIFFERENCE, WITH, WITHOUT, link_ends, undistorted
from firstmover.matches import Match, MatchConfig

TOWN = sioux_falls().pairs_with_demand()
CLOSED: dict[str, Any] = {"leader": {"kind": "closures", "links": [[10, 16], [6, 8]]}, "levels": [0.5, 1.0]}


def begun(folder: Path, given: dict[str, Any]) -> Match:
    """A match about Sioux Falls, with one round told at all of the demand and one pending."""
    parameters = CityParameters.read(given)
    game = game_of(TOWN, parameters)
    match = Match.create(folder / "m.db", "town", tomllib.loads(match_document(game, parameters)))
    match.ask("monday")
    match.tell("monday", "100 %", [20.0] * game.n_outputs)
    match.ask("tuesday")
    return match


def drawn(match: Match) -> MapRecord:
    record = map_of(Trace(match.journal), reveal=True)
    assert record is not None
    return record


def column(panel: Panel, title: str) -> dict[str, float]:
    """A column of the table by link."""
    place = panel.table.columns.index(title)
    return {str(row[0]): float(row[place] or 0.0) for row in panel.table.rows}


def ratios(tolls: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, float]:
    """t / t₀ of each link at all of the demand, with tolls (E,) that do not count as time."""
    times = LinkTimes.of(TOWN, tolls[:, None])
    flows = equilibria(TOWN, TOWN.demand[None], times, gap=1e-8).flows
    spent = times(flows.T)[0][:, 0] - tolls
    return dict(zip(link_names(TOWN), (spent / TOWN.free_flow_time).tolist(), strict=True))


def test_the_map_shows_equilibria_with_the_action_and_without_it(tmp_path: Path) -> None:
    match = begun(tmp_path, CLOSED)
    pending = match.history()[-1].action
    assert pending is not None
    planned, bare, difference = drawn(match).panels
    assert (planned.tab, bare.tab, difference.tab) == (WITH, WITHOUT, DIFFERENCE)
    shut = {link_names(TOWN)[i]: i for i in (28, 15)}
    assert set(shut) == {"10→16", "6→8"}
    tolls = np.zeros(TOWN.n_links)
    if pending:
        tolls[shut[("10→16", "6→8")[pending - 1]]] = 1e9
    without, with_it = ratios(np.zeros(TOWN.n_links)), ratios(tolls)
    assert column(bare, "time (t / t₀)") == pytest.approx(without, rel=1e-3)
    assert column(planned, "time (t / t₀)") == pytest.approx(with_it, rel=1e-3)
    changes = {name: with_it[name] - without[name] for name in without}
    assert column(difference, "change") == pytest.approx(changes, abs=5e-3)
    marked = [name for name, value in column(planned, "closed").items() if value]
    assert marked == ([] if pending == 0 else [("10→16", "6→8")[pending - 1]])


def test_the_document_of_a_match_names_its_city_and_its_leader(tmp_path: Path) -> None:
    match = begun(tmp_path, CLOSED)
    assert match.setting.config.map == {"city": "sioux-falls", "leader": CLOSED["leader"]}
    assert "At the demand of the last reported round: traffic 100 %." in drawn(match).note


def test_a_city_that_is_played_as_a_game_has_the_same_map(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "m.db", "game", {"menu": {"game": "city"}})
    assert drawn(match).heading == "The roads"
    assert "no round has been reported" in drawn(match).note
    match.ask("monday")
    assert [panel.tab for panel in drawn(match).panels] == [WITH, WITHOUT, DIFFERENCE]


def test_without_its_city_a_match_has_the_map_of_any_menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTMOVER_CITIES", str(tmp_path / "cities"))
    add_city("town", TOWN)
    given = CLOSED | {"city": "town"}
    match = begun(tmp_path, given)
    assert drawn(match).heading == "The roads"
    (tmp_path / "cities" / "town.zip").unlink()
    record = drawn(match)
    assert record.heading != "The roads"
    assert record.note.startswith("The roads of 'town' cannot be drawn: There are no cities: add one")


def test_an_action_that_the_city_does_not_have_is_not_drawn_on_its_roads(tmp_path: Path) -> None:
    match = begun(tmp_path, CLOSED)
    match.add_actions([{"label": "both closed", "10→16": 1.0, "6→8": 1.0}])
    for label in ("nothing closed", "10→16 closed", "6→8 closed"):
        match.retire(label)
    match.ask("wednesday")
    assert (
        "The roads of 'sioux-falls' cannot be drawn: 'both closed' is not an action that it has." in drawn(match).note
    )


def test_types_that_are_not_demands_are_not_drawn_on_roads(tmp_path: Path) -> None:
    config = begun(tmp_path, CLOSED).setting.config.model_dump(exclude_none=True)
    match = Match.create(tmp_path / "m.db", "other", config | {"types": [{"name": "trips"}, {"name": "rain"}]})
    match.ask("monday")
    match.tell("monday", {"trips": 1.0, "rain": 0.5}, 20.0)
    assert drawn(match).note.startswith("The roads of 'sioux-falls' cannot be drawn: opponent_type has 2 number(s)")


def test_a_city_without_coordinates_has_no_roads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTMOVER_CITIES", str(tmp_path / "cities"))
    assert has_coordinates(TOWN.positions)
    assert not has_coordinates(on_circle(24))
    add_city("ring", replace(TOWN, positions=on_circle(24)))
    game = city_game(city="ring", **CLOSED)
    assert "map = " not in match_document(game, CityParameters.read(CLOSED | {"city": "ring"}))


def test_a_wrong_map_is_refused_when_the_match_is_created(tmp_path: Path) -> None:
    config = begun(tmp_path, CLOSED).setting.config.model_dump(exclude_none=True)
    with pytest.raises(InvalidInput, match="kind"):
        Match.create(tmp_path / "m.db", "wrong", config | {"map": {"leader": {"kind": "wizard"}}})
    assert MatchConfig.read(config).map is not None


@pytest.mark.parametrize(
    ("leader", "expected"),
    [
        ({"kind": "tolls", "links": [[10, 16], [6, 8]], "levels": [0.0, 2.5]}, {"10→16": 2.5, "6→8": 2.5}),
        ({"kind": "signals", "first": [[10, 16]], "second": [[8, 16]], "shares": [0.3]}, {"10→16": 0.6, "8→16": 1.4}),
        (CLOSED["leader"], {"6→8": 1.0}),
    ],
)
def test_what_an_action_sets(leader: dict[str, Any], expected: dict[str, float]) -> None:
    parameters = CityParameters.read({"leader": leader})
    assert parameters.leader is not None
    menu = parameters.leader.controls(TOWN)
    found = set_by(menu, len(menu.labels) - 1)
    assert {link_names(TOWN)[i]: found[i] for i in np.flatnonzero(found)} == pytest.approx(expected)


def test_a_fleet_is_drawn_from_its_origin_to_its_destination(tmp_path: Path) -> None:
    leader = {"kind": "fleet", "origin": 12, "destination": 18, "units": 9_000.0, "groups": 1, "shares": [1.0]}
    (planned, *_) = drawn(begun(tmp_path, {"leader": leader})).panels
    ends = [layer for layer in planned.layers if isinstance(layer, Points) and layer.legend]
    assert [layer.legend for layer in ends] == ["from node 12", "to node 18"]
    (around,) = [layer for layer in planned.layers if isinstance(layer, Lines) and layer.arrows]
    x, y = link_ends(TOWN)
    used = np.array([value > 0 for value in planned_units(planned)])
    np.testing.assert_array_equal(around.x, x[used])
    np.testing.assert_array_equal(around.y, y[used])


def planned_units(panel: Panel) -> list[float]:
    units = column(panel, "of the fleet")
    return [units[name] for name in link_names(TOWN)]


def test_the_edge_of_a_road_lies_under_it(tmp_path: Path) -> None:
    x, y = link_ends(TOWN)
    for panel in drawn(begun(tmp_path, CLOSED)).panels:
        lines = [layer for layer in panel.layers if isinstance(layer, Lines)]
        (place,) = [i for i, layer in enumerate(lines) if layer.colour == "casing"]
        np.testing.assert_array_equal(lines[place].x, x)
        np.testing.assert_array_equal(lines[place].y, y)
        assert all(layer.scale is not None for layer in lines[place + 1 :]), "the coloured roads are drawn later"


def test_degrees_are_drawn_to_scale() -> None:
    degrees = replace(TOWN, positions=np.column_stack([np.linspace(-118, -117, 24), np.full(24, 60.0)]))
    np.testing.assert_allclose(np.ptp(undistorted(degrees).positions[:, 0]), 0.5)
    for same in (TOWN, replace(TOWN, positions=np.add(degrees.positions, [0.0, 100.0]))):
        assert undistorted(same) is same


def test_scales_end_where_few_links_lie_beyond() -> None:
    one_in_hundred = np.r_[np.full(99, 0.4), 9.0]
    assert _end_of_scale([one_in_hundred]) == 0.5
    assert _end_of_scale([one_in_hundred, np.full(3, 0.7)]) == 1.0
    assert _end_of_scale([np.full(3, 99.0)]) == 4.0
