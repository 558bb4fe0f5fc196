"""Bad input to a belief: one sentence with the field, the value and the remedy."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel

from firstmover.beliefs import belief_over
from firstmover.core.errors import InvalidInput
from firstmover.kernels import on_action, on_type, polynomial
from tests.beliefs.refusing import ACTIONS, KIND, RESPONSE, Minus, finite, fresh, refused

BOTH = pytest.mark.parametrize("prior", [finite, fresh])


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


@BOTH
def test_lengthscales_that_do_not_fit(prior):
    """One a column of z, or of its part: here z has two and each part one."""
    for kernel in (RBF([0.5, 0.6, 0.7]), on_type(RBF([0.5, 0.6])), 2.0 * on_action(Matern([0.5, 0.6])) + RBF()):
        with pytest.raises(
            InvalidInput, match=r"kernel does not fit z with 2 columns, 1 of them the action's: .*[23]!="
        ):
            prior(kernel).predict(KIND)


@pytest.mark.parametrize("kernel", ["rbf", None, np.exp])
def test_what_is_no_kernel(kernel):
    with refused(f"kernel is {kernel!r}: give a scikit-learn kernel, such as RBF() or polynomial(3)."):
        belief_over(kernel, 1.0, ACTIONS, 1)


def test_a_kernel_far_too_large_for_the_regularization():
    sentence = "regularization 1e-13 is below 1e-09 of the largest k(z, z) = 1: scale the features down or raise"
    with refused(sentence):
        finite(regularization=1e-13)
    with refused(sentence):
        fresh(regularization=1e-13).predict(KIND)
    with refused(sentence):
        fresh(regularization=1e-13).condition(0, KIND, RESPONSE)


def test_a_kernel_that_overflows():
    huge = np.array([[1e120]])
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
