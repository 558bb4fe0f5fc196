"""Hyperparameters by marginal likelihood, through scikit-learn's regressor."""

import warnings
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.arrays import Matrix, as_array, positive
from firstmover.core.errors import InvalidInput


@dataclass(frozen=True)
class Fit:
    """The kernel of largest marginal likelihood found, that likelihood, and the warnings of the optimiser."""

    kernel: Kernel
    log_likelihood: float
    remarks: tuple[str, ...]


def fit_kernel(  # noqa: PLR0917 - what the likelihood depends on
    kernel: Kernel, points: Matrix, responses: Matrix, noise_variance: float, restarts: int = 0, seed: int = 0
) -> Fit:
    """Maximise log p(y | z) = −½ yᵀ(K + σ²I)⁻¹y − ½ log det(K + σ²I) − (t/2) log 2π over the kernel's hyperparameters.

    Responses (t, m) share the kernel and their log likelihoods add up. The noise variance is given, not fitted; the
    search starts at the kernel's own values and again at `restarts` random ones within its bounds.
    """
    points, responses = as_array("points", points, ndim=2), as_array("responses", responses, ndim=2)
    if len(points) != len(responses) or len(points) == 0:
        raise InvalidInput(
            f"points has {len(points)} rows and responses {len(responses)}: give equally many, 1 or more."
        )
    model = GaussianProcessRegressor(
        kernel, alpha=positive("noise_variance", noise_variance), n_restarts_optimizer=restarts, random_state=seed
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(points, responses)
    return Fit(
        model.kernel_, float(model.log_marginal_likelihood_value_), tuple(str(warning.message) for warning in caught)
    )
