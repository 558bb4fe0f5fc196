"""A belief over a large menu against the plain equations, across its blocks and panels."""

import re
from functools import reduce

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, RationalQuadratic

from firstmover.beliefs import FiniteBelief, FreshBelief, LargeBelief, belief_over, large
from firstmover.core import numerics
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.kernels import on_action, on_type, pairs, polynomial
from tests.beliefs.high_precision import posterior_80
from tests.problems import Problem

KERNEL = on_action(RBF(0.5)) * on_type(RBF(0.5))
PRODUCTS = [
    KERNEL,
    RBF(0.7),
    RBF([0.4, 0.9, 1.3, 0.5, 2.0]) * ConstantKernel(0.3),
    (on_action(Matern(0.5, nu=1.5)) * on_type(polynomial(2, bias=0.2))) ** 2 * 0.5,
    (on_action(RBF(0.4)) + on_action(DotProduct(0.3))) * (on_type(RBF(0.5)) + on_type(RationalQuadratic())),
    on_action(Matern(0.8, nu=2.5)),
    on_type(RBF(0.8)) + on_type(RBF(0.2)),
]


def observed(t, *, kernel=KERNEL, n=90, q=3, seed=0, regularization=0.01, m=2):
    """Some actions come twice at one type, and some at several types."""
    rng = np.random.default_rng(seed)
    return Problem(
        kernel=kernel,
        regularization=regularization,
        actions=rng.uniform(size=(n, 3)),
        types=rng.uniform(size=(q, 2)),
        chosen=np.column_stack([rng.integers(n // 2, size=t), rng.integers(q, size=t)]),
        responses=rng.normal(size=(t, m)),
    )


def prior(problem):
    outputs = problem.responses.shape[1]
    return LargeBelief.prior(problem.kernel, problem.regularization, problem.actions, problem.types, outputs)


def rounds(problem):
    for (action, kind), response in zip(problem.chosen, problem.responses, strict=True):
        yield int(action), problem.types[kind], response


def check(belief, problem, t, slack=1.0):
    """μ within 1e-12 and σ within 1e-13 of an extended-precision solve, at every type."""
    points = problem.points[:t]
    for kind in problem.types:
        queries, said = problem.queries(kind), belief.predict(kind)
        gram, cross = problem.bound(points), problem.bound(points, queries)
        diagonal = problem.bound.diag(queries)
        mean, std = posterior_80(gram, problem.regularization, problem.responses[:t], cross, diagonal)
        scale = slack * max(1.0, diagonal.max())
        assert np.max(np.abs(said.mean - mean)) <= 1e-12 * scale
        assert np.max(np.abs(said.std - std)) <= 1e-13 * scale


@pytest.mark.parametrize("kernel", PRODUCTS, ids=str)
@pytest.mark.parametrize("asked", ["every round", "at the end"])
def test_agrees_with_the_plain_equations(kernel, asked, monkeypatch):
    """150 observations fill several blocks of every type; 90 actions are three wide panels and six narrow ones."""
    monkeypatch.setattr(large, "WIDE", 32)
    monkeypatch.setattr(large, "NARROW", 16)
    problem = observed(150, kernel=kernel)
    belief = prior(problem)
    for action, kind, response in rounds(problem):
        if asked == "every round":
            belief.predict(kind)
        belief = belief.condition(action, kind, response)
    check(belief, problem, 150, slack=2.0)
    gram = problem.bound(problem.points)
    _, log_determinant = np.linalg.slogdet(np.eye(150) + gram / 0.01)
    assert belief.information_gain == pytest.approx(0.5 * log_determinant, rel=1e-9)


def test_before_the_first_round():
    problem = observed(1)
    said = prior(problem).predict(problem.types[1])
    assert not said.mean.any()
    np.testing.assert_array_equal(said.std, 1.0)


def test_old_beliefs_stay_usable():
    problem, family = observed(60), []
    belief = prior(problem)
    for action, kind, response in rounds(problem):
        family.append(belief)
        belief.predict(kind)
        belief = belief.condition(action, kind, response)
    for t in (0, 3, 40, 59):
        check(family[t], problem, t)
    action, kind, response = list(rounds(problem))[3]
    check(family[3].condition(action, kind, response), problem, 4)
    check(belief, problem, 60)


def test_two_lines_from_one_parent():
    problem, other = observed(40), observed(40, seed=1)
    parent = prior(problem)
    for action, kind, response in list(rounds(problem))[:20]:
        parent = parent.condition(action, kind, response)
    lines = [parent, parent]
    for one, two in zip(list(rounds(problem))[20:], list(rounds(other))[20:], strict=True):
        lines[0] = lines[0].condition(*one)
        lines[1] = lines[1].condition(two[0], one[1], two[2])
        lines[1].predict(one[1])
    check(lines[0], problem, 40)
    check(parent, problem, 20)
    chosen = np.vstack([problem.chosen[:20], np.column_stack([other.chosen[20:, 0], problem.chosen[20:, 1]])])
    responses = np.vstack([problem.responses[:20], other.responses[20:]])
    joined = Problem(KERNEL, 0.01, problem.actions, problem.types, chosen, responses)
    check(lines[1], joined, 40)


def test_a_prediction_cannot_write_into_its_belief():
    problem = observed(5)
    belief = problem.told(prior(problem))
    said = belief.predict(problem.types[0])
    said.mean[:] = said.std[:] = 7.0
    check(belief, problem, 5)


def test_rows_of_an_action_seen_again_are_shared():
    problem = observed(3)
    belief = prior(problem)
    for _ in range(40):
        belief = belief.condition(4, problem.types[0], np.zeros(2))
    assert len(belief._domain._slots[0]) == 1


def refused(sentence, error=InvalidInput):
    return pytest.raises(error, match=re.escape(sentence))


def test_kernels_that_are_no_product():
    for kernel in (
        on_action(RBF()) + on_type(RBF()),
        Matern(),
        polynomial(2),
        RBF() + on_type(RBF()),
        DotProduct() ** 2,
    ):
        with refused(
            "is not a product of a kernel of the action and one of the type: write it as on_action(...) * on_type"
        ):
            prior(observed(1, kernel=kernel))


def test_length_scales_that_do_not_fit():
    for kernel in (on_action(RBF([0.5, 0.6])) * on_type(RBF(0.5)), on_action(RBF(0.5)) * on_type(RBF([0.5] * 4))):
        with refused("kernel does not fit z with 5 columns, 3 of them the action's: "):
            prior(observed(1, kernel=kernel))


def test_memory_is_asked_for_first(monkeypatch):
    problem = observed(60)
    belief = prior(problem)
    monkeypatch.setattr(numerics, "available_memory", lambda: 11_000)
    with refused("storing 16 more rows of the kernel over 90 actions takes 0 MB, and only 0 MB are available: give a"):
        prior(problem)
    with refused("give a smaller menu or play fewer rounds"):
        problem.told(belief)


def test_what_a_system_says_of_its_memory(monkeypatch, tmp_path):
    assert 1e6 < numerics.available_memory() < 1e15
    monkeypatch.setattr(numerics, "MEMINFO", tmp_path / "none")
    assert 1e6 < numerics.available_memory() < 1e15
    monkeypatch.delattr(numerics.os, "sysconf")
    assert numerics.available_memory() == np.inf


def test_bad_input():
    problem = observed(3)
    belief = problem.told(prior(problem))
    with refused("opponent_type [9.0, 9.0] is not among the 3 known types"):
        belief.predict(np.array([9.0, 9.0]))
    with refused("action is 90: give an index from 0 to 89."):
        belief.condition(90, problem.types[0], np.zeros(2))
    with refused("response has 1 number(s): give 2."):
        belief.condition(0, problem.types[0], np.zeros(1))
    with refused("response has the value nan at position 1"):
        belief.condition(0, problem.types[0], np.array([0.0, np.nan]))
    with refused("regularization 1e-13 is below 1e-09 of the largest k(z, z) = 1"):
        prior(observed(1, regularization=1e-13))


def test_precision_lost_is_named():
    problem = observed(2000, regularization=1.01e-9)
    responses = zip(problem.chosen, problem.responses, strict=True)

    def conditioned(belief, response):
        (action, kind), y = response
        return belief.condition(int(action), problem.types[kind], y, noise=1e-3)

    with pytest.raises(PrecisionLost, match="raise"):
        reduce(conditioned, responses, prior(problem))


def test_two_reckonings_that_part_ways_are_named():
    problem = observed(20)
    belief = problem.told(prior(problem))
    belief.predict(problem.types[0])
    belief._past._variance[0, 7] *= 1.02
    with refused("variance of action 7 is", PrecisionLost):
        belief.condition(7, problem.types[0], np.zeros(2))


def test_variance_of_the_menu_is_checked():
    problem = observed(20)
    belief = problem.told(prior(problem))
    belief.predict(problem.types[0])
    belief._past._variance[0, 7] = -1e-10
    with refused("collides with observation", PrecisionLost):
        belief.predict(problem.types[0])


def test_chosen_where_it_fits():
    rng = np.random.default_rng(0)
    menu, types = rng.uniform(size=(700, 3)), rng.uniform(size=(3, 2))
    assert isinstance(belief_over(KERNEL, 0.1, menu, 1, types), LargeBelief)
    assert isinstance(belief_over(Matern(), 0.1, menu, 1, types), FiniteBelief)
    assert isinstance(belief_over(KERNEL, 0.1, menu[:600], 1, types), FiniteBelief)
    assert isinstance(belief_over(KERNEL, 0.1, menu, 1), FreshBelief)
    assert pairs(menu, types).shape == (2100, 5)
