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

LEAST, FEWEST = 8, 4
"""Rounds before the first alarm, and before an outlier."""

WINDOW = 50
"""Rounds, the latest, that alarms are computed from."""

FEW = 25
"""Rounds at the start and at the end whose optimism is compared."""

ENOUGH = 20
"""Rounds before a drift or an outlier that show what is usual."""

COVERED, BAND, TOLERATED = 0.9, 1.645, 0.85
"""The band's probability and half-width in standard deviations, and the share of responses inside without alarm."""

FAR = 8.0
"""Deviations of the noise between an outlier and the posterior mean."""

LITTLE = 1.0
"""The sum of log scores up to which predictions are no better than a constant: odds of e."""

SCORE_LIMIT = 16.0
"""Squared deviations at which log scores are cut: an outlier says nothing about the others."""

DRIFT_SLACK, DRIFT_LIMIT = 0.25, 15.0
"""δ and h of the Page-Hinkley test."""

UNEXPLORED, PLAUSIBLE = 0.9, 2.0
"""The share of the prior deviation from which on an action is unexplored, and deviations by which its response may be
off. An action is also unexplored if its deviation is twice that of all responses so far."""

SCORED, ENOUGH_SCORED = 10, 100
"""Rounds before the first one whose log score counts, and before the sum of scores says something."""


class Evidence(NamedTuple):
    """Numbers of one round, by the belief before its response; σ includes the noise where it is not said otherwise.

    Parameters
    ----------
    inside
        Share of the outputs inside the 90 % band; of a choice, whether the likelier ones have at most 90 % in all.
    error
        Mean of |y − μ| / σ over the outputs; of choice i with probabilities q, 1 + 2 (q · q − q_i), which is 1 on
        average if they are right.
    against_constant
        (e² − c²) / (e² + c²), with e the error of the belief and c that of the mean response so far.
    noise_ratio
        Mean of (y − μ)² over the noise variance.
    prior_share
        σ without noise over that of the prior.
    spread_share
        σ without noise over the standard deviation of all responses so far.
    score
        The log density of the response, less that of a normal with mean and deviation of the responses before.
    optimistic, earned
        r̃ of the action played, and its reward at the response.
    outlying
        Largest distance of an output from the posterior mean after the round, in deviations of the noise; 0 of choices.
    unexplored
        Other actions that are unexplored and could earn more; 0 while several actions are played.
    """

    inside: float
    error: float
    against_constant: float
    noise_ratio: float
    prior_share: float
    spread_share: float
    score: float
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

    @property
    def fitted(self) -> bool:
        """Whether the belief fits its hyperparameters, so that the user has none to set."""
        return hasattr(self.belief, "fitted")


def prior_share(belief: Belief, opponent_type: Vector) -> Vector:
    """σ over σ without data, of all actions (n,), the smallest of all outputs; NaN if the belief has no prior."""
    std, prior_std = belief.predict(opponent_type).std, getattr(belief, "prior_std", None)
    shares = std / (np.nan if prior_std is None else prior_std(opponent_type))
    return shares.reshape(len(shares), -1).min(axis=1)


def choice_of(response: Vector) -> int | None:
    """The place of the 1 if the response is a unit vector of two outputs or more, which is a choice; None otherwise."""
    place = int(np.argmax(response))
    is_choice = len(response) > 1 and response[place] == 1 and np.count_nonzero(response) == 1
    return place if is_choice else None


@dataclass(frozen=True, eq=False)
class Monitor:
    """Running statistics of the rounds observed so far; `alarms` are the conclusions.

    Parameters
    ----------
    rounds, window
        The number of rounds, and the evidence of the latest (at most 50, 11).
    mean_response, squares
        Mean of all responses (m,), and the sum of their squared deviations from it.
    score
        Sum of the log scores of all rounds but the first ten.
    first_gap
        Sum over the first 25 rounds of optimistic minus earned reward.
    drift
        The Page-Hinkley test of the errors: mean error, S, smallest S, and the round of the smallest S.
    action, same_since
        The action played last, and the first of the rounds in a row in which it was played.
    fitted
        Whether the belief fits its hyperparameters.
    """

    rounds: int = 0
    window: Matrix = field(default_factory=lambda: np.empty((0, len(Evidence._fields))))
    mean_response: Vector = field(default_factory=lambda: np.zeros(1))
    squares: Vector = field(default_factory=lambda: np.zeros(1))
    score: float = 0.0
    first_gap: float = 0.0
    drift: Vector = field(default_factory=lambda: np.zeros(4))
    action: int = -1
    same_since: int = 0
    fitted: bool = False

    def after(self, model: Model, feedback: Feedback) -> "Monitor":
        """Return the monitor after one more round."""
        t, response = self.rounds + 1, feedback.response
        with np.errstate(all="ignore"):  # of a response of 1e300, or a prior deviation of 0
            evidence = self._evidence(model, feedback)
            gap = evidence.optimistic - evidence.earned
            mean = self.mean_response + (response - self.mean_response) / t
            squares = self.squares + (response - self.mean_response) * (response - mean)
        return Monitor(
            t,
            np.vstack([self.window[-WINDOW + 1 :], evidence]),
            mean,
            squares,
            self.score + evidence.score,
            self.first_gap + (gap if t <= FEW and np.isfinite(gap) else 0.0),
            page_hinkley(self.drift, evidence.error, t),
            feedback.action,
            self.same_since if feedback.action == self.action else t,
            model.fitted,
        )

    @property
    def _spread(self) -> Vector:
        """The standard deviation of all responses so far (m,)."""
        return np.sqrt(self.squares / max(self.rounds, 1))

    def _evidence(self, model: Model, feedback: Feedback) -> Evidence:
        game, action, opponent_type = model.game, feedback.action, feedback.opponent_type
        prediction, shares = model.belief.predict(opponent_type), prior_share(model.belief, opponent_type)
        error = feedback.response - prediction.mean[action]
        known = np.broadcast_to(prediction.std[action] ** 2, error.shape)
        noise = np.broadcast_to(model.noise_variance, error.shape)
        inside, off, outlying = _surprise(feedback.response, prediction.mean[action], known, noise)
        constant = feedback.response - self.mean_response
        errors = float(error @ error), float(constant @ constant)
        row = Prediction(prediction.mean[[action]], prediction.std[[action]])
        box, x = confidence_box(row, model.width, game.response_domain), game.actions[[action]]
        earned = float(game.reward(x, feedback.response[None])[0])
        return Evidence(
            inside=inside,
            error=off,
            against_constant=(errors[0] - errors[1]) / sum(errors) if self.rounds and 0 < sum(errors) < np.inf else 0.0,
            noise_ratio=float(np.mean(error**2 / noise)),
            prior_share=float(shares[action]),
            spread_share=float(_share(np.sqrt(known), self._spread).min()),
            score=self._score(feedback.response, prediction.mean[action], known + noise),
            optimistic=float(_clipped(game, game.reward.best_in_box(x, box))[0]),
            earned=earned,
            outlying=outlying,
            unexplored=float(self._unexplored(model, prediction, shares)),
        )

    def _score(self, response: Vector, mean: Vector, variance: Vector) -> float:
        """The `score` of a response; 0 of the first ones, and where all responses before were the same.

        Of a choice it is the Brier score of the shares of all choices so far, less that of the probabilities.
        """
        if self.rounds < SCORED:
            return 0.0
        if choice_of(response) is not None:
            predicted, usual = response - _chances(mean), response - self.mean_response
            return float(usual @ usual - predicted @ predicted)
        spread = self._spread**2 * (1 + 2 / self.rounds)  # the mean is estimated, and so is the variance
        squares = [(response - mean) ** 2 / variance, (response - self.mean_response) ** 2 / spread]
        ours, constant = (np.minimum(each, SCORE_LIMIT) for each in squares)
        scores = (np.log(spread / variance) + constant - ours) / 2
        return float(np.sum(scores[np.isfinite(scores)]))

    def _unexplored(self, model: Model, prediction: Prediction, shares: Vector) -> int:
        """Count the unexplored actions that could earn clearly more; 0 while several are played."""
        if self.rounds - self.same_since < FEW:
            return 0
        deviations = _share(prediction.std.reshape(len(shares), -1), self._spread)
        wide = model.fitted & (deviations.min(axis=1) >= PLAUSIBLE)
        game, rows = model.game, np.flatnonzero((shares >= UNEXPLORED) | wide)
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
        m = len(self.mean_response)
        counts = [self.rounds, self.score, self.first_gap, self.action, self.same_since, self.fitted, m]
        return np.concatenate([counts, self.drift, self.mean_response, self.squares, self.window.ravel()])

    @classmethod
    def restored(cls, numbers: Vector) -> "Monitor":
        """The monitor of stored `numbers`."""
        rounds, score, first_gap, action, same_since, fitted, m = numbers[:7].tolist()
        drift, mean, squares, window = np.split(numbers[7:], [4, 4 + int(m), 4 + 2 * int(m)])
        rows, same = window.reshape(-1, len(Evidence._fields)), int(same_since)
        return cls(int(rounds), rows, mean, squares, score, first_gap, drift, int(action), same, bool(fitted))

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """All alarms after the last round; none in the first rounds."""
        with np.errstate(all="ignore"):  # as in `after`
            found = [check(self) for check in CHECKS] if self.rounds >= LEAST else []
        return tuple(alarm for alarm in found if alarm is not None)


def _clipped(game: Game, rewards: Vector) -> Vector:
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)


def _share(deviations: Matrix | Vector, whole: Vector) -> Matrix | Vector:
    """The ratio of deviations; 0 of 0."""
    return np.nan_to_num(deviations / whole, nan=0.0, posinf=np.inf)


def _chances(mean: Vector) -> Vector:
    """The probabilities of choices whose predicted indicators are these."""
    positive = np.clip(mean, 1e-9, None)
    return np.asarray(positive / positive.sum(), dtype=np.float64)


def _surprise(response: Vector, mean: Vector, known: Vector, noise: Vector) -> tuple[float, float, float]:
    """`inside`, `error` and `outlying` of a response, by its mean, its variance without noise and that of the noise."""
    place = choice_of(response)
    if place is not None:
        chances = _chances(mean)
        likelier = float(chances[chances > chances[place]].sum())
        return float(likelier <= COVERED), 1.0 + 2.0 * float(chances @ chances - chances[place]), 0.0
    error = np.abs(response - mean)
    off = error / np.sqrt(known + noise)
    return float(np.mean(off <= BAND)), float(np.mean(off)), float(np.max(error * np.sqrt(noise) / (known + noise)))


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
    rounds, ratio, spread = 30, monitor._mean("prior_share", 30), monitor._mean("spread_share", 30)
    stays, wide = ratio > 0.95, monitor.fitted and spread > 1
    if monitor.rounds < 60 or not (stays or wide):
        return None
    measured = f"{ratio:.0%} of that without data" if stays else f"{spread:.0%} of that of all responses so far"
    return Alarm(
        "not generalising",
        f"Before each of the last {rounds} responses its standard deviation was {measured}: what was observed says "
        "nothing about the next round.",
        "Leave out a type that is new in every round, such as a date or a number that only grows, or replace it by "
        "what responses depend on, such as the weekday."
        if monitor.fitted
        else "Increase the length scales of the kernel, or leave out a type that is new in every round.",
        monitor.rounds - rounds + 1,
    )


def _optimism(monitor: Monitor) -> Alarm | None:
    optimistic, earned = monitor._mean("optimistic", FEW), monitor._column("earned")
    gap, first = optimistic - float(earned[-FEW:].mean()), monitor.first_gap / FEW
    if monitor.rounds < 4 * FEW or not (gap >= first / 2 and optimistic > earned.max()):
        return None
    return Alarm(
        "optimism",
        f"The optimistic reward of the action played was {optimistic:.4g} over the last {FEW} rounds, more than any of "
        f"the last {len(earned)} rounds earned; {earned[-FEW:].mean():.4g} was earned on average.",
        "Check the responses recorded since then. If they are right, the opponent has changed: start a new match, and "
        "import the rounds since then."
        if monitor.fitted
        else "Decrease the width β or the prior variance of the kernel, or give tighter bounds of the responses.",
        monitor.rounds - FEW + 1,
    )


def _locked_in(monitor: Monitor) -> Alarm | None:
    same, others = monitor.rounds - monitor.same_since + 1, monitor._column("unexplored", FEW)
    if same < WINDOW or np.mean(others > 0) <= 0.5:
        return None
    count = counted(int(others.max()), "action")
    return Alarm(
        "locked in",
        f"The same action was played {same} times in a row, while {count} of which hardly anything is known could earn "
        f"more than the {monitor._mean('earned'):.4g} earned.",
        "Try other actions yourself and import what you observe, or describe actions by features in which similar ones "
        "are near to each other."
        if monitor.fitted
        else "Increase the width β or the prior variance of the kernel, so that unexplored actions are tried.",
        monitor.same_since,
    )


def _no_better_than_constant(monitor: Monitor) -> Alarm | None:
    name = "no better than a constant"
    if monitor.fitted:
        lately = float(np.sum(monitor._column("score")))
        if monitor.rounds < ENOUGH_SCORED or max(monitor.score, lately) > LITTLE:
            return None
        return Alarm(
            name,
            f"The {monitor.rounds} responses so far were predicted no better than by their mean and deviation alone.",
            "Check that the right response is recorded, and add the features of actions or types that it depends on.",
            1,
        )
    difference = monitor._mean("against_constant")
    unexplained = float(np.median(monitor._column("noise_ratio")))
    if len(monitor.window) < WINDOW or not (difference > -0.05 and unexplained > 2):
        return None
    return Alarm(
        name,
        f"Over the last {len(monitor.window)} rounds the squared errors of the predictions were typically "
        f"{(1 + difference) / (1 - difference):.2f} times those of the mean response so far.",
        "Fit the kernel to the data, or add the features that the response depends on.",
        monitor._start,
    )


def _calibration(monitor: Monitor) -> Alarm | None:
    n, inside = len(monitor.window), monitor._mean("inside")
    if inside < TOLERATED - 5 * np.sqrt(TOLERATED * (1 - TOLERATED) / n):  # five standard errors
        return Alarm(
            "calibration",
            f"Of the last {n} responses {inside:.0%} lay inside their 90 % bands.",
            "Check the units of the responses of these rounds, and add a feature that tells rounds with large errors "
            "from others."
            if monitor.fitted
            else "Increase λ, the variance of the noise, or the prior variance of the kernel.",
            monitor._start,
        )
    off = float(np.quantile(monitor._column("error"), 0.9))
    if n < WINDOW or off >= 0.25 or monitor.fitted:  # wide bands of a fitted belief are those of its noise
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
        "If it has, start a new match, and import the rounds since then.",
        int(place) + 1,
    )


def _outlier(monitor: Monitor) -> Alarm | None:
    """The largest one of the window that has hardly any before it: after it a belief may be spoiled.

    While few rounds show what is usual it must be farther off.
    """
    outlying = monitor._column("outlying")
    before, places = np.arange(len(outlying)), monitor._start + np.arange(len(outlying))
    far = FAR * np.maximum(1.0, ENOUGH / places) ** 3
    spoiled = np.cumsum(outlying > FAR) - (outlying > FAR) > 0.1 * before
    single = np.flatnonzero((outlying > far) & (before >= FEWEST) & ~spoiled)
    if not len(single):
        return None
    worst = single[np.argmax(outlying[single])]
    return Alarm(
        "outlier",
        f"The response of one round contradicts those before: it lies {outlying[worst]:.3g} deviations of the noise "
        "from the mean that fits them all.",
        "Check what was recorded, and correct it if it is wrong.",
        int(places[worst]),
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
            monitor = monitor.after(model_of(learner), feedback)
            learner = learner.observe(feedback)
    return monitor.alarms


def has_model(learner: Learner) -> bool:
    """Whether the learner decides by a belief about responses."""
    belief = getattr(learner, "belief", None)
    noisy = hasattr(belief, "noise_variance") or hasattr(belief, "regularization")
    return noisy and hasattr(learner, "game") and not isinstance(learner, GPUCB | GPMW)  # theirs is about rewards


def width_of(learner: Any) -> float:
    """The width β of a learner; 1, that of `auto`, where it has none to set."""
    return float(learner.confidence(learner.belief.information_gain)) if hasattr(learner, "confidence") else 1.0


def model_of(learner: Any) -> Model:
    """The model of responses of a learner that has one."""
    belief = learner.belief
    noise = belief.noise_variance if hasattr(belief, "noise_variance") else belief.regularization
    return Model(learner.game, belief, width_of(learner), noise)
