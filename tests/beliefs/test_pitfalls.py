"""What has broken other programs: here each case is right, or refused by name."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Kernel, Matern

from firstmover.beliefs import FiniteBelief, FreshBelief, LargeBelief
from firstmover.beliefs.growing import GrowingFactor
from firstmover.core import numerics
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.kernels import bind, on_action, on_type, polynomial
from firstmover.kernels.structure import read
from tests.beliefs.high_precision import posterior_50, posterior_80
from tests.problems import Problem


def told(belief, problem):
    """A belief after all observations, asked in every round as a learner asks."""
    for (action, kind), response in zip(problem.chosen, problem.responses, strict=True):
        belief.predict(problem.types[kind])
        belief = belief.condition(int(action), problem.types[kind], response)
    return belief


def priors(problem):
    common = problem.kernel, problem.regularization, problem.actions
    outputs = problem.responses.shape[1]
    yield FiniteBelief.prior(*common, problem.types, outputs)
    yield FreshBelief.prior(*common, outputs)


def truth(problem, kind):
    """Extended precision, with equal observations taken together: K + λ diag(1/c) over distinct points."""
    distinct, place, counts = np.unique(problem.points, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(distinct), problem.responses.shape[1]), dtype=np.longdouble)
    np.add.at(sums, place, problem.responses)
    gram = problem.bound(distinct).astype(np.longdouble)
    gram[np.diag_indices(len(gram))] += np.longdouble(problem.regularization) / counts
    queries = problem.queries(kind)
    means = sums / counts[:, None]
    return posterior_80(gram, 0.0, means, problem.bound(distinct, queries), problem.bound.diag(queries))


def demands(scale, regularization, kinds=10, t=100):
    """Ten types with 552 demands each, as large as travel surveys give them, again and again."""
    rng = np.random.default_rng(0)
    return Problem(
        kernel=polynomial(3),
        regularization=regularization,
        actions=rng.uniform(0, 60, (12, 3)) @ rng.uniform(size=(3, 76)) * scale,
        types=rng.uniform(0, 50, (kinds, 552)) * scale,
        chosen=np.column_stack([rng.integers(12, size=t), rng.integers(kinds, size=t)]),
        responses=rng.normal(size=(t, 1)),
    )


def test_a_cubic_kernel_on_raw_demands_is_refused():
    raw = demands(1.0, regularization=1e-3)
    assert raw.bound.diag(raw.points).max() > 1e17
    with pytest.raises(InvalidInput, match=r"is below 1e-09 of the largest k.* scale the features down or raise"):
        list(priors(raw))
    with pytest.raises(InvalidInput, match=r"is below 1e-09 of the largest k.* scale the features down or raise"):
        FreshBelief.prior(raw.kernel, 1e-3, raw.actions, 1).predict(raw.types[0])


def test_a_cubic_kernel_on_scaled_demands_is_right():
    scaled = demands(1e-3, regularization=1e-3)
    assert scaled.bound.diag(scaled.points).max() < 20
    mean, std = truth(scaled, scaled.types[0])
    for prior in priors(scaled):
        said = told(prior, scaled).predict(scaled.types[0])
        assert np.max(np.abs(said.mean - mean)) <= 1e-10
        assert np.max(np.abs(said.std - std)) <= 1e-12


def test_just_above_the_smallest_regularization_it_is_right_or_lost():
    near = demands(1e-3, regularization=2e-8)
    mean, std = truth(near, near.types[0])
    for prior in priors(near):
        try:
            said = told(prior, near).predict(near.types[0])
        except PrecisionLost:
            continue
        assert np.max(np.abs(said.std / std - 1)) <= 0.02
        assert np.max(np.abs(said.mean - mean)) <= 1e-3


def noisy(regularization, t=300):
    """Pure noise at sixty points, many times each: the hardest responses for a small λ."""
    rng = np.random.default_rng(1)
    return Problem(
        kernel=on_action(Matern(0.5, nu=2.5)) * on_type(RBF()),
        regularization=regularization,
        actions=rng.uniform(size=(30, 3)),
        types=np.array([[0.0], [1.0]]),
        chosen=np.column_stack([rng.integers(30, size=t), rng.integers(2, size=t)]),
        responses=rng.normal(size=(t, 1)),
    )


@pytest.mark.parametrize("regularization", [9e-9, 1.1e-9])
def test_a_tiny_regularization_keeps_its_mean(regularization):
    """Round by round the mean would lose ε k / λ, 2e-7 at the smallest λ; from sums it keeps eleven digits."""
    problem = noisy(regularization)
    outputs = problem.kernel, regularization, problem.actions, problem.types, 1
    mean, std = truth(problem, problem.types[0])
    for prior in (*priors(problem), LargeBelief.prior(*outputs)):
        said = told(prior, problem).predict(problem.types[0])
        assert np.max(np.abs(said.mean - mean)) <= 1e-11
        assert np.max(np.abs(said.std / std - 1)) <= 1e-14 / regularization


def sherman_morrison(problem, kind):
    """σ of the menu from (K + λ diag(1/c))⁻¹ over all points of the domain, brought up to date by every count."""
    domain = np.vstack([problem.queries(each) for each in problem.types])
    gram, rate = problem.bound(domain), problem.regularization
    smoother = np.zeros_like(gram)  # M = C (K C + λI)⁻¹ with the counts C, grown by one count a time
    for action, which in problem.chosen:
        j = which * len(problem.actions) + action
        # cov(D, z_j) = k_j − K M k_j by the inverse; then M ← M + (e − M k_j)(e − M k_j)ᵀ / (σ² + λ)
        change = np.eye(len(gram))[j] - smoother @ gram[j]
        smoother = smoother + np.outer(change, change) / (gram[j] @ change + rate)
    queries = problem.queries(kind)
    cross = problem.bound(domain, queries)
    return problem.bound.diag(queries) - np.einsum("ij,ij->j", cross, smoother @ cross)


def test_an_explicit_inverse_would_lose_what_ours_keeps():
    """λ = 1.1e-9: an inverse that Sherman and Morrison bring up to date loses digits of σ² that ours keeps."""
    problem = noisy(1.1e-9)
    _, std = truth(problem, problem.types[0])
    inverse = sherman_morrison(problem, problem.types[0])
    assert np.max(np.abs(inverse / std**2 - 1)) > 1e-4  # 6e-4 to 3e-3, by the order in which a processor adds
    for prior in priors(problem):
        said = told(prior, problem).predict(problem.types[0])
        assert np.max(np.abs(said.std / std - 1)) < 1e-5
    plain = noisy(0.1)  # the same updates where λ is large: the comparison is fair
    variance = truth(plain, plain.types[0])[1] ** 2
    np.testing.assert_allclose(sherman_morrison(plain, plain.types[0]), variance.astype(float), rtol=1e-9)


def test_regularization_below_the_limit_is_refused_everywhere():
    problem = noisy(9e-10)
    with pytest.raises(InvalidInput, match=r"regularization 9e-10 is below 1e-09 of the largest k\(z, z\) = 1"):
        FiniteBelief.prior(problem.kernel, 9e-10, problem.actions, problem.types, 1)
    with pytest.raises(InvalidInput, match="regularization 9e-10 is below"):
        LargeBelief.prior(problem.kernel, 9e-10, problem.actions, problem.types, 1)
    with pytest.raises(InvalidInput, match="regularization 9e-10 is below"):
        FreshBelief.prior(problem.kernel, 9e-10, problem.actions, 1).condition(0, problem.types[0], np.zeros(1))


class Hole(Kernel):
    """1 everywhere but NaN between action 0 and action 1."""

    def __init__(self, value=np.nan):
        self.value = value

    def __call__(self, X, Y=None, eval_gradient=False):  # noqa: ARG002
        total = X[:, :1] + (X if Y is None else Y)[:, :1].T
        apart = X[:, :1] != (X if Y is None else Y)[:, :1].T
        return np.where((total == 1) & apart, self.value, 1.0)

    def diag(self, X):
        return np.ones(len(X))

    def is_stationary(self):
        return False


def test_a_nan_is_never_silent():
    actions, kind = np.array([[0.0], [1.0], [5.0]]), np.zeros(1)
    for prior in (
        FiniteBelief.prior(Hole(), 0.1, actions, kind[None], 1),
        FreshBelief.prior(Hole(), 0.1, actions, 1),
    ):
        with pytest.raises(InvalidInput, match=r"not positive semidefinite on the data: variance nan at \[1\. 0\.\]"):
            prior.condition(0, kind, np.zeros(1)).predict(kind)


def park(t, seed=0):
    """525 patrols of 25 cells, one type, two outputs: the game that is played longest."""
    rng = np.random.default_rng(seed)
    actions, chosen = rng.dirichlet(np.ones(25), 525), rng.integers(525, size=t)
    return Problem(
        kernel=Matern(0.5, nu=2.5),
        regularization=0.01,
        actions=actions,
        types=np.ones((1, 1)),
        chosen=np.column_stack([chosen, np.zeros(t, dtype=int)]),
        responses=np.sin(9 * actions[chosen, :2]) + 0.1 * rng.normal(size=(t, 2)),
    )


def drift(problem):
    """The largest error of μ, and of σ as a share."""
    belief = FiniteBelief.prior(problem.kernel, 0.01, problem.actions, problem.types, 2)
    for (action, _), response in zip(problem.chosen, problem.responses, strict=True):
        belief = belief.condition(int(action), problem.types[0], response)
    said, (mean, std) = belief.predict(problem.types[0]), truth(problem, problem.types[0])
    return np.max(np.abs(said.mean - mean)), np.max(np.abs(said.std / std - 1))


def test_nothing_drifts():
    """3,000 rounds are 45 folds; a long version is in tests/torture."""
    mean, std = drift(park(3_000))
    assert mean <= 1e-12
    assert std <= 1e-13


class Own(RBF):
    """A kernel that says the same as its parent and cannot be read, only called."""


def test_a_kernel_that_cannot_be_read_gives_the_same_belief():
    readable = noisy(0.01, t=120)
    unreadable = replace(readable, kernel=on_action(Matern(0.5, nu=2.5)) * on_type(Own()))
    assert read(bind(unreadable.kernel, 3)) == ([], None)
    for one, other in zip(priors(readable), priors(unreadable), strict=True):
        said, called = (
            told(b, problem).predict(problem.types[1]) for b, problem in ((one, readable), (other, unreadable))
        )
        np.testing.assert_allclose(called.mean, said.mean, rtol=0, atol=1e-12)
        np.testing.assert_allclose(called.std, said.std, rtol=0, atol=1e-13)


def test_rows_of_a_large_domain_are_refused_before_they_are_taken(monkeypatch):
    """2,200 points never fold; the rows grow beyond the 16 that are there, and the remedy is named."""
    rng = np.random.default_rng(0)
    belief = FiniteBelief.prior(Matern(), 0.1, rng.uniform(size=(1100, 2)), np.array([[0.0], [1.0]]), 1)
    for action in range(16):
        belief = belief.condition(action, np.zeros(1), np.zeros(1))
    monkeypatch.setattr(numerics, "available_memory", lambda: 500_000.0)
    with pytest.raises(InvalidInput, match=r"32 rows of the covariance of 2,200 .* takes 1 MB.*give a smaller menu or"):
        belief.condition(16, np.zeros(1), np.zeros(1))


def test_a_growing_factor_asks_before_it_grows(monkeypatch):
    monkeypatch.setattr(numerics, "available_memory", lambda: 90_000.0)
    factor = GrowingFactor()
    for count in range(64):
        factor.append(count, np.zeros(count), 1.0)
    with pytest.raises(InvalidInput, match=r"rounds 65 to 128 .* play fewer rounds, or give the game its types"):
        factor.append(64, np.zeros(64), 1.0)


def test_a_variance_that_drifted_is_named_at_the_next_fold():
    problem = noisy(0.1, t=14)
    belief = told(FiniteBelief.prior(problem.kernel, 0.1, problem.actions, problem.types, 1), problem)
    belief._state = belief._state.copy()
    belief._state[-2] *= 1 - 1e-6
    with pytest.raises(PrecisionLost, match=r"variance at row \d+ of the menu is .* raise regularization 0.1 or scale"):
        belief.condition(0, problem.types[0], np.zeros(1))  # 60 points fold after 15 rows


def extrapolated(regularization):
    """Noise at one half of an interval and predictions on the other: the hardest queries for a small λ."""
    rng = np.random.default_rng(0)
    return Problem(
        kernel=RBF(0.3),
        regularization=regularization,
        actions=np.linspace(0, 1, 40)[:, None],
        types=np.zeros((1, 1)),
        chosen=np.column_stack([np.arange(100) % 20, np.zeros(100, dtype=int)]),
        responses=rng.choice([-1.0, 1.0], (100, 1)),
    )


def error_of_mean(belief, problem, noise):
    """The largest error of the mean, in units of the largest response: fifty digits, and k itself exact.

    Five responses at each of twenty points are their mean with a fifth of the noise.
    """
    for (action, _), response in zip(problem.chosen, problem.responses, strict=True):
        belief = belief.condition(int(action), problem.types[0], response, noise)
    menu, means = problem.actions[:, 0], problem.responses.reshape(5, 20, 1).mean(axis=0)
    kernel = np.frompyfunc(lambda a, b: mpmath.exp(-(((mpmath.mpf(a) - b) / mpmath.mpf(0.3)) ** 2) / 2), 2, 1)
    with mpmath.workdps(50):
        gram, cross = kernel.outer(menu[:20], menu[:20]), kernel.outer(menu[:20], menu)
        rate = mpmath.mpf(problem.regularization) * noise / 5
    mean, _ = posterior_50(gram, rate, means, cross, np.ones(40))
    return np.max(np.abs(belief.predict(problem.types[0]).mean - mean)) / np.max(np.abs(problem.responses))


def test_the_smallest_regularization_from_both_sides():
    """At the limit rounding moves the mean by at most 2 % of the largest response; far below it, by more than all."""
    problem = extrapolated(1.01e-9)
    for prior in priors(problem):
        assert error_of_mean(prior, problem, noise=1.0) <= 0.02
    finite, _ = priors(problem)
    assert error_of_mean(finite, problem, noise=1e-3) > 2
    with pytest.raises(InvalidInput, match="is below 1e-09 of the largest"):
        next(iter(priors(extrapolated(0.99e-9))))


@pytest.mark.parametrize("regularization", [5e-9, 5e-8])
def test_a_noisier_response_counts_less_for_every_regularization(regularization):
    """Two responses at one point, the second with a hundred times the noise: μ = (1 + 2 / 100) / (1 + 1 / 100)."""
    problem = noisy(regularization)
    outputs = problem.kernel, regularization, problem.actions, problem.types, 1
    for prior in (*priors(problem), LargeBelief.prior(*outputs)):
        kind = problem.types[0]
        belief = prior.condition(0, kind, np.array([1.0])).condition(0, kind, np.array([2.0]), noise=100.0)
        np.testing.assert_allclose(belief.predict(kind).mean[0], 1.02 / 1.01, rtol=1e-6)
