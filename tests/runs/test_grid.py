import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.files import canonical_json
from firstmover.runs import grid, task
from tests.runs.small import plan


def test_every_combination_is_a_task_in_order() -> None:
    table = plan().table
    assert table.height == 12
    assert table["variant"].unique(maintain_order=True).to_list() == ["stackelucb β 0.5", "stackelucb β 2.0", "hedge"]
    assert table.select("horizon", "seed").rows()[:4] == [(5, 0), (5, 1), (8, 0), (8, 1)]
    assert table["key"].n_unique() == 12


def test_a_document_says_all_that_the_learner_reads_and_no_more() -> None:
    first, *_, last = plan(keep="summary").tasks
    assert json.loads(first.document) == {
        "game": "shore",
        "opponent": "random",
        "rounds": 5,
        "seed": 0,
        "keep": "summary",
        "learner": {
            "name": "stackelucb",
            "strategy": "fixed-rate",
            "rate_factor": 1.0,
            "confidence_width": 0.5,
            "regularization": 0.01,
            "kernel": None,
        },
    }
    assert json.loads(last.document)["learner"] == {"name": "hedge", "strategy": "fixed-rate", "rate_factor": 1.0}


def test_the_game_s_own_value_given_or_not_is_the_same_task() -> None:
    given = plan(learners=[{"name": "stackelucb", "confidence_width": 1.0, "regularization": 0.01}])
    assert given.keys == plan(learners=["stackelucb"]).keys


CHANGED: dict[str, dict[str, Any]] = {
    "learner": {"learners": ["exp3"]},
    "β": {"learners": [{"name": "stackelucb", "confidence_width": 0.7}]},
    "η": {"learners": [{"name": "stackelucb", "rate_factor": 0.7}]},
    "λ": {"learners": [{"name": "stackelucb", "regularization": 0.7}]},
    "strategy": {"learners": [{"name": "stackelucb", "strategy": "adahedge"}]},
    "kernel": {"learners": [{"name": "stackelucb", "kernel": {"name": "rbf", "length_scale": 0.7}}]},
    "kernels": {"kernels": [{"name": "rbf", "length_scale": 0.8}]},
    "game": {"games": ["flock"], "learners": [{"name": "stackelucb", "regularization": 0.01}]},  # as on the shore
    "game's parameter": {"games": [{"name": "shore", "noise_std": 0.7}]},
    "opponent": {"opponents": ["cyclic"]},
    "horizon": {"horizons": [6]},
    "seed": {"seeds": [7]},
    "keep": {"keep": "summary"},
}
ONE: dict[str, Any] = {"learners": ["stackelucb"], "horizons": [5], "seeds": [0]}


def key_of_one(changes: dict[str, Any]) -> str:
    (key,) = plan(**ONE | changes).keys
    return key


def check_keys() -> None:
    """Whatever is changed, the key is another."""
    keys = {name: key_of_one(changes) for name, changes in ({"as it is": {}} | CHANGED).items()}
    alike = [pair for pair in combinations(keys, 2) if keys[pair[0]] == keys[pair[1]]]
    assert alike == []


def test_every_field_decides_the_key() -> None:
    check_keys()


@pytest.mark.parametrize("ignored", ["game", "game_parameters", "opponent", "learner", "rounds", "keep", "seed"])
def test_a_key_that_ignored_a_field_would_be_noticed(ignored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(document: Mapping[str, Any]) -> str:
        return canonical_json({name: value for name, value in document.items() if name != ignored})

    monkeypatch.setattr(grid, "canonical_json", forgetful)
    with pytest.raises(AssertionError):
        check_keys()


@pytest.mark.parametrize("library", ["numpy", "scipy", "scikit-learn"])
def test_the_versions_of_libraries_decide_the_key(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, version = key_of_one({}), task.version
    monkeypatch.setattr(task, "version", lambda name: "9.9.9" if name == library else version(name))
    assert key_of_one({}) != before


def test_what_a_script_says_decides_the_key(tmp_path: Path) -> None:
    script = tmp_path / "types.csv"
    keys = set()
    for home in ("0.1", "0.3"):
        script.write_text("home\n" + f"{home}\n" * 5)
        keys.add(key_of_one({"opponents": [f"script:{script}"]}))
    assert len(keys) == 2


def test_payoff_tables_travel_with_the_task(tmp_path: Path) -> None:
    leader, follower = tmp_path / "a.csv", tmp_path / "b.csv"
    leader.write_text("1,0\n0,1\n")
    follower.write_text("0,1\n1,0\n")
    (one,) = plan(**ONE | {"games": [f"bimatrix:{leader},{follower}"], "learners": ["hedge"]}).tasks
    leader.unlink()
    assert one.play()["t"].to_list() == [1, 2, 3, 4, 5]


def test_kernels_are_an_axis_of_those_who_read_them() -> None:
    kernels = [{"name": "rbf", "length_scale": 0.2}, {"name": "matern", "length_scale": 0.3, "label": "rough"}]
    table = plan(kernels=kernels, learners=["stackelucb", "exp3"], horizons=[5], seeds=1).table
    assert table.select("variant", "kernel").rows() == [
        ("stackelucb kernel rbf 0.2", "rbf 0.2"),
        ("stackelucb kernel rough", "rough"),
        ("exp3", None),
    ]


def test_what_is_left_out_is_not_there() -> None:
    gaps = [{"learner": "hedge", "horizon": 5}, {"confidence_width": [2.0], "seed": [0, 1], "horizon": 8}]
    table = plan(leave_out=gaps).table
    assert table.group_by("variant", "horizon", maintain_order=True).len().rows() == [
        ("stackelucb β 0.5", 5, 2),
        ("stackelucb β 0.5", 8, 2),
        ("stackelucb β 2.0", 5, 2),
        ("hedge", 8, 2),
    ]


def test_a_learner_that_cannot_play_may_be_left_out() -> None:
    changes: dict[str, Any] = {"learners": ["gp-ucb", "hedge"], "opponents": ["random", "single"]}
    with pytest.raises(InvalidInput, match="gp-ucb"):
        plan(**changes)
    assert len(plan(**changes, leave_out=[{"learner": "gp-ucb", "opponent": "random"}]).tasks) == 12
