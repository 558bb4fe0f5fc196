"""The certificate: an upper bound on the regret of the rounds played, from what was observed in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs import LemmaWidth
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.functionals import Regression
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.arrays import Matrix, Vector, non_negative, positive
from firstmover.core.contracts import Belief, Game, Learner
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.linear_bounds import LinearBounds, Plane
from firstmover.core.records import Box, Feedback, Run
from firstmover.kernels import DomainGram
from firstmover.theory.compared_rounds import ComparedRounds, Played, Sums, predictions

MULTIPLIERS = (1.0, 0.25, 0.0625, 4.0, 16.0, 64.0, 256.0)
"""λ, in units of σ², of the ellipsoids that are intersected."""

SHARES = (0.5, 0.25, 0.25)
"""The shares of δ of the mixtures of alternatives that the first λ belong to."""

MOST_WORK = 3e9
"""Operations up to which boxes of all actions and types are computed for a linear reward, which can do without."""

FAR = 40.0
"""Standard deviations beyond which a normal probability is 0."""


@dataclass(frozen=True)
class Certificate:
    """An upper bound on the regret of the rounds played: with probability `confidence`, R(T) ≤ `loss`.

    Parameters
    ----------
    loss
        The bound.
    expected
        The largest posterior mean of what an action would have earned more than the actions played; by the first λ = σ²
        where the bound is proved.
    action
        The likeliest to have earned more.
    rounds
        T, the number of rounds.
    confidence
        Of the bound.
    proved
        Whether the bound is a theorem, which holds if its assumptions do, or an estimate.

    Examples
    --------
    >>> from firstmover.theory import Certificate
    >>> Certificate(loss=12.0, expected=3.0, action=2, rounds=48, confidence=0.9, proved=False).per_round
    0.25
    """

    loss: float
    expected: float
    action: int
    rounds: int
    confidence: float
    proved: bool

    @property
    def per_round(self) -> float:
        """The loss divided by the number of rounds."""
        return self.loss / self.rounds


@dataclass(frozen=True)
class NormBound:
    """The assumptions of a proved certificate: ‖b_j‖_k ≤ B and σ-sub-Gaussian noise of each output, and δ.

    Parameters
    ----------
    rkhs_norm_bound
        B, the largest norm.
    noise_std
        σ.
    failure_probability
        δ.
    unit
        λ of the first ellipsoid, σ² where there is noise.

    Raises
    ------
    InvalidInput
        If a number is outside its range.

    Examples
    --------
    >>> from firstmover import LemmaWidth
    >>> from firstmover.theory import NormBound
    >>> NormBound.of(LemmaWidth(2.0, 0.5, 1.0, 0.1)).unit
    0.25
    """

    rkhs_norm_bound: float
    noise_std: float
    failure_probability: float
    unit: float

    def __post_init__(self) -> None:
        positive("rkhs_norm_bound", self.rkhs_norm_bound)
        non_negative("noise_std", self.noise_std)
        positive("unit", self.unit)
        if not 0 < self.failure_probability < 1:
            raise InvalidInput(
                f"failure_probability is {self.failure_probability!r}: give a number between 0 and 1, such as 0.1."
            )

    @classmethod
    def of(cls, width: LemmaWidth) -> "NormBound":
        """Return the assumptions of the width of the lemma."""
        unit = width.noise_std**2 or width.regularization
        return cls(width.rkhs_norm_bound, width.noise_std, width.failure_probability, unit)

    @property
    def regularizations(self) -> tuple[float, ...]:
        """The λ of the ellipsoids."""
        return tuple(factor * self.unit for factor in MULTIPLIERS)


def radii(regressions: Sequence[Regression], assumed: NormBound) -> Matrix:
    """Return β_λj with |ℓ(b_j) − ℓ(μ_λj)| ≤ β_λj √(ℓ C_λ ℓ) for all ℓ, of each λ and output (k, m).

    With J_j(λ) = min_f ‖y_j − f‖² + λ‖f‖_k² and the smallest of some λ' in

    ρ_j² = min J_j(λ') + 2σ² (γ_λ' + log(m / δ_λ')),   β_λj² = (ρ_j² − J_j(λ)) / λ + B²,   Σ δ_λ' = δ.
    """
    minima = np.stack([each.regularized_error for each in regressions])
    gains = np.array([each.information_gain for each in regressions])[:, None]
    chance = np.log(minima.shape[1] / (assumed.failure_probability * np.array(SHARES)))[:, None]
    mixed = slice(len(SHARES))
    rho = (minima[mixed] + 2 * assumed.noise_std**2 * (gains[mixed] + chance)).min(axis=0)
    squared = (rho - minima) / np.array(assumed.regularizations)[:, None] + assumed.rkhs_norm_bound**2
    if np.any(squared < 0):
        raise InvalidInput(
            f"the responses contradict rkhs_norm_bound {assumed.rkhs_norm_bound:g} and noise_std "
            f"{assumed.noise_std:g}, with {1 - assumed.failure_probability:.0%} confidence: raise one of them."
        )
    return np.sqrt(squared)


def proved_certificate(game: Game, kernel: Kernel, played: Played, assumed: NormBound) -> Certificate:
    """Return the certificate of rounds against an opponent whose b has a bounded norm (docs/theory/certificate.md).

    With probability 1 − δ, for all x and λ at once and linear bounds ℓ_x on the rewards,

    R(T) ≤ max_x min_λ min(ℓ_x(μ) + Σ_j β_j √(ℓ_xj C ℓ_xj),  Σ_{t: x_t ≠ x} max r(x, θ_t) − min r(x_t, θ_t))

    Parameters
    ----------
    game
        X, r and the response domain.
    kernel
        k over z.
    played
        The rounds.
    assumed
        B, σ and δ.

    Returns
    -------
    Certificate
        A certificate that is proved.

    Raises
    ------
    InvalidInput
        If the responses contradict the assumptions, or the reward has no minimum over boxes.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, play_run
    >>> from firstmover.learners import uniform
    >>> from firstmover.theory import NormBound, Played, proved_certificate
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> run = play_run(game, opponent_for("shore", game, "random"), uniform(24), rounds=30, seed=0)
    >>> proved_certificate(game, shore.kernel, Played.of(run), NormBound(3.0, 0.1, 0.1, unit=0.01)).proved
    True
    """
    rounds = ComparedRounds.of(game, played)
    gram, plane = DomainGram(kernel, game.actions, rounds.types), rounds.plane
    boxed = plane is None or len(rounds.pairs.actions) ** 2 * float(rounds.gained.size) <= MOST_WORK
    each = [
        Regression(gram, rounds.pairs, played.responses, np.full(len(played.actions), value))
        for value in assumed.regularizations
    ]
    least, expected = np.full(game.n_actions, np.inf), list[float]()
    for regression, beta in zip(each, radii(each, assumed), strict=True):
        boxes = list[Box]()
        if boxed:
            mean, variance = regression.predict(game.n_actions)
            reach = beta * np.sqrt(variance)
            boxes = [Box(*ends).within(game.response_domain) for ends in zip(mean - reach, mean + reach, strict=True)]
            least = np.minimum(least, rounds.most(boxes))
        sums = rounds.sums([regression], rounds.bounded(boxes) if plane is None else rounds.linear(plane))
        least = np.minimum(least, sums.mean + sums.std @ beta)
        expected.append(float(sums.mean.max()))
    action = int(np.argmax(least))
    loss = max(float(least[action]), 0.0)  # the regret against an action that was always played is 0
    confidence, count = 1 - assumed.failure_probability, int(played.rounds.sum())
    return Certificate(loss, expected[0], action, count, confidence, proved=True)


def estimated_certificate(game: Game, belief: Belief, played: Played, confidence: float) -> Certificate:
    """Return the certificate of rounds by a posterior; it is as good as the belief.

    The loss is c with Σ_k P(k) Σ_x P(D_x > c | k) = 1 − confidence, over the structures k of the belief, where
    D_x = Σ_{t: x_t ≠ x} r(x, θ_t) − r(x_t, θ_t) is normal: rewards that are not linear are linearised by secants of one
    standard deviation to both sides of the mean. It is at most what the response domain allows.

    Parameters
    ----------
    game
        X, r and the response domain.
    belief
        Its kernel and λ are conditioned on the rounds; one that fits itself counts as it is.
    played
        The rounds.
    confidence
        Of the bound.

    Returns
    -------
    Certificate
        A certificate that is estimated.

    Raises
    ------
    InvalidInput
        If there are too few responses for a scale.

    Examples
    --------
    >>> from firstmover import GAMES, ConstantWidth, Setup, opponent_for, play_run
    >>> from firstmover.learners import uniform
    >>> from firstmover.theory import Played, estimated_certificate
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> run = play_run(game, opponent_for("shore", game, "random"), uniform(24), rounds=30, seed=0)
    >>> belief = Setup(game, shore.kernel, shore.regularization, ConstantWidth(1.0)).belief()
    >>> estimated_certificate(game, belief, Played.of(run), confidence=0.9).rounds
    30
    """
    rounds = ComparedRounds.of(game, played)
    sums = [(weight, rounds.sums(each, _secants(rounds, each))) for weight, each in _structures(belief, rounds, played)]
    most = _most_anywhere(rounds)
    loss, action, expected = float(most.max()), int(np.argmax(most)), 0.0
    if sums:
        expected = float(np.max(np.sum([weight * each.mean for weight, each in sums], axis=0)))
        found, likeliest = _quantile(sums, 1 - confidence)
        loss, action = (found, likeliest) if found < loss else (loss, action)
    if not np.isfinite(loss):
        raise InvalidInput(f"{counted(len(played.actions), 'response')} so far, too few for a scale: tell more rounds.")
    return Certificate(loss, expected, action, int(played.rounds.sum()), confidence, proved=False)


def _structures(belief: Any, rounds: ComparedRounds, played: Played) -> list[tuple[float, tuple[Regression, ...]]]:
    """The regressions of a belief, each with its probability."""
    if isinstance(belief, FittedBelief):
        return belief.regressions(rounds.types, rounds.pairs)
    plain: Any = belief.belief if isinstance(belief, WithNoise) else belief
    gram = DomainGram(plain.kernel, rounds.game.actions, rounds.types)
    noise = np.full(len(played.actions), float(plain.regularization))
    return [(1.0, (Regression(gram, rounds.pairs, played.responses, noise),))]


def _secants(rounds: ComparedRounds, regressions: Sequence[Regression]) -> list[LinearBounds]:
    """A linear reward itself, or secants of it at the mean of each action and type."""
    game, plane = rounds.game, rounds.plane
    if plane is not None:
        return rounds.linear(plane)
    domain, found = game.response_domain, []
    for x, (mean, variance) in enumerate(zip(*predictions(regressions, game.n_actions), strict=True)):
        middle, actions = np.clip(mean, domain.lower, domain.upper), rounds.actions_at(x)
        slope = np.zeros_like(middle)
        for j in range(game.n_outputs):
            reach = np.where(np.arange(game.n_outputs) == j, np.sqrt(variance), 0.0)
            low, high = (np.clip(middle + sign * reach, domain.lower, domain.upper) for sign in (-1, 1))
            width = (high - low)[:, j]
            rise = np.asarray(game.reward(actions, high)) - np.asarray(game.reward(actions, low))
            slope[:, j] = np.divide(rise, width, out=np.zeros_like(width), where=width > 0)
        secant = Plane(np.asarray(game.reward(actions, middle)) - np.sum(slope * middle, axis=1), slope)
        found.append(LinearBounds(secant, secant))
    return found


def _most_anywhere(rounds: ComparedRounds) -> Vector:
    """The largest regret against each action that the response domain leaves possible (n,), perhaps infinite."""
    domain, shape = rounds.game.response_domain, (len(rounds.types), rounds.game.n_outputs)
    if not np.all(np.isfinite([domain.lower, domain.upper])):
        return np.full(rounds.game.n_actions, np.inf)
    box = Box(np.broadcast_to(domain.lower, shape), np.broadcast_to(domain.upper, shape))
    try:
        return rounds.most([box] * rounds.game.n_actions)
    except InvalidInput:  # a reward without a minimum over boxes
        return np.full(rounds.game.n_actions, np.inf)


def _quantile(sums: Sequence[tuple[float, Sums]], failure_probability: float) -> tuple[float, int]:
    """c ≥ 0 with Σ_k P(k) Σ_x P(D_x > c) = δ, and the action that adds most to it."""
    weights = np.array([weight for weight, _ in sums])
    mean = np.stack([each.mean for _, each in sums])
    std = np.sqrt(np.stack([np.sum(each.std**2, axis=1) for _, each in sums]))

    def above(c: float) -> Vector:
        """P(D_x > c) for each action (n,)."""
        certain = np.where(mean > c, 1.0, 0.0)
        z = np.divide(mean - c, std, out=np.zeros_like(mean), where=std > 0)
        return np.asarray(weights @ np.where(std > 0, ndtr(z), certain), dtype=np.float64)

    def excess(c: float) -> float:
        return float(above(c).sum()) - failure_probability

    c, far = 0.0, float(np.max(mean + FAR * std))
    if excess(0.0) > 0:
        c = float(brentq(excess, 0.0, 2 * far, xtol=1e-12 * far))
    return c, int(np.argmax(above(c)))


def run_certificate(learner: Learner, run: Run, failure_probability: float = 0.1) -> Certificate:
    """Return the certificate of a run from the learner before its first round.

    It is proved for a learner with `LemmaWidth`, whose δ then counts, and estimated for others with a belief.

    Parameters
    ----------
    learner
        Before the first round.
    run
        The rounds that it played.
    failure_probability
        δ of an estimated certificate.

    Returns
    -------
    Certificate
        The certificate.

    Raises
    ------
    InvalidInput
        If the learner has no belief about responses, or the responses contradict its assumptions.

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> from firstmover.theory import run_certificate
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=2.0)
    >>> run = play_run(game, opponent_for("shore", game, "random"), learner, rounds=20, seed=0)
    >>> found = run_certificate(learner, run)
    >>> found.rounds, found.confidence, found.proved
    (20, 0.9, False)
    """
    belief: Any = getattr(learner, "belief", None)
    game, width = getattr(learner, "game", None), getattr(learner, "confidence", None)
    if belief is None or game is None:
        raise InvalidInput(f"{type(learner).__name__} has no belief about responses: a certificate needs one.")
    if isinstance(width, LemmaWidth):
        plain: Any = belief.belief if isinstance(belief, WithNoise) else belief
        return proved_certificate(game, plain.kernel, Played.of(run), NormBound.of(width))
    if isinstance(belief, FittedBelief):
        for action, kind, response in zip(run.actions.tolist(), run.opponent_types, run.responses, strict=True):
            learner = learner.observe(Feedback(action, kind, response))
        belief = learner.belief  # type: ignore[attr-defined]
    return estimated_certificate(game, belief, Played.of(run), 1 - failure_probability)
