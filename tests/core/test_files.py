"""Atomic writes and canonical JSON."""

import os
from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.files import atomic_file, canonical_json, text_hash


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "result.json"
    with atomic_file(path) as file:
        file.write(b"first")
        assert not path.exists()
    assert path.read_bytes() == b"first"
    assert [entry.name for entry in path.parent.iterdir()] == ["result.json"]


def test_an_error_in_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_file(path) as file:
        file.write(b"half" + None)  # type: ignore[operator]
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_permissions_are_those_asked_for(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "secret", mode=0o600) as file:
        file.write(b"x")
    assert os.stat(tmp_path / "secret").st_mode & 0o777 == 0o600


def test_a_path_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(InvalidInput, match="cannot be written: File exists; choose another path"),
        atomic_file(tmp_path / "file" / "x"),
    ):
        pass


def test_the_content_is_on_disk_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda self, target: (calls.append("rename"), replace(self, target))[1])
    with atomic_file(tmp_path / "x") as file:
        file.write(b"x")
    assert calls == ["fsync", "rename", "fsync"]


def test_canonical_json_is_equal_for_equal_values() -> None:
    assert canonical_json({"b": [1.0, 0.1], "a": "β"}) == canonical_json({"a": "β", "b": [1.0, 0.1]})
    assert canonical_json({"b": [1.0, 0.1], "a": "β"}) == '{"a":"\\u03b2","b":[1.0,0.1]}'
    for number in (float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="NaN or infinite"):
            canonical_json([number])


def test_the_hash_is_sha_256() -> None:
    assert text_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
