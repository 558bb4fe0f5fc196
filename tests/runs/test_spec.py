from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.runs import ExperimentSpec
from firstmover.runs.spec import read_seeds
from tests.cli.running import refused
from tests.runs.small import document, plan

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown learner": ({"learners": ["stackleucb"]}, "Unknown learner 'stackleucb': did you mean 'stackelucb'"),
    "unknown game": ({"games": ["shoer"]}, "Unknown game 'shoer': did you mean 'shore'"),
    "unknown opponent": ({"opponents": ["radnom"]}, "Unknown opponent 'radnom': did you mean 'random'"),
    "unknown field": ({"oponents": ["random"]}, "Unknown field 'oponents': did you mean 'opponents'"),
    "empty axis": ({"games": []}, r"games is \[\]: give a list of one or more"),
    "empty parameter": (
        {"learners": [{"name": "stackelucb", "confidence_width": []}]},
        r"confidence_width in learners is \[\]: give a list of one or more",
    ),
    "no axis": ({"horizons": None}, "horizons is missing: give it"),
    "not a list": ({"horizons": 5}, "horizons is 5: give a list of one or more"),
    "seeds twice": ({"seeds": [3, 1, 3]}, r"seeds is \[3, 1, 3\]: .* a list of different whole numbers"),
    "parameter too large": (
        {"games": [{"name": "shore", "noise_std": 10**400}]},
        "noise_std of game 'shore' is 1000.*: it should be a valid number",
    ),
    "parameter of no number": (
        {"games": [{"name": "shore", "noise_std": "much"}]},
        "noise_std of game 'shore' is 'much': it should be a valid number",
    ),
    "several labels": ({"games": [{"name": "shore", "label": ["a", "b"]}]}, r"label of game 'shore' is \['a', 'b'\]"),
    "kernels for nobody": (
        {"learners": ["exp3"], "kernels": ["rbf"]},
        "kernels are given, and no learner here has a kernel: leave them out",
    ),
    "two of one name": (
        {
            "learners": ["stackelucb", {"name": "hedge", "label": "stackelucb kernel rbf"}],
            "kernels": [{"name": "rbf", "length_scale": 0.2, "label": "rbf"}],
        },
        "2 learners with their kernels are called 'stackelucb kernel rbf': give other labels",
    ),
    "no seeds": ({"seeds": 0}, "seeds is 0: give how many"),
    "horizon twice": ({"horizons": [5, 5]}, "horizons has 5 more than once: give it once"),
    "negative horizon": ({"horizons": [10, -5]}, "horizons.1 is -5: it should be a whole number from 1 to 10000000"),
    "horizon of a half": ({"horizons": [0.5]}, "horizons.0 is 0.5: it should be a whole number from 1"),
    "learner twice": (
        {"learners": ["exp3", {"name": "exp3"}]},
        "learners has 'exp3' more than once: give each a label",
    ),
    "negative width": (
        {"learners": [{"name": "stackelucb", "confidence_width": [1.0, -1.0]}]},
        "confidence_width of learner 'stackelucb' is -1.0: it should be greater than or equal to 0",
    ),
    "parameter of another learner": (
        {"learners": [{"name": "exp3", "confidence_width": 1.0}]},
        "learner 'exp3' takes no parameters: leave confidence_width out",
    ),
    "rate of one that finds its own": (
        {"learners": [{"name": "stackelucb", "strategy": "adahedge", "rate_factor": 2.0}]},
        "rate_factor is 2.0: strategy 'adahedge' finds its own rate, so leave it out",
    ),
    "learner without a name": ({"learners": [{"label": "x"}]}, "learners has .*: give a name, or a table with a name"),
    "unknown parameter of a game": (
        {"games": [{"name": "shore", "nosie_std": 0.1}]},
        "Unknown parameter of game 'shore' 'nosie_std': did you mean 'noise_std'",
    ),
    "negative noise": (
        {"games": [{"name": "shore", "noise_std": [0.1, -0.1]}]},
        "noise_std of game 'shore' is -0.1: it should be greater than or equal to 0",
    ),
    "unknown kernel": ({"kernels": [{"name": "rfb"}]}, "Unknown kernel 'rfb': did you mean 'rbf'"),
    "two kernels": (
        {"kernels": [{"name": "rbf"}], "learners": [{"name": "stackelucb", "kernel": {"name": "rbf"}}]},
        "learner 'stackelucb' has a kernel of its own beside the axis kernels: give one only",
    ),
    "unknown keep": ({"keep": "everything"}, "keep is 'everything': it should be 'summary', 'curves' or 'rounds'"),
    "gap of an unknown field": (
        {"leave_out": [{"learnr": "hedge"}]},
        "Unknown field of leave_out 'learnr': did you mean 'learner'",
    ),
    "gap of nothing": ({"leave_out": [{}]}, "leave_out.0 is {}: give 1 or more entries"),
    "gap that no task lies in": (
        {"leave_out": [{"learner": "exp3"}]},
        r"leave_out has {'learner': \['exp3'\]}, which no task matches",
    ),
    "all left out": ({"leave_out": [{"game": "shore"}]}, "leave_out leaves out every task: leave some in"),
    "learner that cannot play": (
        {"learners": ["gp-ucb"]},
        "learner 'gp-ucb' in game 'shore' against 'random': game 'shore' has 5 types",
    ),
    "one run under two names": (
        {"learners": ["hedge", {"name": "hedge", "label": "other"}]},
        "'hedge in shore' and 'other in shore' are the same run under two names",
    ),
    "too many": ({"seeds": 10_000, "horizons": list(range(1, 101))}, "the axes give more than 1,000,000 tasks"),
    "no such script": (
        {"opponents": ["script:nowhere.csv"]},
        "types file 'nowhere.csv' cannot be read as CSV",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_specification_is_refused_in_one_sentence(case: str) -> None:
    changes, sentence = BAD[case]
    with pytest.raises(InvalidInput, match=sentence) as refusal:
        plan(**changes)
    assert "\n" not in str(refusal.value)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


TOML = 'games = ["shore"]\nlearners = ["hedge"]\nhorizons = [5]\nseeds = 2\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TOML.replace("[5]", "[-5]"), "horizons.0 is -5: it should be a whole number from 1 to 10000000."),
        (TOML + "seeds = 3\n", "is not TOML: Cannot overwrite a value"),
        (TOML.replace('"hedge"', '"hegde"'), "Unknown learner 'hegde': did you mean 'hedge'?"),
    ],
)
def test_the_command_refuses_before_anything_starts(text: str, sentence: str, tmp_path: Path) -> None:
    file, out = written(tmp_path / "bad.toml", text), tmp_path / "out"
    assert sentence in refused("sweep", "run", str(file), "--out", str(out))
    assert not out.exists()


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refused("sweep", "run", str(tmp_path / "none.toml"))


def test_lists_are_spread_and_told_apart() -> None:
    learners = [{"name": "stackelucb", "label": "ours", "confidence_width": [0.5, 1.0], "rate_factor": [1.0, 2.0]}]
    games = [{"name": "harbour", "horizon": [100, 400]}, "shore"]
    spec = ExperimentSpec.read(document(learners=learners, games=games))
    assert [choice.variant for choice in spec.learners] == [
        "ours β 0.5 η × 1.0",
        "ours β 0.5 η × 2.0",
        "ours β 1.0 η × 1.0",
        "ours β 1.0 η × 2.0",
    ]
    assert [choice.variant for choice in spec.games] == ["harbour horizon 100", "harbour horizon 400", "shore"]


def test_more_members_than_a_sweep_can_have_are_refused_at_once() -> None:
    many = [float(i) for i in range(1, 401)]
    learner = {"name": "stackelucb", "confidence_width": many, "rate_factor": many, "regularization": many}
    with pytest.raises(InvalidInput, match="'stackelucb' in learners has 64,000,000 members: give at most 10,000"):
        ExperimentSpec.read(document(learners=[learner]))
    with pytest.raises(InvalidInput, match="horizons has 200,000 members: give at most 10,000"):
        ExperimentSpec.read(document(horizons=list(range(1, 200_001))))


def test_seeds_are_below_two_to_the_63() -> None:
    assert read_seeds([127, 2**63 - 1, 0]) == (127, 2**63 - 1, 0)
    for seed in (2**63, -1, True, 1.0):
        with pytest.raises(InvalidInput, match=r"give how many, .* or a list of different whole numbers, 0 or more"):
            read_seeds([seed])
