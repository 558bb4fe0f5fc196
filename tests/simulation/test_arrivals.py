import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Round
from firstmover.simulation import Adversary, Cyclic, RandomTypes, Sampled, Scripted, single

TYPES = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
P = np.array([0.5, 0.5])


def past(rounds: int) -> list[Round]:
    zero = np.zeros(1)
    return [Round(t + 1, P, 0, TYPES[0], zero, zero, 0.0) for t in range(rounds)]


def drawn(source: object, rounds: int, strategy: Vector = P) -> list[list[float]]:
    rng = np.random.default_rng(0)
    return [source.draw(strategy, past(t), rng).tolist() for t in range(rounds)]


def test_cyclic_goes_round_and_round() -> None:
    assert drawn(Cyclic(TYPES), 5) == [TYPES[i].tolist() for i in (0, 1, 2, 0, 1)]


def test_single_stays() -> None:
    assert drawn(single([0.7]), 3) == [[0.7]] * 3


def test_random_types_come_with_their_probabilities() -> None:
    """χ² of 10 000 draws against (0.2, 0, 0.8): one degree of freedom, refused one time in a thousand."""
    source, rng, rounds = RandomTypes(TYPES, np.array([0.2, 0.0, 0.8])), np.random.default_rng(1), 10_000
    first = np.array([source.draw(P, [], rng)[0] for _ in range(rounds)])
    counts = np.array([(first == t).sum() for t in TYPES[:, 0]])
    assert counts[1] == 0
    expected = np.array([0.2, 0.8]) * rounds
    assert ((counts[[0, 2]] - expected) ** 2 / expected).sum() < chi2.isf(1e-3, 1)


def test_random_types_come_equally_often_when_nothing_is_said() -> None:
    source, rng, rounds = RandomTypes(TYPES), np.random.default_rng(1), 9_000
    counts = np.unique([source.draw(P, [], rng)[0] for _ in range(rounds)], return_counts=True)[1]
    assert ((counts - 3_000) ** 2 / 3_000).sum() < chi2.isf(1e-3, 2)


@pytest.mark.parametrize(
    ("probabilities", "sentence"),
    [
        ([0.5, 0.5], "probabilities has 2 number(s): give 3."),
        ([0.5, 0.6, 0.2], "probabilities sums to 1.3: probabilities must sum to 1."),
        ([1.5, -0.5, 0.0], "probabilities has the value -0.5 at position 1: probabilities are 0 or more."),
        ([np.nan, 0.5, 0.5], "probabilities has the value nan at position 0: every number must be finite."),
    ],
)
def test_probabilities_that_are_none_are_refused(probabilities: list[float], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        RandomTypes(TYPES, np.array(probabilities))


@pytest.mark.parametrize("source", [Cyclic, RandomTypes, Scripted, lambda types: Adversary(types, lambda _: P)])
def test_no_types_at_all_are_refused(source: object) -> None:
    with pytest.raises(InvalidInput, match="types has no rows: give at least one type"):
        source(np.empty((0, 2)))


def test_sampled_types_come_from_the_given_stream_and_are_checked() -> None:
    assert drawn(Sampled(lambda rng: rng.random(2)), 2) == np.random.default_rng(0).random((2, 2)).tolist()
    with pytest.raises(InvalidInput, match="opponent_type has the value inf at position 0"):
        Sampled(lambda _: np.array([np.inf])).draw(P, [], np.random.default_rng(0))


def test_a_script_is_read_once_and_then_ends() -> None:
    assert drawn(Scripted(TYPES), 3) == TYPES.tolist()
    with pytest.raises(InvalidInput, match=r"^types has 3 rows: round 4 needs one more\.$"):
        drawn(Scripted(TYPES), 4)


def test_a_script_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "types.csv"
    file.write_text("demand,hour\n1,2\n" + "3,4\n" * 200 + "0.25,1e-3\n")  # the fractions come late
    np.testing.assert_array_equal(Scripted.from_file(file).types[[0, 1, -1]], [[1, 2], [3, 4], [0.25, 0.001]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a,b\n1,2\n3,x\n",
            "cannot be read as CSV: conversion from `str` to `f64` failed in column 'b' for 1 out of 2 values: "
            '["x"].',
        ),
        ("a,b\n1,2\n3\n", "has the value nan at position 1, 1: every number must be finite."),
        ("a,b\n1,2,3\n", "cannot be read as CSV: found more fields than defined in 'Schema'."),
        ("0.1,0.1\n0.3,0.4\n", "begins with numbers: name the features in its first line."),
        ("", "cannot be read as CSV: empty CSV."),
        ("a,b\n", "has no rows: give at least one type below its first line."),
    ],
)
def test_a_file_that_is_no_script_is_refused_by_name(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "types.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=f"^{re.escape(f'types file {str(file)!r} {sentence}')}$"):
        Scripted.from_file(file)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"types file '.*nothing\.csv' cannot be read as CSV: .*No such file"):
        Scripted.from_file(tmp_path / "nothing.csv")
    with pytest.raises(InvalidInput, match=r"cannot be read as CSV: .*directory"):
        Scripted.from_file(tmp_path)
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(InvalidInput, match=r"^types file '.*picture\.csv' cannot be read as CSV: give text in UTF-8\."):
        Scripted.from_file(tmp_path / "picture.csv")


def test_the_adversary_by_hand() -> None:
    """Two actions, three types with rewards (4, 1), (1, 3), (2, 2): p·r is, for p = (¾, ¼), 3.25, 1.5, 2."""
    table = dict(zip(TYPES[:, 0].tolist(), np.array([[4.0, 1.0], [1.0, 3.0], [2.0, 2.0]]), strict=True))
    adversary = Adversary(TYPES, lambda theta: table[theta[0]])
    # (½, ½): 2.5, 2, 2, the first of the two smallest; (0.45, 0.55): 2.35, 2.1, 2, the third.
    choices = {(0.75, 0.25): 1, (0.25, 0.75): 0, (0.5, 0.5): 1, (0.45, 0.55): 2, (0.0, 1.0): 0, (1.0, 0.0): 1}
    for p, i in choices.items():
        np.testing.assert_array_equal(adversary.draw(np.array(p), [], np.random.default_rng(0)), TYPES[i])
