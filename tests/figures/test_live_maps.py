import json
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from firstmover.cli import app
from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.figures.files import drawn, save
from firstmover.figures.live import LIVE, Trace, json_values, map_of
from firstmover.figures.live.maps import known_types
from firstmover.figures.style import COLOURS, MARKERS, SCALES, SCALES_ON_DARK, WEB_DASHES, WEB_MARKERS, stylesheet
from firstmover.games.default_map import _averages, _levels
from firstmover.games.map_record import Cells, Lines, MapRecord, Panel, Points, nice_axis, short
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import link_names, sioux_falls
from firstmover.games.routing.opponents import sioux_falls_users
from firstmover.games.routing.road_panels import link_ends
from firstmover.games.wildlife.map import FEW, SMOOTHING
from firstmover.matches import Match
from firstmover.matches.forecast import forecast, intervals
from firstmover.matches.template import template
from firstmover.service.today import ExpectedOfType, today
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


def drawn_map(trace: Trace, **options: Any) -> MapRecord:
    record = map_of(trace, **{"reveal": False, **options})
    assert record is not None
    return record


def links_of(panel: Panel) -> tuple[Vector, Vector, Vector]:
    """t / t₀, units and units of the plan of every link, in the order of the network."""
    rows = {row[0]: row[1:] for row in panel.table.rows}
    ratio, flow, plan = np.array([rows[name] for name in link_names(sioux_falls())], dtype=float).T
    return ratio, flow, plan


def test_without_traffic_the_map_holds_the_plan_alone(tmp_path: Path) -> None:
    nobody = [{"name": "traffic", "levels": {"none": 0.0, "full": 1.0}}]
    match = begun(tmp_path, roads(types=nobody), ("none", 1.0))
    after, before, change = drawn_map(Trace(match.journal), reveal=True).panels
    assert [panel.tab for panel in (after, before, change)] == ["With the plan", "Without the plan", "Difference"]
    assert not before.stretch, "a map keeps its proportions"
    action = match.history()[0].action or 0
    plan = match.setting.game.actions[action]
    ratio, flow, _ = links_of(before)
    np.testing.assert_allclose(flow, 0.0)
    np.testing.assert_allclose(ratio, 1.0)
    ratio, flow, planned = links_of(after)
    np.testing.assert_allclose(flow, plan, atol=1e-9)
    np.testing.assert_allclose(planned, plan)
    np.testing.assert_allclose(ratio, 1 + 0.15 * (plan / (sioux_falls().capacity * 0.01)) ** 4)
    arriving = operator_plans().units[action]
    assert after.subtitle.endswith(f"{short(float(arriving))} units arrive") or arriving == 0


def test_with_traffic_the_average_is_the_response_of_the_road_users(tmp_path: Path) -> None:
    match = begun(tmp_path, roads(), ("usual", 3.0))
    record = drawn_map(Trace(match.journal))
    users = sioux_falls_users()
    actions = match.setting.game.actions[[0, match.history()[0].action or 0]]
    expected = users(actions, 0.5 * users.network.demand)[:, 0]
    planned, without, change = record.panels
    np.testing.assert_allclose([links_of(panel)[0].mean() - 1 for panel in (without, planned)], expected)
    changes = {row[0]: row[1:] for row in change.table.rows}
    ratios = [links_of(panel)[0] for panel in (without, planned)]
    np.testing.assert_allclose([changes[name][2] for name in link_names(sioux_falls())], ratios[1] - ratios[0])
    sizes = [abs(float(row[3] or 0)) for row in change.table.rows]
    assert sizes == sorted(sizes, reverse=True), "the most changed first"
    assert "traffic usual" in record.note
    ends = [layer for layer in record.panels[0].layers if isinstance(layer, Points) and layer.legend]
    assert [(layer.legend, layer.texts) for layer in ends] == [("from node 12", ("12",)), ("to node 18", ("18",))]


def _expected(match: Match) -> tuple[ExpectedOfType, ...]:
    """The forecasts on the decision card."""
    advice = today(match.state(), reveal=True).advice
    assert advice is not None
    return advice.expected


def test_today_and_the_maps_show_the_same_forecast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda _strategy, _number: 3)  # one that is known
    match = begun(tmp_path, roads(), *[("usual", y) for y in (3.0, 5.0, 4.0)], name="roads")
    match.ask()
    usual = next(each for each in _expected(match) if each.words == "traffic usual")
    mean, lower, upper = (getattr(usual.responses[0], name) for name in ("mean", "lower", "upper"))
    after = drawn_map(Trace(match.journal), reveal=True).panels[0]
    assert after.subtitle.startswith(f"Predicted congestion: {short(mean)} ({short(lower)} to {short(upper)})")
    park = begun(tmp_path, tomllib.loads(template("patrol")), *[("1", [1.25, 4.5])] * 3, name="park")
    park.ask()
    (entry,) = _expected(park)
    layers = drawn_map(Trace(park.journal), reveal=True).panels[0].layers
    (mark,) = [layer for layer in layers if isinstance(layer, Points) and layer.legend == "predicted"]
    assert [mark.x[0], mark.y[0]] == pytest.approx([each.mean for each in entry.responses])
    prices = begun(tmp_path, tomllib.loads(template("pricing")), ("tourists", 30.0), name="prices")
    prices.ask()
    record, shown = drawn_map(Trace(prices.journal), reveal=True), today(prices.state(), reveal=True).round
    assert shown is not None
    chosen = shown.features["price"]
    for panel, expected in zip(record.panels, _expected(prices), strict=True):
        assert panel.title == expected.words
        (row,) = [row for row in panel.table.rows if row[0] == chosen]
        assert row[1:4] == pytest.approx([getattr(expected.responses[0], name) for name in ("mean", "lower", "upper")])


def test_what_is_not_known_yet_is_not_drawn(tmp_path: Path) -> None:
    park = begun(tmp_path, tomllib.loads(template("patrol")), name="park")
    park.ask()
    for panel in drawn_map(Trace(park.journal), reveal=True).panels:
        assert [layer for layer in panel.layers if isinstance(layer, Points) and layer.legend == "predicted"] == []
        assert [layer for layer in panel.layers if isinstance(layer, Lines)] == [], "no box of the prior"
        assert "nothing is known about the poachers" in panel.summary
    record = drawn_map(Trace(park.journal), reveal=True)
    assert "No strike has been reported yet" in record.panels[0].subtitle
    assert record.note == "The number in a cell is the probability that rangers cover it."
    unasked = drawn_map(Trace(begun(tmp_path, tomllib.loads(template("patrol")), name="unasked").journal))
    assert [panel.tab for panel in unasked.panels] == ["Animals", "Strikes"], "no panel for a patrol that is not there"
    assert unasked.note == "There is no patrol to show yet."
    network = begun(tmp_path, roads(), name="roads")
    network.ask()
    record = drawn_map(Trace(network.journal), reveal=True)
    assert [panel.subtitle.startswith("Nothing is known") for panel in record.panels] == [True, True, False]
    prices = begun(tmp_path, tomllib.loads(template("pricing")), name="prices")
    for panel in drawn_map(Trace(prices.journal)).panels:
        assert [row[1:4] for row in panel.table.rows] == [(None, 0.0, 100.0)] * 7


def test_demands_of_every_pair_are_a_map_too(tmp_path: Path) -> None:
    demand = (0.25 * sioux_falls_users().network.demand).tolist()
    match = begun(tmp_path, {"menu": {"game": "routing"}}, (demand, 3.0))
    record = drawn_map(Trace(match.journal))
    assert record.heading == "The roads"
    assert "25% of the largest" in record.note


def test_the_park_is_laid_out_with_the_second_coordinate_up(tmp_path: Path) -> None:
    match = begun(tmp_path, tomllib.loads(template("patrol")), ("1", [1.25, 4.5]), ("1", [0.5, 0.75]))
    trace = Trace(match.journal)
    patrol, strikes, animals = drawn_map(trace).panels
    action = match.history()[-1].action or 0
    coverage = next(layer for layer in patrol.layers if isinstance(layer, Cells)).values
    for i, j in ((0, 0), (3, 1), (1, 4)):
        assert coverage[j, i] == match.setting.game.actions[action][5 * i + j]
    density = next(layer for layer in animals.layers if isinstance(layer, Cells)).values
    assert density.shape == (50, 50)
    # The densest place of the published park is near (3.9, 4.0): column 39, row 40 of squares of 0.1.
    row, column = np.unravel_index(np.argmax(density), density.shape)
    assert (density[row, column] > 0.66, abs(row - 40) <= 2, abs(column - 39) <= 2) == (True, True, True)
    assert strikes.table.rows[::-1] == (
        ("round 1", 1.25, 4.5, "yes" if match.history()[0].action == action else "no"),
        ("round 2", 0.5, 0.75, "yes"),
    )
    assert (animals.x.label, animals.y.label) == ("east (km)", "north (km)")
    assert match.setting.game.types is not None
    predicted = forecast(trace.learning, action, match.setting.game.types[0]).responses
    box = next(layer for layer in patrol.layers if isinstance(layer, Lines) and layer.legend.startswith("band"))
    assert [box.x.min(), box.y.min()] == pytest.approx([each.lower for each in predicted])
    assert [box.x.max(), box.y.max()] == pytest.approx([each.upper for each in predicted])


def test_many_strikes_are_a_density_and_few_are_single_marks(tmp_path: Path) -> None:
    match = long_match(tmp_path, tomllib.loads(template("patrol")), FEW + 1, ["1"])
    state = match.state()
    record = map_of(state, reveal=True)
    assert record is not None
    _, strikes, _ = record.panels
    assert strikes.subtitle == f"density of the latest {FEW + 1} strikes"
    heat, dots = (layer for layer in strikes.layers if isinstance(layer, Cells | Points))
    assert isinstance(heat, Cells)
    assert isinstance(dots, Points)
    places = np.array([[float(cell or 0) for cell in row[1:3]] for row in strikes.table.rows])
    np.testing.assert_allclose(np.column_stack([dots.x, dots.y]), places[list(dots.rows)])
    grid = (np.arange(50) + 0.5) / 10
    east, north = np.meshgrid(grid, grid)
    far = (east[..., None] - places[:, 0]) ** 2 + (north[..., None] - places[:, 1]) ** 2
    expected = np.exp(-far / (2 * SMOOTHING**2)).sum(axis=-1) / (2 * np.pi * SMOOTHING**2)
    np.testing.assert_allclose(heat.values, expected, atol=1e-9)
    few = begun(tmp_path, tomllib.loads(template("patrol")), ("1", [1.25, 4.5]), name="few")
    _, strikes, _ = drawn_map(Trace(few.journal)).panels
    assert [layer for layer in strikes.layers if isinstance(layer, Cells)] == []
    (mark,) = [layer for layer in strikes.layers if isinstance(layer, Points) and layer.legend == "a strike"]
    assert (mark.x.tolist(), mark.y.tolist(), mark.rows) == ([1.25], [4.5], (0,))


def test_marks_belong_to_the_rows_with_their_numbers(tmp_path: Path) -> None:
    match = begun(tmp_path, roads(), ("usual", 3.0), name="roads")
    names, (x, y) = link_names(sioux_falls()), link_ends(sioux_falls())
    for panel in drawn_map(Trace(match.journal)).panels:
        linked = {}
        for layer in panel.layers:
            if isinstance(layer, Lines) and layer.rows:
                linked |= {
                    str(panel.table.rows[row][0]): (xs, ys)
                    for row, xs, ys in zip(layer.rows, layer.x.tolist(), layer.y.tolist(), strict=True)
                }
        assert linked == {name: (x[i].tolist(), y[i].tolist()) for i, name in enumerate(names)}, panel.tab
    park = begun(tmp_path, tomllib.loads(template("patrol")), ("1", [1.25, 4.5]), name="park")
    patrol = drawn_map(Trace(park.journal)).panels[0]
    (cells,) = [layer for layer in patrol.layers if isinstance(layer, Cells)]
    shares = {str(row[0]): row[1] for row in patrol.table.rows}
    struck = {str(row[0]): row[2] for row in patrol.table.rows}
    for place, row in enumerate(cells.rows):
        name = str(patrol.table.rows[row][0])
        assert name == f"cell {place % 5 + 1},{place // 5 + 1}"
        assert shares[name] == cells.values.ravel()[place]
    assert [name for name, count in struck.items() if count] == ["cell 2,5"]


def test_curves_of_a_menu_are_means_over_the_actions_with_the_same_value(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(4))
    trace = Trace(match.journal)
    record = drawn_map(trace)
    assert [(choice.name, choice.options) for choice in record.choices] == [("feature", ("north", "south"))]
    assert "means over all actions of the menu with this north" in record.note
    south = drawn_map(trace, chosen={"feature": "south"})
    for shown, column in ((record, 0), (south, 1)):
        for panel, named in zip(shown.panels[:-1], known_types(match.setting) or [], strict=True):
            assert panel.title == named.name
            mean, lower, upper = intervals(trace.learning, named.vector)
            value = match.setting.game.actions[:, column]
            for row in panel.table.rows:
                here = value == row[0]
                assert row[1:4] == pytest.approx([float(part[here, 0].mean()) for part in (mean, lower, upper)])
            action = match.history()[-1].action or 0
            (point,) = [
                layer for layer in panel.layers if isinstance(layer, Points) and layer.legend.startswith("this action")
            ]
            assert (point.x[0], point.y[0]) == pytest.approx((value[action], mean[action, 0]))


def test_of_many_values_neighbours_are_joined_and_what_is_not_known_is_left_out() -> None:
    values = np.arange(100.0)
    x, place = _levels(values, 24)
    assert len(x) == 24
    np.testing.assert_allclose(x, [values[place == i].mean() for i in range(24)])
    assert np.all(np.diff(place) >= 0)
    averages = _averages(np.array([1.0, np.nan, 3.0, np.nan, np.inf]), np.array([0, 0, 0, 1, 2]))
    np.testing.assert_array_equal(averages, [2.0, np.nan, np.nan])


def test_demand_curves_are_the_belief_over_one_price_the_others_as_posted(tmp_path: Path) -> None:
    told = [("1", [0.3, 0.2, 0.1]), ("3", [0.1, 0.1, 0.4]), ("1", [0.2, 0.2, 0.1])]
    match = begun(tmp_path, {"menu": {"game": "prices"}, "horizon": 20}, *told)
    trace = Trace(match.journal)
    action, game = match.history()[-1].action or 0, match.setting.game
    assert game.types is not None
    for station, chosen in (
        (0, {}),
        (1, {"response": "y2"}),
        (2, {"response": "y3", "feature": "price 3"}),
    ):
        record = drawn_map(trace, chosen=chosen)
        assert [choice.chosen for choice in record.choices] == [f"y{station + 1}", f"price {station + 1}"]
        assert len(record.panels) == 4
        for segment, panel in enumerate(record.panels):
            posted = game.actions[action, station]
            assert panel.x.label == f"price {station + 1}"
            (here,) = [layer for layer in panel.layers if isinstance(layer, Lines) and layer.legend == "this action"]
            assert here.x[0] == posted
            assert panel.subtitle == f"{[2, 0, 1, 0][segment]} observed"
            price, mean, lower, upper = np.array(panel.table.rows, dtype=float).T
            np.testing.assert_allclose(price, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
            at = int(np.flatnonzero(np.isclose(price, posted))[0])
            predicted = forecast(trace.learning, action, game.types[segment]).responses[station]
            assert (mean[at], lower[at], upper[at]) == pytest.approx((predicted.mean, predicted.lower, predicted.upper))


def test_what_is_chosen_must_be_an_option_of_the_map(tmp_path: Path) -> None:
    prices = Trace(begun(tmp_path, {"menu": {"game": "prices"}, "horizon": 20}, name="prices").journal)
    with pytest.raises(InvalidInput, match=r"Unknown response 'y9':.* Known: y1, y2, y3"):
        drawn_map(prices, chosen={"response": "y9"})
    network = Trace(begun(tmp_path, roads(), name="roads").journal)
    with pytest.raises(
        InvalidInput, match="feature is 'length': the map of this match has no such choice; leave it out"
    ):
        drawn_map(network, chosen={"feature": "length"})


def test_the_template_of_prices_has_a_curve_for_each_kind_of_customers(tmp_path: Path) -> None:
    match = begun(tmp_path, tomllib.loads(template("pricing")), ("tourists", 30.0))
    panels = drawn_map(Trace(match.journal), respond=lambda x, _: 2 * x).panels
    assert [panel.title for panel in panels] == ["customers residents", "customers tourists"]
    assert panels[0].y.label == "sold (pieces)"
    np.testing.assert_allclose([row[4] for row in panels[0].table.rows], 2 * np.arange(8.0, 15.0))
    seen = next(layer for layer in panels[1].layers if isinstance(layer, Points))
    assert seen.y.tolist() == [30.0]


def test_levels_with_numbers_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    levels = {"none": 0.0, "some": 1.0, "many": 2.0}
    config = tomllib.loads(template("pricing")) | {"types": [{"name": "customers", "levels": levels}]}
    match = begun(tmp_path, config, ("some", 30.0))
    names = [f"customers {level}" for level in levels]
    assert [panel.title for panel in drawn_map(Trace(match.journal)).panels] == names
    match.ask()
    assert [each.words for each in _expected(match)] == names


def test_before_the_first_report_a_menu_has_no_axis_of_expected_rewards(tmp_path: Path) -> None:
    match = new(tmp_path)

    def titles() -> tuple[str, ...]:
        layers = drawn_map(Trace(match.journal)).panels[-1].layers
        return [layer.texts for layer in layers if isinstance(layer, Points)][-1]

    assert titles() == ("north", "south", "probability")
    play(match, range(4))
    assert titles() == ("north", "south", "expected reward", "probability")


def test_any_other_menu_is_a_table(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(4))
    trace = Trace(match.journal)
    record = drawn_map(trace)
    table = record.panels[-1].table
    assert table.columns == ("action", "probability", "expected reward", "σ", "played", "north", "south")
    rows = {row[0]: row for row in table.rows}
    assert set(rows) == {"none", "north", "south", "both"}
    ordered = [rows[name] for name in ("none", "north", "south", "both")]
    np.testing.assert_allclose([row[1] for row in ordered], trace.strategy)
    assert sum(int(row[4] or 0) for row in ordered) == 4
    assert table.rows[table.highlighted or 0][0] == match.history()[-1].label
    means = [trace.learning.belief.predict(np.array([kind])) for kind in (0.0, 1.0)]
    believed = np.mean([np.clip(p.mean[:, 0], 0, 20) for p in means], axis=0)
    np.testing.assert_allclose([row[2] for row in ordered], np.array([0.0, 10, 10, 10]) - 2 * believed)
    np.testing.assert_allclose([row[3] for row in ordered], np.mean([p.std for p in means], axis=0))


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
        figure = drawn(partial(entry.draw, entry.record(trace)), entry.size, "title")
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
    match = long_match(tmp_path, roads(confidence={"width": 1.0}), 520, levels)
    trace = Trace(match.journal)
    for entry in LIVE.values():
        assert len(json.dumps(json_values(entry.record(trace)))) < 300_000
    assert trace.series.every == 2
    match.ask("next")
    assert trace.follow() == 1 + 2 * 520 + 1


def test_numbers_are_short_and_what_is_not_finite_is_null() -> None:
    assert json_values(np.array([123456.789, -0.000123456, 0.0, np.inf])) == [123460.0, -0.00012346, 0.0, None]
    assert json_values({"a": (1, 2.00000001, "x", None, True)}) == {"a": [1, 2.0, "x", None, True]}
    assert json_values(np.array([[1, 2]])) == [[1, 2]]


def luminance(colour: str) -> float:
    """The relative luminance of a colour."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_page_and_figures_share_one_table_of_styles(tmp_path: Path) -> None:
    sheet = stylesheet()
    for i, colour in enumerate(COLOURS):
        assert f"--line-{i}: {colour};" in sheet
    assert len(WEB_MARKERS) == len(MARKERS)
    assert f"--dash-4: {WEB_DASHES[4]};" in sheet
    assert sheet.count("{") == sheet.count("}")
    for name, colours in SCALES.items():
        dark = SCALES_ON_DARK[name]
        assert sheet.count(f"--{name}-0: {dark[0]};") == 2, "by the system's choice and by the switch"
        if name != "change":
            assert list(map(luminance, colours)) == sorted(map(luminance, colours), reverse=True)
            assert list(map(luminance, dark)) == sorted(map(luminance, dark))
    assert save(Figure(), tmp_path / "empty.png")


def test_an_axis_without_values_is_that_of_shares() -> None:
    for nothing in ([], [np.nan, np.inf]):
        assert nice_axis(nothing) == nice_axis([0.0, 1.0])
    assert nice_axis([2.0, 2.0]).low < 2.0 < nice_axis([2.0, 2.0]).high
