import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firstmover.figures.live.menu import MenuTable
from firstmover.figures.live.park import ParkMap
from firstmover.figures.live.prices import PriceMap
from firstmover.figures.live.roads import RoadMap
from matplotlib.figure import Figure

from firstmover.beliefs import confidence_box
from firstmover.cli import app
from firstmover.figures.files import live_figure, save
from firstmover.figures.live import LIVE, Trace, kind_of, map_of, plain
from firstmover.figures.style import COLOURS, MARKERS, WEB_DASHES, WEB_MARKERS, stylesheet
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import sioux_falls
from firstmover.games.routing.opponents import sioux_falls_users
from firstmover.matches import Match
from firstmover.matches.template import template
from tests.cli.running import refused, runner
from tests.figures.long_match import long_match
from tests.matches.played import new, play


def begun(folder: Path, config: dict[str, Any], *told: tuple[Any, Any], name: str = "match") -> Match:
    match = Match.create(folder / "matches.db", name, config)
    for values in told:
        match.tell(match.ask().round_id, *values)
    return match


def roads(**changes: Any) -> dict[str, Any]:
    return tomllib.loads(template("sioux-falls")) | changes


def test_without_traffic_the_map_holds_the_plan_alone(tmp_path: Path) -> None:
    nobody = [{"name": "traffic", "levels": {"none": 0.0, "full": 1.0}}]
    match = begun(tmp_path, roads(types=nobody), ("none", 1.0))
    record = map_of(Trace(match.journal), reveal=True)
    assert isinstance(record, RoadMap)
    before, after = record.panels
    plan = match.setting.game.actions[match.history()[0].action or 0]
    np.testing.assert_allclose(before.flow, 0.0)
    np.testing.assert_allclose(before.ratio, 1.0)
    np.testing.assert_allclose(after.flow, plan, atol=1e-9)
    capacity = sioux_falls().capacity * 0.01
    np.testing.assert_allclose(after.ratio, 1 + 0.15 * (plan / capacity) ** 4)
    assert after.arriving == pytest.approx(operator_plans().units[match.history()[0].action or 0])


def test_with_traffic_the_average_is_the_response_of_the_road_users(tmp_path: Path) -> None:
    match = begun(tmp_path, roads(), ("usual", 3.0))
    record = map_of(Trace(match.journal), reveal=False)
    assert isinstance(record, RoadMap)
    users = sioux_falls_users()
    actions = match.setting.game.actions[[0, match.history()[0].action or 0]]
    expected = users(actions, 0.5 * users.network.demand)[:, 0]
    np.testing.assert_allclose([panel.congestion for panel in record.panels], expected)
    assert "traffic usual" in record.note
    assert record.links[0] == "1→2"
    assert (record.nodes[record.origin], record.nodes[record.destination]) == ("12", "18")


def test_demands_of_every_pair_are_a_map_too_and_other_types_a_table(tmp_path: Path) -> None:
    demand = (0.25 * sioux_falls_users().network.demand).tolist()
    match = begun(tmp_path, {"menu": {"game": "routing"}}, (demand, 3.0))
    record = map_of(Trace(match.journal), reveal=False)
    assert isinstance(record, RoadMap)
    assert "25% of the largest" in record.note
    assert kind_of(match.setting) == "routing"


def test_the_park_is_laid_out_with_the_second_coordinate_up(tmp_path: Path) -> None:
    config = tomllib.loads(template("patrol"))
    match = begun(tmp_path, config, ("1", [1.25, 4.5]), ("1", [0.5, 0.75]))
    trace = Trace(match.journal)
    record = map_of(trace, reveal=False)
    assert isinstance(record, ParkMap)
    action = match.history()[-1].action or 0
    assert record.coverage is not None
    for i, j in ((0, 0), (3, 1), (1, 4)):
        assert record.coverage[j, i] == match.setting.game.actions[action][5 * i + j]
    assert record.density.shape == (50, 50)
    # The densest place of the published park is near (3.9, 4.0): column 39, row 40 of squares of 0.1.
    row, column = np.unravel_index(np.argmax(record.density), record.density.shape)
    assert (record.density[row, column] > 0.66, abs(row - 40) <= 2, abs(column - 39) <= 2) == (True, True, True)
    assert [strike.place.tolist() for strike in record.seen] == [[1.25, 4.5], [0.5, 0.75]]
    assert record.seen[-1].same_patrol
    assert record.axes == ("east (km)", "north (km)")
    game, belief = match.setting.game, trace.belief
    assert game.types is not None
    box = confidence_box(belief.predict(game.types[0]), match.setting.confidence(0.0), game.response_domain)
    np.testing.assert_allclose(record.expected[0].lower, box.lower[action])
    np.testing.assert_allclose(record.expected[0].upper, box.upper[action])


def test_demand_curves_are_the_belief_over_one_price_the_others_as_posted(tmp_path: Path) -> None:
    told = [("1", [0.3, 0.2, 0.1]), ("3", [0.1, 0.1, 0.4]), ("1", [0.2, 0.2, 0.1])]
    match = begun(tmp_path, {"menu": {"game": "prices"}, "horizon": 20}, *told)
    trace = Trace(match.journal)
    record = map_of(trace, reveal=False)
    assert isinstance(record, PriceMap)
    action = match.history()[-1].action or 0
    game = match.setting.game
    posted = game.actions[action]
    assert game.types is not None
    for station, panel in enumerate(record.panels):
        assert (panel.feature, panel.chosen) == (f"price {station + 1}", posted[station])
        assert [len(curve.seen) for curve in panel.curves] == [2, 0, 1, 0]
        for segment, curve in zip(game.types, panel.curves, strict=True):
            assert np.all(np.isnan(curve.true))
            np.testing.assert_allclose(curve.price, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
            at = int(np.flatnonzero(np.isclose(curve.price, posted[station]))[0])
            assert curve.mean[at] == pytest.approx(trace.belief.predict(segment).mean[action, station])
            assert curve.std[at] == pytest.approx(trace.belief.predict(segment).std[action])


def test_the_template_of_prices_has_a_curve_for_each_kind_of_customers(tmp_path: Path) -> None:
    match = begun(tmp_path, tomllib.loads(template("pricing")), ("tourists", 30.0))
    assert kind_of(match.setting) == "prices"
    record = map_of(Trace(match.journal), reveal=False, respond=lambda x, _: 2 * x)
    assert isinstance(record, PriceMap)
    (panel,) = record.panels
    assert [curve.title for curve in panel.curves] == ["customers residents", "customers tourists"]
    assert (panel.response, panel.unit) == ("sold", "pieces")
    np.testing.assert_allclose(panel.curves[0].true, 2 * np.arange(8.0, 15.0))
    assert panel.curves[1].seen.tolist() == [30.0]


def test_any_other_menu_is_a_table(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(4))
    trace = Trace(match.journal)
    record = map_of(trace, reveal=False)
    assert isinstance(record, MenuTable)
    assert record.features == ("north", "south")
    assert record.labels == ("none", "north", "south", "both")
    np.testing.assert_allclose(record.probability, trace.strategy)
    assert record.played.sum() == 4
    assert record.labels[record.shown or 0] == match.history()[-1].label
    means = [trace.belief.predict(np.array([kind])) for kind in (0.0, 1.0)]
    believed = np.mean([np.clip(p.mean[:, 0], 0, 20) for p in means], axis=0)
    np.testing.assert_allclose(record.mean, np.array([0.0, 10, 10, 10]) - 2 * believed)
    np.testing.assert_allclose(record.std, np.mean([p.std for p in means], axis=0))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sioux-falls", ("light", 2.0)),
        ("patrol", ("1", [1.0, 2.0])),
        ("pricing", ("residents", 20.0)),
        ("routing", ("low", 5.0)),
    ],
)
def test_every_picture_is_drawn(tmp_path: Path, name: str, told: tuple[Any, Any]) -> None:
    match = begun(tmp_path, tomllib.loads(template(name)), told, told)
    trace = Trace(match.journal)
    for entry in LIVE.values():
        figure = live_figure(entry, entry.record(trace), "title")
        assert isinstance(figure, Figure)
        assert len(figure.axes) >= 1
        figure.draw_without_rendering()


def test_the_command_draws_and_prints_and_refuses(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(3))
    match.ask("waits")
    match.close()
    store = ["--store", str(tmp_path / "matches.db")]
    drawn = runner.invoke(app, ["match", "plot", "roads", "map", "--out", str(tmp_path / "map.png"), *store])
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "map.png").exists()
    printed = json.loads(runner.invoke(app, ["match", "plot", "roads", "learning", "--json", *store]).output)
    assert printed["rounds"] == 3
    assert "Unknown picture 'mpa'" in refused("match", "plot", "roads", "mpa", *store)


def test_a_long_match_is_a_short_record(tmp_path: Path) -> None:
    levels = ["light", "usual", "heavy"]
    match = long_match(tmp_path, roads(), 520, levels)
    trace = Trace(match.journal)
    for entry in LIVE.values():
        assert len(json.dumps(plain(entry.record(trace)))) < 300_000
    assert trace.series.every == 2
    match.ask("next")
    assert trace.follow() == 1 + 2 * 520 + 1


def test_numbers_are_short_and_what_is_not_finite_is_null() -> None:
    assert plain(np.array([123456.789, -0.000123456, 0.0, np.inf])) == [123460.0, -0.00012346, 0.0, None]
    assert plain({"a": (1, 2.00000001, "x", None, True)}) == {"a": [1, 2.0, "x", None, True]}
    assert plain(np.array([[1, 2]])) == [[1, 2]]


def test_page_and_figures_share_one_table_of_styles(tmp_path: Path) -> None:
    sheet = stylesheet()
    for i, colour in enumerate(COLOURS):
        assert f"--line-{i}: {colour};" in sheet
    assert len(WEB_MARKERS) == len(MARKERS)
    assert f"--dash-4: {WEB_DASHES[4]};" in sheet
    assert sheet.count("{") == sheet.count("}")
    assert save(Figure(), tmp_path / "empty.png")
