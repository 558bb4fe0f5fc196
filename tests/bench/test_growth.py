import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.bench.growth import extrapolated, growth_exponent

T = np.unique(np.geomspace(1, 2000, 80).astype(int)).astype(float)


@given(st.floats(0, 3))
def test_the_exponent_of_a_power_law_is_found_from_its_sums(power: float) -> None:
    cost = np.cumsum(np.arange(1.0, 2001.0) ** power)[T.astype(int) - 1]
    assert growth_exponent(T, cost, settled=200) == pytest.approx(power, abs=0.02)


def test_what_comes_before_the_law_settles_does_not_count() -> None:
    each = np.where(np.arange(1, 2001) < 500, 7.0, 0.5)
    assert growth_exponent(T, np.cumsum(each)[T.astype(int) - 1], settled=600) == pytest.approx(0, abs=1e-9)


def test_less_than_a_doubling_says_nothing_of_growth() -> None:
    assert growth_exponent(T, T, settled=1001) is None
    assert growth_exponent(np.array([0.0]), np.array([0.0]), settled=1) is None


@given(st.lists(st.floats(0, 5), min_size=4, max_size=4).filter(lambda c: sum(c) > 0.1))
def test_a_stopped_run_is_carried_on_by_its_own_law(coefficients: list[float]) -> None:
    t = np.arange(1.0, 2001.0)
    cost = np.cumsum(sum(c * (t / 300) ** i for i, c in enumerate(coefficients)))
    reads = T[T <= 700].astype(int)
    assert extrapolated(reads.astype(float), cost[reads - 1], 2000) == pytest.approx(cost[-1], rel=1e-6)


def test_a_run_of_a_few_rounds_is_not_carried_on() -> None:
    assert extrapolated(np.arange(1.0, 16.0), np.arange(1.0, 16.0), 1000) is None
