"""The study of floors and changes: games, runs and summaries by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES, replay_of
from studies.floors import (
    CHANGES,
    FLOORS,
    FloorTask,
    floor_of,
    floor_tasks,
    regret_ratio,
    share_below,
    summarise_floors,
    typical_ratio,
    with_baseline,
)
from studies.report import fresh_changes_aims, fresh_floors_aims

from firstmover.core.errors import InvalidInput
from firstmover.paper.experiments import play_all
from firstmover.runs.arena.families import DEVELOPMENT, REPORT
from studies import floors


def test_sizes_are_those_that_were_announced() -> None:
    for name, count in (("fresh-floors", 100), ("fresh-changes", 40)):
        assert name in ON_FAMILIES
        tasks = STUDIES[name].tasks()
        assert len({(task.family, task.seed) for task in tasks}) == count  # type: ignore[attr-defined]
        assert all(task.seed in REPORT for task in tasks)
        assert all(task.seed in DEVELOPMENT for task in STUDIES[name].tasks(develop=True))
    assert len(floor_tasks(FLOORS, 2, 7)) == 4 * 2 * len(FLOORS)


@pytest.mark.parametrize("family", floors.FAMILIES)
def test_the_baseline_earns_between_60_and_90_per_cent(family: str) -> None:
    _, baseline, mean = with_baseline(family, 3)
    best = float(mean.max())
    assert floor_of(best, 0.6) <= mean[baseline] <= floor_of(best, 0.9)


@pytest.mark.parametrize("label", ["floor", *CHANGES])
def test_a_run_counts_rounds_below_the_floor_and_changes(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floors, "ROUNDS", 6)
    table = FloorTask("kiosk", label, 3).play()
    assert table.height == 6
    assert table["changed"][0] is False
    assert table["at_baseline"][0] is (label == "floor")
    _, baseline, mean = with_baseline("kiosk", 3)
    unit = (table["with_costs"] - table["regret"])[-1] / max(table["changed"].sum(), 1)
    assert unit >= 0
    assert (table["with_costs"] >= table["regret"]).all()
    assert FloorTask("kiosk", label, 3).play().equals(table)
    assert mean[baseline] < mean.max()


def rows(label: str, seed: int, below: float, regret: float) -> pl.DataFrame:
    counts = np.arange(100) < 100 * below
    columns = {"below": counts, "at_baseline": ~counts, "changed": counts, "regret": regret, "with_costs": 2 * regret}
    return pl.DataFrame({"family": "kiosk", "label": label, "seed": seed, "t": np.arange(100), **columns})


def test_summaries_by_hand() -> None:
    """Ratios of regrets are 2 and 0.5: that of the means is (2 + 1) / (1 + 2) = 1, the median 1.25."""
    table = pl.concat([rows("floor", 1, 0.02, 2.0), rows("free", 1, 0.5, 1.0)])
    table = pl.concat([table, rows("floor", 2, 0.04, 1.0), rows("free", 2, 0.5, 2.0)])
    ratio, half_width = regret_ratio(table, "floor")
    assert ratio == 1.0
    assert half_width == pytest.approx(12.7062 / 1.5, rel=1e-4)  # of ±1, t quantile with one degree of freedom
    assert typical_ratio(table, "floor") == 1.25
    assert share_below(table, "floor")[0] == pytest.approx(0.03)
    assert summarise_floors(table).height == 4
    assert [aim.verdict for aim in fresh_floors_aims(table)] == ["met on average", "met on average"]
    costly = table.with_columns(label=pl.col("label").replace({"floor": "change cost"}))
    assert [aim.verdict for aim in fresh_changes_aims(costly)] == ["met on average"]


@pytest.mark.parametrize("name", STUDIES)
def test_every_run_of_a_study_has_a_label_and_seed_of_its_own(name: str) -> None:
    """Runs are stored by label and seed: of two with the same ones, the later would replace the earlier."""
    runs = [(task.label, task.seed) for task in STUDIES[name].tasks()]
    assert len(set(runs)) == len(runs)


def test_two_runs_with_one_name_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    replay = replay_of("fresh-floors", develop=True)
    twice = replay._replace(tasks=[*replay.tasks, replay.tasks[0]])
    with pytest.raises(InvalidInput, match="have label 'kiosk, floor' and seed"):
        play_all([twice], tmp_path, 1)
    assert not list(tmp_path.iterdir())
