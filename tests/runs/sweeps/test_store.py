import json
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.runs.sweeps import store
from firstmover.runs.sweeps.store import RESULTS, Record, is_whole, ledger, read_results, save_batch, tidy_up
from firstmover.runs.sweeps.tasks import SweepTask


def task(number: int) -> SweepTask:
    return SweepTask(f'{{"seed":{number}}}', 1, "null")


def records(*numbers: int) -> list[Record]:
    return [
        Record(task(n), 0.5, pl.DataFrame({"t": [1, 2], "cumulative_regret": [float(n), n + 1.0]})) for n in numbers
    ]


def test_a_batch_is_found_task_by_task(tmp_path: Path) -> None:
    save_batch(tmp_path, [*records(1, 2), Record(task(3), 0.1, error="ValueError: no")])
    held = ledger(tmp_path)
    assert {key: entry.error for key, entry in held.items()} == {
        task(1).key: None,
        task(2).key: None,
        task(3).key: "ValueError: no",
    }
    (table,) = read_results(tmp_path, held)
    assert table.rows() == [(task(1).key, 1, 1.0), (task(1).key, 2, 2.0), (task(2).key, 1, 2.0), (task(2).key, 2, 3.0)]


def test_a_manifest_says_of_each_task_what_it_is(tmp_path: Path) -> None:
    save_batch(tmp_path, records(7))
    (path,) = (tmp_path / RESULTS).glob("*.json")
    assert json.loads(path.read_bytes())["tasks"] == [
        {"key": task(7).key, "seconds": 0.5, "error": None, "task": {"seed": 7}}
    ]


def test_a_result_counts_more_than_an_error_whichever_comes_first(tmp_path: Path) -> None:
    save_batch(tmp_path, [Record(task(1), 0.1, error="no"), *records(2)])
    save_batch(tmp_path, records(1))
    save_batch(tmp_path, [Record(task(1), 0.1, error="no"), *records(3)])
    assert [entry.error for entry in ledger(tmp_path).values()] == [None, None, None]


def test_a_task_that_two_batches_hold_is_read_once(tmp_path: Path) -> None:
    save_batch(tmp_path, records(1, 2))
    save_batch(tmp_path, records(2, 3))
    tables = pl.concat(read_results(tmp_path, ledger(tmp_path)))
    assert sorted(tables["cumulative_regret"]) == [1.0, 2.0, 2.0, 3.0, 3.0, 4.0]


class Crash(BaseException):
    pass


def crashing(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Stop the process, as far as a test can, at this step of all that reaches the disk."""
    steps = iter(range(100))

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def step_or_crash(*args: object) -> object:
            if next(steps) == step:
                raise Crash
            return call(*args)

        return step_or_crash

    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    monkeypatch.setattr(Path, "replace", counted(Path.replace))


@pytest.mark.parametrize("step", range(5))
def test_a_batch_is_there_as_a_whole_or_not_at_all_wherever_it_stops(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two flushes, two renames, and the flush of the folder; then the same batch is stored again."""
    save_batch(tmp_path, records(9))
    with monkeypatch.context() as patched:
        crashing(patched, step)
        with pytest.raises(Crash):
            save_batch(tmp_path, records(1, 2))
    assert tidy_up(tmp_path) == 0
    held = ledger(tmp_path)
    assert set(held) - {task(9).key} in (set(), {task(1).key, task(2).key})
    assert sum(map(len, read_results(tmp_path, held))) == 2 * len(held)
    assert len(list((tmp_path / RESULTS).iterdir())) == (4 if task(1).key in held else 2)
    save_batch(tmp_path, records(1, 2))
    assert len(ledger(tmp_path)) == 3


def never_half(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks in while a batch is written sees a whole result or none."""
    flush, seen = os.fsync, []

    def look_in(handle: int) -> None:
        held = ledger(folder)
        seen.append(sum(map(len, read_results(folder, held))) == 4 * len(held) / 2)
        flush(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", look_in)
        save_batch(folder, records(1, 2))
    assert seen == [True] * 3


def test_nobody_sees_half_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never_half(tmp_path, monkeypatch)


def test_without_the_rename_half_a_result_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def in_place(folder: Path, files: dict[str, bytes]) -> None:
        folder.mkdir(exist_ok=True)
        for name, content in reversed(files.items()):
            with (folder / name).open("wb") as file:
                for part in (content[: len(content) // 2], content[len(content) // 2 :]):
                    file.write(part)
                    file.flush()
                    os.fsync(file.fileno())

    monkeypatch.setattr(store, "_write_all", in_place)
    with pytest.raises((AssertionError, InvalidInput)):
        never_half(tmp_path, monkeypatch)


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_what_is_damaged_is_refused_and_removed_by_the_next_run(suffix: str, tmp_path: Path) -> None:
    save_batch(tmp_path, records(1))
    save_batch(tmp_path, records(2))
    path = next(path for path in (tmp_path / RESULTS).iterdir() if path.suffix == suffix)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InvalidInput, match="is damaged: run the sweep again"):
        list(read_results(tmp_path, ledger(tmp_path)))
    assert len(ledger(tmp_path, is_whole)) == 1  # so a dry run says what the run will do
    assert tidy_up(tmp_path) == 1
    held = ledger(tmp_path)
    assert len(held) == 1
    assert sum(map(len, read_results(tmp_path, held))) == 2


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    save_batch(tmp_path, records(1))
    (path,) = (tmp_path / RESULTS).glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"format": 99}))
    with pytest.raises(InvalidInput, match="has format 99, newer than this firstmover's 1"):
        ledger(tmp_path)


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"format": 1}', '{"format": 1, "sha256": null, "tasks": [{"key": "a"}]}', "\x00"]
)
def test_a_manifest_that_is_json_and_no_more_is_damaged(text: str, tmp_path: Path) -> None:
    save_batch(tmp_path, records(1))
    (tmp_path / RESULTS / "other.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"other\.json' is damaged"):
        ledger(tmp_path)
    assert list(ledger(tmp_path, is_whole)) == [task(1).key]
    assert tidy_up(tmp_path) == 1
    assert list(ledger(tmp_path)) == [task(1).key]


def test_nothing_of_a_newer_format_is_removed(tmp_path: Path) -> None:
    save_batch(tmp_path, records(1))
    (path,) = (tmp_path / RESULTS).glob("*.json")
    path.write_text('{"format": 99}')
    with pytest.raises(InvalidInput, match="has format 99"):
        tidy_up(tmp_path)
    assert len(list((tmp_path / RESULTS).iterdir())) == 2


def test_the_tables_of_a_player_stay_as_they_are(tmp_path: Path) -> None:
    (record,) = records(1)
    save_batch(tmp_path, [record])
    save_batch(tmp_path, [Record(task(2), 0.5, record.table)])
    assert record.table is not None
    assert record.table.columns == ["t", "cumulative_regret"]
