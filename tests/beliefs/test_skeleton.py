"""A few actions stand for all under kernels polynomial in the action, without the loss of a digit."""

import math

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern

from firstmover.beliefs import FreshBelief
from firstmover.beliefs.skeleton import action_degree, skeleton_of
from firstmover.kernels import bind, on_action, on_type, pairs, polynomial
from tests.beliefs.high_precision import posterior_80


def routes(rng, n=41, count=3):
    """Plans as combinations of a few routes through 76 edges."""
    return rng.uniform(size=(n, count)) @ rng.uniform(size=(count, 76)) / 20


@pytest.mark.parametrize(
    ("kernel", "degree"),
    [
        (DotProduct(), 1),
        (polynomial(3), 3),
        (polynomial(2) * on_action(polynomial(3)), 5),
        (polynomial(2) + on_action(polynomial(3)), 3),
        (polynomial(2) * on_type(RBF()) * 0.3, 2),
        (on_type(Matern() ** 0.5), 0),
        (ConstantKernel(2.0), 0),
        (on_action(RBF()), math.inf),
        (polynomial(2) + RBF(), math.inf),
        (DotProduct() ** 1.5, math.inf),
        (DotProduct() ** 0, math.inf),
    ],
)
def test_degree(kernel, degree):
    assert action_degree(kernel) == degree


def test_three_routes_and_a_cubic_kernel():
    """(3 + 3 choose 3) = 20 monomials for 41 plans; on a plane, as when shares sum to one, (2 + 3 choose 3) = 10."""
    rng = np.random.default_rng(0)
    assert len(skeleton_of(polynomial(3), routes(rng)).indices) == 20
    shares = rng.dirichlet(np.ones(3), 41) @ rng.uniform(size=(3, 76))
    assert len(skeleton_of(polynomial(3), shares).indices) == 10
    assert len(skeleton_of(on_type(RBF()), shares).indices) == 1


def test_where_it_would_not_pay():
    rng = np.random.default_rng(0)
    assert skeleton_of(polynomial(4), routes(rng)) is None  # 35 of 41
    assert skeleton_of(polynomial(3), rng.uniform(size=(41, 25))) is None
    assert skeleton_of(on_action(RBF()), routes(rng)) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "kernel",
    [
        polynomial(3),
        polynomial(2, bias=0.01) * on_type(RBF(0.3)),
        on_action(polynomial(3, bias=5.0)) + on_type(Matern()) * DotProduct(0.0),
        on_type(polynomial(2)),
    ],
    ids=str,
)
def test_interpolates_the_kernel_at_every_type(kernel, seed):
    rng = np.random.default_rng(seed)
    actions, kinds = routes(rng) * rng.choice([0.01, 1.0, 100.0]), rng.uniform(size=(30, 4))
    skeleton, bound = skeleton_of(kernel, actions), bind(kernel, 76)
    points = np.hstack([actions[rng.integers(41, size=30)], kinds])
    for kind in rng.uniform(size=(3, 1, 4)):
        whole = bound(points, pairs(actions, kind))
        few = bound(points, pairs(actions[skeleton.indices], kind))
        np.testing.assert_allclose(few @ skeleton.weights, whole, atol=2e-14 * np.abs(whole).max())
    np.testing.assert_array_equal(skeleton.weights[:, skeleton.indices], np.eye(len(skeleton.indices)))


def test_equal_actions_and_a_lattice():
    same = np.ones((9, 3))
    assert len(skeleton_of(polynomial(3), same).indices) == 1
    lattice = np.array([[i, j] for i in range(8) for j in range(8)], dtype=float)
    assert len(skeleton_of(polynomial(3), lattice).indices) == 10


@pytest.mark.parametrize("seed", range(3))
def test_exact_to_the_last_digits(seed):
    """λ / k = 1e-3, types new in every round: μ within 1e-12 and σ within 1e-13 of an extended-precision solve."""
    rng, t, wide = np.random.default_rng(seed), 200, np.longdouble
    actions, kinds = routes(rng), rng.uniform(size=(t + 1, 552)) / 25
    actions /= np.linalg.norm(actions, axis=1).max()
    chosen = rng.integers(41, size=t)
    points = np.hstack([actions[chosen], kinds[:t]])
    responses = np.sin(points.sum(axis=1, keepdims=True)) + 0.03 * rng.normal(size=(t, 1))
    belief = FreshBelief.prior(polynomial(3) * ConstantKernel(1 / 8), 1e-3, actions, 1)
    for action, kind, response in zip(chosen, kinds, responses, strict=False):
        belief = belief.condition(int(action), kind, response)
    assert belief._menu.weights.shape == (20, 41)
    points, queries = points.astype(wide), pairs(actions, kinds[-1:]).astype(wide)

    def cubic(one, other):
        return (1 + one @ other.T) ** 3 / wide(8)

    diagonal = np.diagonal(cubic(queries, queries))
    mean, std = posterior_80(cubic(points, points), 1e-3, responses, cubic(points, queries), diagonal)
    said = belief.predict(kinds[-1])
    assert np.max(np.abs(said.mean - mean)) <= 1e-12
    assert np.max(np.abs(said.std - std)) <= 1e-13
