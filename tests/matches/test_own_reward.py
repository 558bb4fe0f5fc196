"""A reward of the user's own that fails is refused in one sentence, and nothing is recorded."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from tests.matches.played import new

MODULE = """
import numpy as np

def late(actions, responses):
    if responses.max() > 15:
        raise ValueError("too much\\nof it")
    return responses[:, 0]

def raises(actions, responses):
    raise RuntimeError("boom\\nsecond line")

def leaves(actions, responses):
    raise SystemExit(5)

def imaginary(actions, responses):
    return responses[:, 0] * 1j

def table(actions, responses):
    return responses

def falls(actions, responses):
    return 3.0 - responses[:, 0]

class Whole:
    def __call__(self, actions, responses):
        return responses[:, 0]

    def best_in_box(self, actions, box):
        raise KeyError("corner")

whole = Whole()
"""


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    files = {
        "own_one": MODULE,
        "own_broken": "def f(:\n",
        "own_stops": "raise SystemExit(3)",
        "own_fails": "1 / 0",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in files:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("own_broken:f", r"'own_broken:f' cannot be imported \(SyntaxError: .*\): correct its module\.$"),
        ("own_stops:f", r"'own_stops:f' cannot be imported \(SystemExit: 3\): correct its module\.$"),
        (
            "own_fails:f",
            r"'own_fails:f' cannot be imported \(ZeroDivisionError: division by zero\): correct its module\.$",
        ),
        (
            "own_one:none",
            r"'own_one:none' cannot be imported \(module .*\): install its module where firstmover runs\.$",
        ),
        ("own_one:raises", r"fails at responses such as \[0\.0\] \(RuntimeError: boom\): correct it where"),
        ("own_one:late", r"fails at responses such as \[20\.0\] \(ValueError: too much\): correct it where"),
        ("own_one:leaves", r"\(SystemExit: 5\): correct it where"),
        ("own_one:imaginary", r"\(it returns complex128 of shape \(4,\)\): return 4 real number\(s\)"),
        ("own_one:table", r"\(it returns float64 of shape \(4, 1\)\): return 4 real"),
        ("own_one:falls", r"has \+1 for the response 'congestion', but the reward falls from 0 to 20: give -1, or"),
    ],
)
def test_it_is_refused_when_a_match_begins(tmp_path: Path, function: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence) as refused:
        new(tmp_path, reward={"function": function, "directions": [1], "range": [0.0, 20.0]})
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "matches.db").exists()


@pytest.mark.parametrize(
    ("reward", "sentence"),
    [
        (
            {"function": "own_one:late", "lipschitz": 1.0},
            r"'own_one:late' fails at responses such as \[17\.0\] \(Value",
        ),
        ({"function": "own_one:whole"}, r"'own_one:whole' fails at responses such as .* \(KeyError: 'corner'\)"),
    ],
)
def test_a_tell_that_it_fails_at_is_refused(tmp_path: Path, reward: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        play_once(tmp_path, reward)


def play_once(folder: Path, reward: dict[str, Any]) -> None:
    match = new(folder, reward=reward | {"range": [0.0, 20.0]})
    match.ask("a")
    before = match.sequence
    try:
        match.tell("a", "low", 17.0)
    finally:
        assert match.sequence == before
        assert match.history()[0].status == "pending"
