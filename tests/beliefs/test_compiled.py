"""The loops that numba compiles say what NumPy says; plain Python runs them where numba is not installed."""

from importlib.util import find_spec

import mpmath
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from firstmover import compiled
from firstmover.beliefs import FiniteBelief
from firstmover.errors import InvalidInput
from firstmover.gram import DomainGram
from tests.beliefs.test_columns import KERNEL, check, observed

PLAIN = compiled.Loops(compiled.absorb, compiled.exponential, compiled.squared)


@pytest.fixture(params=["plain", *(["numba"] if find_spec("numba") else [])])
def loops(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(compiled, "_compiled", lambda: PLAIN)
    compiled.use(True)
    yield
    compiled.use(None)


def prior(problem):
    return FiniteBelief.prior(KERNEL, 0.01, problem.actions, problem.types, 2)


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize(("n", "t"), [(6, 30), (40, 19), (40, 70), (400, 3)])
def test_mean_and_deviation_are_right(n, t):
    """Before, at and after the fold, with the table and, for 800 points, row by row."""
    problem = observed(n, 2, t)
    check(problem.told(prior(problem)), problem)


@pytest.mark.usefixtures("loops")
def test_an_old_belief_has_another_child():
    problem = observed(6, 2, 5)
    belief = problem.told(prior(problem))
    told = belief.condition(0, problem.types[0], np.ones(2))
    again = belief.condition(0, problem.types[0], np.ones(2))
    np.testing.assert_allclose(told.predict(problem.types[1]).mean, again.predict(problem.types[1]).mean, rtol=1e-12)
    check(belief, problem)


def test_nothing_is_compiled_unless_asked_for(monkeypatch):
    monkeypatch.delenv(compiled.VARIABLE, raising=False)
    assert compiled.loops() is None
    monkeypatch.setattr(compiled, "_compiled", lambda: PLAIN)
    monkeypatch.setenv(compiled.VARIABLE, "1")
    assert compiled.loops() is PLAIN
    compiled.use(False)
    assert compiled.loops() is None
    compiled.use(None)


def test_without_numba_the_wish_is_refused(monkeypatch):
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"asks for numba, which is not installed: run pip install '\.\[fast\]' in"):
        compiled._compiled.__wrapped__()


@pytest.mark.parametrize("value", ["yes", "true", "2", " 1"])
def test_a_wish_that_is_not_understood_is_refused(monkeypatch, value):
    monkeypatch.setenv(compiled.VARIABLE, value)
    with pytest.raises(
        InvalidInput, match=f"FIRSTMOVER_COMPILED is '{value}': set it to 1 for compiled loops, or to 0"
    ):
        compiled.loops()
    for plain in ("", "0"):
        monkeypatch.setenv(compiled.VARIABLE, plain)
        assert compiled.loops() is None


@pytest.mark.usefixtures("loops")
def test_the_exponential_is_right_to_the_last_places():
    """At distances whose squares are exact; the same formula by NumPy is off by 2.4 units in the last place."""
    rng = np.random.default_rng(5)
    d = np.concatenate(
        [[0.0, 1e-300, 707.0], rng.uniform(0, 1, 1000), rng.uniform(0, 12, 1500), rng.uniform(0, 707, 500)]
    )
    d = d.astype(np.float32).astype(float)  # 24 bits: the square is exact
    squared, values = d * d, np.empty(len(d))
    compiled.loops().exponential(squared, 1 / 3, values)
    with mpmath.workprec(120):
        exact = [(1 + x + x * x * mpmath.mpf(1 / 3)) * mpmath.exp(-x) for x in map(mpmath.mpf, d.tolist())]
        off = [
            float(abs(mpmath.mpf(v) - e)) / np.spacing(float(e)) for v, e in zip(values.tolist(), exact, strict=True)
        ]
    assert max(off) < 3  # one for exp, two for its factor and their product


@pytest.mark.usefixtures("loops")
def test_a_far_distance_gives_nothing():
    values = np.empty(3)
    compiled.loops().exponential(np.array([0.0, 708.5**2, 1e200]), 1 / 3, values)
    np.testing.assert_array_equal(values, [1.0, 0.0, 0.0])


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("features", [1, 2, 3, 25])
@pytest.mark.parametrize("nu", [1.5, 2.5])
def test_a_row_is_written_as_the_kernel_says(features, nu):
    actions = np.random.default_rng(6).random((30, features))
    gram = DomainGram(Matern(0.7, nu=nu), actions, np.ones((1, 1)))
    row = np.empty(30)
    for j in (0, 17, 29):
        gram.write(j, row)
        np.testing.assert_allclose(row, gram.kernel(gram.points[j : j + 1], gram.points)[0], rtol=0, atol=2e-14)
        assert row[j] == 1.0
