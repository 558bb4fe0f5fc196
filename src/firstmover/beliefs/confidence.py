"""β_t (constant, or Lemma 4), and the confidence box [lcb, ucb] of Eq. (4) cut to the response domain."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from firstmover.core.arrays import as_count, non_negative, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Prediction


@dataclass(frozen=True)
class ConstantWidth:
    """β_t = value in every round, as in the paper's experiments."""

    value: float

    def __post_init__(self) -> None:
        non_negative("confidence_width", self.value)

    def __call__(self, information_gain: float) -> float:  # noqa: ARG002 - the contract's argument
        """Return β."""
        return self.value


@dataclass(frozen=True)
class LemmaWidth:
    """The width of Lemma 4, which holds for all actions, types and rounds at once with probability 1 − δ.

    β_t = σ / √λ · √(2 log(m / δ) + 2 γ_t) + B, with γ_t = ½ log det(I + K_t / λ) and, for m outputs, the union bound.
    With `as_printed` the paper's σ / λ and B / √λ; both agree at λ = 1 (docs/decisions/0001-confidence-width.md).

    >>> round(LemmaWidth(rkhs_norm_bound=2.0, noise_std=0.5, regularization=4.0, failure_probability=0.1)(1.0), 6)
    2.642513
    """

    rkhs_norm_bound: float
    noise_std: float
    regularization: float
    failure_probability: float
    n_outputs: int = 1
    as_printed: bool = False

    def __post_init__(self) -> None:
        positive("rkhs_norm_bound", self.rkhs_norm_bound)
        positive("regularization", self.regularization)
        non_negative("noise_std", self.noise_std)
        as_count("n_outputs", self.n_outputs)
        if not (isinstance(self.failure_probability, Real) and 0 < self.failure_probability < 1):
            raise InvalidInput(
                f"failure_probability is {self.failure_probability!r}: give a number between 0 and 1, such as 0.1."
            )

    def __call__(self, information_gain: float) -> float:
        """Return β_t from the information gain so far."""
        chance = np.log(self.n_outputs / self.failure_probability)
        noise = self.noise_std * np.sqrt(2 * chance + 2 * information_gain)
        root = np.sqrt(self.regularization)
        if self.as_printed:
            return float(noise / self.regularization + self.rkhs_norm_bound / root)
        return float(noise / root + self.rkhs_norm_bound)


def confidence_box(prediction: Prediction, width: float, domain: Box) -> Box:
    """Return Eq. (4), [μ − βσ, μ + βσ] for all actions, cut to the response domain; σ is (n,) or per output (n, m).

    >>> confidence_box(Prediction(np.array([[1.0]]), np.array([0.5])), 4.0, Box([0.0], [9.0]))
    Box(lower=array([[0.]]), upper=array([[3.]]))
    """
    reach = width * (prediction.std if prediction.std.ndim == 2 else prediction.std[:, None])
    lower, upper = prediction.mean - reach, prediction.mean + reach
    for corner in (lower, upper):
        np.minimum(np.maximum(corner, domain.lower, out=corner), domain.upper, out=corner)
    return Box.unchecked(lower, upper)
