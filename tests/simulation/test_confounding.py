"""Signs of confounding: each is found where it was planted, and none where decisions were drawn by chance."""

import numpy as np
import pytest

from firstmover.simulation.confounding import confounding, outcome_like
from firstmover.simulation.response_model import History

NAMES = (["price"], ["deal"], ["sold"])


def table(seed: int, t: int = 120, *, feedback: float = 0.0, trend: float = 0.0, deal: float = 0.0) -> History:
    rng = np.random.default_rng(seed)
    theta = rng.integers(0, 2, size=t).astype(float)
    x, y = np.empty(t), np.empty(t)
    for i in range(t):
        x[i] = 3 - deal * theta[i] + 0.2 * rng.standard_normal() + trend * i / t
        x[i] += feedback * (y[i - 1] - 10) if i else 0.0
        y[i] = 16 - 2 * x[i] + theta[i] + rng.standard_normal() + 4 * trend * i / t
    return History(x[:, None], theta[:, None], y[:, None])


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ({"feedback": 0.1}, "price followed sold of the round before: it was raised when sold had been high"),
        ({"feedback": -0.1}, "it was lowered when"),
        ({"trend": 1.0}, "price and sold moved over time in the same direction"),
        ({"deal": 2.0}, "of the variation of price went along with what else was recorded, most with deal"),
    ],
)
def test_planted_signs_are_found(planted: dict[str, float], words: str) -> None:
    found = [confounding(table(seed, **planted), *NAMES).signs for seed in range(10)]
    assert sum(any(words in sign for sign in signs) for signs in found) >= 9


def test_decisions_drawn_by_chance_rarely_show_a_sign() -> None:
    """Two tests at 1 % each: 100 tables show 2 signs on average, and more than 7 with probability 0.001."""
    found = sum(bool(confounding(table(seed), *NAMES).signs) for seed in range(100))
    assert found <= 7
    assert "No sign" in confounding(table(0), *NAMES).lines()[0]


def test_constant_decisions_and_no_types_are_no_signs() -> None:
    past = table(0)
    assert confounding(past._replace(features=np.ones((120, 1))), *NAMES).signs == ()
    assert confounding(past._replace(types=np.empty((120, 0))), ["price"], [], ["sold"]).signs == ()


def test_a_type_that_follows_from_the_decision_is_outcome_like() -> None:
    past, rng = table(0), np.random.default_rng(1)
    price = past.features[:, 0]
    cars = 9 - 2 * price + 0.05 * rng.standard_normal(120)
    types = np.column_stack([past.types[:, 0], cars, rng.standard_normal(120)])
    found = outcome_like(past._replace(types=types), (0,), ["deal", "cars", "weather"])
    assert list(found) == ["cars"]
    assert found["cars"] > 0.9
    assert outcome_like(past._replace(types=types), (0, 1), ["deal", "cars", "weather"]) == {}


def test_a_type_that_the_context_explains_is_none() -> None:
    """Price and temperature both follow the season, which is known before."""
    past, rng = table(0), np.random.default_rng(2)
    season = rng.integers(0, 2, 120).astype(float)
    price, warm = 3 + season + 0.2 * rng.standard_normal(120), 10 + 9 * season + rng.standard_normal(120)
    history = past._replace(features=price[:, None], types=np.column_stack([season, warm]))
    assert outcome_like(history, (0,), ["season", "warm"]) == {}
    assert outcome_like(history, (), ["season", "warm"]).keys() == {"season", "warm"}
