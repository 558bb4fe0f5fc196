from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from firstmover import GAMES, InvalidInput, LemmaWidth
from firstmover.beliefs import belief_over
from firstmover.figures import FIGURES
from firstmover.figures.bounds import BoundFigure, bound_of, draw_bound
from firstmover.figures.coverage import BandFigure, coverage_figure
from firstmover.figures.files import drawn, figure_of
from firstmover.runs import ExperimentSpec, claim, plan_of, run_sweep, run_tasks, save_run
from firstmover.runs.calibration import CalibrationSpec, calibration_tasks
from firstmover.runs.stored_theory import analysed_runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short game on the shore, on disk."""
    fields = {"game": "shore", "rounds": 30, "seeds": 2, "opponent": "adversary"}
    spec = ExperimentSpec.read(fields | {"learners": [{"name": "stackelucb", "confidence_width": 4.0}, "exp3"]})
    where = tmp_path_factory.mktemp("shore")
    run_sweep(plan_of(spec), where, workers=1)
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
        (
            "bound",
            {"regret R(t)", r"Theorem 1, upper bound of γ_T", "    of which weights", "largest possible regret"},
        ),
        ("split", {"regret R(t)", "R₁ + R₂", "R₁: regret of the weights", "R₂: excess of optimistic rewards"}),
        ("gain", {"greedy choice", "this run", "rate (log T)^3, scaled at T"}),
        ("band", {"box", "mean", "true b", "responses"}),
        ("reliability", {"calibrated", "stackelucb, seed 0"}),
        ("entropy", {"stackelucb", "exp3"}),
    ],
)
def test_each_picture_names_what_it_shows(folder: Path, plot: str, shown: set[str]) -> None:
    figure = figure_of(plot, folder)
    assert shown <= labels(figure)
    assert all(ax.get_xlabel() for ax in figure.axes)


def test_the_record_of_the_bound(folder: Path) -> None:
    record = FIGURES["bound"].record(folder)
    assert record.bound.total == pytest.approx(sum(record.bound.terms.values()))
    assert np.all(record.regret <= record.realised_bound.total)
    assert record.most.tolist() == list(range(1, 31))


def bound_with(folder: Path, **learner: Any) -> BoundFigure:
    """The record of one run of ten rounds on the shore."""
    fields = {"game": "shore", "rounds": 10, "seeds": 1, "learners": [{"name": "stackelucb"} | learner]}
    spec = ExperimentSpec.read(fields)
    run_sweep(plan_of(spec), folder, workers=1)
    record: BoundFigure = FIGURES["bound"].record(folder)
    return record


def test_a_bound_says_which_of_its_premises_fail(tmp_path: Path) -> None:
    """With β = 0 boxes are points, which miss b somewhere in every round; the shore's λ = 0.01 is below k = 1."""
    record = bound_with(tmp_path, confidence_width=0.0)
    assert record.notes == (
        "β = 0 is a constant, not Lemma 4's: a guarantee only while boxes contain b.",
        "λ = 0.01 is below max k = 1: factor 13.2 in the last term, not the printed 4.",
        "No guarantee for this run: boxes missed b in 10 of 10 rounds.",
    )
    drawing = figure_of("bound", tmp_path)
    assert drawing.get_supxlabel() == "\n".join(record.notes)


def test_a_bound_whose_premises_hold_says_so(folder: Path) -> None:
    """The same rounds, analysed with λ = 1 and Lemma 4's width for a generous norm."""
    analysed = analysed_runs(folder)[0]
    learner, game = analysed.analysis.learner, analysed.stage.game
    belief = belief_over(GAMES["shore"].kernel, 1.0, game.actions, 1, game.types)
    careful = replace(learner, belief=belief, confidence=LemmaWidth(9.0, 0.1, 1.0, 0.1))
    other = replace(analysed, analysis=replace(analysed.analysis, learner=careful))
    assert bound_of(other).notes == ("Boxes contained b in all 30 rounds.",)


def test_a_regret_that_no_logarithm_shows_is_named_in_the_legend(folder: Path) -> None:
    record: BoundFigure = FIGURES["bound"].record(folder)
    nothing, partly = np.zeros(30), np.arange(30.0)
    for regret, words in ((nothing, "regret R(t): never above 0"), (partly, "regret R(t), where above 0")):
        shown = drawn(partial(draw_bound, replace(record, regret=regret)), (7, 4))
        assert words in labels(shown)


def test_rounds_have_ticks_at_whole_rounds(tmp_path: Path) -> None:
    bound_with(tmp_path)
    for plot in ("bound", "split", "gain", "regret", "entropy"):
        ticks = figure_of(plot, tmp_path).axes[0].get_xticks()
        assert ticks.tolist() == ticks.round().tolist()


def test_the_title_says_that_one_seed_of_several_is_drawn(folder: Path) -> None:
    assert figure_of("split", folder).get_suptitle().endswith(", 2 seeds; seed 0 is drawn")
    assert figure_of("regret", folder).get_suptitle().endswith(", 2 seeds")
    assert "β = 4" in figure_of("band", folder).axes[-1].get_legend().get_title().get_text()  # type: ignore[union-attr]


def test_the_band_holds_the_truth(folder: Path) -> None:
    """β = 4 is enough on the shore: b is inside at every site, at the three types that came most often."""
    record: BandFigure = FIGURES["band"].record(folder)
    assert len(record.curves) == 3
    assert (record.learner, record.confidence_width) == ("stackelucb, seed 0", 4.0)
    for curve in record.curves:
        assert np.sum((curve.lower <= curve.true) & (curve.true <= curve.upper)) == 24
        assert np.all(np.diff(curve.x) > 0)
    assert sum(len(curve.seen) for curve in record.curves) <= 30
    assert all("b inside at 24 of 24" in ax.get_title() for ax in figure_of("band", folder).axes)


def test_coverage_shows_every_lambda_and_width(calibrated: Path) -> None:
    record = coverage_figure(calibrated)
    assert len(record.found) == 12
    assert record.nominal == pytest.approx(0.9)
    named = {"tight", "Lemma 4, as derived", "Lemma 4, as printed", "constant β"}
    assert named <= labels(figure_of("coverage", calibrated))


def test_a_folder_of_another_kind_is_refused(folder: Path, calibrated: Path) -> None:
    with pytest.raises(InvalidInput, match="holds results of kind 'experiment': give one that calibrate wrote"):
        FIGURES["coverage"].record(folder)
    with pytest.raises(InvalidInput, match="holds results of kind 'calibration': give one of play, run or reproduce"):
        FIGURES["bound"].record(calibrated)
    for plot in ("regret", "rewards", "entropy"):
        with pytest.raises(InvalidInput, match="holds results of kind 'calibration': give one that play or run"):
            FIGURES[plot].record(calibrated)


def test_the_band_of_a_game_in_the_plane_is_refused(tmp_path: Path) -> None:
    spec = ExperimentSpec.read({"game": "flock", "rounds": 2, "seeds": 1, "learners": ["stackelucb"]})
    run_sweep(plan_of(spec), tmp_path, workers=1)
    with pytest.raises(InvalidInput, match="game 'flock' has 2 features of an action and 2 outputs"):
        FIGURES["band"].record(tmp_path)
