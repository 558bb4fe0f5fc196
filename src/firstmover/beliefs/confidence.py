"""β_t (constant, or of theory), and the confidence box [lcb, ucb] of Eq. (4) cut to the response domain."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from firstmover.core.arrays import as_count, non_negative, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Prediction

FORMULAS = ("tight", "sum", "printed")
"""The formulas of `LemmaWidth`."""


@dataclass(frozen=True)
class ConstantWidth:
    """β_t = value in every round, as in the paper's experiments.

    Parameters
    ----------
    value
        β, 0 or more.

    Raises
    ------
    InvalidInput
        If the value is negative or not a finite number.

    Examples
    --------
    >>> from firstmover import ConstantWidth
    >>> ConstantWidth(2.0)(information_gain=5.0)
    2.0
    """

    value: float

    def __post_init__(self) -> None:
        non_negative("confidence_width", self.value)

    def __call__(self, information_gain: float) -> float:  # noqa: ARG002 - the contract's argument
        """Return β."""
        return self.value


@dataclass(frozen=True)
class LemmaWidth:
    """A width that holds for all actions, types and rounds at once with probability 1 − δ, if ‖b‖_k ≤ B.

    With the noise term s = σ / √λ · √(2 log(m / δ) + 2 γ_t), γ_t = ½ log det(I + K_t / λ), and the union bound over m
    outputs, `formula` is one of

    - "tight": β_t = √(s² + B²) (docs/decisions/0073-tighter-width.md);
    - "sum": β_t = s + B, which Lemma 4 gives (docs/decisions/0001-confidence-width.md), never narrower;
    - "printed": β_t = (s + B) / √λ, Lemma 4 as the paper prints it, which holds at λ ≤ 1 only.

    Parameters
    ----------
    rkhs_norm_bound
        B, the largest norm ‖b‖_k of an output.
    noise_std
        σ, such that the noise is σ-sub-Gaussian.
    regularization
        λ of the belief.
    failure_probability
        δ, between 0 and 1.
    n_outputs
        m, the number of outputs that the bound holds for together.
    formula
        One of "tight", "sum" and "printed".

    Raises
    ------
    InvalidInput
        If a number is outside its range, or the formula is unknown.

    Examples
    --------
    >>> from firstmover import LemmaWidth
    >>> round(LemmaWidth(rkhs_norm_bound=2.0, noise_std=0.5, regularization=4.0, failure_probability=0.1)(1.0), 6)
    2.100672
    """

    rkhs_norm_bound: float
    noise_std: float
    regularization: float
    failure_probability: float
    n_outputs: int = 1
    formula: str = "tight"

    def __post_init__(self) -> None:
        positive("rkhs_norm_bound", self.rkhs_norm_bound)
        positive("regularization", self.regularization)
        non_negative("noise_std", self.noise_std)
        as_count("n_outputs", self.n_outputs)
        if not (isinstance(self.failure_probability, Real) and 0 < self.failure_probability < 1):
            raise InvalidInput(
                f"failure_probability is {self.failure_probability!r}: give a number between 0 and 1, such as 0.1."
            )
        if self.formula not in FORMULAS:
            raise InvalidInput(f"formula is {self.formula!r}: give one of {', '.join(FORMULAS)}.")

    def __call__(self, information_gain: float) -> float:
        """Return β_t from the information gain so far."""
        chance = np.log(self.n_outputs / self.failure_probability)
        noise = self.noise_std * np.sqrt(2 * chance + 2 * information_gain)
        root = np.sqrt(self.regularization)
        if self.formula == "tight":
            return float(np.hypot(noise / root, self.rkhs_norm_bound))
        added = noise / root + self.rkhs_norm_bound
        return float(added / root if self.formula == "printed" else added)


def confidence_box(prediction: Prediction, width: float, domain: Box) -> Box:
    """Return Eq. (4), [μ − βσ, μ + βσ] for all actions, cut to the response domain; σ is (n,) or per output (n, m).

    Parameters
    ----------
    prediction
        Mean (n, m) and standard deviation (n,) or, per output, (n, m).
    width
        β_t.
    domain
        The response domain, corners (m,).

    Returns
    -------
    Box
        One box per action, corners (n, m).

    Examples
    --------
    >>> from firstmover.core.records import Prediction
    >>> import numpy as np
    >>> from firstmover import Box
    >>> from firstmover.beliefs import confidence_box
    >>> confidence_box(Prediction(np.array([[1.0]]), np.array([0.5])), 4.0, Box([0.0], [9.0]))
    Box(lower=array([[0.]]), upper=array([[3.]]))
    """
    reach = width * (prediction.std if prediction.std.ndim == 2 else prediction.std[:, None])
    lower, upper = prediction.mean - reach, prediction.mean + reach
    for corner in (lower, upper):
        np.minimum(np.maximum(corner, domain.lower, out=corner), domain.upper, out=corner)
    return Box.unchecked(lower, upper)
