import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

from firstmover.core.errors import InvalidInput
from firstmover.kernels import OnPart, bind, on_action, on_type, pairs, polynomial
from firstmover.kernels.domain_kernels import Total, additive, demand
from tests.problems import base_kernels

D, P = 2, 3
Z = np.random.default_rng(0).uniform(-1, 1, (8, D + P))
OTHER = np.random.default_rng(1).uniform(-1, 1, (5, D + P))
INNER = base_kernels(2, np.random.default_rng(0)).keys()


def expression():
    """Parts inside a sum, a product and a power, iso and ARD."""
    action, kind = on_action(RBF([0.4, 0.9])), on_type(Matern(0.7, nu=1.5))
    return ConstantKernel(2.0) * action * kind + on_type(RationalQuadratic(0.8, 1.3)) ** 2 + on_action(DotProduct(0.5))


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize(("wrap", "columns"), [(on_action, slice(0, D)), (on_type, slice(D, None))])
def test_a_part_is_the_inner_kernel_on_its_columns(name, wrap, columns):
    inner = base_kernels(Z[:, columns].shape[1], np.random.default_rng(2))[name]
    part = bind(wrap(inner), D)
    np.testing.assert_array_equal(part(Z), inner(Z[:, columns]))
    np.testing.assert_array_equal(part(Z, OTHER), inner(Z[:, columns], OTHER[:, columns]))
    np.testing.assert_array_equal(part.diag(Z), inner.diag(Z[:, columns]))
    assert part.is_stationary() == inner.is_stationary()


def test_kernels_that_grow_with_their_features_are_not_stationary():
    for kernel in (additive(2), Total(2, 1.0), demand(), on_action(additive(2))):
        assert not kernel.is_stationary()


def test_parts_compose_as_their_kernels_do():
    x, θ = Z[:, :D], Z[:, D:]  # noqa: PLC2401
    expected = 2.0 * RBF([0.4, 0.9])(x) * Matern(0.7, nu=1.5)(θ) + RationalQuadratic(0.8, 1.3)(θ) ** 2
    expected += DotProduct(0.5)(x)
    np.testing.assert_allclose(bind(expression(), D)(Z), expected, rtol=1e-14)


def test_gradients_match_finite_differences():
    kernel, step = bind(expression(), D), 1e-6
    gram, gradient = kernel(Z, eval_gradient=True)
    np.testing.assert_array_equal(gram, kernel(Z))
    assert gradient.shape == (8, 8, kernel.n_dims) == (8, 8, 7)
    for i in range(kernel.n_dims):
        shift = np.eye(kernel.n_dims)[i] * step
        above, below = kernel.clone_with_theta(kernel.theta + shift), kernel.clone_with_theta(kernel.theta - shift)
        np.testing.assert_allclose(gradient[:, :, i], (above(Z) - below(Z)) / (2 * step), atol=1e-8)


def test_theta_round_trip():
    kernel = bind(expression(), D)
    moved = kernel.clone_with_theta(kernel.theta + 0.3)
    np.testing.assert_allclose(moved.theta, kernel.theta + 0.3)
    assert moved != kernel
    moved.theta = kernel.theta
    np.testing.assert_allclose(moved(Z), kernel(Z), rtol=1e-14)
    assert kernel.bounds.shape == (kernel.n_dims, 2)
    assert len(kernel.hyperparameters) == 6
    assert kernel.hyperparameters[1].name == "k1__k1__k1__k2__kernel__length_scale"


def test_fixed_hyperparameters_stay_out_of_theta():
    kernel = bind(on_action(RBF(0.5, "fixed")) * on_type(RBF(2.0)), D)
    assert kernel.theta == pytest.approx([np.log(2.0)])
    assert [h.fixed for h in kernel.hyperparameters] == [True, False]


def test_clone_equals_and_shares_nothing():
    kernel = bind(expression(), D)
    copy = clone(kernel)
    assert copy == kernel
    copy.theta = copy.theta + 1.0
    assert copy != kernel
    np.testing.assert_array_equal(kernel(Z), bind(expression(), D)(Z))


def test_get_and_set_params():
    part = on_type(RBF(0.5))
    assert part.get_params(deep=False).keys() == {"kernel", "part", "action_features"}
    assert part.get_params()["kernel__length_scale"] == 0.5
    part.set_params(kernel__length_scale=0.25, action_features=D)
    assert part.kernel.length_scale == 0.25
    np.testing.assert_array_equal(part(Z), RBF(0.25)(Z[:, D:]))
    whole = expression().set_params(k1__k1__k1__k2__kernel__length_scale=np.array([1.0, 2.0]))
    assert whole.get_params()["k1__k1__k1__k2__kernel__length_scale"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        (on_action(RBF(np.array([1.0, 2.0]))), True),
        (on_action(RBF(np.array([1.0, 3.0]))), False),
        (on_type(RBF(np.array([1.0, 2.0]))), False),
        (bind(on_action(RBF(np.array([1.0, 2.0]))), D), False),
        (RBF(np.array([1.0, 2.0])), False),
    ],
)
def test_equality(other, equal):
    assert (on_action(RBF(np.array([1.0, 2.0]))) == other) is equal


def test_a_part_reads_as_it_is_written():
    assert repr(on_action(RBF(0.5)) + on_type(Matern(2.0))) == (
        "on_action(RBF(length_scale=0.5)) + on_type(Matern(length_scale=2, nu=1.5))"
    )


def test_scikit_learn_optimises_through_the_parts():
    """Fifty noisy values of a function that is rough in the action and flat in the type."""
    rng = np.random.default_rng(3)
    z = rng.uniform(-1, 1, (50, 2))
    y = np.sin(5 * z[:, 0]) + 0.05 * rng.normal(size=50)
    kernel = bind(on_action(RBF(1.0, (0.01, 100.0))) * on_type(RBF(1.0, (0.01, 10.0))), 1)
    start = GaussianProcessRegressor(kernel, alpha=0.05**2, optimizer=None).fit(z, y)
    with pytest.warns(match="close to the specified upper bound"):
        fitted = GaussianProcessRegressor(kernel, alpha=0.05**2).fit(z, y)
    assert fitted.log_marginal_likelihood_value_ > start.log_marginal_likelihood_value_ + 10
    assert 0.1 < fitted.kernel_.k1.kernel.length_scale < 0.8
    assert fitted.kernel_.k2.kernel.length_scale == pytest.approx(10.0)
    assert fitted.kernel_.k1.action_features == 1


def test_bind_leaves_the_expression_alone():
    kernel = expression()
    bound = bind(kernel, D)
    assert all(v is None for k, v in kernel.get_params().items() if k.endswith("action_features"))
    assert [v for k, v in bound.get_params().items() if k.endswith("action_features")] == [D] * 4
    assert bind(bound, 1).get_params()["k2__action_features"] == 1


def test_bind_of_a_lone_part_and_of_a_plain_kernel():
    assert bind(on_type(RBF()), D).action_features == D
    assert bind(RBF(0.3), D) == RBF(0.3)


def test_an_unbound_part_says_how_to_bind_it():
    for ask in (lambda k: k(Z), lambda k: k.diag(Z)):
        with pytest.raises(InvalidInput, match=r"on_type\(RBF\(length_scale=1\)\) does not know .* call bind\(kernel"):
            ask(on_type(RBF()))


@pytest.mark.parametrize(
    "kernel",
    [WhiteKernel(), RBF() + WhiteKernel(0.1), on_type(WhiteKernel()), (on_action(RBF() + WhiteKernel())) ** 2 * RBF()],
)
def test_white_noise_is_refused_wherever_it_hides(kernel):
    with pytest.raises(InvalidInput, match="kernel has a WhiteKernel: leave it out and give its noise_level as regul"):
        bind(kernel, D)


def test_a_compound_kernel_is_refused():
    with pytest.raises(InvalidInput, match="kernel has a CompoundKernel: use a sum or a product of its kernels"):
        bind(RBF() * CompoundKernel([RBF(), RBF()]), D)


def test_polynomial_by_hand():
    """(2 + 1·3 − 2·1)³ = 27, and degree 1 is the dot product."""
    assert polynomial(3, bias=2.0)([[1.0, 2.0]], [[3.0, -1.0]])[0, 0] == pytest.approx(27.0)
    np.testing.assert_allclose(polynomial(1)(Z), 1.0 + Z @ Z.T)
    np.testing.assert_allclose(polynomial(2, bias=0.0)(Z), (Z @ Z.T) ** 2)


@pytest.mark.parametrize("degree", [0, -1, 2.5])
def test_polynomial_refuses_a_degree(degree):
    with pytest.raises(InvalidInput, match=f"degree is {degree}: give (1 or more|a whole number)"):
        polynomial(degree)


@pytest.mark.parametrize("bias", [-0.5, np.nan, np.inf])
def test_polynomial_refuses_a_bias(bias):
    with pytest.raises(InvalidInput, match=f"bias is {bias}: give a finite number, 0 or more"):
        polynomial(2, bias)


@pytest.mark.parametrize("scale", [10.0, 0.1])
def test_polynomial_refuses_powers_of_the_scale_out_of_range(scale):
    """scale^(2 · degree) is 10^±148 at degree 74 and 10^±152 at 76; the limit is 10^±150."""
    assert polynomial(74, 0.0, scale)([[scale]])[0, 0] == pytest.approx(1.0)
    with pytest.raises(InvalidInput, match=r"polynomial has degree 76 and scale .* from 1e-150 to 1e.150"):
        polynomial(76, 0.0, scale)


def test_polynomial_refuses_a_degree_above_a_thousand():
    assert polynomial(1000, 0.0)([[1.0]])[0, 0] == 1.0
    with pytest.raises(InvalidInput, match="polynomial has degree 1001 and scale 1: give a degree of at most 1000"):
        polynomial(1001)


def test_pairs_run_type_by_type():
    z = pairs(np.array([[1.0], [2.0], [3.0]]), np.array([[10.0, 11.0], [20.0, 21.0]]))
    assert z.tolist() == [[1, 10, 11], [2, 10, 11], [3, 10, 11], [1, 20, 21], [2, 20, 21], [3, 20, 21]]


def test_a_part_is_not_hashable_like_every_kernel_that_can_change():
    with pytest.raises(TypeError, match="unhashable"):
        hash(OnPart(RBF()))


@pytest.mark.parametrize("scale", [0.5, 2.0, 3.0])
@pytest.mark.parametrize("bias", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomial_with_a_scale_by_hand(degree, bias, scale):
    """z·z' = 3 − 2 = 1 and z·z = 5."""
    kernel, z = polynomial(degree, bias, scale), np.array([[1.0, 2.0], [3.0, -1.0]])
    assert kernel(z)[0, 1] == pytest.approx((bias + 1 / scale**2) ** degree, rel=1e-12)
    assert kernel.diag(z)[0] == pytest.approx((bias + 5 / scale**2) ** degree, rel=1e-12)
