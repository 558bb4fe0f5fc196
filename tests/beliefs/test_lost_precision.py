"""Kernels that are not positive semidefinite, and variances lost in rounding: named, never clipped."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

from firstmover.beliefs import LargeBelief, posterior
from firstmover.beliefs.checks import check_drift, stands_clear
from firstmover.beliefs.exact import mean_from_sums
from firstmover.beliefs.fresh import FEW
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.kernels import on_action, on_type
from tests.beliefs.refusing import KIND, RESPONSE, Pairwise, finite, fresh, refused


def test_a_kernel_that_is_not_positive_semidefinite():
    """k = 2 beside the diagonal and λ = 1: after one response σ² = 1 − 2² / 2 = −1."""
    sentence = "kernel is not positive semidefinite on the data: variance -1 at [1. 0.]; use a sum, product or power"
    with refused(sentence):
        finite(Pairwise(2.0)).condition(0, KIND, RESPONSE)
    told = fresh(Pairwise(2.0)).condition(0, KIND, RESPONSE)
    for ask in (lambda b: b.predict(KIND), lambda b: b.condition(1, KIND, RESPONSE)):
        with refused(sentence):
            ask(told)


def test_all_observations_at_once_are_checked_like_one_after_the_other():
    """The same kernel and response, given with the factor L = √2 of K + λ."""
    given = [0], KIND[None], RESPONSE[None], np.ones(1), np.array([[np.sqrt(2.0)]])
    with refused("kernel is not positive semidefinite on the data: variance -1 at [1. 0.];"):
        finite(Pairwise(2.0)).condition_all(*given)


def test_the_plain_equations_refuse_such_a_kernel_too():
    points = np.array([[0.0], [1.0], [2.0]])
    with refused("kernel is not positive semidefinite on the data: K has the eigenvalue -4;"):
        posterior(Pairwise(5.0), 1.0, points, np.zeros((3, 1)), points)
    with refused("kernel is not positive semidefinite on the data: variance -1 at [1.];"):
        posterior(Pairwise(2.0), 1.0, points[:1], np.zeros((1, 1)), points[:2])


def test_lost_precision_names_the_inputs_that_collide():
    """k = 1 + 3·10⁻⁹ beside the diagonal is what rounding could do: σ² = 1 − (1 + 6·10⁻⁹) / (1 + λ) = −4·10⁻⁹."""
    sentence = "input [1. 0.] collides with observation 0 at [0. 0.]: variance -4e-09 of k(z, z) = 1; raise "
    with refused(sentence + "regularization 2e-09 or scale the features down.", PrecisionLost):
        finite(Pairwise(1 + 3e-9), regularization=2e-9).condition(0, KIND, RESPONSE)
    told = fresh(Pairwise(1 + 3e-9), regularization=2e-9).condition(0, KIND, RESPONSE)
    for ask in (lambda b: b.predict(KIND), lambda b: b.condition(1, KIND, RESPONSE)):
        with refused(sentence, PrecisionLost):
            ask(told)


def test_the_observation_most_alike_is_named():
    """1.25 is like 1.0 and unlike 5.0, which was observed before it and 9.0, observed after."""

    class Clusters(Pairwise):
        def __call__(self, X, Y=None, eval_gradient=False):
            same = np.floor(X[:, :1]) == np.floor((X if Y is None else Y)[:, :1]).T
            return np.where(same, super().__call__(X, Y, eval_gradient), 0.0)

    actions = np.array([[5.0], [1.0], [9.0], [1.25]])
    told = fresh(Clusters(1 + 3e-9), 2e-9, actions)
    with refused("input [1.25 0.  ] collides with observation 1 at [1. 0.]", PrecisionLost):
        for action in (0, 1, 2, 3):
            told = told.condition(action, KIND, RESPONSE)


def test_precision_truly_lost():
    """The smallest λ, a thousandth of it as noise, a constant kernel: some hundred rounds later σ² is rounding."""
    belief = fresh(ConstantKernel(), regularization=1.01e-9)
    with refused("collides with observation", PrecisionLost):
        for t in range(2000):
            belief = belief.condition(t % 3, KIND, RESPONSE, noise=1e-3)


def test_a_folded_covariance_carries_what_a_factor_cannot():
    """The same observations on a finite domain: C is as small as σ² itself, and σ² = λ / (t + λ) stays right."""
    belief = finite(ConstantKernel(), regularization=1.01e-9)
    for t in range(2000):
        belief = belief.condition(t % 3, KIND, RESPONSE, noise=1e-3)
    np.testing.assert_allclose(belief.predict(KIND).std ** 2, 1.01e-12 / 2000, rtol=1e-3)
    np.testing.assert_allclose(belief.predict(KIND).mean, np.tile(RESPONSE, (3, 1)), rtol=1e-10)


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_the_scale_of_kernel_and_regularization_changes_only_that_of_the_deviations(count):
    """Precision is lost relative to k(z, z): variances of 1e-16 and below are refused no more than those near 1."""
    actions, kinds = np.linspace(0, 5, count)[:, None], np.random.default_rng(0).random((12, 1))
    beliefs = [fresh(ConstantKernel(scale) * RBF(0.5), 0.01 * scale, actions) for scale in (1.0, 1e-16)]
    for action, kind in enumerate(kinds):
        beliefs = [belief.condition(action % 5, kind, RESPONSE) for belief in beliefs]
    one, other = (belief.predict(KIND) for belief in beliefs)
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-9)
    np.testing.assert_allclose(other.std, 1e-8 * one.std, rtol=1e-9)


@pytest.mark.parametrize("share", [1.5, 9.5])
def test_means_at_a_tiny_regularization_keep_all_their_digits(share):
    """30 responses at each of two unrelated actions, λ = `share` · 10⁻⁹: their sum divided by 30 + λ."""
    actions, regularization = np.array([[0.0], [1.0]]), share * 1e-9
    responses = np.random.default_rng(0).normal(size=(60, 2))
    expected = np.array([responses[::2].sum(axis=0), responses[1::2].sum(axis=0)]) / (30 + regularization)
    kernel = on_action(RBF(0.01)) * on_type(RBF())
    large = LargeBelief.prior(kernel, regularization, actions, KIND[None], n_outputs=2)
    beliefs = [finite(kernel, regularization, actions), fresh(kernel, regularization, actions), large]
    for t, response in enumerate(responses):
        beliefs = [belief.condition(t % 2, KIND, response) for belief in beliefs]
    for belief in beliefs:
        np.testing.assert_allclose(belief.predict(KIND).mean, expected, rtol=0, atol=1e-13)


def test_the_plain_equations_name_the_observations_that_collide():
    points = np.array([[5.0], [1.0], [2.0], [1.0]])
    with refused("observation 3 at [1.] collides with observation 1 at [1.]: K + λI has no", PrecisionLost):
        posterior(RBF(0.5), 1e-20, points, np.zeros((4, 1)), points)
    with refused("observation 1 at [2.] collides with observation 0 at [1.]: K + λI has no", PrecisionLost):
        mean_from_sums(RBF(1e9), 1e-20, points[1:], np.tile([0.0, 1.0], (3, 1)), points)
    with refused("regularization is -1: it must be a finite number above 0."):
        posterior(RBF(), -1, points, np.zeros((4, 1)), points)


def test_a_point_without_prior_variance_stays_certain():
    belief = finite(DotProduct(0.0), types=np.array([[0.0]]))
    for action in (1, 2, 0, 2):
        belief = belief.condition(action, KIND, RESPONSE)
    assert belief.predict(KIND).std[0] == 0.0
    np.testing.assert_array_equal(belief.predict(KIND).mean[0], 0.0)


def test_many_features_are_shown_in_few_characters():
    actions = np.vstack([np.zeros(500), np.ones(500)])
    with pytest.raises(InvalidInput) as caught:
        finite(Pairwise(2.0), actions=actions, types=np.array([[0.0]])).condition(0, KIND, RESPONSE)
    assert "[1. 1. 1. ... 1. 1. 0.]" in str(caught.value)


@pytest.mark.parametrize("terms", [1, 100])
def test_a_variance_stands_clear_of_eight_units_of_rounding_times_the_root_of_the_terms(terms):
    limit, prior = 8 * 2.0**-52 * np.sqrt(terms), np.array([1.0, 4.0])
    assert stands_clear(np.array([1.1 * limit, 4.4 * limit]), prior, terms)
    assert not stands_clear(np.array([1.1 * limit, 3.6 * limit]), prior, terms)


def test_a_variance_that_drifts_is_found_when_the_covariance_is_folded():
    belief = finite()
    state = belief._state.copy()
    state[-2] += 1e-6
    belief._state = state
    with refused("by one computation and", PrecisionLost):
        for t in range(1000):
            belief = belief.condition(t % 3, KIND, RESPONSE)


def test_two_computations_of_a_variance_differ_by_at_most_a_billionth_of_the_prior():
    prior, half = np.array([1.0, 4.0]), np.full(2, 0.5)
    check_drift(half, np.array([0.5, 0.5 + 3.9e-9]), prior, 1.0)
    with refused("variance at row 1 of the menu", PrecisionLost):
        check_drift(half, np.array([0.5, 0.5 + 4.1e-9]), prior, 1.0)


def test_two_computations_of_a_variance_that_differ():
    prior = np.ones(3)
    check_drift(np.array([0.5, 0.5, 0.5]), np.array([0.5, 0.5 + 1e-12, 0.5]), prior, 1.0)
    with refused(
        "variance at row 1 of the menu is 0.5 by one computation and 0.6 by another: raise regul", PrecisionLost
    ):
        check_drift(np.array([0.5, 0.5, 0.5]), np.array([0.5, 0.6, 0.5]), prior, 1.0)
