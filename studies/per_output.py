"""A belief whose outputs have noise of their own, found online by maximum likelihood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.finite import FiniteBelief
from firstmover.beliefs.sampling import joint_draws
from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.records import Prediction


@dataclass(frozen=True, eq=False)
class PerOutput:
    """One kernel for all outputs and a noise variance λ_j for each, of those tried the likeliest.

    With e_sj the error and σ_s² the variance of the prediction of round s given those before it, the log likelihood of
    output j under a kernel and a noise λ is, but for a constant,

    ℓ_j = −½ Σ_s (e_sj² / (σ_s² + λ) + log(σ_s² + λ))

    The kernel of the largest Σ_j max_λ ℓ_j answers, with the likeliest λ_j of each output, so that the standard
    deviation is (n, m): the box of a noisy output is wide, that of a quiet one narrow. Ties go to the first kernel and
    noise. The outputs of one kernel and noise share their factorisation.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> belief = PerOutput.prior([RBF()], (0.01, 1.0), np.zeros((1, 1)), np.zeros((1, 1)), 2)
    >>> for noisy in (1.0, -1.2, 0.8, -0.9):
    ...     belief = belief.condition(0, np.zeros(1), np.array([0.5, noisy]))
    >>> print(belief.noise_variances, belief.predict(np.zeros(1)).std.round(3))
    [0.01 1.  ] [[0.05  0.447]]
    """

    beliefs: tuple[tuple[FiniteBelief, ...], ...]
    log_likelihood: NDArray[np.float64]
    prior_mean: float

    @classmethod
    def prior(  # noqa: PLR0917 - what a belief over known types depends on
        cls,
        kernels: Sequence[Kernel],
        noise_variances: Sequence[float],
        actions: Matrix,
        types: Matrix,
        n_outputs: int,
        prior_mean: float = 0.0,
    ) -> Self:
        """Before the first round, for kernels and noise variances to choose among."""
        beliefs = tuple(
            tuple(FiniteBelief.prior(kernel, noise, actions, types, n_outputs) for noise in noise_variances)
            for kernel in kernels
        )
        return cls(beliefs, np.zeros((len(kernels), len(noise_variances), n_outputs)), prior_mean)

    @property
    def likeliest(self) -> tuple[int, NDArray[np.intp]]:
        """The index of the likeliest kernel, and that of the noise of each output (m,)."""
        kernel = int(np.argmax(self.log_likelihood.max(axis=1).sum(axis=1)))
        return kernel, np.argmax(self.log_likelihood[kernel], axis=0)

    @property
    def noise_variances(self) -> Vector:
        """λ_j of each output (m,)."""
        kernel, noises = self.likeliest
        return np.array([belief.regularization for belief in self.beliefs[kernel]])[noises]

    @property
    def information_gain(self) -> float:
        """The largest of any output, so that β_t holds for each."""
        kernel, noises = self.likeliest
        return max(self.beliefs[kernel][noise].information_gain for noise in noises)

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n, m), each output with its own noise."""
        kernel, noises = self.likeliest
        predicted = [belief.predict(opponent_type) for belief in self.beliefs[kernel]]
        mean = np.column_stack([predicted[noise].mean[:, j] for j, noise in enumerate(noises)])
        return Prediction(mean + self.prior_mean, np.column_stack([predicted[noise].std for noise in noises]))

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """The posterior covariance of the noisiest output (k, k), at least that of each: it grows with λ_j."""
        kernel, noises = self.likeliest
        noisiest = max(noises, key=lambda noise: self.beliefs[kernel][noise].regularization)
        return self.beliefs[kernel][noisiest].covariance(opponent_type, actions=actions)

    def sample(
        self, n: int, rng: np.random.Generator, opponent_type: Vector, /, actions: Sequence[int] | None = None
    ) -> NDArray[np.float64]:
        """Return n joint draws at some actions, each output with the covariance of its own noise: (n, k, m)."""
        (kernel, noises), mean = self.likeliest, self.predict(opponent_type).mean
        rows = range(len(mean)) if actions is None else list(actions)
        covariances = [self.beliefs[kernel][noise].covariance(opponent_type, actions=rows) for noise in noises]
        draws = [joint_draws(mean[rows, j, None], covariance, n, rng) for j, covariance in enumerate(covariances)]
        return np.concatenate(draws, axis=2)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response, whose likelihood is counted before it is learnt."""
        response = as_array("response", response, ndim=1, length=self.log_likelihood.shape[2]) - self.prior_mean
        likelihood, beliefs = self.log_likelihood.copy(), []
        for k, row in enumerate(self.beliefs):
            beliefs.append(tuple(belief.condition(action, opponent_type, response) for belief in row))
            for i, belief in enumerate(row):
                predicted = belief.predict(opponent_type)
                variance = float(predicted.std[action]) ** 2 + belief.regularization
                likelihood[k, i] -= 0.5 * ((response - predicted.mean[action]) ** 2 / variance + math.log(variance))
        return replace(self, beliefs=tuple(beliefs), log_likelihood=likelihood)
