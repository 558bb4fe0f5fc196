"""Stored runs and sweeps, side by side over HTTP."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from firstmover.figures.compare import compared_curves, stored_runs
from firstmover.runs import Collected, ExperimentSpec, plan_of, run_sweep
from firstmover.service.demo import write_example
from tests.runs.small import playing
from tests.service.in_process import calling


def test_stored_runs_are_listed_drawn_and_summed_up(tmp_path: Path) -> None:
    write_example(tmp_path / "runs")
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "manifest.json").write_text("{}")
    (tmp_path / "runs" / "notes.txt").write_text("not a run")
    for call in calling(tmp_path):
        (run,) = call.read("/runs")["runs"]
        assert (run["name"], run["game"], run["seeds"], run["rounds"]) == ("shore", "shore", 3, 60)
        curves = compared_curves(tmp_path / "runs" / "shore", "rewards")
        sent = call.read("/runs/shore/curves?plot=rewards")
        assert sent["learners"] == list(curves.learners) == ["stackelucb", "hedge", "exp3"]
        np.testing.assert_allclose(sent["mean"], curves.mean, rtol=1e-4)
        rows = call.read("/runs/shore/table")["rows"]
        assert [row["learner"] for row in rows] == sent["learners"]
        assert rows[0]["reward"] == pytest.approx(60 * curves.mean[0, -1], rel=1e-4)
        text = call("GET", "/runs/shore/table?format=csv")
        assert text.headers["content-type"].startswith("text/csv")
        assert text.text.splitlines()[0].startswith("learner,seeds,regret")
        for name in ("..", "%2e%2e", "..%2Ftokens.json", "broken", "notes.txt", "%00"):
            assert call("GET", f"/runs/{name}/table").status_code in (404, 405, 422)
        assert call("GET", "/runs/shore/curves?plot=pie").status_code == 422
    assert stored_runs(tmp_path / "nowhere") == []


def swept(folder: Path, keep: str = "curves") -> pl.DataFrame:
    """A sweep of two arenas, of which one task has failed, and its tidy table."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 2.0]}, "hedge"]
    document = {"title": "bold", "games": ["shore"], "learners": learners, "horizons": [5, 8], "seeds": 3, "keep": keep}
    hedge = '"learner":{"name":"hedge","rate_factor":1.0,"strategy":"fixed-rate"}'
    with playing(failing=f'{hedge},"opponent":"random","rounds":8,"seed":0}}'):
        run_sweep(plan_of(ExperimentSpec.read(document)), folder, workers=1)
    return Collected.of(folder).runs


def test_the_arenas_of_a_sweep_are_runs_to_compare(tmp_path: Path) -> None:
    runs = swept(tmp_path / "runs" / "bold").filter(horizon=8)
    (tmp_path / "runs" / "half").mkdir()
    (tmp_path / "runs" / "half" / "sweep.json").write_text("{}")
    for call in calling(tmp_path):
        first, second = call.read("/runs")["runs"]
        assert (first["name"], first["rounds"], second["name"], second["rounds"]) == ("bold:1", 5, "bold:2", 8)
        assert second["title"] == "bold: shore, opponent random, 8 rounds"
        assert second["about"]["stackelucb β 2.0"]["learner"] == "stackelucb"
        assert second["about"]["stackelucb β 2.0"]["β"] == "2.0"
        assert "β" not in second["about"]["hedge"]
        rows = call.read("/runs/bold:2/table")["rows"]
        assert [(row["learner"], row["seeds"]) for row in rows] == [
            (name, 3 - (name == "hedge")) for name in second["about"]
        ]
        for plot, measure, per_round in (("regret", "time_averaged_regret", 1), ("rewards", "reward", 8)):
            curves = call.read(f"/runs/bold:2/curves?plot={plot}")
            assert curves["learners"] == list(second["about"])
            assert curves["t"] == list(range(1, 9))
            ends = runs.filter(state="done").group_by("variant", maintain_order=True).agg(pl.col(measure).mean())
            np.testing.assert_allclose(np.array(curves["mean"])[:, -1], ends[measure] / per_round, rtol=1e-4)
        assert call.read("/runs/bold:2/curves?plot=entropy")["mean"][0][0] > 0
        assert call("GET", "/runs/bold:2/table?format=csv").text.startswith("learner,seeds,regret")
        for name in ("bold:0", "bold:3", "bold:x", "half:1", "..:1", "bold:"):
            assert call("GET", f"/runs/{name}/table").status_code in (404, 422)


def test_a_sweep_that_keeps_summaries_has_numbers_and_no_curves(tmp_path: Path) -> None:
    swept(tmp_path / "runs" / "brief", "summary")
    for call in calling(tmp_path):
        curves = call.read("/runs/brief:1/curves")
        assert (curves["learners"], curves["t"], curves["mean"]) == ([], [], [])
        assert len(call.read("/runs/brief:1/table")["rows"]) == 3
