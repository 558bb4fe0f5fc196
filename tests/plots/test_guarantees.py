from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from firstmover import InvalidInput
from firstmover.experiments import ExperimentSpec, Manifest, claim, run_tasks, save_run, tasks_of
from firstmover.experiments.calibration import CalibrationSpec, calibration_tasks
from firstmover.plots import PLOTS
from firstmover.plots.band import band_figure
from firstmover.plots.bounds import bound_figure
from firstmover.plots.coverage import coverage_figure
from firstmover.plots.figure import figure_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short game on the shore, on disk."""
    fields = {"game": "shore", "rounds": 30, "seeds": 2, "opponent": "adversary"}
    spec = ExperimentSpec.read(fields | {"learners": [{"name": "stackelucb", "confidence_width": 4.0}, "exp3"]})
    where = tmp_path_factory.mktemp("shore")
    claim(where, Manifest.of(spec))
    for task, table in run_tasks(tasks_of(spec)):
        save_run(where, task, table)
    return where


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small calibration, on disk."""
    spec = CalibrationSpec(game="shore", draws=4, rounds=2)
    where = tmp_path_factory.mktemp("calibration")
    claim(where, spec.manifest)
    for task, table in run_tasks(calibration_tasks(spec)):
        save_run(where, task, table)
    return where


def labels(figure: Figure) -> set[str]:
    legend = figure.axes[-1].get_legend()
    assert legend is not None
    return {text.get_text() for text in legend.get_texts()}


@pytest.mark.parametrize(
    ("plot", "shown"),
    [
        ("bound", {"regret R(t)", "Theorem 1, γ_T from above", "its term: weights", "most that can be lost"}),
        ("split", {"regret R(t)", "R₁ + R₂", "R₁: lost by the weights", "R₂: hoped for in vain"}),
        ("gain", {"greedy choice", "this run", "rate (log T)^3, to scale at T"}),
        ("band", {"box", "mean", "truth b", "responses"}),
        ("reliability", {"honest", "stackelucb, seed 0"}),
        ("entropy", {"stackelucb", "exp3"}),
    ],
)
def test_each_picture_names_what_it_shows(folder: Path, plot: str, shown: set[str]) -> None:
    figure = figure_of(plot, folder)
    assert shown <= labels(figure)
    assert all(ax.get_xlabel() for ax in figure.axes)


def test_the_record_of_the_bound(folder: Path) -> None:
    record = bound_figure(folder)
    assert record.bound == pytest.approx(sum(record.terms.values()))
    assert np.all(record.regret <= record.realised_bound)
    assert record.most.tolist() == list(range(1, 31))


def test_the_band_holds_the_truth(folder: Path) -> None:
    """β = 4 is enough on the shore: b is inside at every site, at the three types that came most often."""
    bands = band_figure(folder)
    assert len(bands) == 3
    for band in bands:
        assert band.inside == 24
        assert np.all(np.diff(band.actions) > 0)
    assert sum(len(band.played) for band in bands) <= 30


def test_coverage_shows_every_lambda_and_width(calibrated: Path) -> None:
    record = coverage_figure(calibrated)
    assert len(record.found) == 9
    assert record.promised == pytest.approx(0.9)
    assert {"Lemma 4, as derived", "Lemma 4, as printed", "constant β"} <= labels(figure_of("coverage", calibrated))


def test_a_folder_of_another_kind_is_refused(folder: Path, calibrated: Path) -> None:
    with pytest.raises(InvalidInput, match="holds results of kind 'experiment': give one that calibrate wrote"):
        PLOTS["coverage"].record(folder)
    with pytest.raises(InvalidInput, match="holds results of kind 'calibration': give one of play, run or reproduce"):
        PLOTS["bound"].record(calibrated)


def test_the_band_of_a_game_in_the_plane_is_refused(tmp_path: Path) -> None:
    spec = ExperimentSpec.read({"game": "flock", "rounds": 2, "seeds": 1, "learners": ["stackelucb"]})
    claim(tmp_path, Manifest.of(spec))
    for task, table in run_tasks(tasks_of(spec)):
        save_run(tmp_path, task, table)
    with pytest.raises(InvalidInput, match="game 'flock' has 2 features of an action and 2 outputs"):
        PLOTS["band"].record(tmp_path)
