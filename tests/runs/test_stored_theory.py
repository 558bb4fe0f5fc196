from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from firstmover import InvalidInput
from firstmover.beliefs import information_gain
from firstmover.runs import ExperimentSpec, plan_of, run_sweep
from firstmover.runs.stored_theory import analysed_runs

Maker = Callable[..., ExperimentSpec]


def stored(spec: ExperimentSpec, folder: Path) -> Path:
    run_sweep(plan_of(spec), folder, workers=1)
    return folder


def test_the_first_run_of_each_learner_that_learns_responses(make_spec: Maker, tmp_path: Path) -> None:
    learners = ["exp3", "stackelucb", {"name": "stackelucb", "label": "wide", "confidence_width": 5.0}, "gp-mw"]
    folder = stored(make_spec(learners=learners), tmp_path / "here")
    runs = analysed_runs(folder)
    assert [(analysed.label, analysed.seed) for analysed in runs] == [("stackelucb", 0), ("wide", 0)]
    analysis = runs[1].analysis
    assert analysis.replay.confidence_widths.tolist() == [5.0] * 12
    points = np.hstack([runs[1].stage.game.actions[analysis.run.actions], analysis.run.opponent_types])
    gain = information_gain(analysis.kernel(points), analysis.regularization)
    assert analysis.replay.information_gains[-1] == pytest.approx(gain)
    assert np.all(analysis.split.total >= analysis.split.regret - 1e-9)  # β = 5 holds b


def test_the_bound_is_above_and_its_realised_form_below_it(make_spec: Maker, tmp_path: Path) -> None:
    analysis = analysed_runs(stored(make_spec(learners=["stackelucb"]), tmp_path / "here"))[0].analysis
    assert analysis.bound.name == "Theorem 1"
    assert np.all(analysis.loss.cumulative <= analysis.realised_bound.total)
    assert np.all(analysis.realised_bound.total <= analysis.bound.total)
    assert analysis.premises.reward_lipschitz == pytest.approx(0.9998, abs=1e-3)
    assert analysis.rate is not None
    assert analysis.rate.words == "(log T)^3"


def test_one_type_has_the_bound_of_corollary_2(make_spec: Maker, tmp_path: Path) -> None:
    folder = stored(make_spec(learners=["single-type"], opponent="single"), tmp_path / "here")
    analysis = analysed_runs(folder)[0].analysis
    assert analysis.bound.name == "Corollary 2"
    assert np.all(analysis.split.weights <= 1e-12)


def test_new_types_every_round_are_those_that_came(make_spec: Maker, tmp_path: Path) -> None:
    folder = stored(make_spec(game="routing", learners=["stackelucb"], rounds=3), tmp_path / "here")
    analysis = analysed_runs(folder)[0].analysis
    assert len(analysis.domain) == 3 * 41
    assert analysis.lipschitz.value == pytest.approx(10.0)  # κ; the domain has no upper end
    assert np.isfinite(analysis.bound.total).all()


def test_what_the_theory_does_not_cover_is_said(make_spec: Maker, tmp_path: Path) -> None:
    park = stored(make_spec(game="wildlife", opponent="single", learners=["single-type"], rounds=2), tmp_path / "park")
    with pytest.raises(InvalidInput, match="seems to be discontinuous, so it has no L_r"):
        _ = analysed_runs(park)[0].analysis.bound
    changing = make_spec(learners=[{"name": "stackelucb", "strategy": "adahedge"}])
    with pytest.raises(InvalidInput, match="weights of a fixed rate"):
        _ = analysed_runs(stored(changing, tmp_path / "adahedge"))[0].analysis.bound
    with pytest.raises(InvalidInput, match="holds no learner that learns responses"):
        analysed_runs(stored(make_spec(learners=["exp3"]), tmp_path / "exp3"))
