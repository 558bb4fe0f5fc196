import numpy as np
import pytest
from benchmarks.peers.growth import estimated, growth_exponent
from hypothesis import given
from hypothesis import strategies as st

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
    each = sum(c * (t / 300) ** i for i, c in enumerate(coefficients))
    cost, reads = np.cumsum(each), T[T <= 700].astype(int)
    later = {s: float(each[s - 1]) for s in (1000, 1500, 2000)}
    assert estimated(reads.astype(float), cost[reads - 1], later, 2000) == pytest.approx(cost[-1], rel=1e-6)


def test_later_rounds_say_what_early_ones_cannot() -> None:
    """c(t) = 1 + (t / 1000)³ looks constant until round 60; three later rounds tell, within a few per cent of noise."""
    t, rng = np.arange(1.0, 2001.0), np.random.default_rng(0)
    each = (1 + (t / 1000) ** 3) * rng.uniform(0.95, 1.05, 2000)
    later = {s: float(each[s - 1]) for s in (700, 1350, 2000)}
    reads = np.arange(1, 61)
    assert estimated(reads.astype(float), np.cumsum(each)[:60], later, 2000) == pytest.approx(each.sum(), rel=0.08)
    assert growth_exponent(reads.astype(float), np.cumsum(each)[:60], 200, later) > 0.5
