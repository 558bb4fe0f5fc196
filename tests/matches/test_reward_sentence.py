"""Rewards as sentences: parsed, evaluated on a menu, and written in a configuration."""

from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches.reward_sentence import coefficient, evaluated, parse_reward


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("price * bought", "bought"),
        ("price *", "ends too early"),
        ("price", "name what is observed"),
        ("sold * sold", "multiplies sold and sold"),
        ("sold * heat", "multiplies heat and sold"),
        ("(price - 1 * sold", "not closed"),
        ("sold / price", "divides"),
        ("sold + exp(sold)", "in one way"),
        ("sold $ 2", "where a name or a number should be"),
        ("(" * 30 + "sold", "too many parentheses"),
    ],
)
def test_rewards_that_cannot_be_read(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence.replace("(", r"\(")):
        parse_reward(text, ["price"], ["sold", "heat"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("revenue = price × sold − 0.4 × sold", [[1.6, 0.0], [2.6, 0.0]]),
        ("(price - 0,4) * sold / 2", [[0.8, 0.0], [1.3, 0.0]]),
        ("-sold + 3*price*heat + price*price", [[-1.0, 6.0], [-1.0, 9.0]]),
        ("2 * (sold - (heat + 1))", [[2.0, -2.0], [2.0, -2.0]]),
    ],
)
def test_rewards_as_sentences(text: str, expected: Any) -> None:
    found = parse_reward(text, ["price"], ["sold", "heat"])
    columns = {"price": np.array([2.0, 3.0])}
    worths = [evaluated(found.responses.get(name, {}), columns) for name in ("sold", "heat")]
    assert np.allclose(np.transpose(worths), expected)


def test_coefficients_of_configurations() -> None:
    assert coefficient({}) == 0.0
    assert coefficient({(): 2.0, ("price",): 0.0}) == 2.0
    assert coefficient({("price",): 1.0}) == "price"
    assert coefficient({("price",): -2.0}) == {"column": "price", "times": -2.0}
    assert coefficient({("price",): 1.0, (): 1.0}) is None
    assert coefficient({("price", "price"): 1.0}) is None
