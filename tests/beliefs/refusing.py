"""What the refusals of beliefs are tested with."""

import re

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Kernel

from firstmover.beliefs import FiniteBelief, FreshBelief
from firstmover.core.errors import InvalidInput

ACTIONS, TYPES = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0]])
KIND, RESPONSE = TYPES[0], np.array([1.0, 2.0])


def finite(kernel=None, regularization=1.0, actions=ACTIONS, types=TYPES):
    return FiniteBelief.prior(RBF() if kernel is None else kernel, regularization, actions, types, n_outputs=2)


def fresh(kernel=None, regularization=1.0, actions=ACTIONS):
    return FreshBelief.prior(RBF() if kernel is None else kernel, regularization, actions, n_outputs=2)


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
