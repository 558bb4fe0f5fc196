"""Folders of results: claimed by one experiment, read as one table, also those of format 1."""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.figures.compare import compared_curves, compared_table, stored_runs
from firstmover.runs import (
    Collected,
    ExperimentSpec,
    claim,
    plan_of,
    read,
    read_manifest,
    run_sweep,
    save_run,
    status_of,
    store,
)
from firstmover.runs.store import FORMAT, MANIFEST, RESULTS, driving
from firstmover.runs.stored_theory import analysed_runs
from firstmover.runs.sweep import manifest_of
from tests.runs.small import plan, playing, run

MakeSpec = Callable[..., ExperimentSpec]


@pytest.fixture
def spec(make_spec: MakeSpec) -> ExperimentSpec:
    return make_spec(learners=["uniform", "fixed:3"])


@pytest.fixture
def folder(spec: ExperimentSpec, tmp_path: Path) -> Path:
    folder = tmp_path / "results [1]*"  # a name is never a pattern
    run_sweep(plan_of(spec), folder, workers=1)
    return folder


def test_what_is_read_is_what_was_played(folder: Path, spec: ExperimentSpec) -> None:
    assert read_manifest(folder) == manifest_of(plan_of(spec))
    played = pl.concat([task.play() for task in plan_of(spec).tasks])
    assert read(folder).drop("cumulative_reward").equals(played)
    assert read(folder, ["t", "reward"]).columns == ["t", "reward"]


def test_the_manifest_has_versions_and_the_document(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["format"] == FORMAT
    assert {"python", "firstmover", "numpy", "scikit-learn", "polars", "joblib"} <= set(manifest["versions"])
    assert manifest["spec"]["seeds"] == 2
    assert manifest["written"].endswith("+00:00")


def test_the_results_of_another_experiment_are_left_alone(folder: Path, make_spec: MakeSpec) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    sentence = r"holds the results of another experiment, 'shore, .*': 4 of its 4 runs are not in this one; choose"
    with pytest.raises(InvalidInput, match=sentence):
        run_sweep(plan_of(make_spec(rounds=13)), folder)
    with pytest.raises(InvalidInput, match="2 of its 4 runs are not in this one"):
        run_sweep(plan_of(make_spec(learners=["uniform", "fixed:3"], seeds=1)), folder)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_folder_without_results_may_be_taken(tmp_path: Path, make_spec: MakeSpec) -> None:
    with playing(failing="shore"):
        assert run_sweep(plan_of(make_spec()), tmp_path, workers=1).failed == 4
    assert run_sweep(plan_of(make_spec(rounds=13)), tmp_path, workers=1).done == 4
    assert read_manifest(tmp_path).rounds == 13


def test_derived_results_of_the_same_kind_are_replaced(tmp_path: Path, make_spec: MakeSpec) -> None:
    plans = [plan_of(make_spec(learners=["fixed:3"], seeds=seeds)) for seeds in (2, 1)]
    more, fewer = (replace(manifest_of(mine), kind="routing") for mine in plans)
    claim(tmp_path, more)
    for task in plans[0].tasks:
        save_run(tmp_path, task, task.play())
    assert len(read(tmp_path)) == 24
    with pytest.raises(InvalidInput, match="holds the results of another experiment"):
        claim(tmp_path, replace(fewer, kind="wildlife"), renew=True)
    claim(tmp_path, fewer, renew=True)
    assert read_manifest(tmp_path) == fewer
    assert list((tmp_path / RESULTS).iterdir()) == []
    with pytest.raises(InvalidInput, match=r"The run of 'fixed-3' with seed 0 in .* is missing"):
        read(tmp_path)


def test_other_files_are_left_alone(tmp_path: Path, spec: ExperimentSpec) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InvalidInput, match="holds other files: choose a new or empty folder"):
        run_sweep(plan_of(spec), tmp_path)
    with pytest.raises(InvalidInput, match="is a file: choose a folder"):
        run_sweep(plan_of(spec), tmp_path / "letter.txt")
    with pytest.raises(InvalidInput, match="cannot be made: Not a directory; choose another with --out"):
        run_sweep(plan_of(spec), tmp_path / "letter.txt" / "results")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_files_of_the_user_in_a_subfolder_results_are_left_alone(tmp_path: Path, spec: ExperimentSpec) -> None:
    mine = {"mydata.parquet", "notes.json", "data.csv"}
    (tmp_path / RESULTS).mkdir()
    for name in mine:
        (tmp_path / RESULTS / name).write_text("{}")
    with pytest.raises(InvalidInput, match="holds other files: choose a new or empty folder"):
        run_sweep(plan_of(spec), tmp_path)
    played = tmp_path / "played"
    run(played)
    for name in mine:
        (played / RESULTS / name).write_text("{}")
    for folder in (tmp_path, played):
        store.tidy_up(folder)
        assert mine <= {path.name for path in (folder / RESULTS).iterdir()}
    assert run(played).done == 12


@pytest.mark.parametrize("step", ["tasks.parquet", "manifest.json"])
def test_a_run_that_was_stopped_before_it_had_a_manifest_can_begin_again(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a full disk or a kill leaves it."""
    atomic_file = store.atomic_file

    def full(path: Path) -> Any:
        if path.name == step:
            raise InvalidInput("no room")
        return atomic_file(path)

    with monkeypatch.context() as patched:
        patched.setattr(store, "atomic_file", full)
        with pytest.raises(InvalidInput, match="no room"):
            run(tmp_path)
    (tmp_path / "log.txt").write_text("begun")
    (tmp_path / ".manifest.json.123.part").write_text("{")
    assert run(tmp_path).done == 12


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    for reading in (read, status_of, Collected.of):
        with pytest.raises(InvalidInput, match=r"has no readable manifest\.json"):
            reading(tmp_path)  # type: ignore[operator]


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
    with pytest.raises(InvalidInput, match="has format 3, newer than this firstmover's 2: update"):
        read(tmp_path)


def test_a_missing_run_is_named(folder: Path) -> None:
    for path in (folder / RESULTS).iterdir():
        path.unlink()
    with pytest.raises(InvalidInput, match=r"The run of 'uniform' with seed 0 in .* is missing or failed: play"):
        read(folder)


def test_a_missing_task_table_is_named(folder: Path) -> None:
    (folder / "tasks.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidInput, match=r"tasks\.parquet' is missing or damaged"):
        read(folder)


def test_columns_that_are_not_kept_are_named(tmp_path: Path) -> None:
    run(tmp_path, {"horizons": [5]})
    with pytest.raises(InvalidInput, match="of which it keeps 'curves': give one that play or run"):
        read(tmp_path, ["reward"])


def test_several_arenas_are_no_single_table(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(InvalidInput, match="holds 2 games, opponents or horizons: see them with"):
        read(tmp_path)


def test_status_needs_no_permission_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    opened, flags = os.open, []

    def noting(path: Any, flag: int, *mode: int) -> int:
        flags.append(flag)
        return opened(path, flag, *mode)

    monkeypatch.setattr(os, "open", noting)
    with driving(tmp_path):
        flags.clear()
        assert status_of(tmp_path).runs_now
    assert flags == [os.O_RDONLY]
    assert not status_of(tmp_path).runs_now


def test_every_file_of_a_folder_is_in_the_documentation(tmp_path: Path) -> None:
    run(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "sweep.md").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.is_file() and f"`{path.name}`" not in page] == []


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The folder of an experiment as the version before wrote it: LABEL/SEED.parquet with a checksum beside it."""
    learners = [
        {"name": "stackelucb", "label": "wide", "strategy": "fixed-rate", "confidence_width": 2.0, "kernel": None},
        {"name": "fixed:3", "label": "fixed-3", "strategy": "fixed-rate", "confidence_width": None, "kernel": None},
    ]
    fields = {"game": "shore", "opponent": "random", "rounds": 12, "seeds": [0, 1], "learners": learners}
    mine, folder = plan_of(ExperimentSpec.read(fields)), tmp_path / "old"
    stored = fields | {"payoffs": None, "game_parameters": None}
    manifest = {"kind": "experiment", "title": "old", "spec": stored, "labels": ["wide", "fixed-3"], "seeds": [0, 1]}
    folder.mkdir()
    (folder / MANIFEST).write_text(json.dumps({"format": 1, "rounds": 12, "notes": {}} | manifest))
    for task in mine.tasks:
        path = folder / task.label / f"{task.seed}.parquet"
        path.parent.mkdir(exist_ok=True)
        task.play().write_parquet(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        path.with_suffix(".sha256").write_text(f"{digest}  {path.name}\n")
    return folder


def test_an_experiment_of_format_1_is_read_drawn_and_not_continued(old: Path, spec: ExperimentSpec) -> None:
    table = read(old)
    assert table.select("learner", "seed").unique(maintain_order=True).rows()[-1] == ("fixed-3", 1)
    (listed,) = stored_runs(old.parent)
    assert (listed.name, listed.game, listed.opponent, listed.rounds) == ("old", "shore", "random", 12)
    curves = compared_curves(old, "rewards")
    assert curves.learners == ("wide", "fixed-3")
    rows = compared_table(old)
    assert rows["reward"].to_list() == pytest.approx((12 * curves.mean[:, -1]).tolist())
    assert [analysed.label for analysed in analysed_runs(old)] == ["wide"]
    with pytest.raises(InvalidInput, match="was written by an earlier version of firstmover: choose another folder"):
        run_sweep(plan_of(spec), old)


def test_a_sweep_of_format_1_is_read(tmp_path: Path) -> None:
    run(tmp_path)
    content = json.loads((tmp_path / MANIFEST).read_text())
    old = {"format": 1, "keep": "curves", "title": "old", "tasks": 12, "spec": content["spec"]}
    (tmp_path / MANIFEST).rename(tmp_path / "sweep.json")
    (tmp_path / "sweep.json").write_text(json.dumps(old))
    assert status_of(tmp_path).progress.done == 12
    assert Collected.of(tmp_path).runs["state"].to_list() == ["done"] * 12
    assert read_manifest(tmp_path).labels == manifest_of(plan()).labels
    with pytest.raises(InvalidInput, match="was written by an earlier version of firstmover"):
        run(tmp_path)
