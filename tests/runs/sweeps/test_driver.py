import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from firstmover.core.errors import FirstmoverError
from firstmover.runs.sweeps import Collected, missing_tasks, run_sweep, status_of
from firstmover.runs.sweeps.batches import Batch
from firstmover.runs.sweeps.driver import GONE
from firstmover.runs.sweeps.playing import CURVE, play_tasks
from firstmover.runs.sweeps.progress import Progress
from firstmover.runs.sweeps.store import RESULTS, ledger, read_results
from firstmover.runs.sweeps.tasks import SweepTask
from tests.runs.sweeps.small import Counting, Here, document, plan, run, serial


def test_a_sweep_gives_what_its_tasks_give_one_by_one(tmp_path: Path) -> None:
    progress = run(tmp_path, changes={"keep": "rounds"})
    assert (progress.total, progress.done, progress.failed, progress.running) == (12, 12, 0, 0)
    found = pl.concat(read_results(tmp_path, ledger(tmp_path)))
    for key, table in serial(plan(keep="rounds").tasks).items():
        assert found.filter(key=key).drop("key").equals(table)


def test_a_second_run_plays_nothing(tmp_path: Path) -> None:
    run(tmp_path)
    counting, engine = Counting(), Here()
    assert run(tmp_path, engine, play=counting).done == 12
    assert counting.played == []
    assert engine.closed


def test_only_what_is_missing_is_played_and_a_sweep_may_grow(tmp_path: Path) -> None:
    run(tmp_path, changes={"seeds": 1})
    counting = Counting()
    assert run(tmp_path, play=counting).done == 12
    assert len(counting.played) == 6
    assert status_of(tmp_path).progress == Progress(12, 12, 0, 0, None, None)


def test_what_was_damaged_is_played_again(tmp_path: Path) -> None:
    run(tmp_path)
    victim = min((tmp_path / RESULTS).glob("*.parquet"))
    victim.write_bytes(b"nothing")
    counting = Counting()
    assert run(tmp_path, play=counting).done == 12
    assert 1 <= len(counting.played) < 12


def failing(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    if any(json.loads(task.document)["learner"]["name"] == "hedge" for task in tasks):
        raise ZeroDivisionError("hedged")
    return play_tasks(tasks)


def test_a_task_that_raises_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    progress = run(tmp_path, play=failing)
    assert (progress.done, progress.failed) == (8, 4)
    assert status_of(tmp_path).errors == (("ZeroDivisionError: hedged", 4),)
    assert "failed: ZeroDivisionError: hedged" in (tmp_path / "log.txt").read_text()
    runs = Collected.of(tmp_path).runs
    assert runs.group_by("state", maintain_order=True).len().rows() == [("done", 8), ("failed", 4)]
    assert runs.filter(state="failed")["regret"].to_list() == [None] * 4


def test_failed_tasks_are_tried_again_when_asked_for(tmp_path: Path) -> None:
    run(tmp_path, play=failing)
    counting = Counting()
    assert run(tmp_path, play=counting).failed == 4
    assert counting.played == []
    progress = run(tmp_path, play=counting, retry_failed=True)
    assert (progress.done, progress.failed, len(counting.played)) == (12, 0, 4)


def test_one_of_a_batch_that_is_played_together_raises_alone(tmp_path: Path) -> None:
    def allergic(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
        if any(json.loads(task.document)["seed"] == 2 for task in tasks):
            raise ValueError("two")
        return play_tasks(tasks)

    changes = {"games": ["routing"], "learners": ["stackelucb"], "horizons": [3], "seeds": 20}
    engine = Here()
    progress = run(tmp_path, engine, changes=changes, play=allergic)
    assert (progress.done, progress.failed) == (19, 1)
    assert max(engine.sizes) > 1


def test_what_is_lost_is_played_again_and_once(tmp_path: Path) -> None:
    lost: list[str] = []

    def lose(batch: Batch) -> bool:
        if len(lost) >= 3 or batch.tasks[0].key in lost:
            return False
        lost.append(batch.tasks[0].key)
        return True

    counting = Counting()
    assert run(tmp_path, Here(lose), play=counting).done == 12
    assert sorted(counting.played) == sorted(task.key for task in plan().tasks)
    assert "a worker ended before its batch did: 1 task to try again" in (tmp_path / "log.txt").read_text()


def test_what_a_lost_worker_had_stored_is_not_played_again(tmp_path: Path) -> None:
    first: list[Batch] = []

    class Silent(Here):
        def finished(self, timeout: float) -> list:  # type: ignore[type-arg]
            ((batch, outcome),) = super().finished(timeout)
            first.append(batch)
            return [(batch, outcome if len(first) > 1 else None)]

    counting = Counting()
    assert run(tmp_path, Silent(), play=counting).done == 12
    assert len(counting.played) == 12


def test_a_task_that_takes_its_worker_down_every_time_fails_and_the_others_do_not(tmp_path: Path) -> None:
    poison = plan().tasks[3].key
    tried: list[int] = []

    def lose(batch: Batch) -> bool:
        if any(task.key == poison for task in batch.tasks):
            tried.append(len(batch.tasks))
            return True
        return False

    progress = run(tmp_path, Here(lose))
    assert (progress.done, progress.failed) == (11, 1)
    assert status_of(tmp_path).errors == ((GONE, 1),)
    assert len(tried) == 4


def test_workers_that_never_begin_are_reported_in_one_sentence(tmp_path: Path) -> None:
    engine = Here(lambda _: True)
    with pytest.raises(FirstmoverError, match="Workers end as soon as they begin"):
        run(tmp_path, engine, changes={"seeds": 20})
    assert engine.closed


def test_an_error_in_the_driver_lets_the_workers_go(tmp_path: Path) -> None:
    def watch(_: Progress) -> None:
        raise KeyboardInterrupt

    engine = Here()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, engine, watch=watch)
    assert engine.closed


def test_progress_is_told_kept_and_logged(tmp_path: Path) -> None:
    told: list[Progress] = []
    last = run(tmp_path, watch=told.append)
    assert [each.done for each in told] == sorted(each.done for each in told)
    assert told[-1] == last
    assert last.left == pytest.approx(0)
    assert json.loads((tmp_path / "progress.json").read_text())["done"] == 12
    first, *_, end = (line.split(" ", 1)[1] for line in (tmp_path / "log.txt").read_text().splitlines())
    assert first == "begun: 12 of 12 tasks to do on 2 workers"
    assert end.startswith("12 of 12 done, 0 running, ")


@pytest.mark.parametrize(("keep", "rows"), [("summary", 1), ("curves", 5), ("rounds", 5)])
def test_what_is_kept_of_a_run(keep: str, rows: int, tmp_path: Path) -> None:
    changes = {"keep": keep, "horizons": [5], "seeds": 1, "learners": ["hedge"]}
    run_sweep(plan(**changes), tmp_path, Here(), document=document(**changes))
    (table,) = read_results(tmp_path, ledger(tmp_path))
    assert len(table) == rows
    assert set(CURVE) <= set(table.columns)
    assert ("response_0" in table.columns) == (keep == "rounds")


def test_a_sweep_that_is_not_done_can_be_looked_at(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def watch(progress: Progress) -> None:
        status, found = status_of(tmp_path), Collected.of(tmp_path)
        assert status.runs_now
        seen.append((status.progress.done, found.runs.filter(state="done").height))
        assert progress.done == seen[-1][0] == seen[-1][1]

    run(tmp_path, watch=watch)
    assert len(seen) > 3
    assert not status_of(tmp_path).runs_now


def test_what_would_be_played_now(tmp_path: Path) -> None:
    mine = plan()
    assert missing_tasks(mine, tmp_path / "new") == list(mine.tasks)
    run(tmp_path, play=failing)
    assert missing_tasks(mine, tmp_path) == []
    assert len(missing_tasks(mine, tmp_path, retry_failed=True)) == 4
    victim = min((tmp_path / RESULTS).glob("*.json"))
    victim.write_text("{")
    assert len(missing_tasks(mine, tmp_path)) >= 1


@pytest.mark.parametrize("cut", [None, 0, 4])
def test_a_result_whose_table_is_gone_or_cut_is_not_done(cut: int | None, tmp_path: Path) -> None:
    mine = plan()
    run(tmp_path, play=failing)
    victim = min((tmp_path / RESULTS).glob("*.parquet"))
    lost = len(json.loads(victim.with_suffix(".json").read_bytes())["tasks"])
    content = victim.read_bytes()
    victim.unlink() if cut is None else victim.write_bytes(content[:-cut] if cut else b"")
    progress = status_of(tmp_path).progress
    assert (progress.total, progress.done, progress.failed) == (12, 8 - lost, 4)
    assert len(missing_tasks(mine, tmp_path)) == lost
    assert run(tmp_path).done == 8
    assert " 1 damaged result file removed\n" in (tmp_path / "log.txt").read_text()
