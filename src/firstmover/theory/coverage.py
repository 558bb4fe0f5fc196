"""Coverage: how often confidence boxes contain b, and predicted intervals contain responses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from firstmover.core.arrays import Matrix, Vector, non_negative
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, ResponseFunction
from firstmover.core.records import Run
from firstmover.simulation import responses_of
from firstmover.simulation.intervals import share_interval
from firstmover.theory.replay import Believer, Replay, beliefs_of

ROUNDING = 1e-9
"""The rounding error allowed, as a share of the width and of the largest response."""

LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Nominal levels of a reliability curve."""


def width_used(
    belief: Belief, confidence: ConfidenceWidth, run: Run, types: Matrix, responses: NDArray[np.float64]
) -> Vector:
    """Return max `|μ_t − b|` / (β_t σ_t) over all actions, types and outputs, before each round and after the last.

    The box contains b everywhere while this is at most 1.

    Parameters
    ----------
    belief
        Before the first round.
    confidence
        β_t.
    run
        The rounds.
    types
        Θ (q, p).
    responses
        b of every type and action (q, n, m).

    Returns
    -------
    Vector
        The shares (T + 1,).

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> from firstmover.theory import responses_everywhere, width_used
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=2.0)
    >>> run = play_run(game, opponent, learner, rounds=5, seed=0)
    >>> responses = responses_everywhere(game, opponent.respond, game.types)
    >>> width_used(learner.belief, learner.confidence, run, game.types, responses).shape
    (6,)
    """
    used = []
    for now in beliefs_of(belief, run):
        predictions = [now.predict(each) for each in types]
        mean, std = np.stack([p.mean for p in predictions]), np.stack([p.std for p in predictions])
        used.append(_largest_share(mean, confidence(now.information_gain) * std, responses, np.abs(responses).max()))
    return np.array(used)


def width_used_as_played(learner: Believer, run: Run, respond: ResponseFunction) -> Vector:
    """Return `width_used` over all actions at the observed type alone: the boxes that the proof of Theorem 1 needs.

    Parameters
    ----------
    learner
        Before the first round.
    run
        The rounds that it played.
    respond
        b, the response function.

    Returns
    -------
    Vector
        The shares (T,).

    Raises
    ------
    InvalidInput
        If b gives a wrong shape or value.

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> from firstmover.theory import width_used_as_played
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=2.0)
    >>> run = play_run(game, opponent, learner, rounds=5, seed=0)
    >>> width_used_as_played(learner, run, opponent.respond).shape
    (5,)
    """
    types, which = np.unique(run.opponent_types, axis=0, return_inverse=True)
    responses = responses_everywhere(learner.game, respond, types)
    used, largest = np.empty(len(which)), np.abs(responses).max()
    for t, now in zip(range(len(used)), beliefs_of(learner.belief, run), strict=False):  # none after the last
        prediction, width = now.predict(run.opponent_types[t]), learner.confidence(now.information_gain)
        used[t] = _largest_share(prediction.mean, width * prediction.std, responses[which[t]], largest)
    return used


def covers(used: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether boxes contain b, up to rounding, from the share of their width used.

    Parameters
    ----------
    used
        Shares of the width, any shape.

    Returns
    -------
    ndarray
        True where a box contains b.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import covers
    >>> covers(np.array([0.4, 1.2]))
    array([ True, False])
    """
    return used <= 1 + ROUNDING


def _largest_share(
    mean: NDArray[np.float64], reach: NDArray[np.float64], responses: NDArray[np.float64], largest: float
) -> float:
    """max |μ − b| / (β σ), ignoring differences below the rounding error."""
    miss = np.maximum(np.abs(mean - responses) - ROUNDING * largest, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.max(np.where(miss > 0, miss / reach[..., None], 0.0)))


def responses_everywhere(game: Game, respond: ResponseFunction, types: Matrix) -> NDArray[np.float64]:
    """Return b of every type and action.

    Parameters
    ----------
    game
        X and the response domain.
    respond
        b, the response function.
    types
        Θ (q, p).

    Returns
    -------
    NDArray[np.float64]
        Responses (q, n, m).

    Raises
    ------
    InvalidInput
        If b gives a wrong shape or value.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for
    >>> from firstmover.theory import responses_everywhere
    >>> game = GAMES["shore"].build()
    >>> responses_everywhere(game, opponent_for("shore", game, "random").respond, game.types).shape
    (5, 24, 1)
    """
    return np.stack([responses_of(game, respond, each) for each in types])


@dataclass(frozen=True)
class Proportion:
    """The proportion of successes in trials, with the Clopper-Pearson interval of its probability.

    Parameters
    ----------
    seen
        Successes.
    trials
        Of so many.

    Examples
    --------
    >>> from firstmover.theory import Proportion
    >>> Proportion(seen=198, trials=200).interval
    (0.9643..., 0.9987...)
    """

    seen: int
    trials: int

    @property
    def value(self) -> float:
        """The proportion itself."""
        return self.seen / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, which is conservative."""
        return share_interval(self.seen, self.trials)


def coverage_of(used: Matrix) -> Proportion:
    """Return the proportion of games (rows of `used`) in which all boxes contained b.

    Parameters
    ----------
    used
        Shares of the width, one row per game.

    Returns
    -------
    Proportion
        The proportion with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import coverage_of
    >>> coverage_of(np.array([[0.4, 0.9], [0.5, 1.2]])).value
    0.5
    """
    return Proportion(int(np.sum(np.all(covers(used), axis=1))), len(used))


@dataclass(frozen=True)
class Reliability:
    """The proportion of responses inside the interval predicted for them, at several nominal levels.

    Parameters
    ----------
    levels
        Nominal levels.
    shares
        The proportion at each.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import reliability_curve
    >>> reliability_curve(np.array([[0.1], [-0.5], [1.0], [-3.0]])).shares[4]
    Proportion(seen=2, trials=4)
    """

    levels: Vector
    shares: tuple[Proportion, ...]

    @property
    def observed(self) -> Vector:
        """The proportions as numbers."""
        return np.array([share.value for share in self.shares])


def standard_errors(replay: Replay, responses: Matrix, noise_variance: float) -> Matrix:
    """Return (y_t − μ_t) / √(σ_t² + noise variance) of each round and output, each predicted before it was observed.

    Parameters
    ----------
    replay
        The predictions.
    responses
        y_t (T, m).
    noise_variance
        0 if σ contains the noise.

    Returns
    -------
    Matrix
        The errors (T, m).

    Raises
    ------
    InvalidInput
        If the variance is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import Replay, standard_errors
    >>> replay = Replay(np.zeros((1, 2)), np.array([[1.0]]), np.array([3.0]), np.ones(1), np.ones(1))
    >>> standard_errors(replay, np.array([[6.0]]), noise_variance=16.0)
    array([[1.]])
    """
    spread = np.sqrt(replay.stds**2 + non_negative("noise_variance", noise_variance))
    return (responses - replay.means) / spread[:, None]


def reliability_curve(errors: Matrix, levels: Vector = LEVELS) -> Reliability:
    """Return the share of absolute errors below the normal quantile of each level, equal to the level if calibrated.

    In a Gaussian process λ is the variance of the noise, and the interval of level p is μ ± z_p √(σ² + λ). A curve
    above the diagonal means underconfident predictions, below it overconfident ones.

    Parameters
    ----------
    errors
        Standardised errors (T, m).
    levels
        Nominal levels, between 0 and 1.

    Returns
    -------
    Reliability
        The proportion at each level.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import reliability_curve
    >>> calm = reliability_curve(np.array([[0.1], [-0.5], [1.0], [-3.0]]), np.array([0.5, 0.9]))
    >>> print(calm.observed)  # z is 0.674 and 1.645
    [0.5  0.75]
    """
    sizes = np.abs(errors).ravel()
    within = np.sum(sizes[:, None] <= ndtri((1 + levels) / 2), axis=0)
    return Reliability(levels, tuple(Proportion(int(count), len(sizes)) for count in within))
