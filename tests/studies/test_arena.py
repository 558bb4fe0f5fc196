"""The arena: its learners, the coverage of bands, and its summary."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from studies.arena import (
    ArenaTask,
    app,
    arena_table,
    arena_tasks,
    inside_band,
    played,
    runs_of,
    summarise_arena,
    totals,
)
from studies.contestants import CANDIDATES, RIVALS, labelled
from studies.report import arena_aims
from typer.testing import CliRunner

from firstmover.core.arrays import Vector
from firstmover.core.records import Feedback, Prediction
from firstmover.learners import GPMW, GPUCB, Hedge, SingleType, StackelUCB
from firstmover.runs.arena.contestants import AUTO, HAND_TUNED, hand_tuned, uniform_sample
from firstmover.runs.arena.families import FAMILIES, REPORT
from firstmover.runs.arena.instances import INSTANCES, instance_of
from firstmover.strategies import MultiplicativeWeights


def test_the_report_has_all_learners_on_enough_fresh_instances() -> None:
    tasks = [task for task in arena_tasks() if isinstance(task, ArenaTask)]
    instances = {(task.family, task.instance) for task in tasks}
    assert len(instances) >= 24
    assert {family for family, _ in instances} == set(FAMILIES)
    assert all(task.instance in REPORT for task in tasks)
    assert len(tasks) == len(instances) * (1 + len(RIVALS)) * len({task.seed for task in tasks})
    assert INSTANCES["roads"] >= 6
    assert REPORT.start % 6 == 0  # so that all changes of roads are among the first six


@pytest.mark.parametrize("family", FAMILIES)
def test_every_learner_plays_every_family(family: str) -> None:
    for learner in (AUTO, *RIVALS):
        table = ArenaTask(family, 5, learner, seed=0, rounds=3).play()
        assert table["t"].to_list() == [1, 2, 3]
        assert table["cumulative_regret"].is_finite().all()


def test_rivals_have_the_rate_of_the_paper_and_the_settings_of_their_family() -> None:
    n, rounds = instance_of("prices", 1).game.n_actions, 50
    paper, hedge = labelled("StackelUCB", "prices", 1, rounds), labelled("Hedge", "prices", 1, rounds)
    assert isinstance(paper, StackelUCB)
    assert isinstance(hedge, Hedge)
    for weights in (paper.weights, hedge.weights):
        assert isinstance(weights, MultiplicativeWeights)
        assert weights.learning_rate == pytest.approx(np.sqrt(8 * np.log(n) / rounds))
    assert isinstance(labelled("GP-MW", "prices", 1, rounds), GPMW)
    assert isinstance(labelled("GP-MW", "response", 0, rounds), GPUCB)  # against one type
    assert isinstance(labelled("StackelUCB", "response", 0, rounds), SingleType)
    assert isinstance(hand_tuned("response", 0, ("anytime", "family", 1.0)), SingleType)
    assert set(HAND_TUNED) == set(FAMILIES)
    assert all(HAND_TUNED[family] in CANDIDATES[family] for family in FAMILIES)


def test_the_sample_before_the_first_round_is_uniform_and_noisy() -> None:
    instance = instance_of("prices", 1)
    points, responses, noise = uniform_sample(instance, 400)
    assert points.shape == (400, instance.game.actions.shape[1] + 3)
    assert len(np.unique(points[:, :-3], axis=0)) > 150
    assert noise.std() == pytest.approx(instance.opponent.noise_std, rel=0.1)
    row = instance.opponent.respond(points[[7], :-3], points[7, -3:])[0]
    assert responses[7] - noise[7] == pytest.approx(row)


@dataclass(frozen=True)
class Believes:
    """A belief about one action."""

    mean: Vector
    std: float
    regularization: float

    def predict(self, _: Vector) -> Prediction:
        return Prediction(self.mean[None], np.array([self.std]))


def _inside(mean: list[float], response: list[float], place: int | None = None, draw: float = 0.5) -> float | None:
    learner = SimpleNamespace(belief=Believes(np.array(mean), 0.6, 0.64))
    return inside_band(learner, Feedback(0, np.zeros(1), np.array(response)), place, draw)


def test_bands_of_numbers_include_the_noise() -> None:
    assert _inside([2.0, 0.0], [3.64, 9.0]) == 0.5  # σ² + λ = 1, so that the band ends at 1.645
    assert _inside([2.0, 0.0], [3.65, 9.0]) == 0.0
    assert _inside([2.0], [0.36]) == 1.0
    assert inside_band(SimpleNamespace(), Feedback(0, np.zeros(1), np.zeros(1)), None, 0.5) is None


def test_the_bands_of_auto_have_the_noise_of_each_output() -> None:
    covered = ArenaTask("kiosk", 0, AUTO, 0, rounds=34).play()["covered"]
    assert covered[:30].is_null().all()
    assert set(covered[30:33].to_list()) <= {0.0, 1.0}
    believes = SimpleNamespace(
        predict=lambda _: Prediction(np.zeros((1, 2)), np.full((1, 2), 0.6)), band_variance=np.array([0.64, 8.64])
    )
    learner = SimpleNamespace(belief=believes)
    assert inside_band(learner, Feedback(0, np.zeros(1), np.array([1.64, 4.94])), None, 0.5) == 0.5  # 1.645 and 4.935
    assert inside_band(learner, Feedback(0, np.zeros(1), np.array([1.64, 4.93])), None, 0.5) == 1.0


def test_bands_of_choices_are_randomised_at_their_border() -> None:
    chances = [0.5, 0.3, 0.2]
    assert _inside(chances, [0.0, 1.0, 0.0], draw=0.99) == 1.0  # 0.5 + 0.3 u ≤ 0.9
    assert _inside(chances, [0.0, 0.0, 1.0], draw=0.49) == 1.0  # 0.8 + 0.2 u ≤ 0.9
    assert _inside(chances, [0.0, 0.0, 1.0], draw=0.51) == 0.0
    assert _inside(chances, [7.0, 7.0], place=2, draw=0.51) == 0.0
    assert _inside([1.0, 0.0], [1.0, 0.0], draw=0.91) == 0.0  # certain and right: 90 % of draws are inside


def _runs(auto: list[float], hand: list[float], others: float, covered: float | None) -> pl.DataFrame:
    regrets = {AUTO: auto, "hand-tuned": hand, **{name: [others, others] for name in RIVALS[1:]}}
    rows = [
        {"family": "roads", "instance": 1, "words": "w", "learner": name, "seed": seed, "regret": value}
        | {"covered": covered if name == AUTO else None}
        for name, values in regrets.items()
        for seed, value in enumerate(values)
    ]
    return pl.DataFrame(rows, schema_overrides={"covered": pl.Float64})


def test_the_summary_pairs_by_seed() -> None:
    row = summarise_arena(_runs([1.2, 1.4], [1.0, 1.0], 2.0, 0.9)).row(0, named=True)
    assert row["ratio"] == pytest.approx(1.3)
    assert row["excess"] == pytest.approx(0.05)
    assert row["minus_Hedge"] == pytest.approx(-0.7)
    assert row["minus_Hedge_half_width"] == pytest.approx(12.706 * 0.1, rel=1e-3)
    assert row["coverage"] == pytest.approx(0.9)


def test_totals_count_instances() -> None:
    good = summarise_arena(_runs([1.2, 1.2], [1.0, 1.0], 2.0, 0.9))
    bad = summarise_arena(_runs([3.0, 3.0], [1.0, 1.0], 2.0, 0.95))
    found = totals(pl.concat([good, bad]))
    assert (found.within, found.largest_ratio, found.calibrated) == ((1, 2), 3.0, (1, 2))
    assert set(found.ahead.values()) == {(0, 2), (1, 2)}  # of hand-tuned on none, of the others on one
    assert arena_table(good)["ratio"].to_list() == ["1.20"]


def test_aims_of_the_arena_are_judged_by_instances() -> None:
    run = {"family": "roads", "instance": 1, "words": "w", "range": 1.0, "t": [1, 2], "reward": 0.0}
    regrets = {AUTO: [0.5, 1.0], **{name: [1.0, 3.0] for name in RIVALS}}
    table = pl.concat(
        [
            pl.DataFrame(
                {**run, "learner": name, "seed": seed, "cumulative_regret": values, "covered": [None, 0.9]},
                schema_overrides={"covered": pl.Float64},
            )
            for name, values in regrets.items()
            for seed in (0, 1)
        ]
    )
    assert runs_of(table)["regret"].to_list()[:2] == [0.5, 0.5]
    verdicts = [aim.verdict for aim in arena_aims(table)]
    assert verdicts == ["met", "met", "met", "met", "missed"]  # no round beyond 30 has a band


def test_results_of_rivals_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [ArenaTask("kiosk", 0, learner, 0, 5) for learner in (AUTO, "Exp3")]
    first = played(tasks, tmp_path, 1)
    learners: list[str] = []
    play = ArenaTask.play
    monkeypatch.setattr(ArenaTask, "play", lambda task: learners.append(task.learner) or play(task))
    assert played(tasks, tmp_path, 1).equals(first)
    assert learners == [AUTO]


def test_the_command_plays_development_instances_only(tmp_path: Path) -> None:
    run = ["--develop", "--only", "kiosk", "--seeds", "1", "--rounds", "3", "--out", str(tmp_path), "--workers", "1"]
    result = CliRunner().invoke(app, run)
    assert result.exit_code == 0, result.output
    assert "kiosk 0: new types" in result.stdout
    refused = CliRunner().invoke(app, ["--develop", "--first", "9000"])
    assert "development instances end at 8999" in refused.stderr
    assert "python -m studies arena" in CliRunner().invoke(app, []).stderr
    assert CliRunner().invoke(app, ["--develop", "--only", "road"]).exit_code == 2
