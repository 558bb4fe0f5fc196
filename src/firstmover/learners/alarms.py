"""Alarms: signs in the rounds played so far that a learner is not learning, each with a remedy."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, Game, Learner
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm, Feedback, Prediction, Run
from firstmover.learners.reward_regression import GPMW, GPUCB

LEAST = 8
"""Rounds before the first alarm."""

WINDOW = 50
"""Rounds, the latest, that alarms are computed from."""

FEW = 25
"""Rounds at the start and at the end whose optimism is compared."""

ENOUGH = 20
"""Rounds before a drift or an outlier that show what is usual."""

BAND, TOLERATED = 1.645, 0.85
"""The half-width of the 90 % band in standard deviations, and the share of responses inside that raises no alarm."""

FAR = 8.0
"""Deviations of the noise between an outlier and the posterior mean."""

DRIFT_SLACK, DRIFT_LIMIT = 0.25, 15.0
"""δ and h of the Page-Hinkley test."""

UNEXPLORED, PLAUSIBLE = 0.9, 2.0
"""Shares of the prior deviation that make an action unexplored, and deviations by which its response may be off."""


class Evidence(NamedTuple):
    """Numbers of one round, by the belief before its response; σ includes the noise where it is not said otherwise.

    Parameters
    ----------
    inside
        Share of the outputs inside the 90 % band.
    error
        Mean of |y − μ| / σ over the outputs.
    against_constant
        (e² − c²) / (e² + c²), with e the error of the belief and c that of the mean response so far.
    noise_ratio
        Mean of (y − μ)² over the noise variance.
    prior_share
        σ without noise over that of the prior.
    optimistic, earned
        r̃ of the action played, and its reward at the response.
    outlying
        Largest distance of an output from the posterior mean after the round, in deviations of the noise.
    unexplored
        Other actions that are unexplored and could earn more; 0 while several actions are played.
    """

    inside: float
    error: float
    against_constant: float
    noise_ratio: float
    prior_share: float
    optimistic: float
    earned: float
    outlying: float
    unexplored: float


@dataclass(frozen=True)
class Model:
    """The model of responses before a round: the belief, β, and the noise variance, a number or one per output (m,)."""

    game: Game
    belief: Belief
    width: float
    noise_variance: Any


def prior_share(belief: Belief, opponent_type: Vector) -> Vector:
    """σ over σ without data, of all actions (n,), the smallest of all outputs; NaN if the belief has no prior."""
    std, prior_std = belief.predict(opponent_type).std, getattr(belief, "prior_std", None)
    shares = std / (np.nan if prior_std is None else prior_std(opponent_type))
    return shares.reshape(len(shares), -1).min(axis=1)


@dataclass(frozen=True, eq=False)
class Monitor:
    """Running statistics of the rounds observed so far; `alarms` are the conclusions.

    Parameters
    ----------
    rounds, window
        The number of rounds, and the evidence of the latest (at most 50, 9).
    mean_response
        Mean of all responses (m,).
    first_gap
        Sum over the first 25 rounds of optimistic minus earned reward.
    drift
        The Page-Hinkley test of the errors: mean error, S, smallest S, and the round of the smallest S.
    action, same_since
        The action played last, and the first of the rounds in a row in which it was played.
    """

    rounds: int = 0
    window: Matrix = field(default_factory=lambda: np.empty((0, len(Evidence._fields))))
    mean_response: Vector = field(default_factory=lambda: np.zeros(1))
    first_gap: float = 0.0
    drift: Vector = field(default_factory=lambda: np.zeros(4))
    action: int = -1
    same_since: int = 0

    def after(self, model: Model, feedback: Feedback) -> "Monitor":
        """Return the monitor after one more round."""
        t, response = self.rounds + 1, feedback.response
        with np.errstate(all="ignore"):  # of a response of 1e300, or a prior deviation of 0
            evidence = self._evidence(model, feedback)
        gap = evidence.optimistic - evidence.earned
        return Monitor(
            t,
            np.vstack([self.window[-WINDOW + 1 :], evidence]),
            self.mean_response + (response - self.mean_response) / t,
            self.first_gap + (gap if t <= FEW else 0.0),
            page_hinkley(self.drift, evidence.error, t),
            feedback.action,
            self.same_since if feedback.action == self.action else t,
        )

    def _evidence(self, model: Model, feedback: Feedback) -> Evidence:
        game, action, opponent_type = model.game, feedback.action, feedback.opponent_type
        prediction, shares = model.belief.predict(opponent_type), prior_share(model.belief, opponent_type)
        error = feedback.response - prediction.mean[action]
        known = np.broadcast_to(prediction.std[action] ** 2, error.shape)
        noise = np.broadcast_to(model.noise_variance, error.shape)
        off = np.abs(error) / np.sqrt(known + noise)
        constant = feedback.response - self.mean_response
        errors = float(error @ error), float(constant @ constant)
        row = Prediction(prediction.mean[[action]], prediction.std[[action]])
        box, x = confidence_box(row, model.width, game.response_domain), game.actions[[action]]
        earned = float(game.reward(x, feedback.response[None])[0])
        return Evidence(
            inside=float(np.mean(off <= BAND)),
            error=float(np.mean(off)),
            against_constant=(errors[0] - errors[1]) / sum(errors) if self.rounds and 0 < sum(errors) < np.inf else 0.0,
            noise_ratio=float(np.mean(error**2 / noise)),
            prior_share=float(shares[action]),
            optimistic=float(_clipped(game, game.reward.best_in_box(x, box))[0]),
            earned=earned,
            outlying=float(np.max(np.abs(error) * np.sqrt(noise) / (known + noise))),
            unexplored=float(self._unexplored(model, prediction, shares)),
        )

    def _unexplored(self, model: Model, prediction: Prediction, shares: Vector) -> int:
        """Count the actions of almost the prior deviation that could earn clearly more; 0 while several are played."""
        if self.rounds - self.same_since < FEW:
            return 0
        game, rows = model.game, np.flatnonzero(shares >= UNEXPLORED)
        box = confidence_box(Prediction(prediction.mean[rows], prediction.std[rows]), PLAUSIBLE, game.response_domain)
        possible = _clipped(game, game.reward.best_in_box(game.actions[rows], box)) if len(rows) else np.empty(0)
        earned = self._column("earned")
        return int(np.sum(possible > earned.mean() + earned.std()))

    def _column(self, name: str, last: int = WINDOW) -> Vector:
        return self.window[-last:, Evidence._fields.index(name)]

    def _mean(self, name: str, last: int = WINDOW) -> float:
        return float(np.mean(self._column(name, last)))

    @property
    def _start(self) -> int:
        """The first round of the window."""
        return self.rounds - len(self.window) + 1

    @property
    def numbers(self) -> Vector:
        """All numbers, to be stored."""
        counts = [self.rounds, self.first_gap, self.action, self.same_since, len(self.mean_response)]
        return np.concatenate([counts, self.drift, self.mean_response, self.window.ravel()])

    @classmethod
    def restored(cls, numbers: Vector) -> "Monitor":
        """The monitor of stored `numbers`."""
        rounds, first_gap, action, same_since, m = numbers[:5].tolist()
        drift, mean, window = np.split(numbers[5:], [4, 4 + int(m)])
        rows = window.reshape(-1, len(Evidence._fields))
        return cls(int(rounds), rows, mean, first_gap, drift, int(action), int(same_since))

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """All alarms after the last round; none in the first rounds."""
        with np.errstate(all="ignore"):  # as in `after`
            found = [check(self) for check in CHECKS] if self.rounds >= LEAST else []
        return tuple(alarm for alarm in found if alarm is not None)


def _clipped(game: Game, rewards: Vector) -> Vector:
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)


def page_hinkley(state: Vector, value: float, t: int) -> Vector:
    """Return mean, S, smallest S and its round after value u_t: S ← S + u_t − ū_t − δ (Page 1954, Hinkley 1971).

    u_t is cut at 4: a single outlier is no drift. The test rejects where S exceeds its smallest value by h.

    >>> page_hinkley(np.array([1.0, 0.5, 0.5, 1.0]), 3.0, 2)
    array([2.  , 1.25, 0.5 , 1.  ])
    """
    mean, total, smallest, place = state.tolist()
    value = min(value, 4.0)
    mean += (value - mean) / t
    total += value - mean - DRIFT_SLACK
    return np.array([mean, total, *((total, t) if total < smallest else (smallest, place))])


def _not_generalising(monitor: Monitor) -> Alarm | None:
    rounds, ratio = 30, monitor._mean("prior_share", 30)
    if monitor.rounds < 60 or not ratio > 0.95:
        return None
    return Alarm(
        "not generalising",
        f"Before each of the last {rounds} responses its standard deviation was {ratio:.0%} of that without data: "
        "what was observed says nothing about the next round.",
        "Increase the length scales of the kernel, or leave out a type that is new in every round.",
        monitor.rounds - rounds + 1,
    )


def _optimism(monitor: Monitor) -> Alarm | None:
    optimistic, earned = monitor._mean("optimistic", FEW), monitor._mean("earned", FEW)
    gap, first = optimistic - earned, monitor.first_gap / FEW
    spread = float(np.std(monitor._column("earned")))
    if monitor.rounds < 4 * FEW or not (gap >= first / 2 and gap > 1.5 * spread):
        return None
    return Alarm(
        "optimism",
        f"The optimistic reward of the action played was {optimistic:.4g} over the last {FEW} rounds and {earned:.4g} "
        f"was earned; the difference was {first:.4g} in the first {FEW} rounds.",
        "Decrease the width β or the prior variance of the kernel, or give tighter bounds of the responses.",
        monitor.rounds - FEW + 1,
    )


def _locked_in(monitor: Monitor) -> Alarm | None:
    same, others = monitor.rounds - monitor.same_since + 1, monitor._column("unexplored", FEW)
    if same < WINDOW or np.mean(others > 0) <= 0.5:
        return None
    return Alarm(
        "locked in",
        f"The same action was played {same} times in a row, while {counted(int(others.max()), 'action')} with at least "
        f"{UNEXPLORED:.0%} of the prior deviation could earn more than the {monitor._mean('earned'):.4g} earned.",
        "Increase the width β or the prior variance of the kernel, so that unexplored actions are tried.",
        monitor.same_since,
    )


def _no_better_than_constant(monitor: Monitor) -> Alarm | None:
    difference = monitor._mean("against_constant")
    unexplained = float(np.median(monitor._column("noise_ratio")))
    if len(monitor.window) < WINDOW or not (difference > -0.05 and unexplained > 2):
        return None
    return Alarm(
        "no better than a constant",
        f"Over the last {len(monitor.window)} rounds the squared errors of the predictions were typically "
        f"{(1 + difference) / (1 - difference):.2f} times those of the mean response so far.",
        "Fit the kernel to the data, or add the features that the response depends on.",
        monitor._start,
    )


def _calibration(monitor: Monitor) -> Alarm | None:
    n, inside = len(monitor.window), monitor._mean("inside")
    if inside < TOLERATED - 4 * np.sqrt(TOLERATED * (1 - TOLERATED) / n):  # four standard errors
        return Alarm(
            "calibration",
            f"Of the last {n} responses {inside:.0%} lay inside their 90 % bands.",
            "Increase λ, the variance of the noise, or the prior variance of the kernel.",
            monitor._start,
        )
    off = float(np.quantile(monitor._column("error"), 0.9))
    if n < WINDOW or off >= 0.25:
        return None
    return Alarm(
        "calibration",
        f"Nine in ten of the last {n} responses lay within {off:.2g} standard deviations of their prediction, where "
        f"{BAND:.2g} are expected.",
        "Decrease λ, the variance of the noise, or the prior variance of the kernel.",
        monitor._start,
    )


def _drift(monitor: Monitor) -> Alarm | None:
    _, total, smallest, place = monitor.drift.tolist()
    if total - smallest <= DRIFT_LIMIT or place < ENOUGH:
        return None
    more = (total - smallest) / (monitor.rounds - place) + DRIFT_SLACK
    return Alarm(
        "drift",
        f"Errors of predictions have been larger by {more:.2g} standard deviations than before: the opponent may have "
        "changed.",
        "Begin a new match if it has, and import the rounds since then.",
        int(place) + 1,
    )


def _outlier(monitor: Monitor) -> Alarm | None:
    """The largest one of the window, if hardly any before it: after it a belief may be spoiled."""
    outlying = monitor._column("outlying")
    worst = int(np.argmax(outlying))
    place, before = monitor._start + worst, outlying[:worst]
    if outlying[worst] <= FAR or place <= ENOUGH or len(before) < LEAST or np.mean(before > FAR) > 0.1:
        return None
    return Alarm(
        "outlier",
        f"The response of one round contradicts those before: it lies {outlying[worst]:.3g} deviations of the noise "
        "from the mean that fits them all.",
        "Check what was recorded, and correct it if it is wrong.",
        place,
    )


CHECKS: tuple[Callable[[Monitor], Alarm | None], ...] = (
    _not_generalising,
    _optimism,
    _locked_in,
    _no_better_than_constant,
    _calibration,
    _drift,
    _outlier,
)


def alarms(learner: Learner, run: Run) -> tuple[Alarm, ...]:
    """Return the alarms after the last round of a run; `learner` is the one before its first round, which is replayed.

    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> prices = GAMES["prices"]
    >>> game = prices.build()
    >>> learner = StackelUCB.start(game, prices.kernel, prices.regularization, confidence_width=20.0)
    >>> run = play_run(game, opponent_for("prices", game, "random"), learner, rounds=100, seed=0)
    >>> [alarm.name for alarm in alarms(learner, run)]
    ['optimism']
    """
    if not has_model(learner):
        raise InvalidInput(
            f"{type(learner).__name__} has no belief about responses: give a learner that has one, such as StackelUCB."
        )
    monitor = Monitor()
    with one_thread():
        for action, opponent_type, response in zip(run.actions, run.opponent_types, run.responses, strict=True):
            feedback = Feedback(int(action), opponent_type, response)
            monitor = monitor.after(_model(learner), feedback)
            learner = learner.observe(feedback)
    return monitor.alarms


def has_model(learner: Learner) -> bool:
    """Whether the learner decides by a belief about responses."""
    belief = getattr(learner, "belief", None)
    noisy = hasattr(belief, "noise_variance") or hasattr(belief, "regularization")
    return noisy and hasattr(learner, "game") and not isinstance(learner, GPUCB | GPMW)  # theirs is about rewards


def _model(learner: Any) -> Model:
    belief = learner.belief
    width = learner.confidence(belief.information_gain) if hasattr(learner, "confidence") else PLAUSIBLE
    noise = belief.noise_variance if hasattr(belief, "noise_variance") else belief.regularization
    return Model(learner.game, belief, width, noise)
