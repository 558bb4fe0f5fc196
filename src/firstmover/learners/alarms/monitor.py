"""Running statistics of the rounds observed so far, from which alarms are computed."""

from dataclasses import dataclass, field

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.records import Alarm, Feedback, Prediction
from firstmover.learners.alarms.checks import AT_ONCE, CHECKS, DRIFT_SLACK, FEW, LEAST, WINDOW
from firstmover.learners.alarms.evidence import (
    Evidence,
    Model,
    chances,
    choice_of,
    clipped,
    prior_share,
    share,
    surprise,
)

UNEXPLORED, PLAUSIBLE = 0.9, 2.0
"""The share of the prior deviation from which on an action is unexplored, and deviations by which its response may be
off. An action is also unexplored if its deviation is twice that of all responses so far."""

SCORED = 10
"""Rounds before the first one whose log score counts."""

SCORE_LIMIT = 16.0
"""Squared deviations at which log scores are cut: an outlier says nothing about the others."""


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
    errors
        (y − μ) / σ of the outputs in the rounds of the window (at most 50, m); NaN in the first ten rounds, of choices,
        and where the response function was less certain than a response: their distribution is that of the noise.

    Examples
    --------
    >>> from firstmover import GAMES, Feedback, StackelUCB
    >>> from firstmover.learners import Monitor
    >>> from firstmover.learners.alarms import model_of
    >>> shore = GAMES["shore"]
    >>> learner = StackelUCB.start(shore.build(), shore.kernel, shore.regularization, confidence_width=1.0)
    >>> Monitor().after(model_of(learner), Feedback(3, [0.5], [0.2])).rounds
    1
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
    errors: Matrix = field(default_factory=lambda: np.empty((0, 1)))

    def after(self, model: Model, feedback: Feedback) -> "Monitor":
        """Return the monitor after one more round.

        Parameters
        ----------
        model
            The belief before the round, with its game, width and noise.
        feedback
            The round.

        Returns
        -------
        Monitor
            The next monitor.
        """
        t, response = self.rounds + 1, feedback.response
        with np.errstate(all="ignore"):  # of a response of 1e300, or a prior deviation of 0
            evidence, errors = self._evidence(model, feedback)
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
            np.vstack([self.errors[-WINDOW + 1 :].reshape(-1, len(errors)), errors]),
        )

    @property
    def _spread(self) -> Vector:
        """The standard deviation of all responses so far (m,)."""
        return np.sqrt(self.squares / max(self.rounds, 1))

    def _evidence(self, model: Model, feedback: Feedback) -> tuple[Evidence, Vector]:
        """The numbers of a round, and its row of `errors`."""
        game, action, opponent_type = model.game, feedback.action, feedback.opponent_type
        prediction, shares = model.belief.predict(opponent_type), prior_share(model.belief, opponent_type)
        mean = prediction.mean[action]
        known = np.broadcast_to(prediction.std[action] ** 2, mean.shape)
        noise = np.broadcast_to(model.noise_variance, mean.shape)
        inside, error, largest, outlying = surprise(feedback.response, mean, known, noise)
        row = Prediction(prediction.mean[[action]], prediction.std[[action]])
        box, x = confidence_box(row, model.width, game.response_domain), game.actions[[action]]
        certain = (self.rounds >= SCORED) & (known < noise) & (choice_of(feedback.response) is None)
        errors = np.where(certain, (feedback.response - mean) / np.sqrt(known + noise), np.nan)
        evidence = Evidence(
            inside=inside,
            error=error,
            largest_error=largest,
            signal=float(np.max(np.sqrt(np.mean((prediction.mean - self.mean_response) ** 2, axis=0) / noise))),
            prior_share=float(shares[action]),
            spread_share=float(share(np.sqrt(known), self._spread).min()),
            score=self._score(feedback.response, mean, known + noise),
            optimistic=float(clipped(game, game.reward.best_in_box(x, box))[0]),
            earned=float(game.reward(x, feedback.response[None])[0]),
            outlying=outlying,
            unexplored=float(self._unexplored(model, prediction, shares)),
        )
        return evidence, errors

    def _score(self, response: Vector, mean: Vector, variance: Vector) -> float:
        """The `score` of a response; 0 of the first ones, and where all responses before were the same.

        Of a choice it is the Brier score of the shares of all choices so far, less that of the probabilities.
        """
        if self.rounds < SCORED:
            return 0.0
        if choice_of(response) is not None:
            predicted, usual = response - chances(mean), response - self.mean_response
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
        deviations = share(prediction.std.reshape(len(shares), -1), self._spread)
        wide = model.fitted & (deviations.min(axis=1) >= PLAUSIBLE)
        game, rows = model.game, np.flatnonzero((shares >= UNEXPLORED) | wide)
        box = confidence_box(Prediction(prediction.mean[rows], prediction.std[rows]), PLAUSIBLE, game.response_domain)
        possible = clipped(game, game.reward.best_in_box(game.actions[rows], box)) if len(rows) else np.empty(0)
        earned = self.column("earned")
        return int(np.sum(possible > earned.mean() + earned.std()))

    def column(self, name: str, last: int = WINDOW) -> Vector:
        """One number of each of the last rounds, by its name in `Evidence`."""
        return self.window[-last:, Evidence._fields.index(name)]

    def mean(self, name: str, last: int = WINDOW) -> float:
        """The mean of a column."""
        return float(np.mean(self.column(name, last)))

    @property
    def start(self) -> int:
        """The first round of the window."""
        return self.rounds - len(self.window) + 1

    @property
    def numbers(self) -> Vector:
        """All numbers, to be stored."""
        m = len(self.mean_response)
        counts = [self.rounds, self.score, self.first_gap, self.action, self.same_since, self.fitted, m]
        return np.concatenate(
            [counts, self.drift, self.mean_response, self.squares, self.errors.ravel(), self.window.ravel()]
        )

    @classmethod
    def restored(cls, numbers: Vector) -> "Monitor":
        """The monitor of stored `numbers`."""
        rounds, score, first_gap, action, same_since, fitted, m = numbers[:7].tolist()
        ends = np.cumsum([4, m, m, m * min(rounds, WINDOW)]).astype(int)
        drift, mean, squares, errors, window = np.split(numbers[7:], ends)
        rows, same = window.reshape(-1, len(Evidence._fields)), int(same_since)
        counts = int(rounds), rows, mean, squares, score, first_gap, drift, int(action), same, bool(fitted)
        return cls(*counts, errors.reshape(-1, int(m)))

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """All alarms after the last round; in the first rounds only those that need none before."""
        checks = CHECKS if self.rounds >= LEAST else AT_ONCE if self.rounds else ()
        with np.errstate(all="ignore"):  # as in `after`
            found = [check(self) for check in checks]
        return tuple(alarm for alarm in found if alarm is not None)


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
