"""A finite domain before and after its covariance is folded, for domains on both sides of every limit."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from firstmover.beliefs import FiniteBelief, columns
from firstmover.kernels import on_action, on_type, pairs
from tests.beliefs.high_precision import posterior_80
from tests.problems import Problem

KERNEL = on_action(Matern(0.5, nu=2.5)) * on_type(RBF(1.0))


def observed(n, q, t, seed=0, m=2):
    rng = np.random.default_rng(seed)
    return Problem(
        kernel=KERNEL,
        regularization=0.01,
        actions=rng.uniform(size=(n, 4)),
        types=rng.uniform(size=(q, 2)),
        chosen=np.column_stack([rng.integers(n, size=t), rng.integers(q, size=t)]),
        responses=rng.normal(size=(t, m)),
    )


def told(problem):
    return problem.told(FiniteBelief.prior(KERNEL, 0.01, problem.actions, problem.types, problem.responses.shape[1]))


def check(belief, problem, t=None):
    """Mean within 1e-12 and standard deviation within 1e-13, with the kernel's entries taken as exact."""
    points, t = problem.points, len(problem.points) if t is None else t
    for kind in problem.types[:2]:
        queries, said = pairs(problem.actions, kind[None]), belief.predict(kind)
        mean, std = posterior_80(
            problem.bound(points[:t]),
            0.01,
            problem.responses[:t],
            problem.bound(points[:t], queries),
            np.ones(len(queries)),
        )
        assert np.max(np.abs(said.mean - mean)) <= 1e-12
        assert np.max(np.abs(said.std - std)) <= 1e-13


@pytest.mark.parametrize("t", [1, 19, 20, 21, 67, 68, 69, 300])
def test_around_the_folds(t):
    """80 points fold after 20 rows, then after every 48."""
    problem = observed(40, 2, t)
    check(told(problem), problem)


@pytest.mark.parametrize(("n", "q"), [(350, 2), (700, 3)])
def test_tables_that_wait_and_domains_without_one(n, q):
    """700 points compute rows until they fold after 175; 2,100 never fold."""
    problem = observed(n, q, 200)
    check(told(problem), problem)


def test_limits_are_where_the_cases_above_expect_them():
    assert 3 * 350 <= columns.TABLE_LIMIT < 2100


def test_an_old_belief_has_another_child_after_the_fold():
    problem = observed(40, 2, 100)
    belief, old = FiniteBelief.prior(KERNEL, 0.01, problem.actions, problem.types, 2), None
    for t, ((action, kind), response) in enumerate(zip(problem.chosen, problem.responses, strict=True)):
        old = belief if t == 10 else old
        belief = belief.condition(int(action), problem.types[kind], response)
    check(belief, problem)
    check(old, problem, t=10)
    (action, kind), response = problem.chosen[10], problem.responses[10]
    check(old.condition(int(action), problem.types[kind], response), problem, t=11)
    check(belief, problem)


def test_memory_of_the_park():
    """525 patrols, one type: below 10 MB whatever t."""
    rng = np.random.default_rng(0)
    belief = FiniteBelief.prior(Matern(0.5, nu=2.5), 0.01, rng.dirichlet(np.ones(25), 525), np.ones((1, 1)), 2)
    for _ in range(400):
        belief = belief.condition(int(rng.integers(525)), np.ones(1), rng.normal(size=2))
    held = belief._columns
    assert held._covariance.nbytes + held._rows.nbytes + belief._domain.gram.points.nbytes < 10e6
