import pytest

from firstmover.core.errors import FirstmoverError, InvalidInput, PrecisionLost, look_up, unknown_name
from firstmover.strategies import STRATEGIES

TABLE = {"hedge": 1, "stackelucb": 2, "single-type": 3, "exp3": 4}


def test_a_known_name():
    assert look_up("learner", "exp3", TABLE) == 4


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("stackleucb", "did you mean 'stackelucb'?"),
        ("StackelUCB", "did you mean 'stackelucb'?"),
        ("HEDGE", "did you mean 'hedge'?"),
        ("single_type", "did you mean 'single-type'?"),
    ],
)
def test_an_unknown_name_with_the_closest(given, hint):
    with pytest.raises(InvalidInput) as caught:
        look_up("learner", given, TABLE)
    assert str(caught.value) == f"Unknown learner {given!r}: {hint} Known: exp3, hedge, single-type, stackelucb."


def test_an_unknown_name_like_nothing_known():
    said = str(unknown_name("game", "zzz", ["toy", "routing"]))
    assert said == "Unknown game 'zzz': Known: routing, toy."


def test_the_table_of_strategies_is_looked_up():
    with pytest.raises(InvalidInput, match="did you mean 'adahedge'"):
        look_up("strategy", "ada-hedge", STRATEGIES)


@pytest.mark.parametrize(("error", "python"), [(InvalidInput, ValueError), (PrecisionLost, ArithmeticError)])
def test_errors_are_ours_and_python_s(error, python):
    assert issubclass(error, FirstmoverError)
    assert issubclass(error, python)
