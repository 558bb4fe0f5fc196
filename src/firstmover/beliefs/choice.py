"""A belief about a choice among places: indicators regressed together, hyperparameters by marginal likelihood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from firstmover.beliefs.finite import FiniteBelief
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.records import Prediction
from firstmover.kernels import on_action, on_type

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

LENGTHS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Lengthscales that are tried, in radii of the menu."""

FIRST = 2
"""The one that is used while all reports come from one place."""

MISREAD = 1e-3
"""λ, the noise variance of an indicator: best responses have none, but a few reports are assigned to a wrong place."""


def radius(points: Matrix) -> float:
    """The largest distance of a row from the mean of all; 1 where all rows are equal."""
    largest = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())
    return largest if largest > 0 else 1.0


def choice_kernels(actions: Matrix, types: Matrix) -> "list[Kernel]":
    """1 + Matérn-5/2 for each length: far from all data the mean is the average of the reports, not 1/c."""
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern  # noqa: PLC0415

    kernels = []
    for length in LENGTHS:
        kernel = on_action(Matern(length * radius(actions), nu=2.5))
        if len(types) > 1:
            kernel = kernel * on_type(Matern(length * radius(types), nu=2.5))
        kernels.append(ConstantKernel(1.0) + kernel)
    return kernels


@dataclass(frozen=True, eq=False, repr=False)
class ChoiceBelief(Sampling):
    """Indicators of c places with one kernel, mean 1/c before any report; the likeliest of several kernels predicts.

    The c outputs of each kernel share its factorisation. With e = q − 1/c, a common scale s² of kernel and noise, and
    s² at its best value, the log likelihood of t reports is, but for a constant,

    −(t c / 2) log Σ_s ‖e_s − μ_s‖² / (σ_s² + λ) − (c / 2) Σ_s log(σ_s² + λ)

    with μ_s, σ_s at the point of report s given those before it. While all reports come from one place it would
    favour the largest length scale; a middle one of the grid is used until then. The means sum to 1 at every action.

    Parameters
    ----------
    beliefs
        One per kernel and noise variance.
    n_places
        c, the number of places.
    misfit
        Σ_s ‖e_s − μ_s‖² / (σ_s² + λ) of each belief.
    log_variance
        Σ_s log(σ_s² + λ) of each belief.
    count
        The number of reports.
    first_place
        That of the first report.
    varied
        Whether a report came from another place.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.beliefs import ChoiceBelief
    >>> belief = ChoiceBelief.prior(np.array([[0.0], [1.0]]), types=np.array([[0.0]]), n_places=2)
    >>> belief.predict(np.zeros(1)).mean
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    beliefs: tuple[FiniteBelief, ...]
    n_places: int
    misfit: Vector
    log_variance: Vector
    count: int = 0
    first_place: int | None = None
    varied: bool = False

    @classmethod
    def prior(
        cls, actions: Matrix, types: Matrix, n_places: int, noise_variances: tuple[float, ...] = (MISREAD,)
    ) -> Self:
        """Return the belief before the first report; of several noise variances λ the likeliest is used.

        Parameters
        ----------
        actions
            X (n, d).
        types
            Θ (q, p).
        n_places
            c, the number of places.
        noise_variances
            Values of λ.

        Returns
        -------
        Self
            The belief.
        """
        kernels = [(kernel, noise) for noise in noise_variances for kernel in choice_kernels(actions, types)]
        beliefs = tuple(FiniteBelief.prior(kernel, noise, actions, types, n_places) for kernel, noise in kernels)
        return cls(beliefs, n_places, np.zeros(len(beliefs)), np.zeros(len(beliefs)))

    @property
    def log_likelihoods(self) -> Vector:
        """The log likelihood of the reports by each kernel, but for a constant; needs a report."""
        return -0.5 * self.n_places * (self.count * np.log(self.misfit) + self.log_variance)

    @property
    def likeliest(self) -> int:
        """The index of the kernel that predicts."""
        return int(np.argmax(self.log_likelihoods)) if self.varied else FIRST

    @property
    def information_gain(self) -> float:
        """That of the kernel that predicts."""
        return self.beliefs[self.likeliest].information_gain

    @property
    def latest_type(self) -> Vector:
        """The type of the last report; before it, the first type."""
        return self.beliefs[0].latest_type

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, c) and standard deviation (n,) by the likeliest kernel."""
        prediction = self.beliefs[self.likeliest].predict(opponent_type)
        return Prediction(prediction.mean + 1 / self.n_places, prediction.std)

    def prior_std(self, opponent_type: Vector) -> Vector:
        """√k(z, z) of all actions at a known type, by the likeliest kernel."""
        return self.beliefs[self.likeliest].prior_std(opponent_type)

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance at some actions (all by default) and one type by that kernel: (k, k)."""
        return self.beliefs[self.likeliest].covariance(opponent_type, actions=actions)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more report, the indicator of a place (c,)."""
        indicator = as_array("response", response, ndim=1, length=self.n_places)
        misfit, log_variance, beliefs = self.misfit.copy(), self.log_variance.copy(), []
        for i, belief in enumerate(self.beliefs):
            child = belief.condition(action, opponent_type, indicator - 1 / self.n_places)
            prediction = belief.predict(opponent_type)
            variance = float(prediction.std[action]) ** 2 + belief.regularization
            error = indicator - 1 / self.n_places - prediction.mean[action]
            misfit[i] += error @ error / variance
            log_variance[i] += math.log(variance)
            beliefs.append(child)
        place = int(np.argmax(indicator))
        first = place if self.first_place is None else self.first_place
        return replace(
            self,
            beliefs=tuple(beliefs),
            misfit=misfit,
            log_variance=log_variance,
            count=self.count + 1,
            first_place=first,
            varied=self.varied or place != first,
        )
