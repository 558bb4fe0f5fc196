import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.runs import ExperimentSpec, Manifest, claim, read, read_manifest, save_run, tasks_of
from firstmover.runs.experiment_store import FORMAT, MANIFEST, whole_file

MakeSpec = Callable[..., ExperimentSpec]


ENDINGS = ("parquet", "sha256")


@pytest.fixture
def spec(make_spec: MakeSpec) -> ExperimentSpec:
    return make_spec(learners=["uniform", "fixed:3"])


@pytest.fixture
def folder(spec: ExperimentSpec, tmp_path: Path) -> Path:
    folder = tmp_path / "results [1]*"  # a name is never a pattern
    claim(folder, Manifest.of(spec))
    for task in tasks_of(spec):
        save_run(folder, task, task.play())
    return folder


def test_what_is_read_is_what_was_played(folder: Path, spec: ExperimentSpec) -> None:
    assert read_manifest(folder) == Manifest.of(spec)
    assert read(folder).equals(pl.concat([task.play() for task in tasks_of(spec)]))
    assert read(folder, ["t", "reward"]).columns == ["t", "reward"]


def test_the_folder_holds_a_manifest_and_one_file_a_run(folder: Path) -> None:
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    runs = [f"{learner}/{seed}.{ending}" for learner in ("fixed-3", "uniform") for seed in "01" for ending in ENDINGS]
    assert files == sorted(["manifest.json", *runs])
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["format"] == FORMAT
    assert {"python", "firstmover", "numpy", "scikit-learn", "polars"} <= set(manifest["versions"])
    assert manifest["spec"]["seeds"] == [0, 1]
    assert manifest["written"].endswith("+00:00")


def test_the_same_experiment_may_be_played_again(folder: Path, spec: ExperimentSpec) -> None:
    claim(folder, Manifest.of(spec))
    assert read_manifest(folder) == Manifest.of(spec)


def test_the_folder_of_another_experiment_is_left_alone(folder: Path, make_spec: MakeSpec) -> None:
    before = (folder / MANIFEST).read_bytes()
    with pytest.raises(InvalidInput, match=r"which differs in rounds, learners: give another folder with --out"):
        claim(folder, Manifest.of(make_spec(rounds=13)))
    assert (folder / MANIFEST).read_bytes() == before


def test_a_folder_without_runs_may_be_taken(tmp_path: Path, make_spec: MakeSpec) -> None:
    claim(tmp_path, Manifest.of(make_spec()))
    claim(tmp_path, Manifest.of(make_spec(rounds=13)))
    assert read_manifest(tmp_path).rounds == 13


def test_derived_results_of_the_same_kind_are_replaced(folder: Path, make_spec: MakeSpec) -> None:
    (folder / "uniform" / "letter.txt").write_text("mine")
    fewer = make_spec(learners=["fixed:3"], seeds=1)
    claim(folder, Manifest.of(fewer), renew=True)
    assert read_manifest(folder) == Manifest.of(fewer)
    assert sorted(path.name for path in folder.rglob("*")) == ["letter.txt", "manifest.json", "uniform"]


def test_derived_results_of_another_kind_are_left_alone(folder: Path, spec: ExperimentSpec) -> None:
    with pytest.raises(InvalidInput, match="which differs in kind"):
        claim(folder, replace(Manifest.of(spec), kind="routing"), renew=True)
    assert len(list(folder.glob("*/*.parquet"))) == 4


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, spec: ExperimentSpec) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="holds files of its own"):
        claim(tmp_path, Manifest.of(spec))
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_path_through_a_file_cannot_be_written(tmp_path: Path, spec: ExperimentSpec) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="cannot be written: Not a directory"):
        claim(tmp_path / "letter.txt" / "results", Manifest.of(spec))


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"has no readable manifest\.json"):
        read(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": "x"}', "\x00"])
def test_a_broken_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(InvalidInput, match="is not a manifest of firstmover"):
        read(tmp_path)


@pytest.mark.parametrize("spec", ["null", "{}", '{"game": "moon"}'])
def test_a_manifest_without_a_known_experiment_is_refused(tmp_path: Path, spec: str) -> None:
    (tmp_path / MANIFEST).write_text(f'{{"format": 1, "spec": {spec}}}')
    with pytest.raises(InvalidInput, match="describes no experiment known here"):
        read(tmp_path)


def test_a_newer_format_is_refused_by_its_number(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(f'{{"format": {FORMAT + 1}, "runs": "elsewhere"}}')
    with pytest.raises(InvalidInput, match="has format 2, newer than this firstmover's 1: update"):
        read(tmp_path)


def test_a_missing_run_is_named(folder: Path) -> None:
    (folder / "uniform" / "1.parquet").unlink()
    with pytest.raises(InvalidInput, match=r"1\.parquet' is missing: play the same experiment again"):
        read(folder)


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_a_truncated_run_is_named(folder: Path, keep: int) -> None:
    path = folder / "uniform" / "1.parquet"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InvalidInput, match=r"1\.parquet' is broken: play the same experiment again"):
        read(folder)


@pytest.mark.parametrize("place", [0.0, 0.3, 0.7, 0.99])
def test_a_run_with_one_changed_bit_is_named(folder: Path, place: float) -> None:
    path = folder / "uniform" / "1.parquet"
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"1\.parquet' is broken"):
        read(folder)


def test_a_run_without_its_checksum_is_named(folder: Path) -> None:
    (folder / "uniform" / "1.sha256").unlink()
    with pytest.raises(InvalidInput, match=r"1\.parquet' is broken"):
        read(folder)


def test_the_checksum_is_that_of_the_file(folder: Path) -> None:
    digest, name = (folder / "uniform" / "1.sha256").read_text().split()
    assert digest == hashlib.sha256((folder / "uniform" / name).read_bytes()).hexdigest()


def test_a_run_without_the_columns_is_named(folder: Path, spec: ExperimentSpec) -> None:
    save_run(folder, tasks_of(spec)[1], pl.DataFrame({"x": [1]}))
    with pytest.raises(InvalidInput, match=r"1\.parquet' is broken"):
        read(folder, ["reward"])


def test_a_run_of_another_length_is_named(folder: Path, spec: ExperimentSpec) -> None:
    save_run(folder, tasks_of(spec)[1], read(folder).head(5))
    with pytest.raises(InvalidInput, match="has 5 rounds instead of 12"):
        read(folder)


def test_an_interrupted_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with whole_file(path) as file:
            file.write(b"half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("run.parquet", b"old")]


def test_a_full_disk_leaves_nothing_under_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(InvalidInput, match="cannot be written: No space left on device"), whole_file(tmp_path / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_process_killed_while_writing_leaves_no_run(folder: Path) -> None:
    path = folder / "uniform" / "1.parquet"
    path.unlink()
    killed = (
        "import os, pathlib, signal; from firstmover.runs.experiment_store import whole_file\n"
        f"with whole_file(pathlib.Path({str(path)!r})) as file:\n"
        "    file.write(b'PAR1'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    with pytest.raises(InvalidInput, match=r"1\.parquet' is missing"):
        read(folder)
