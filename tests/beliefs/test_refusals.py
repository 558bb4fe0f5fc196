"""Bad input to a belief: one sentence with the field, the value and the remedy."""

import re

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Kernel, WhiteKernel

from firstmover.beliefs import FiniteBelief, FreshBelief, belief_over, posterior
from firstmover.errors import InvalidInput, PrecisionLost
from firstmover.kernels import polynomial

ACTIONS, TYPES = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0]])
KIND, RESPONSE = TYPES[0], np.array([1.0, 2.0])


def finite(kernel=None, regularization=1.0, actions=ACTIONS, types=TYPES):
    return FiniteBelief.prior(RBF() if kernel is None else kernel, regularization, actions, types, n_outputs=2)


def fresh(kernel=None, regularization=1.0, actions=ACTIONS):
    return FreshBelief.prior(RBF() if kernel is None else kernel, regularization, actions, n_outputs=2)


BOTH = pytest.mark.parametrize("prior", [finite, fresh])


class Pairwise(Kernel):
    """1 on the diagonal and `beside` everywhere else: not positive semidefinite when beside > 1."""

    def __init__(self, beside=1.0):
        self.beside = beside

    def __call__(self, X, Y=None, eval_gradient=False):  # noqa: ARG002
        Y = X if Y is None else Y
        return np.where(np.all(X[:, None] == Y[None], axis=2), 1.0, self.beside)

    def diag(self, X):
        return np.ones(len(X))

    def is_stationary(self):
        return True


class Minus(Pairwise):
    """A kernel with a negative diagonal."""

    def diag(self, X):
        return np.full(len(X), -2.0)


def refused(sentence, error=InvalidInput):
    return pytest.raises(error, match=re.escape(sentence))


@BOTH
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_features_that_are_not_finite(prior, bad):
    actions = ACTIONS.copy()
    actions[1, 0] = bad
    with refused(f"actions has the value {bad} at position 1, 0: every number must be finite."):
        prior(actions=actions)


def test_known_types_that_are_not_finite():
    with refused("types has the value nan at position 0, 0: every number must be finite."):
        finite(types=np.array([[np.nan]]))


@pytest.mark.parametrize("ask", [lambda b, kind: b.predict(kind), lambda b, kind: b.condition(0, kind, RESPONSE)])
def test_a_fresh_type_that_is_not_finite(ask):
    told = fresh().condition(0, KIND, RESPONSE)
    for belief in (fresh(), told):
        with refused("opponent_type has the value inf at position 0: every number must be finite."):
            ask(belief, np.array([np.inf]))


@BOTH
@pytest.mark.parametrize("regularization", [0.0, -1.0, np.nan, np.inf])
def test_regularization(prior, regularization):
    with refused(f"regularization is {regularization}: it must be a finite number above 0."):
        prior(regularization=regularization)


@BOTH
@pytest.mark.parametrize("action", [-1, 3])
def test_an_action_that_is_not_on_the_menu(prior, action):
    with refused(f"action is {action}: give an index from 0 to 2."):
        prior().condition(action, KIND, RESPONSE)


@BOTH
def test_an_action_that_is_no_index(prior):
    with refused("action is 1.5: give a whole number."):
        prior().condition(1.5, KIND, RESPONSE)


@BOTH
@pytest.mark.parametrize("length", [1, 3])
def test_a_response_of_another_length(prior, length):
    with refused(f"response has {length} number(s): give 2."):
        prior().condition(0, KIND, np.zeros(length))


@BOTH
def test_a_response_that_is_not_finite(prior):
    with refused("response has the value nan at position 1: every number must be finite."):
        prior().condition(0, KIND, np.array([0.0, np.nan]))


def test_an_unknown_type():
    for ask in (lambda b: b.predict(np.array([0.25])), lambda b: b.condition(0, np.array([0.25]), RESPONSE)):
        with refused("opponent_type [0.25] is not among the 2 known types: add it to the game's types, or give types="):
            ask(finite())


def test_a_type_of_another_length():
    told = fresh().condition(0, KIND, RESPONSE)
    for ask in (lambda b: b.predict(np.zeros(3)), lambda b: b.condition(0, np.zeros(3), RESPONSE)):
        with refused("opponent_type has 3 feature(s): those observed before had 1; give as many."):
            ask(told)


def test_a_type_that_is_a_table():
    with refused("opponent_type has shape (1, 1): give an array with 1 dimension(s)."):
        fresh().predict(np.zeros((1, 1)))


def test_a_white_kernel():
    with refused("kernel has a WhiteKernel: leave it out and give its noise_level as regularization."):
        belief_over(RBF() + WhiteKernel(), 1.0, ACTIONS, 1)


@pytest.mark.parametrize("kernel", ["rbf", None, np.exp])
def test_what_is_no_kernel(kernel):
    with refused(f"kernel is {kernel!r}: give a scikit-learn kernel, such as RBF() or polynomial(3)."):
        belief_over(kernel, 1.0, ACTIONS, 1)


def test_a_kernel_far_too_large_for_the_regularization():
    sentence = "regularization 1e-13 is below 1e-12 of the largest k(z, z) = 1: scale the features down or raise"
    with refused(sentence):
        finite(regularization=1e-13)
    with refused(sentence):
        fresh(regularization=1e-13).predict(KIND)
    with refused(sentence):
        fresh(regularization=1e-13).condition(0, KIND, RESPONSE)


def test_a_kernel_that_overflows():
    huge = np.array([[1e200]])
    with np.errstate(over="ignore"):
        for ask in (
            lambda: finite(polynomial(2), actions=huge),
            lambda: fresh(polynomial(2), actions=huge).predict(KIND),
        ):
            with refused("kernel gives inf on the diagonal: scale the features so that it stays finite."):
                ask()


@BOTH
def test_a_kernel_with_a_negative_diagonal(prior):
    with refused("kernel gives -2 for k(z, z): it is not positive semidefinite; use another."):
        prior(Minus()).predict(KIND)


def test_a_kernel_that_is_not_positive_semidefinite():
    """k = 2 beside the diagonal and λ = 1: after one response σ² = 1 − 2² / 2 = −1."""
    sentence = "kernel is not positive semidefinite on the data: variance -1 at [1. 0.]; use a sum, product or power"
    with refused(sentence):
        finite(Pairwise(2.0)).condition(0, KIND, RESPONSE)
    told = fresh(Pairwise(2.0)).condition(0, KIND, RESPONSE)
    for ask in (lambda b: b.predict(KIND), lambda b: b.condition(1, KIND, RESPONSE)):
        with refused(sentence):
            ask(told)


def test_the_plain_equations_refuse_such_a_kernel_too():
    points = np.array([[0.0], [1.0], [2.0]])
    with refused("kernel is not positive semidefinite on the data: K has the eigenvalue -4;"):
        posterior(Pairwise(5.0), 1.0, points, np.zeros((3, 1)), points)
    with refused("kernel is not positive semidefinite on the data: variance -1 at [1.];"):
        posterior(Pairwise(2.0), 1.0, points[:1], np.zeros((1, 1)), points[:2])


def test_lost_precision_names_the_inputs_that_collide():
    """k = 1 + 10⁻⁹ beside the diagonal is what rounding could do: σ² = 1 − (1 + 10⁻⁹)² = −2·10⁻⁹."""
    sentence = "input [1. 0.] collides with observation 0 at [0. 0.]: variance -2e-09 of k(z, z) = 1; raise "
    with refused(sentence + "regularization 2e-12 or scale the features down.", PrecisionLost):
        finite(Pairwise(1 + 1e-9), regularization=2e-12).condition(0, KIND, RESPONSE)
    told = fresh(Pairwise(1 + 1e-9), regularization=2e-12).condition(0, KIND, RESPONSE)
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
    told = fresh(Clusters(1 + 1e-9), 2e-12, actions)
    for action in (0, 1, 2):
        told = told.condition(action, KIND, RESPONSE)
    with refused("input [1.25 0.  ] collides with observation 1 at [1. 0.]", PrecisionLost):
        told.predict(KIND)


def test_precision_truly_lost():
    """λ at its smallest and one constant kernel: some hundred rounds later σ² ≈ λ / t is lost in rounding."""
    belief = fresh(ConstantKernel(), regularization=1.01e-12)
    with refused("collides with observation", PrecisionLost):
        for t in range(2000):
            belief = belief.condition(t % 3, KIND, RESPONSE)


def test_a_folded_covariance_carries_what_a_factor_cannot():
    """The same observations on a finite domain: C is as small as σ² itself, and σ² = λ / (t + λ) stays right."""
    belief = finite(ConstantKernel(), regularization=1.01e-12)
    for t in range(2000):
        belief = belief.condition(t % 3, KIND, RESPONSE)
    np.testing.assert_allclose(belief.predict(KIND).std ** 2, 1.01e-12 / 2000, rtol=1e-3)
    np.testing.assert_allclose(belief.predict(KIND).mean, np.tile(RESPONSE, (3, 1)), rtol=1e-10)


def test_the_plain_equations_name_the_observations_that_collide():
    points = np.array([[5.0], [1.0], [2.0], [1.0]])
    with refused("observation 3 at [1.] collides with observation 1 at [1.]: K + λI has no", PrecisionLost):
        posterior(RBF(0.5), 1e-20, points, np.zeros((4, 1)), points)
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
