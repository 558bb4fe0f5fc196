"""firstmover match evaluate: tables, JSON, refusals."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firstmover.cli.application import app
from firstmover.matches import Match
from tests.matches.test_contexts import KIOSK, played


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "m.db"
    with Match.create(path, "kiosk", KIOSK) as match:
        played(match, 9)
    return str(path)


def evaluate(store: str, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["match", "evaluate", "kiosk", "--store", store, *options])
    return done.exit_code, done.output


def test_every_action_is_evaluated_by_default(store: str) -> None:
    code, output = evaluate(store)
    assert code == 0, output
    first, header, *rows = output.splitlines()
    assert first.startswith("9 told rounds: ")
    assert header.split("  ")[0] == "policy"
    assert [row.split()[0] for row in rows] == ["played", "1.0", "2.0", "3.0", "4.0"]


def test_policies_rewards_and_learners_by_options(store: str) -> None:
    by = "weekday:mon=1.0,sat=2.0,sun=4.0"
    code, output = evaluate(
        *(store, "--action", "3.0", "--policy", "uniform", "--by", by, "--learner", "uniform"),
        *("--reward", "price * sold - sold", "--json"),
    )
    assert code == 0, output
    found = json.loads(output)
    assert [each["policy"] for each in found["policies"]] == ["played", "uniform", "3.0", by, "learner uniform"]
    with Match.open(store, "kiosk") as match:
        assert found["earned"] == match.evaluate(reward="price * sold - sold").earned


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--policy", "best"), "Unknown policy 'best'"),
        (("--action", "9.0"), "Unknown action '9.0'"),
        (("--by", "weekday"), "--by is 'weekday': give a context"),
        (("--learner", "nobody"), "Unknown learner 'nobody'"),
        (("--reward", "sold * sold"), "reward multiplies"),
    ],
)
def test_bad_options_are_one_sentence(store: str, options: tuple[str, ...], sentence: str) -> None:
    code, output = evaluate(store, *options)
    assert code == 2
    assert sentence in output
    assert len(output.strip().splitlines()) == 1
