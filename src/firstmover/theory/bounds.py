"""The right-hand sides of Theorem 1 and Corollaries 2 and 3, term by term, as curves over the number of rounds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Vector, as_count, non_negative, positive
from firstmover.core.errors import InvalidInput
from firstmover.games import grid_size

PRINTED_FACTOR = 4.0
"""The paper's factor of L_r β_T √(T λ γ_T)."""


def learning_factor(kernel_bound: float, regularization: float) -> float:
    """Return the factor of L_r β_T √(T λ γ_T): the printed 4 where it is valid, else the one that the proof gives.

    With s = max k / λ, Σ_t σ_t² ≤ 2 λ γ_T · s / log(1 + s), so the factor is 2 √(2 s / log(1 + s)): at most 4 while
    max k ≤ 2.51 λ (docs/decisions/0012-constants-of-the-bounds.md).

    >>> learning_factor(1.0, 1.0), round(learning_factor(1.0, 0.01), 3)
    (4.0, 13.166)
    """
    share = positive("kernel_bound", kernel_bound) / positive("regularization", regularization)
    return float(max(PRINTED_FACTOR, 2 * np.sqrt(2 * share / np.log1p(share))))


@dataclass(frozen=True)
class Premises:
    """The constants of the bounds, from the game and the learner.

    Parameters
    ----------
    failure_probability
        δ.
    reward_lipschitz
        L_r with `|r(x, y) − r(x, y')|` ≤ L_r ‖y − y'‖₁, in units of the reward.
    regularization
        λ.
    kernel_bound
        The largest k(z, z).
    reward_width
        w, largest minus smallest reward; 1 in the paper.
    n_outputs
        m, the outputs of a response, whose boxes add up in ‖·‖₁.

    Raises
    ------
    InvalidInput
        If a number is outside its range.

    Examples
    --------
    >>> from firstmover.theory import Premises
    >>> Premises(failure_probability=0.1, reward_lipschitz=1.0, regularization=0.5).as_in_the_paper
    False
    """

    failure_probability: float
    reward_lipschitz: float
    regularization: float
    kernel_bound: float = 1.0
    reward_width: float = 1.0
    n_outputs: int = 1

    def __post_init__(self) -> None:
        if not 0 < positive("failure_probability", self.failure_probability) < 1:
            raise InvalidInput(
                f"failure_probability is {self.failure_probability!r}: give a number between 0 and 1, such as 0.1."
            )
        non_negative("reward_lipschitz", self.reward_lipschitz)
        positive("regularization", self.regularization)
        positive("kernel_bound", self.kernel_bound)
        non_negative("reward_width", self.reward_width)
        as_count("n_outputs", self.n_outputs)

    @property
    def as_in_the_paper(self) -> bool:
        """Whether λ ≥ max k, as the theorems assume."""
        return self.regularization >= self.kernel_bound

    def chance(self, t: Vector) -> Vector:
        """The deviation of sampled actions, with probability 1 − δ: w √(T/2 · log(1/δ))."""
        return self.reward_width * np.sqrt(t / 2 * np.log(1 / self.failure_probability))

    def learning(self, t: Vector, confidence_width: ArrayLike, information_gain: ArrayLike) -> Vector:
        """The cost of learning the response: m · 4 L_r β_T √(T λ γ_T)."""
        factor = self.n_outputs * learning_factor(self.kernel_bound, self.regularization)
        beta = _curve("confidence_width", confidence_width, t)
        gain = _curve("information_gain", information_gain, t)
        return factor * self.reward_lipschitz * beta * np.sqrt(t * self.regularization * gain)


@dataclass(frozen=True)
class RegretBound:
    """A bound on R(T) for each T of `t` as a sum of terms; each T is a separate statement.

    Parameters
    ----------
    name
        Of the statement.
    holds_with
        Its probability.
    t
        The values of T.
    weights, chance, learning, discretisation
        The terms at each T: of the weights, of sampled actions, of learning the response, and of the grid.

    Examples
    --------
    >>> from firstmover.theory import Premises, theorem_1
    >>> bound = theorem_1(Premises(0.1, 1.0, 1.0), [100, 400], 2.0, 3.0, n_actions=10)
    >>> bound.holds_with, bound.total.round(1)
    (0.8, array([160., 320.]))
    """

    name: str
    holds_with: float
    t: Vector
    weights: Vector
    chance: Vector
    learning: Vector
    discretisation: Vector

    @property
    def total(self) -> Vector:
        """The right-hand side."""
        return self.weights + self.chance + self.learning + self.discretisation

    @property
    def terms(self) -> dict[str, Vector]:
        """The terms by name, without those that are always zero."""
        names = ("weights", "chance", "learning the response", "discretisation")
        terms = (self.weights, self.chance, self.learning, self.discretisation)
        return {name: term for name, term in zip(names, terms, strict=True) if term.any()}


def theorem_1(
    premises: Premises,
    t: ArrayLike,
    confidence_width: ArrayLike,
    information_gain: ArrayLike,
    *,
    n_actions: int,
    horizon: int | None = None,
    n_contexts: int = 1,
) -> RegretBound:
    """Return Theorem 1: R(T) ≤ w √(T/2 · log n) + w √(T/2 · log(1/δ)) + m · 4 L_r β_T √(T λ γ_T), probability 1 − 2δ.

    Parameters
    ----------
    premises
        The constants.
    t
        One or more values of T.
    confidence_width
        β_T for each T, or one number for all.
    information_gain
        γ_T for each T, or one number for all.
    n_actions
        n, the number of actions.
    horizon
        H for which the rate η was chosen: the term of the weights at T ≤ H is then w √(H/8 · log n) (1 + T/H), the
        above at T = H.
    n_contexts
        C, for weights of their own in each context: R is then that against the best policy from contexts to actions,
        and log n becomes C log n (docs/theory/contexts.md).

    Returns
    -------
    RegretBound
        The bound, term by term.

    Raises
    ------
    InvalidInput
        If a number is outside its range, T is beyond the horizon, or δ is 0.5 or more.

    Examples
    --------
    >>> from firstmover.theory import Premises, theorem_1
    >>> theorem_1(Premises(0.1, 1.0, 1.0), 100, 2.0, 3.0, n_actions=10).total.round(3)
    array([160.024])
    """
    rounds, log_n = _rounds(t), as_count("n_contexts", n_contexts) * float(np.log(as_count("n_actions", n_actions)))
    learning = premises.learning(rounds, confidence_width, information_gain)
    return _sampled_bound("Theorem 1", premises, rounds, learning, log_n, horizon, np.zeros_like(rounds))


def corollary_2(
    premises: Premises, t: ArrayLike, confidence_width: ArrayLike, information_gain: ArrayLike
) -> RegretBound:
    """Return Corollary 2, one known type and Eq. (8): with probability 1 − δ, R(T) ≤ m · 4 L_r β_T √(T λ γ_T).

    Parameters
    ----------
    premises
        The constants.
    t
        One or more values of T.
    confidence_width, information_gain
        β_T and γ_T for each T, or one number for all.

    Returns
    -------
    RegretBound
        The bound, which has one term.

    Raises
    ------
    InvalidInput
        If a number is outside its range.

    Examples
    --------
    >>> from firstmover.theory import Premises, corollary_2
    >>> corollary_2(Premises(0.1, 1.0, 1.0), 100, 2.0, 3.0).total.round(3)
    array([138.564])
    """
    rounds = _rounds(t)
    nothing, learning = np.zeros_like(rounds), premises.learning(rounds, confidence_width, information_gain)
    return RegretBound("Corollary 2", 1 - premises.failure_probability, rounds, nothing, nothing, learning, nothing)


def corollary_3(
    premises: Premises,
    t: ArrayLike,
    confidence_width: ArrayLike,
    information_gain: ArrayLike,
    *,
    n_leader_actions: int,
    response_lipschitz: float,
    radius: float | None = None,
    horizon: int | None = None,
) -> RegretBound:
    """Return Corollary 3, n_l leader actions on a grid of N points: Theorem 1 for N, and T L_r (1 + L_b) · radius.

    Parameters
    ----------
    premises
        The constants.
    t
        One or more values of T.
    confidence_width, information_gain
        β_T and γ_T for each T, or one number for all.
    n_leader_actions
        n_l.
    response_lipschitz
        L_b.
    radius
        That of the grid. None: that of Eq. (9) for rewards of width w, w √(n_l / T) / (L_r (1 + L_b)), which costs w
        √(n_l T), or w T √(n_l / H) at T ≤ H; log N is then the paper's n_l log(L_r (1 + L_b) √(n_l T) / w).
    horizon
        H for which the rate η and the grid were chosen.

    Returns
    -------
    RegretBound
        The bound, term by term.

    Raises
    ------
    InvalidInput
        If a number is outside its range, T is beyond the horizon, or δ is 0.5 or more.

    Examples
    --------
    >>> from firstmover.theory import Premises, corollary_3
    >>> leader = corollary_3(Premises(0.1, 1.0, 1.0), 100, 2.0, 3.0, n_leader_actions=3, response_lipschitz=1.0)
    >>> {name: float(term[0].round(3)) for name, term in leader.terms.items()}
    {'weights': 23.06, 'chance': 10.73, 'learning the response': 138.564, 'discretisation': 17.321}
    """
    rounds, n_l, width = _rounds(t), as_count("n_leader_actions", n_leader_actions), premises.reward_width
    planned = rounds if horizon is None else np.full_like(rounds, as_count("horizon", horizon))
    steep = premises.reward_lipschitz * (1 + non_negative("response_lipschitz", response_lipschitz))
    log_d: float | Vector
    if radius is None:
        sides = np.maximum(width, steep * np.sqrt(n_l * planned))  # at width, one strategy is close to all others
        log_d = n_l * np.log(sides / width) if width > 0 else 0.0
        lost = width * rounds * np.sqrt(n_l / planned)
    else:
        log_d, lost = float(np.log(grid_size(n_l, radius))), rounds * steep * radius
    learning = premises.learning(rounds, confidence_width, information_gain)
    return _sampled_bound("Corollary 3", premises, rounds, learning, log_d, horizon, lost)


def _sampled_bound(  # noqa: PLR0917 - the terms of the bound
    name: str, premises: Premises, t: Vector, learning: Vector, log_n: float | Vector, horizon: int | None, lost: Vector
) -> RegretBound:
    """The bound for sampled actions, with probability 1 − 2δ: the boxes and the sampling each fail with δ."""
    delta = premises.failure_probability
    if delta >= 0.5:
        raise InvalidInput(
            f"failure_probability is {delta!r}: the bound holds with probability 1 − 2δ, so give less than 0.5."
        )
    weights = premises.reward_width * _weights_term(t, log_n, horizon)
    return RegretBound(name, 1 - 2 * delta, t, weights, premises.chance(t), learning, lost)


def _weights_term(t: Vector, log_n: float | Vector, horizon: int | None) -> Vector:
    """log n / η + η T / 8, the regret of multiplicative weights; with η = √(8 log n / T) it is √(T/2 · log n)."""
    planned = t if horizon is None else np.full_like(t, as_count("horizon", horizon))
    if np.any(t > planned):
        raise InvalidInput(
            f"t reaches {t.max():g}, beyond the horizon {horizon}: the rate was chosen for fewer rounds."
        )
    return np.sqrt(planned * log_n / 8) * (1 + t / planned)


def _rounds(t: ArrayLike) -> Vector:
    rounds = _numbers(t)
    if rounds.ndim > 1 or not np.all(rounds >= 1):  # also a NaN
        raise InvalidInput("t must hold finite numbers of rounds, 1 or more, in one dimension.")
    return np.atleast_1d(rounds)


def _curve(name: str, value: ArrayLike, t: Vector) -> Vector:
    curve = _numbers(value)
    if not np.all(curve >= 0) or curve.shape not in ((), t.shape):  # also a NaN
        raise InvalidInput(f"{name} must be finite, 0 or more, and one number or {len(t)}: one for each T.")
    return np.broadcast_to(curve, t.shape)


def _numbers(value: ArrayLike) -> Vector:
    """The value as an array; NaN for an infinite number or if it is not numeric."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.array(np.nan)
    return np.where(np.isfinite(numbers), numbers, np.nan)
