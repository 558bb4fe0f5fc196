from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from firstmover.beliefs import FiniteBelief
from firstmover.core.errors import InvalidInput
from firstmover.figures.demand import demand_curves, demand_figure
from firstmover.figures.live.map_drawing import draw_map
from firstmover.games import GAMES
from firstmover.runs import ExperimentSpec, plan_of, run_sweep, run_tasks


def stored(folder: Path, game: str, learner: str) -> Path:
    spec = ExperimentSpec.read({"game": game, "rounds": 12, "seeds": 1, "learners": [learner]})
    run_sweep(plan_of(spec), folder, workers=1)
    return folder


def test_the_curve_is_the_belief_of_the_learner_at_the_prices_of_the_menu() -> None:
    spec = ExperimentSpec.read({"game": "prices", "rounds": 12, "seeds": 1, "learners": ["stackelucb"]})
    table = next(table for _, table in run_tasks(plan_of(spec).tasks))
    entry = GAMES["prices"]
    game = entry.build()
    belief = FiniteBelief.prior(entry.kernel, entry.regularization, game.actions, game.types, 3)
    for row in table.iter_rows(named=True):
        belief = belief.condition(
            row["action"], np.array(row["opponent_type"]), np.array([row[f"response_{i}"] for i in range(3)])
        )
    best = game.actions[table["best_action"][-1]]
    for segment, curve in zip(game.types, demand_curves(table), strict=True):
        on_menu = np.flatnonzero(np.all(game.actions[:, 1:] == best[1:], axis=1))
        points = [int(np.argmin(np.abs(curve.x - p))) for p in game.actions[on_menu, 0]]
        prediction = belief.predict(segment)
        np.testing.assert_allclose(curve.mean[points], prediction.mean[on_menu, 0], atol=1e-9)
        np.testing.assert_allclose((curve.upper - curve.lower)[points], 4 * prediction.std[on_menu], atol=1e-7)
        assert np.all(np.diff(curve.true) < 0)
    assert sum(len(curve.seen) for curve in demand_curves(table)) == 12


def test_the_drawing_shows_a_panel_for_each_segment_with_band_and_legend(tmp_path: Path) -> None:
    figure = Figure()
    record = demand_figure(stored(tmp_path / "runs", "prices", "stackelucb"))
    draw_map(record, figure)
    assert len(figure.axes) == len(record.panels) == 4
    for panel, ax in zip(record.panels, figure.axes, strict=True):
        mean = [row[1] for row in panel.table.rows]
        lines = [drawn for drawn in ax.collections if isinstance(drawn, LineCollection)]
        assert lines[0].get_segments()[0][:, 1].tolist() == mean
        assert len([drawn for drawn in ax.collections if isinstance(drawn, PolyCollection)]) == 1  # the band
    (legend,) = figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown[:3] == ["± 2 σ", "predicted", "true (in simulations)"]


def test_other_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no game of prices"):
        demand_figure(stored(tmp_path / "shore", "shore", "stackelucb"))
    with pytest.raises(InvalidInput, match="has no run of 'stackelucb'"):
        demand_figure(stored(tmp_path / "exp3", "prices", "exp3"))
