"""The loops that numba compiles say what NumPy says; plain Python runs them where numba is not installed."""

from importlib.util import find_spec

import numpy as np
import pytest

from firstmover import compiled
from firstmover.beliefs import FiniteBelief
from firstmover.errors import InvalidInput
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
    with pytest.raises(InvalidInput, match=r"asks for numba, which is not installed: pip install 'firstmover\[fast\]'"):
        compiled._compiled.__wrapped__()
