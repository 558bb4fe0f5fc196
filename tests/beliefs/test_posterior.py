"""The plain equations by hand, and the laws that every posterior obeys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF, DotProduct, ExpSineSquared, Matern, RationalQuadratic

from firstmover.beliefs import FiniteBelief, FreshBelief, belief_over, information_gain, posterior
from firstmover.kernels import on_action, on_type, polynomial
from tests.problems import Problem, random_problem

problems = st.builds(
    lambda seed, t, ratio: random_problem(np.random.default_rng(seed), t, ratio),
    st.integers(0, 10**6),
    st.integers(1, 25),
    st.sampled_from([0.05, 1.0, 7.0]),
)


def test_hand_worked_linear_kernel():
    """k = x x' + θ θ', λ = 2, one response 3 at x = 2, θ = 1: K + λ = 7.

    At (−1, 1): k = −2 + 1 = −1, so μ = −3/7 and σ² = 2 − 1/7. At (3, 1): k = 7, μ = 3, σ² = 10 − 7 = 3.
    """
    actions, kind = np.array([[2.0], [-1.0], [3.0]]), np.array([1.0])
    kernel = DotProduct(0.0)
    for prior in (
        FiniteBelief.prior(kernel, 2.0, actions, kind[None], 1),
        FreshBelief.prior(kernel, 2.0, actions, 1),
    ):
        belief = prior.condition(0, kind, np.array([3.0]))
        said = belief.predict(kind)
        np.testing.assert_allclose(said.mean[:, 0], [15 / 7, -3 / 7, 3.0], atol=1e-14)
        np.testing.assert_allclose(said.std**2, [5 - 25 / 7, 2 - 1 / 7, 3.0], atol=1e-14)
        assert belief.information_gain == pytest.approx(0.5 * np.log(7 / 2))


def test_hand_worked_second_observation():
    """k = x x', λ = 1: y = 1 at x = 1 and y = 4 at x = 2 give slope (1 + 8) / (1 + 1 + 4) = 3/2, var x²/6."""
    actions = np.array([[1.0], [2.0], [-3.0]])
    belief = FreshBelief.prior(DotProduct(0.0), 1.0, actions, 1)
    belief = belief.condition(0, np.zeros(1), np.array([1.0])).condition(1, np.zeros(1), np.array([4.0]))
    said = belief.predict(np.zeros(1))
    np.testing.assert_allclose(said.mean[:, 0], [1.5, 3.0, -4.5], atol=1e-14)
    np.testing.assert_allclose(said.std**2, np.array([1.0, 4.0, 9.0]) / 6, atol=1e-14)
    assert belief.information_gain == pytest.approx(0.5 * np.log(6))


@pytest.mark.parametrize("kernel", [RBF(0.7), polynomial(2)])
def test_the_last_bits_do_not_depend_on_what_was_predicted_before(kernel):
    """So a belief that is learnt anew, without a look at it, is the one that was played with."""
    rng = np.random.default_rng(3)
    plain = looked_at = FreshBelief.prior(kernel, 1.0, rng.random((200, 3)), 1)
    for _ in range(150):
        seen = int(rng.integers(200)), rng.random(2), rng.random(1)
        looked_at.predict(seen[1])
        plain, looked_at = plain.condition(*seen), looked_at.condition(*seen)
    kind = rng.random(2)
    for one, other in zip(plain.predict(kind), looked_at.predict(kind), strict=True):
        assert one.tobytes() == other.tobytes()
    assert plain.information_gain == looked_at.information_gain


def test_before_the_first_round():
    problem = random_problem(np.random.default_rng(0), t=1)
    for prior in problem.priors():
        said = prior.predict(problem.types[0])
        assert not said.mean.any()
        np.testing.assert_array_equal(said.std, np.sqrt(problem.bound.diag(problem.queries(problem.types[0]))))
        assert prior.information_gain == 0.0


def test_representation_follows_what_is_known_of_the_types():
    problem = random_problem(np.random.default_rng(0), t=1)
    assert isinstance(belief_over(problem.kernel, 1.0, problem.actions, 1, problem.types), FiniteBelief)
    assert isinstance(belief_over(problem.kernel, 1.0, problem.actions, 1), FreshBelief)


@settings(max_examples=40)
@given(problems)
def test_information_gain_is_the_log_determinant(problem):
    gram = problem.bound(problem.points)
    _, log_determinant = np.linalg.slogdet(np.eye(len(gram)) + gram / problem.regularization)
    assert information_gain(gram, problem.regularization) == pytest.approx(0.5 * log_determinant, rel=1e-12)
    for belief in problem.beliefs():
        assert belief.information_gain == pytest.approx(0.5 * log_determinant, rel=1e-9, abs=1e-12)


@settings(max_examples=40)
@given(problems, st.randoms(use_true_random=False))
def test_order_does_not_matter(problem, random):
    order = random.sample(range(len(problem.chosen)), len(problem.chosen))
    shuffled = Problem(
        problem.kernel,
        problem.regularization,
        problem.actions,
        problem.types,
        problem.chosen[order],
        problem.responses[order],
    )
    for one, other in zip(problem.beliefs(), shuffled.beliefs(), strict=True):
        for kind in problem.types:
            a, b = one.predict(kind), other.predict(kind)
            np.testing.assert_allclose(a.mean, b.mean, atol=1e-8)
            np.testing.assert_allclose(a.std**2, b.std**2, atol=1e-10 * max(1.0, np.max(a.std**2)))
        assert one.information_gain == pytest.approx(other.information_gain, abs=1e-8)


@settings(max_examples=40)
@given(problems)
def test_std_never_grows(problem):
    """Finite: σ² − v² cannot round upward. Fresh sums the same squares anew, so it may by a few units."""
    for prior, slack in zip(problem.priors(), (0.0, 1e-14), strict=True):
        belief = prior
        for (action, kind), response in zip(problem.chosen, problem.responses, strict=True):
            before = [belief.predict(other).std for other in problem.types]
            belief = belief.condition(int(action), problem.types[kind], response)
            for other, was, first in zip(problem.types, before, map(prior.predict, problem.types), strict=True):
                assert np.all(belief.predict(other).std ** 2 <= was**2 + slack * first.std**2)


@settings(max_examples=40)
@given(problems)
def test_many_outputs_are_many_beliefs(problem):
    for output in range(problem.responses.shape[1]):
        alone = Problem(
            problem.kernel,
            problem.regularization,
            problem.actions,
            problem.types,
            problem.chosen,
            problem.responses[:, [output]],
        )
        for together, single in zip(problem.beliefs(), alone.beliefs(), strict=True):
            for kind in problem.types:
                a, b = together.predict(kind), single.predict(kind)
                np.testing.assert_allclose(a.mean[:, [output]], b.mean, rtol=1e-12, atol=1e-12)
                np.testing.assert_array_equal(a.std, b.std)


def check_against_exact(problem):
    finite, fresh = problem.beliefs()
    for kind in problem.types:
        exact = posterior(
            problem.bound, problem.regularization, problem.points, problem.responses, problem.queries(kind)
        )
        for said in (finite.predict(kind), fresh.predict(kind)):
            np.testing.assert_allclose(said.mean, exact.mean, atol=1e-8)
            np.testing.assert_allclose(said.std**2, exact.std**2, atol=1e-10 * max(1.0, np.max(exact.std**2)))


@settings(max_examples=40)
@given(problems)
def test_finite_fresh_and_exact_agree(problem):
    check_against_exact(problem)


def test_equal_types_are_one_type():
    """Twins in the list of types, and −0 for 0, change nothing but when the covariance is folded."""
    actions, once = np.array([[0.0], [1.0]]), np.array([[0.0], [0.5]])
    twice = np.array([[0.0], [0.5], [-0.0], [0.5]])
    single, double = (FiniteBelief.prior(DotProduct(), 1.0, actions, types, 1) for types in (once, twice))
    for kind in (np.array([-0.0]), np.array([0.5])):
        single, double = (b.condition(1, kind, np.array([2.0])) for b in (single, double))
        for asked in once:
            np.testing.assert_allclose(single.predict(asked).mean, double.predict(asked).mean, rtol=1e-14)
            np.testing.assert_allclose(single.predict(asked).std, double.predict(asked).std, rtol=1e-14)


def test_fresh_meets_types_never_seen_before():
    rng = np.random.default_rng(5)
    problem = random_problem(rng, t=20)
    types = rng.uniform(-1, 1, (20, problem.types.shape[1]))
    new = Problem(
        problem.kernel,
        1.0,
        problem.actions,
        types,
        np.column_stack([problem.chosen[:, 0], np.arange(20)]),
        problem.responses,
    )
    belief, asked = new.told(new.priors()[1]), rng.uniform(-1, 1, types.shape[1])
    exact = posterior(new.bound, 1.0, new.points, new.responses, new.queries(asked))
    np.testing.assert_allclose(belief.predict(asked).mean, exact.mean, atol=1e-11)
    np.testing.assert_allclose(belief.predict(asked).std, exact.std, atol=1e-11)


SELDOM = {
    "periodic in the type": on_action(RBF(0.7)) * on_type(ExpSineSquared(0.8, 1.5)),
    "matern of other smoothness": Matern(0.8, nu=2.0),
    "matern without end of smoothness": Matern(0.8, nu=np.inf),
    "a root": RBF(0.8) ** 0.5,
    "a high power": (0.5 * polynomial(2)) ** 5,
    "a part of a part": on_action(on_action(RBF(0.5)) + 1.0),
    "a list of one lengthscale": RBF(np.array([0.8])),
    "lengthscales of z inside a sum": RBF([0.5, 0.6, 0.7]) + on_action(Matern([0.4, 0.9])) ** 2,
    "all but constant": on_type(RationalQuadratic(50.0)) + 1e-3 * on_action(DotProduct()),
}


@pytest.mark.parametrize("name", SELDOM)
def test_kernels_seldom_used(name):
    """Whatever shortcut a belief takes through a kernel, it takes it rightly."""
    rng = np.random.default_rng(11)
    actions, types = rng.uniform(-1, 1, (6, 2)), rng.uniform(-1, 1, (4, 1))
    chosen = np.column_stack([rng.integers(6, size=15), rng.integers(4, size=15)])
    check_against_exact(Problem(SELDOM[name], 1.0, actions, types, chosen, rng.normal(size=(15, 2))))


@pytest.mark.parametrize("t", [63, 64, 65, 129, 200])
def test_long_games(t):
    """Past every size at which a representation changes: panels, folds, and the growth of buffers."""
    for seed, regularization in ((0, 1.0), (1, 0.01), (2, 5.0)):
        check_against_exact(random_problem(np.random.default_rng([seed, t]), t, regularization))


def test_a_domain_too_large_for_a_table():
    rng = np.random.default_rng(12)
    actions, types = rng.uniform(-1, 1, (700, 2)), rng.uniform(-1, 1, (3, 1))
    chosen = np.column_stack([rng.integers(700, size=40), rng.integers(3, size=40)])
    check_against_exact(Problem(RBF(0.5), 1.0, actions, types, chosen, rng.normal(size=(40, 1))))
