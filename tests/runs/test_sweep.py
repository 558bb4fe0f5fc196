import json
from pathlib import Path

import polars as pl
import pytest

from firstmover.core.errors import FirstmoverError, InvalidInput
from firstmover.runs import Collected, Progress, missing_tasks, run_sweep, status_of
from firstmover.runs.pool import LOST, TRIES
from firstmover.runs.store import RESULTS, driving, ledger, read_results
from firstmover.runs.sweep import _Log
from firstmover.runs.task import CURVE
from tests.runs.small import plan, playing, run, serial, with_deadly


def test_a_sweep_gives_the_results_of_its_tasks_one_by_one(tmp_path: Path) -> None:
    progress = run(tmp_path, {"keep": "rounds"})
    assert (progress.total, progress.done, progress.failed) == (12, 12, 0)
    found = pl.concat(read_results(ledger(tmp_path)))
    for key, table in serial(plan(keep="rounds")).items():
        assert found.filter(key=key).drop("key").equals(table)


def test_a_second_run_plays_nothing(tmp_path: Path) -> None:
    run(tmp_path)
    with playing() as played:
        assert run(tmp_path).done == 12
    assert played == []


def test_only_missing_tasks_are_played_and_a_sweep_may_grow(tmp_path: Path) -> None:
    run(tmp_path, {"seeds": 1})
    with playing() as played:
        assert run(tmp_path).done == 12
    assert len(played) == 6
    assert status_of(tmp_path).progress == Progress(12, 12)


def test_damaged_results_are_played_again(tmp_path: Path) -> None:
    run(tmp_path)
    min((tmp_path / RESULTS).glob("*.parquet")).write_bytes(b"nothing")
    with playing() as played:
        assert run(tmp_path).done == 12
    assert 1 <= len(played) <= 12


def test_a_task_that_raises_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    with playing(failing="hedge"):
        progress = run(tmp_path)
    assert (progress.done, progress.failed) == (8, 4)
    assert status_of(tmp_path).errors == (("ZeroDivisionError: hedged", 4),)
    assert "failed: ZeroDivisionError: hedged" in (tmp_path / "log.txt").read_text()
    runs = Collected.of(tmp_path).runs
    assert runs.group_by("state", maintain_order=True).len().rows() == [("done", 8), ("failed", 4)]
    assert runs.filter(state="failed")["regret"].to_list() == [None] * 4


def test_failed_tasks_are_played_again_on_request(tmp_path: Path) -> None:
    with playing(failing="hedge"):
        run(tmp_path)
    with playing() as played:
        assert run(tmp_path).failed == 4
        assert played == []
        progress = run(tmp_path, retry_failed=True)
    assert (progress.done, progress.failed, len(played)) == (12, 0, 4)


def test_the_same_call_plays_again_what_a_lost_worker_had_in_flight(tmp_path: Path) -> None:
    mine = with_deadly(plan(), 3, tmp_path / "counter", times=1)
    progress = run_sweep(mine, tmp_path / "sweep", workers=2)
    assert (progress.done, progress.failed) == (12, 0)
    assert "a worker process ended unexpectedly" in (tmp_path / "sweep" / "log.txt").read_text()
    found = pl.concat(read_results(ledger(tmp_path / "sweep")))
    for key, table in serial(plan()).items():
        assert found.filter(key=key).drop("key").equals(table)


def test_a_task_that_kills_its_worker_every_time_fails_and_the_others_do_not(tmp_path: Path) -> None:
    mine = with_deadly(plan(), 3, tmp_path / "counter")
    progress = run_sweep(mine, tmp_path / "sweep", workers=2)
    assert (progress.done, progress.failed) == (11, 1)
    assert status_of(tmp_path / "sweep").errors == ((LOST, 1),)
    assert (tmp_path / "counter").stat().st_size == 2 * TRIES
    failed = Collected.of(tmp_path / "sweep").runs.filter(state="failed")
    assert failed["key"].to_list() == [mine.keys[3]]


def test_workers_that_never_begin_are_reported_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        from firstmover.runs.engines import BrokenProcessPool

        raise BrokenProcessPool

    monkeypatch.setattr("firstmover.runs.pool.play_task", lost)
    with pytest.raises(FirstmoverError, match="Worker processes end as soon as they start"):
        run(tmp_path, {"seeds": 20})


def test_an_interruption_keeps_finished_results(tmp_path: Path) -> None:
    def watch(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, watch=watch)
    assert status_of(tmp_path).progress == Progress(12, 5)
    assert run(tmp_path).done == 12


def test_progress_is_reported_stored_and_logged(tmp_path: Path) -> None:
    seen: list[Progress] = []
    last = run(tmp_path, watch=seen.append)
    assert [each.done for each in seen] == [*range(1, 13), 12]
    assert last.left == pytest.approx(0)
    assert json.loads((tmp_path / "progress.json").read_text())["done"] == 12
    first, *_, end = (line.split(" ", 1)[1] for line in (tmp_path / "log.txt").read_text().splitlines())
    assert first == "begun: 12 of 12 tasks to do on 1 worker"
    assert end.startswith("12 of 12 done, ")


@pytest.mark.parametrize(("keep", "rows"), [("summary", 1), ("curves", 5), ("rounds", 5)])
def test_what_is_kept_of_a_run(keep: str, rows: int, tmp_path: Path) -> None:
    run(tmp_path, {"keep": keep, "horizons": [5], "seeds": 1, "learners": ["hedge"]})
    (table,) = read_results(ledger(tmp_path))
    assert len(table) == rows
    assert set(CURVE) <= set(table.columns)
    assert ("response_0" in table.columns) == (keep == "rounds")


def test_a_sweep_can_be_read_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.runs.sweep.SECONDS", 0.0)
    seen: list[int] = []

    def watch(progress: Progress) -> None:
        status, found = status_of(tmp_path), Collected.of(tmp_path)
        assert status.runs_now
        seen.append(status.progress.done)
        assert progress.done == seen[-1] == found.runs.filter(state="done").height

    run(tmp_path, watch=watch)
    assert len(seen) > 3
    assert not status_of(tmp_path).runs_now


def test_the_tasks_that_would_be_played_now(tmp_path: Path) -> None:
    mine = plan()
    assert missing_tasks(mine, tmp_path / "new") == list(mine.tasks)
    with playing(failing="hedge"):
        run(tmp_path)
    assert missing_tasks(mine, tmp_path) == []
    assert len(missing_tasks(mine, tmp_path, retry_failed=True)) == 4
    min((tmp_path / RESULTS).glob("*.json")).write_text("{")
    assert len(missing_tasks(mine, tmp_path)) >= 1


@pytest.mark.parametrize("cut", [None, 0, 4])
def test_a_result_whose_table_is_missing_or_cut_is_not_done(cut: int | None, tmp_path: Path) -> None:
    mine = plan()
    run(tmp_path)
    victim = min((tmp_path / RESULTS).glob("*.parquet"))
    lost = len(json.loads(victim.with_suffix(".json").read_bytes())["tasks"])
    content = victim.read_bytes()
    victim.unlink() if cut is None else victim.write_bytes(content[:-cut] if cut else b"")
    assert status_of(tmp_path).progress == Progress(12, 12 - lost)
    assert len(missing_tasks(mine, tmp_path)) == lost
    assert run(tmp_path).done == 12
    assert " 1 damaged result file removed\n" in (tmp_path / "log.txt").read_text()


def test_a_second_driver_of_one_folder_is_refused(tmp_path: Path) -> None:
    with driving(tmp_path), pytest.raises(InvalidInput, match="is running already: wait for it, or stop it first"):
        run(tmp_path)


def test_progress_is_kept_once_per_second_and_logged_every_half_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("firstmover.runs.sweep.monotonic", lambda: clock[0])
    log, kept = _Log(tmp_path), []
    for done, clock[0] in enumerate((100.0, 100.9, 101.0, 129.9, 130.0, 130.5)):
        log.keep(Progress(9, done))
        kept.append(json.loads((tmp_path / "progress.json").read_text())["done"])
    assert kept == [0, 0, 2, 3, 3, 3]
    assert (tmp_path / "log.txt").read_text().count("\n") == 1
    log.keep(Progress(9, 7), now=True)
    assert json.loads((tmp_path / "progress.json").read_text())["done"] == 7
    assert (tmp_path / "log.txt").read_text().count("\n") == 2
