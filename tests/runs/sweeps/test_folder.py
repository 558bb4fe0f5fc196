import os
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.runs.sweeps import folder as folders
from firstmover.runs.sweeps import status_of
from firstmover.runs.sweeps.locks import driving, working
from tests.runs.sweeps.small import run


def test_the_folder_of_another_sweep_is_refused_and_left_alone(tmp_path: Path) -> None:
    run(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(InvalidInput, match=r"holds another sweep, 'sweep': 12 of its 12 tasks are not in this one"):
        run(tmp_path, changes={"games": ["flock"]})
    with pytest.raises(InvalidInput, match="6 of its 12 tasks are not in this one"):
        run(tmp_path, changes={"seeds": 1})
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_folder_of_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InvalidInput, match="holds files of its own: choose a new or empty folder"):
        run(tmp_path)
    with pytest.raises(InvalidInput, match="is a file: choose a folder"):
        run(tmp_path / "letter.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_folder_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    monkeypatch.setattr(folders, "this_version", lambda: "9.9.9")
    with pytest.raises(InvalidInput, match=r"holds a sweep of firstmover 0.1.0, whose runs do not mix with .* 9.9.9"):
        run(tmp_path)


def test_two_drivers_of_one_sweep_are_one_too_many(tmp_path: Path) -> None:
    with driving(tmp_path, print), pytest.raises(InvalidInput, match="is running already"):
        run(tmp_path)


def test_a_driver_waits_for_workers_of_one_that_was_killed(tmp_path: Path) -> None:
    said: list[str] = []
    at_work = working(tmp_path)
    at_work.__enter__()

    def say(words: str) -> None:
        said.append(words)
        at_work.__exit__(None, None, None)

    with driving(tmp_path, say):
        assert said == ["waiting for workers of an earlier run to finish what they are at"]


@pytest.mark.parametrize("step", ["tasks.parquet", "sweep.json"])
def test_a_sweep_that_was_stopped_before_it_had_its_name_can_begin_again(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a disk that fills up, or a kill, leaves it."""
    whole_file = folders.whole_file

    def full(path: Path) -> Any:
        if path.name == step:
            raise InvalidInput("no room")
        return whole_file(path)

    with monkeypatch.context() as patched:
        patched.setattr(folders, "whole_file", full)
        with pytest.raises(InvalidInput, match="no room"):
            run(tmp_path)
    (tmp_path / "log.txt").write_text("begun")
    (tmp_path / ".sweep.json.123.part").write_text("{")
    assert run(tmp_path).done == 12


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="/file/sweep' cannot be made: Not a directory; choose another with --out"):
        run(tmp_path / "file" / "sweep")


def test_whoever_looks_in_need_not_be_able_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    opened, flags = os.open, []

    def noting(path: Any, flag: int, *mode: int) -> int:
        flags.append(flag)
        return opened(path, flag, *mode)

    monkeypatch.setattr(os, "open", noting)
    with driving(tmp_path, print):
        flags.clear()
        assert status_of(tmp_path).runs_now
    assert flags == [os.O_RDONLY]
    assert not status_of(tmp_path).runs_now


def test_every_file_of_a_folder_is_in_the_documentation(tmp_path: Path) -> None:
    run(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "sweep.md").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.is_file() and f"`{path.name}`" not in page] == []
