"""The certificate: an upper bound on the regret of the rounds played, from what was observed in them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs import LemmaWidth
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.functionals import Pairs, Regression
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import Belief, Game, Learner, worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.linear_bounds import LinearBounds, Plane, linear_bounds, linear_plane
from firstmover.core.records import Box, Feedback, Run
from firstmover.kernels import DomainGram

NOISE_FACTORS = (1.0, 4.0, 16.0, 64.0)
"""λ / σ² of the regressions whose ellipsoids are intersected, each with a share of δ."""

MOST_WORK = 3e9
"""Operations up to which the boxes of all actions and types are computed where a linear reward does not need them."""


@dataclass(frozen=True)
class Certificate:
    """With probability `confidence`, R(T) ≤ `loss` over T = `rounds`; `action` is the one that could have earned more.

    `expected` is the largest posterior mean of what an action would have earned more than the actions played.
    `proved` says whether the bound is a theorem, which holds if its assumptions do, or an estimate.
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


class Played(NamedTuple):
    """Observations in their order: actions by number (t,), types (t, p), responses (t, m).

    `rounds` (t,) tells which of them are rounds of play; the others inform the belief alone. `allowed` (t, n) has the
    actions that could have been played instead; None: all.
    """

    actions: NDArray[np.intp]
    types: Matrix
    responses: Matrix
    rounds: Mask
    allowed: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, run: Run) -> "Played":
        """Return the rounds of a run."""
        every = np.ones(len(run.actions), dtype=bool)
        return cls(run.actions.astype(np.intp), run.opponent_types, run.responses, every, run.allowed)


class Comparison(NamedTuple):
    """Distinct types (q, p), distinct pairs of action and type, and over how many rounds actions are compared.

    `given_up` (u, n) counts the rounds at each pair in which action x could have been played instead, and was not;
    `gained` (q, n) counts them by type.
    """

    game: Game
    types: Matrix
    pairs: Pairs
    given_up: Matrix
    gained: Matrix

    @classmethod
    def of(cls, game: Game, played: Played) -> "Comparison":
        """Return the comparison of each action with those played."""
        if not played.rounds.any():
            raise InvalidInput("no round was told: a certificate is about rounds that were played.")
        types, place = np.unique(played.types, axis=0, return_inverse=True)
        pairs = Pairs.of(played.actions, place.ravel())
        given_up = np.zeros((len(pairs.actions), game.n_actions))
        instead = np.ones((len(played.actions), game.n_actions)) if played.allowed is None else played.allowed
        np.add.at(given_up, pairs.place[played.rounds], np.asarray(instead, dtype=float)[played.rounds])
        on_menu = pairs.actions < game.n_actions
        given_up[on_menu, pairs.actions[on_menu]] = 0.0  # where the action itself was played, nothing is lost
        gained = np.zeros((len(types), game.n_actions))
        np.add.at(gained, pairs.types, given_up)
        return cls(game, types, pairs, given_up, gained)

    def boxed(self, best: Matrix, worst: Matrix) -> Vector:
        """Return Σ_t [best r(x, θ_t) − worst r(x_t, θ_t)] over t with x_t ≠ x, from tables (q, n), for all x (n,)."""
        played = worst[self.pairs.types, np.minimum(self.pairs.actions, self.game.n_actions - 1)]
        return np.asarray(np.vecdot(self.gained.T, best.T) - self.given_up.T @ played, dtype=np.float64)


class Sums(NamedTuple):
    """Linear bounds on Σ_t r(x, θ_t) − r(x_t, θ_t), for each x: mean (n,) and standard deviation of each output."""

    mean: Vector
    std: Matrix


def _sums(comparison: Comparison, regressions: Sequence[Regression], bounds: "list[LinearBounds] | Plane") -> Sums:
    """Return the posterior of the sums of linear bounds; one plane for all boxes of an action, or bounds by action."""
    game, pairs = comparison.game, comparison.pairs
    own = np.minimum(pairs.actions, game.n_actions - 1)  # pairs off the menu are in no round
    if isinstance(bounds, Plane):
        lower = Plane(bounds.value[own], bounds.slope[own])
    else:
        value, slope = (np.stack([each.lower[i] for each in bounds]) for i in (0, 1))
        lower = Plane(value[own, pairs.types], slope[own, pairs.types])
    mean, std = np.zeros(game.n_actions), np.zeros((game.n_actions, game.n_outputs))
    for x in range(game.n_actions):
        gained, given_up = comparison.gained[:, x], comparison.given_up[:, x]
        if isinstance(bounds, Plane):
            value, slope = bounds.value[x] * np.ones(len(gained)), np.tile(bounds.slope[x], (len(gained), 1))
        else:
            value, slope = bounds[x].upper
        weights = gained[:, None] * slope, given_up[:, None] * lower.slope
        found = [r.sums(x, *(each[:, part] for each in weights)) for r, part in _parts(regressions, game.n_outputs)]
        mean[x] = gained @ value - given_up @ lower.value + sum(float(each.mean.sum()) for each in found)
        std[x] = np.sqrt(np.concatenate([each.variance[0] for each in found]))
    return Sums(mean, std)


def _parts(regressions: Sequence[Regression], n_outputs: int) -> list[tuple[Regression, slice]]:
    """Each regression with its outputs: one for all outputs, or one for each."""
    if len(regressions) == 1:
        return [(regressions[0], slice(n_outputs))]
    return [(each, slice(j, j + 1)) for j, each in enumerate(regressions)]


def _predictions(regressions: Sequence[Regression], n_actions: int) -> list[tuple[Matrix, Matrix]]:
    """Mean and standard deviation (q, m) of each action at all types."""
    found = []
    for x in range(n_actions):
        each = [regression.predict(x) for regression in regressions]
        found.append((np.hstack([p.mean for p in each]), np.sqrt(np.hstack([p.variance for p in each]))))
    return found


class Width(Protocol):
    """β of a regression with some λ, which holds with a share of δ."""

    @property
    def regularization(self) -> float:
        """λ."""

    def __call__(self, information_gain: float) -> float:
        """β."""


def widths_of(width: LemmaWidth) -> tuple[LemmaWidth, ...]:
    """Return widths for several λ that hold together with the probability of this one.

    >>> [round(each.regularization, 4) for each in widths_of(LemmaWidth(2.0, 0.1, 1.0, 0.1))]
    [0.01, 0.04, 0.16, 0.64]
    """
    factors = NOISE_FACTORS if width.noise_std > 0 else (1.0,)
    unit = width.noise_std**2 if width.noise_std > 0 else width.regularization
    share = width.failure_probability / len(factors)
    return tuple(
        replace(width, regularization=factor * unit, failure_probability=share, formula="tight") for factor in factors
    )


def proved_certificate(
    game: Game, kernel: Kernel, played: Played, widths: Sequence[Width], confidence: float
) -> Certificate:
    """Return the certificate of rounds against an opponent whose b has a bounded norm (docs/theory/certificate.md).

    With probability `confidence`, for all λ, actions x and linear bounds ℓ_x of the rewards,

    R(T) ≤ max_x min(ℓ_x(μ) + β_λ Σ_j √(ℓ_xj C_λ ℓ_xj),  Σ_{t: x_t ≠ x} best r(x, θ_t) − worst r(x_t, θ_t))
    """
    comparison = Comparison.of(game, played)
    gram, plane = DomainGram(kernel, game.actions, comparison.types), linear_plane(game.reward, game.actions)
    work = len(comparison.pairs.actions) ** 2 * float(comparison.gained.size)
    least, expected = np.full(game.n_actions, np.inf), -np.inf
    for width in widths:
        noise = np.full(len(played.actions), width.regularization)
        regression = [Regression(gram, comparison.pairs, played.responses, noise)]
        beta, bounds = width(regression[0].information_gain), plane
        if plane is None or work <= MOST_WORK:
            boxes = [_box(beta, *each, game) for each in _predictions(regression, game.n_actions)]
            least = np.minimum(least, _boxed(comparison, boxes))
            bounds = plane or [
                linear_bounds(game.reward, _repeated(game, x, box), box) for x, box in enumerate(boxes)
            ]
        sums = _sums(comparison, regression, bounds)
        least, expected = np.minimum(least, sums.mean + beta * sums.std.sum(axis=1)), max(expected, sums.mean.max())
    return _certificate(comparison, played, least, expected, confidence, proved=True)


def _box(beta: float, mean: Matrix, std: Matrix, game: Game) -> Box:
    return Box(mean - beta * std, mean + beta * std).within(game.response_domain)


def _repeated(game: Game, action: int, box: Box) -> Matrix:
    return np.tile(game.actions[action], (len(box.lower), 1))


def _boxed(comparison: Comparison, boxes: Sequence[Box]) -> Vector:
    """The largest regret against each action that boxes (q, m) leave possible (n,)."""
    game, ends = comparison.game, []
    low, high = game.reward_range or (-np.inf, np.inf)
    for x, box in enumerate(boxes):
        actions = _repeated(game, x, box)
        ends.append((game.reward.best_in_box(actions, box), worst_in_box(game.reward, actions, box)))
    best, worst = (np.clip(np.stack(each, axis=1), low, high) for each in zip(*ends, strict=True))
    return comparison.boxed(best, worst)


def _certificate(
    comparison: Comparison, played: Played, least: Vector, expected: float, confidence: float, *, proved: bool
) -> Certificate:
    """The certificate from a bound on the regret against each action; against the actions played it is 0 or more."""
    action, rounds = int(np.argmax(least)), int(played.rounds.sum())
    return Certificate(max(float(least[action]), 0.0), float(expected), action, rounds, confidence, proved)


def estimated_certificate(game: Game, belief: Belief, played: Played, confidence: float) -> Certificate:
    """Return the certificate of rounds by a posterior, as good as the belief is: c with

    Σ_k P(k) Σ_x P(D_x > c | k) = 1 − confidence,   D_x = Σ_{t: x_t ≠ x} r(x, θ_t) − r(x_t, θ_t)

    over the structures k of the belief, D_x normal: rewards that are not linear are linearised by secants over two
    standard deviations about the mean.
    """
    comparison = Comparison.of(game, played)
    structures = _structures(belief, comparison, played)
    sums = [(weight, _sums(comparison, each, _linearised(comparison, each))) for weight, each in structures]
    anywhere = _anywhere(comparison)
    if not sums and not np.isfinite(anywhere).all():
        raise InvalidInput(f"{len(played.actions)} responses tell no scale yet: tell more rounds for a certificate.")
    found = _quantile(sums, 1 - confidence) if sums else np.inf
    expected = max(sum(weight * each.mean for weight, each in sums)) if sums else 0.0
    mean = sum(weight * each.mean for weight, each in sums) if sums else anywhere
    spread = sum(weight * np.sqrt(np.sum(each.std**2, axis=1)) for weight, each in sums) if sums else 0.0
    least = np.minimum(np.where(mean + spread == np.max(mean + spread), found, -np.inf), anywhere.max())
    return _certificate(comparison, played, least, expected, confidence, proved=False)


def _structures(belief: Any, comparison: Comparison, played: Played) -> list[tuple[float, tuple[Regression, ...]]]:
    """The regressions of a belief, each with its probability."""
    if isinstance(belief, FittedBelief):
        return belief.regressions(comparison.types, comparison.pairs)
    plain = belief.belief if isinstance(belief, WithNoise) else belief
    gram = DomainGram(plain.kernel, comparison.game.actions, comparison.types)
    noise = np.full(len(played.actions), float(plain.regularization))
    return [(1.0, (Regression(gram, comparison.pairs, played.responses, noise),))]


def _linearised(comparison: Comparison, regressions: Sequence[Regression]) -> "list[LinearBounds] | Plane":
    """A linear reward itself, or secants of it at the mean of each action and type."""
    game = comparison.game
    plane, domain = linear_plane(game.reward, game.actions), game.response_domain
    if plane is not None:
        return plane
    found = []
    for x, (mean, std) in enumerate(_predictions(regressions, game.n_actions)):
        middle = np.clip(mean, domain.lower, domain.upper)
        actions, slope = np.tile(game.actions[x], (len(middle), 1)), np.zeros_like(middle)
        for j in range(game.n_outputs):
            reach = np.where(np.arange(game.n_outputs) == j, std, 0.0)
            low, high = (np.clip(middle + sign * reach, domain.lower, domain.upper) for sign in (-1, 1))
            width = (high - low)[:, j]
            rise = np.asarray(game.reward(actions, high)) - np.asarray(game.reward(actions, low))
            slope[:, j] = np.divide(rise, width, out=np.zeros_like(width), where=width > 0)
        secant = Plane(np.asarray(game.reward(actions, middle)) - np.sum(slope * middle, axis=1), slope)
        found.append(LinearBounds(secant, secant))
    return found


def _anywhere(comparison: Comparison) -> Vector:
    """The largest regret against each action that the response domain leaves possible (n,), perhaps infinite."""
    domain, q = comparison.game.response_domain, len(comparison.types)
    if not np.all(np.isfinite([domain.lower, domain.upper])):
        return np.full(comparison.game.n_actions, np.inf)
    box = Box(np.tile(domain.lower, (q, 1)), np.tile(domain.upper, (q, 1)))
    return _boxed(comparison, [box] * comparison.game.n_actions)


def _quantile(sums: Sequence[tuple[float, Sums]], failure_probability: float) -> float:
    """c with Σ_k P(k) Σ_x P(D_x > c) = δ; at least 0, which the regret is as well."""
    weights = np.concatenate([np.full(len(each.mean), weight) for weight, each in sums])
    mean = np.concatenate([each.mean for _, each in sums])
    std = np.sqrt(np.concatenate([np.sum(each.std**2, axis=1) for _, each in sums]))

    def excess(c: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(std > 0, (mean - c) / std, np.where(mean > c, np.inf, -np.inf))
        return float(weights @ ndtr(z)) - failure_probability

    highest = float(np.max(mean + 40 * std))
    return 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, highest + 1e-9))


def run_certificate(learner: Learner, run: Run, failure_probability: float = 0.1) -> Certificate:
    """Return the certificate of a run from the learner before its first round.

    It is proved for a learner with `LemmaWidth`, whose δ then counts, and estimated for others with a belief.
    """
    played, game = Played.of(run), getattr(learner, "game", None)
    belief, width = getattr(learner, "belief", None), getattr(learner, "confidence", None)
    if belief is None or game is None:
        raise InvalidInput(f"{type(learner).__name__} has no belief about responses: a certificate needs one.")
    if isinstance(width, LemmaWidth):
        plain: Any = belief.belief if isinstance(belief, WithNoise) else belief
        return proved_certificate(game, plain.kernel, played, widths_of(width), 1 - width.failure_probability)
    if isinstance(belief, FittedBelief):
        for action, kind, response in zip(run.actions.tolist(), run.opponent_types, run.responses, strict=True):
            learner = learner.observe(Feedback(action, kind, response))
        belief = learner.belief  # type: ignore[attr-defined]
    return estimated_certificate(game, belief, played, 1 - failure_probability)
