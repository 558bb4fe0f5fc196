from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from firstmover.core.errors import InvalidInput
from firstmover.runs import ExperimentSpec

TOML = """
game = "shore"
opponent = "cyclic"
rounds = 50
seeds = [3, 5]

[[learners]]
name = "stackelucb"
label = "width 0.5"
strategy = "adahedge"
confidence_width = 1
regularization = 0.1
kernel = { name = "product", action = { name = "rbf" }, opponent_type = { name = "linear" } }

[[learners]]
name = "fixed:3"
"""


def test_a_toml_file_says_everything(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(TOML)
    spec = ExperimentSpec.from_toml(path)
    first, second = spec.learners
    assert ([choice.name for choice in spec.opponents], spec.horizons, spec.seeds) == (["cyclic"], (50,), (3, 5))
    assert (first.label, first.parameters["strategy"], first.parameters["confidence_width"]) == (
        "width 0.5",
        "adahedge",
        1,
    )
    assert (second.name, second.label, second.parameters) == ("fixed:3", "fixed-3", {})
    assert (spec.title, spec.keep) == ("shore, opponent cyclic, 50 rounds, 2 seeds", "rounds")
    assert ExperimentSpec.read(spec.document) == spec


def test_a_count_of_seeds_and_their_list_are_the_same_experiment() -> None:
    fields = {"game": "shore", "rounds": 5, "learners": ["hedge"]}
    counted, listed = (ExperimentSpec.read(fields | {"seeds": seeds}) for seeds in (3, [0, 1, 2]))
    assert counted.model_dump() == listed.model_dump()


def test_payoff_tables_are_kept_and_their_files_not_asked_again(tmp_path: Path) -> None:
    for name, table in {"ours": "2,4\n1,0.1\n", "theirs": "1,0\n0,1\n"}.items():
        (tmp_path / f"{name}.csv").write_text(table)
    game = f"bimatrix:{tmp_path / 'ours.csv'},{tmp_path / 'theirs.csv'}"
    spec = ExperimentSpec.read({"game": game, "rounds": 5, "seeds": 1, "learners": ["hedge"]})
    assert spec.games[0].payoffs == (((2.0, 4.0), (1.0, 0.1)), ((1.0, 0.0), (0.0, 1.0)))
    (tmp_path / "ours.csv").unlink()
    again = ExperimentSpec.read(spec.document | {"payoffs": spec.games[0].payoffs})
    assert again.model_dump() == spec.model_dump()


def test_a_specification_does_not_change() -> None:
    spec = ExperimentSpec.read({"game": "shore", "rounds": 5, "seeds": 1, "learners": ["hedge"]})
    with pytest.raises(ValidationError, match="frozen"):
        spec.title = "other"


def test_old_documents_may_give_a_learner_parameters_that_it_does_not_take() -> None:
    """In a document with one game, parameters such as β are meant for the learners that take them."""
    learner = {"name": "exp3", "strategy": "adahedge", "confidence_width": None, "regularization": 0.1}
    spec = ExperimentSpec.read({"game": "shore", "rounds": 5, "seeds": 1, "learners": [learner]})
    assert spec.learners[0].parameters == {}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rounds": 0}, "rounds is 0: it should be a whole number from 1"),
        ({"rounds": "x"}, "rounds is 'x': it should be a whole number from 1"),
        ({"rounds": 2.5}, "rounds is 2.5: it should be a whole number from 1"),
        ({"seeds": 0}, "seeds is 0: give how many"),
        ({"seeds": 10**12}, "seeds is 1000000000000: give how many"),
        ({"seeds": True}, "seeds is True"),
        ({"seeds": [1, 1]}, r"seeds is \[1, 1\]"),
        ({"seeds": [-1]}, r"seeds is \[-1\]"),
        ({"seeds": [2**63]}, "seeds is "),
        ({"seeds": []}, r"seeds is \[\]"),
        ({"game": "shor"}, "Unknown game 'shor': did you mean 'shore'"),
        ({"payoffs": [[[1]], [[1]]]}, "payoffs are given for game 'shore': leave them out, or name a game of payoff"),
        ({"game": "bimatrix:a.csv,b.csv"}, "payoff table 'a.csv' cannot be read: No such file or directory; name a"),
        ({"game": "bimatrix:a,b", "payoffs": [[[1]]]}, r"payoffs is \[\[\[1\]\]\]: give the leader's table and one"),
        ({"game": "bimatrix:a,b", "payoffs": [[[1]], [[1, 2]]]}, "followers' tables have shape"),
        ({"opponent": "rndom"}, "Unknown opponent 'rndom': did you mean 'random'"),
        ({"learners": []}, r"learners is \[\]: give a list"),
        ({"learners": "hedge"}, "learners is 'hedge': give a list"),
        ({"learners": [3]}, "learners has 3: give a name, or a table with a name"),
        ({"learners": ["hegde"]}, "Unknown learner 'hegde': did you mean 'hedge'"),
        ({"learners": ["fixed"]}, "action of learner 'fixed' is missing: write fixed:ACTION"),
        ({"learners": ["fixed:x"]}, "action of learner 'fixed' is 'x'"),
        ({"learners": ["fixed:-1"]}, "action of learner 'fixed' is -1"),
        ({"learners": ["hedge:3"]}, "Unknown learner 'hedge:3': did you mean 'hedge'"),
        ({"learners": ["hedge", "hedge"]}, "learners has 'hedge' more than once: give it once"),
        ({"learners": [{"label": "x"}]}, "learners has {'label': 'x'}: give a name"),
        ({"learners": [{"name": "hedge", "label": "two\nlines"}]}, "label of learner 'hedge' is .*printable"),
        ({"learners": [{"name": "hedge", "label": ""}]}, "label of learner 'hedge' is ''"),
        ({"learners": [{"name": "hedge", "strategy": "adahege"}]}, "Unknown strategy 'adahege'"),
        ({"learners": [{"name": "anytime", "confidence_width": -1}]}, "confidence_width of learner 'anytime' is -1"),
        ({"learners": [{"name": "anytime", "confidence_width": float("nan")}]}, "confidence_width of .* is nan"),
        ({"learners": [{"name": "anytime", "regularization": 0}]}, "regularization of learner 'anytime' is 0"),
        ({"learners": [{"name": "hedge", "width": 1}]}, "Unknown parameter of learner 'hedge' 'width'"),
        ({"learners": [{"name": "anytime", "kernel": {"name": "rbg"}}]}, "Unknown kernel 'rbg'"),
        ({"opponent": 3}, "opponent is 3: it should be a text"),
        ({"game_parameters": 3}, "game_parameters is 3: it should be a table"),
        ({"learner": ["hedge"]}, "Unknown field 'learner': did you mean 'learners'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    good = {"game": "shore", "rounds": 5, "seeds": 2, "learners": ["hedge"]}
    with pytest.raises(InvalidInput, match=sentence) as refused:
        ExperimentSpec.read(good | fields)
    assert "\n" not in str(refused.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidInput, match="rounds is missing: give it"):
        ExperimentSpec.read({"game": "shore", "seeds": 2, "learners": ["hedge"]})


def test_fields_that_are_no_table_are_refused() -> None:
    with pytest.raises(InvalidInput, match="document is None"):
        ExperimentSpec.read(None)


@pytest.mark.parametrize(("content", "sentence"), [(b"game = ", "is not TOML"), (b"\xff\xfe", "is not TOML")])
def test_a_file_that_is_not_toml_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "experiment.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=sentence):
        ExperimentSpec.from_toml(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        ExperimentSpec.from_toml(tmp_path / "nothing.toml")
