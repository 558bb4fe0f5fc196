import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.beliefs.fitting import fit_kernel
from firstmover.core.errors import InvalidInput

POINTS = np.random.default_rng(5).uniform(0, 10, (120, 1))
TRUE = ConstantKernel(4.0) * RBF(1.5)


def draws(outputs: int) -> np.ndarray:
    """Functions of the true kernel with noise of variance 0.01."""
    covariance = TRUE(POINTS) + 0.01 * np.eye(len(POINTS))
    return np.random.default_rng(6).multivariate_normal(np.zeros(len(POINTS)), covariance, outputs).T


def test_hyperparameters_are_recovered_from_data_of_a_known_kernel() -> None:
    """Three functions over 7 lengthscales: some 20 independent pieces leave 6 % in ℓ and 30 % in the variance."""
    fit = fit_kernel(ConstantKernel(1.0, (1e-3, 1e3)) * RBF(0.5, (1e-2, 1e2)), POINTS, draws(3), 0.01)
    assert fit.kernel.k2.length_scale == pytest.approx(1.5, rel=0.15)
    assert fit.kernel.k1.constant_value == pytest.approx(4.0, rel=0.6)
    assert fit.remarks == ()


def test_the_likelihood_is_that_of_the_equation_and_outputs_add_up() -> None:
    values = draws(2)
    fit = fit_kernel(ConstantKernel(1.0, (1e-3, 1e3)) * RBF(0.5, (1e-2, 1e2)), POINTS, values, 0.01)
    normal = multivariate_normal(np.zeros(len(POINTS)), fit.kernel(POINTS) + 0.01 * np.eye(len(POINTS)))
    assert fit.log_likelihood == pytest.approx(normal.logpdf(values.T).sum(), rel=1e-8)


def test_no_kernel_nearby_is_likelier() -> None:
    values = draws(1)
    fit = fit_kernel(ConstantKernel(1.0, (1e-3, 1e3)) * RBF(0.5, (1e-2, 1e2)), POINTS, values, 0.01)
    for factor in (0.9, 1.1):
        for other in (
            ConstantKernel(fit.kernel.k1.constant_value * factor) * RBF(fit.kernel.k2.length_scale),
            ConstantKernel(fit.kernel.k1.constant_value) * RBF(fit.kernel.k2.length_scale * factor),
        ):
            normal = multivariate_normal(np.zeros(len(POINTS)), other(POINTS) + 0.01 * np.eye(len(POINTS)))
            assert normal.logpdf(values[:, 0]) < fit.log_likelihood


def test_a_bound_that_is_reached_is_remarked_upon() -> None:
    fit = fit_kernel(RBF(0.5, (0.4, 0.6)), POINTS, draws(1), 0.01)
    assert fit.kernel.length_scale == pytest.approx(0.6)
    assert len(fit.remarks) == 1
    assert "close to the specified upper bound" in fit.remarks[0]


@pytest.mark.parametrize(
    ("points", "responses", "noise", "sentence"),
    [
        (np.ones((3, 1)), np.ones((2, 1)), 0.1, "points has 3 rows and responses 2"),
        (np.ones((0, 1)), np.ones((0, 1)), 0.1, "give equally many, 1 or more"),
        (np.ones((2, 1)), np.ones((2, 1)), 0.0, "noise_variance is 0.0"),
        (np.full((2, 1), np.nan), np.ones((2, 1)), 0.1, "points has the value nan"),
    ],
)
def test_what_cannot_be_fitted_is_refused(points, responses, noise, sentence) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        fit_kernel(RBF(), points, responses, noise)
