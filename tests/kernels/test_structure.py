"""Which expressions are decomposed, into which statistics, and which are products of a kernel per part.

Values of decomposed expressions are compared with the kernels in `test_gram`; there an expression that is not
decomposed has the same values, only slower.
"""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, RationalQuadratic

from firstmover.kernels import bind, on_action, on_type
from firstmover.kernels.domain_kernels import Additive, Total
from firstmover.kernels.structure import ONE, read, split
from tests.problems import base_kernels

ON_BOTH, ON_ACTION, ON_TYPE = (True, True), (True, False), (False, True)


def leaves_of(kernel):
    """The statistics of an expression that must be decomposed."""
    leaves, evaluate = read(kernel)
    assert evaluate is not None, kernel
    return leaves


@pytest.mark.parametrize("name", sorted(base_kernels(2, np.random.default_rng(0)).keys() - {"constant"}))
@pytest.mark.parametrize(("wrap", "parts"), [(lambda k: k, ON_BOTH), (on_action, ON_ACTION), (on_type, ON_TYPE)])
def test_every_kernel_is_one_statistic_of_its_parts_of_z(name, wrap, parts):
    (leaf,) = leaves_of(wrap(base_kernels(2, np.random.default_rng(0))[name]))
    assert (leaf.on_action, leaf.on_type) == parts
    assert (leaf.term is not None) == (parts == ON_ACTION)


def test_a_constant_has_no_statistic():
    leaves, evaluate = read(ConstantKernel(2.5))
    assert (leaves, evaluate([])) == ([], 2.5)


@pytest.mark.parametrize(
    "kernel",
    [
        on_action(RBF()) + on_action(DotProduct()),
        on_action(RBF()) * on_action(Matern()),
        on_action(RBF()) ** 2,
        0.5 * on_action(RBF()) ** 2 + 1.0,
        (on_action(RBF() + DotProduct()) + 0.3) ** 2.5,
    ],
)
def test_an_expression_of_the_action_alone_is_one_table(kernel):
    """A menu is tabulated once, and no round computes its powers and products again: k is the table."""
    (leaf,), evaluate = read(kernel)
    table = np.ones((2, 2))
    assert evaluate([table]) is table
    assert (leaf.on_action, leaf.on_type, leaf.distance) == (True, False, False)
    assert len(leaf.term.leaves) >= 1
    assert all((inner.on_action, inner.on_type, inner.term) == (True, False, None) for inner in leaf.term.leaves)


@pytest.mark.parametrize(
    ("kernel", "parts"),
    [
        (on_action(RBF()) * on_type(RBF()), [ON_ACTION, ON_TYPE]),
        (on_type(RBF()) * on_action(RBF()), [ON_TYPE, ON_ACTION]),
        (on_action(RBF()) + RBF(), [ON_ACTION, ON_BOTH]),
        ((on_type(RBF()) + on_type(DotProduct())) ** 2, [ON_TYPE, ON_TYPE]),
    ],
)
def test_an_expression_of_types_too_has_its_statistics_apart(kernel, parts):
    assert [(leaf.on_action, leaf.on_type) for leaf in leaves_of(kernel)] == parts


def test_a_total_is_a_statistic_of_one_part_only():
    """Σ_i x_i² + Σ_j θ_j² multiplies both parts: no sum of an action term and a type term."""
    for wrap in (on_action, on_type):
        assert len(leaves_of(wrap(Total(2, 1.0)))) == 1
    assert read(Total(2, 1.0)) == ([], None)
    assert len(leaves_of(Additive(2, 1.0))) == 1


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [
        (RBF(2.0), 2.0 * np.sqrt(2)),
        (Matern(2.0, nu=0.5), 2.0),
        (Matern(2.0, nu=1.5), 2.0 / np.sqrt(3)),
        (Matern(2.0, nu=2.5), 2.0 / np.sqrt(5)),
        (Matern(2.0, nu=np.inf), 2.0 * np.sqrt(2)),
        (RationalQuadratic(2.0, alpha=3.0), 2.0 * np.sqrt(6)),
        (Matern(2.0, nu=0.9), 2.0),
    ],
)
def test_distances_are_scaled_to_the_argument_of_the_closed_form(kernel, scale):
    """exp(−s²), exp(−s), (1 + s) exp(−s), (1 + s + s²/3) exp(−s) and (1 + s²)^−α; a Bessel function has s / length."""
    (leaf,) = leaves_of(kernel)
    assert leaf.distance
    assert leaf.scale == pytest.approx(scale)
    (alone,) = leaves_of(type(kernel)(**{**kernel.get_params(), "length_scale": [2.0]}))
    assert (type(alone.scale), alone.scale) == (float, leaf.scale)


@pytest.mark.parametrize(("nu", "smooth"), [(0.5, False), (0.9, False), (1.4, False), (1.5, True), (2.5, True)])
def test_only_squared_distances_of_smooth_kernels_may_be_rounded(nu, smooth):
    assert leaves_of(Matern(nu=nu))[0].smooth is smooth
    assert leaves_of(RBF())[0].smooth


@pytest.mark.parametrize("nu", [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.5, 3.0, 5.0])
def test_any_smoothness_has_the_values_of_scikit_learn(nu):
    """At distances of 0.5 and 3 with a length scale of 2."""
    (leaf,), evaluate = read(Matern(2.0, nu=nu))
    squared = np.array([[0.25, 9.0]]) / leaf.scale**2
    np.testing.assert_allclose(evaluate([squared]), Matern(2.0, nu=nu)([[0.0]], [[0.5], [3.0]]), rtol=1e-12)


@pytest.mark.parametrize("exponent", [0.5, 1, 2, 3, 8, 9, -1, 0])
def test_powers_of_an_inner_product(exponent):
    """(4 + 1)^e and (4 + 2)^e."""
    leaves, evaluate = read(DotProduct(2.0) ** exponent)
    assert leaves[0].offset == 4.0
    np.testing.assert_allclose(evaluate([np.array([5.0, 6.0])]), np.array([5.0, 6.0]) ** exponent, rtol=1e-14)


def factors():
    """Kernels that split and whether each depends on the action and on the type."""
    action, kind = on_action(RBF(0.7)), on_type(DotProduct(0.5))
    return [
        (ConstantKernel(2.0), True, False),  # a constant counts for the action
        (RBF(0.8), True, True),
        (RBF([0.5, 0.8, 1.1]), True, True),
        (action, True, False),
        (kind, False, True),
        (action * kind, True, True),
        (kind * action, True, True),
        (kind * kind, False, True),
        ((action * kind) ** 2, True, True),
        (action**2, True, False),
        (kind**3, False, True),
        (action + action * 2.0, True, False),
        (kind + on_type(RBF()), False, True),
        ((kind + on_type(RBF())) ** 2 * (action + 1.0), True, True),
    ]


@pytest.mark.parametrize(("kernel", "of_action", "of_type"), factors())
def test_the_factors_multiply_to_the_kernel(kernel, of_action, of_type):
    rng = np.random.default_rng(0)
    z, other = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    of_x, of_kind = split(kernel, 2)
    assert (of_x is not ONE, of_kind is not ONE) == (of_action, of_type)
    product_of_both = of_x(z[:, :2], other[:, :2]) * of_kind(z[:, 2:], other[:, 2:])
    np.testing.assert_allclose(product_of_both, bind(kernel, 2)(z, other), rtol=1e-13)


def test_length_scales_are_those_of_the_features_of_each_part():
    for scales, features in (([0.5, 0.8], 1), ([0.5, 0.8, 1.1], 2), ([0.5, 0.8, 1.1], 1)):
        of_x, of_kind = split(RBF(scales), features)
        assert (of_x.length_scale.tolist(), of_kind.length_scale.tolist()) == (scales[:features], scales[features:])


@pytest.mark.parametrize(
    "kernel",
    [
        DotProduct(),
        Matern(),
        on_action(RBF()) + on_type(RBF()),
        on_type(RBF()) + on_action(RBF()),
        on_action(RBF()) + RBF(),
        RBF() + on_type(RBF()),
        on_type(RBF()) + RBF(),
        on_action(RBF()) * Matern(),
        Matern() * on_action(RBF()),
        Matern() ** 2,
    ],
)
def test_what_is_no_product_of_both_parts_does_not_split(kernel):
    assert split(kernel, 2) is None
