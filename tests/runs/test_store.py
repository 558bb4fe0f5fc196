import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.runs import store
from firstmover.runs.store import RESULTS, Record, is_whole, ledger, make_folder, read_results, save_records, tidy_up


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_folder(tmp_path)
    return tmp_path


OTHER = "f" * 64


def key(number: int) -> str:
    """A key, which is a hash."""
    return f"{number:064x}"


def records(*seeds: int) -> list[Record]:
    return [Record(key(seed), 0.5, rows(seed), document={"seed": seed}) for seed in seeds]


def rows(seed: int) -> pl.DataFrame:
    return pl.DataFrame({"t": [1, 2], "cumulative_regret": [float(seed), seed + 1.0]})


def read_all(folder: Path) -> pl.DataFrame:
    return pl.concat(read_results(ledger(folder)))


def test_what_is_read_is_what_was_stored(folder: Path) -> None:
    save_records(folder, [*records(1, 2), Record(key(3), 0.1, error="ValueError: no")])
    held = ledger(folder)
    assert [entry.error for entry in held.values()] == [None, None, "ValueError: no"]
    assert read_all(folder).filter(key=key(2)).drop("key").equals(rows(2))


def test_the_list_has_the_document_of_each_task(folder: Path) -> None:
    save_records(folder, records(7))
    (path,) = (folder / RESULTS).glob("*.json")
    content = json.loads(path.read_bytes())
    assert content["tasks"] == [{"key": key(7), "seconds": 0.5, "error": None, "task": {"seed": 7}}]
    assert store.read_document(folder, key(7)) == {"seed": 7}


def test_a_result_takes_precedence_over_an_error_in_any_order(folder: Path) -> None:
    save_records(folder, [Record(key(1), 0.1, error="no"), *records(2)])
    save_records(folder, records(1))
    save_records(folder, [Record(key(1), 0.1, error="no"), *records(3)])
    assert [entry.error for entry in ledger(folder).values()] == [None, None, None]


def test_a_task_that_is_stored_twice_is_read_once(folder: Path) -> None:
    save_records(folder, records(1, 2))
    save_records(folder, records(2, 3))
    assert sorted(read_all(folder)["cumulative_regret"]) == [1.0, 2.0, 2.0, 3.0, 3.0, 4.0]


class Crash(BaseException):
    pass


def crashing(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Stop at this step of everything that reaches the disk."""
    steps = iter(range(100))

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def step_or_crash(*args: object) -> object:
            if next(steps) == step:
                raise Crash
            return call(*args)

        return step_or_crash

    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    monkeypatch.setattr(Path, "replace", counted(Path.replace))


@pytest.mark.parametrize("step", range(6))
def test_results_are_stored_as_a_whole_or_not_at_all(step: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flush, a rename and a flush of the folder for each of two files; then the same results are stored again."""
    save_records(folder, records(9))
    with monkeypatch.context() as patched:
        crashing(patched, step)
        with pytest.raises(Crash):
            save_records(folder, records(1, 2))
    assert tidy_up(folder) == 0
    held = ledger(folder)
    assert set(held) - {key(9)} in (set(), {key(1), key(2)})
    assert len(read_all(folder)) == 2 * len(held)
    assert len(list((folder / RESULTS).iterdir())) == (4 if key(1) in held else 2)
    save_records(folder, records(1, 2))
    assert len(ledger(folder)) == 3


def never_half(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader sees a whole result or none while results are written."""
    flush, seen = os.fsync, []

    def look_in(handle: int) -> None:
        held = ledger(folder)
        seen.append(sum(map(len, read_results(held))) == 4 * len(held) / 2)
        flush(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", look_in)
        save_records(folder, records(1, 2))
    assert seen == [True] * 4


def test_no_reader_sees_half_a_result(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never_half(folder, monkeypatch)


def test_without_the_rename_half_a_result_would_be_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def in_place(path: Path) -> Iterator[BinaryIO]:
        written = io.BytesIO()
        yield written
        content = written.getvalue()
        with path.open("wb") as file:
            for part in (content[: len(content) // 2], content[len(content) // 2 :]):
                file.write(part)
                file.flush()
                os.fsync(file.fileno())

    monkeypatch.setattr(store, "atomic_file", in_place)
    with pytest.raises((AssertionError, InvalidInput)):
        never_half(folder, monkeypatch)


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_damage_is_refused_and_removed_by_the_next_run(suffix: str, folder: Path) -> None:
    save_records(folder, records(1))
    save_records(folder, records(2))
    path = next(path for path in (folder / RESULTS).iterdir() if path.suffix == suffix)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InvalidInput, match="is damaged: play the same experiment again"):
        read_all(folder)
    assert len(ledger(folder, is_whole)) == 1  # so a dry run states what the run will do
    assert tidy_up(folder) == 1
    assert len(ledger(folder)) == 1
    assert len(read_all(folder)) == 2


@pytest.mark.parametrize("place", [0.0, 0.3, 0.7, 0.99])
def test_one_changed_bit_is_damage(place: float, folder: Path) -> None:
    save_records(folder, records(1))
    (path,) = (folder / RESULTS).glob("*.parquet")
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"\.parquet' is damaged"):
        read_all(folder)


def test_a_newer_format_is_refused_and_nothing_of_it_removed(folder: Path) -> None:
    save_records(folder, records(1))
    (path,) = (folder / RESULTS).glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"format": 99}))
    for read in (ledger, tidy_up):
        with pytest.raises(InvalidInput, match="has format 99, newer than this firstmover's 2"):
            read(folder)  # type: ignore[operator]
    assert len(list((folder / RESULTS).iterdir())) == 2


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"format": 1}', '{"format": 1, "sha256": null, "tasks": [{"key": "a"}]}', "\x00"]
)
def test_a_list_that_is_only_json_is_damaged(text: str, folder: Path) -> None:
    save_records(folder, records(1))
    (folder / RESULTS / f"{OTHER}.json").write_text(text)
    with pytest.raises(InvalidInput, match=rf"{OTHER}\.json' is damaged"):
        ledger(folder)
    assert list(ledger(folder, is_whole)) == [key(1)]
    assert tidy_up(folder) == 1
    assert list(ledger(folder)) == [key(1)]


def test_the_stored_tables_stay_as_they_are(folder: Path) -> None:
    (record,) = records(1)
    save_records(folder, [record])
    assert record.table is not None
    assert record.table.columns == ["t", "cumulative_regret"]


def test_a_full_disk_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(InvalidInput, match="cannot be written: No space left on device"):
        save_records(folder, records(1))
    assert ledger(folder) == {}
