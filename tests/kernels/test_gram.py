"""Tables over a menu against the kernel itself, for every sort of expression."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, Kernel, Matern, RationalQuadratic

from firstmover.kernels import bind, on_action, on_type, pairs, polynomial
from firstmover.kernels.gram import DomainGram, MenuGram
from firstmover.kernels.structure import read
from tests.problems import base_kernels, random_kernel


class Unread(Kernel):
    """(1 + |z − z'|₁)⁻¹, which no inner product or Euclidean distance gives."""

    def __init__(self, length_scale=1.0):
        self.length_scale = length_scale

    def __call__(self, X, Y=None, eval_gradient=False):  # noqa: ARG002
        return 1 / (1 + np.abs(X[:, None] - (X if Y is None else Y)[None]).sum(axis=2))

    def diag(self, X):
        return np.ones(len(X))

    def is_stationary(self):
        return True


def expressions(rng, d, p):
    yield from base_kernels(d + p, rng).values()
    yield from (on_action(kernel) for kernel in base_kernels(d, rng).values())
    yield from (on_type(kernel) for kernel in base_kernels(p, rng).values())
    yield from (random_kernel(d, p, rng) for _ in range(40))
    yield Matern(0.7, nu=0.9) + Unread()
    yield on_action(Matern(0.7, nu=3.3)) * on_type(Matern(1.1, nu=np.inf))
    yield (on_action(RBF(0.4)) + 0.3) ** 2.5
    yield polynomial(2) * on_type(Unread())


@pytest.mark.parametrize("seed", range(3))
def test_a_menu_at_a_type(seed):
    rng = np.random.default_rng(seed)
    d, p, n, t = 3, 2, 9, 14
    actions, past_types, kind = rng.uniform(-1, 1, (n, d)), rng.uniform(-1, 1, (t, p)), rng.uniform(-1, 1, p)
    past = rng.integers(n, size=t).tolist()
    for expression in expressions(rng, d, p):
        kernel, gram = bind(expression, d), MenuGram(expression, actions)
        rows = [np.vstack(rows) for rows in zip(*(gram.action_rows(action) for action in past), strict=True)]
        points, queries = np.hstack([actions[past], past_types]), pairs(actions, kind[None])
        said = gram.across(rows, past, past_types, kind)
        np.testing.assert_allclose(said, kernel(points, queries), rtol=1e-13, atol=1e-14, err_msg=str(kernel))
        np.testing.assert_allclose(gram.diagonal(kind), kernel.diag(queries), rtol=1e-13, err_msg=str(kernel))
        assert gram.across([row[:0] for row in rows], [], past_types[:0], kind).shape == (0, n)


@pytest.mark.parametrize("n", [5, 70])
def test_a_domain(n):
    rng = np.random.default_rng(n)
    d, p = 3, 2
    actions, types = rng.uniform(-1, 1, (n, d)), rng.uniform(-1, 1, (3, p))
    for expression in expressions(rng, d, p):
        gram = DomainGram(expression, actions, types)
        whole = bind(expression, d)(pairs(actions, types))
        rows = [gram.row(point) for point in range(0, 3 * n, 7)]
        np.testing.assert_allclose(rows, whole[::7], rtol=1e-13, atol=1e-14, err_msg=str(expression))
        np.testing.assert_allclose(np.triu(gram.upper()), np.triu(whole), rtol=1e-13, atol=1e-14)
        rows, kinds = rng.integers(n, size=6), rng.integers(3, size=6)
        others, other_kinds = rng.integers(n, size=4), rng.integers(3, size=4)
        block = gram.block(rows, kinds, others, other_kinds)
        expected = whole[np.ix_(n * kinds + rows, n * other_kinds + others)]
        np.testing.assert_allclose(block, expected, rtol=1e-13, atol=1e-14, err_msg=str(expression))
        for action, own in zip(others, gram.within(others), strict=True):
            np.testing.assert_allclose(own, whole[action::n, action::n], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("kernel", [RBF(0.01), Matern(0.01, nu=2.5), Matern(0.01, nu=1.5), RationalQuadratic(0.01)])
def test_far_points_keep_their_digits(kernel):
    """At a hundred lengthscales |x|² + |x'|² − 2 x·x' would lose four digits of a small distance."""
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 3))
    actions[1::2] = actions[::2] + 1e-3
    gram = DomainGram(kernel, actions, np.zeros((1, 1)))
    whole = kernel(pairs(actions, np.zeros((1, 1))))
    np.testing.assert_allclose(np.triu(gram.upper()), np.triu(whole), rtol=1e-12, atol=1e-15)


def test_a_rough_kernel_keeps_its_digits():
    """exp(−r) has a kink at 0: a squared distance off by 1e-16 would be a kernel off by 1e-8."""
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 3))
    actions[1::2] = actions[::2]
    gram = DomainGram(Matern(1.0, nu=0.5), actions, np.zeros((1, 1)))
    assert gram.row(0)[1] == 1.0


def test_an_action_is_at_no_distance_from_itself():
    actions = np.random.default_rng(1).uniform(0.0, 1.0, (130, 25))
    gram = DomainGram(Matern(0.5, nu=2.5), actions, np.ones((2, 4)))
    assert all(gram.row(point)[point] == 1.0 for point in range(260))
    np.testing.assert_array_equal(gram.upper().diagonal(), 1.0)


def test_what_cannot_be_read():
    assert read(Unread()) == ([], None)
    assert read(RBF() * Unread()) == ([], None)
    assert read(CompoundKernel([RBF(), RBF()])) == ([], None)
    assert read(on_type(on_action(RBF()))) == ([], None)
