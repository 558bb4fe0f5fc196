"""Does the box hold b? Counted over games whose b is known, for all actions, types and rounds at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.contracts import Belief, ConfidenceWidth, Game, ResponseFunction
from firstmover.guarantees.replay import Believer, beliefs_of
from firstmover.intervals import share_interval
from firstmover.opponents import responses_of
from firstmover.records import Matrix, Run, Vector

ROUNDING = 1e-9
"""Share of the width, and of the largest response, by which rounding may carry b beyond the box."""


def width_used(
    belief: Belief, confidence: ConfidenceWidth, run: Run, types: Matrix, responses: NDArray[np.float64]
) -> Vector:
    """max |μ_t − b| / (β_t σ_t) over all actions, types and outputs, before each round and after the last (T + 1,).

    The box holds b everywhere while this is at most 1. `responses` are b of every type and action (q, n, m).
    """
    used = []
    for now in beliefs_of(belief, run):
        said = [now.predict(kind) for kind in types]
        mean, std = np.stack([s.mean for s in said]), np.stack([s.std for s in said])
        used.append(_largest_share(mean, confidence(now.information_gain) * std, responses, np.abs(responses).max()))
    return np.array(used)


def width_used_as_played(learner: Believer, run: Run, respond: ResponseFunction) -> Vector:
    """The same over all actions at the type that came (T,): boxes that the proof of Theorem 1 needs to hold b."""
    kinds, which = np.unique(run.opponent_types, axis=0, return_inverse=True)
    responses = responses_everywhere(learner.game, respond, kinds)
    used, largest = np.empty(len(which)), np.abs(responses).max()
    for t, now in zip(range(len(used)), beliefs_of(learner.belief, run), strict=False):  # none after the last
        said, width = now.predict(run.opponent_types[t]), learner.confidence(now.information_gain)
        used[t] = _largest_share(said.mean, width * said.std, responses[which[t]], largest)
    return used


def held(used: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether boxes of which so much was used hold b, up to rounding."""
    return used <= 1 + ROUNDING


def _largest_share(
    mean: NDArray[np.float64], reach: NDArray[np.float64], responses: NDArray[np.float64], largest: float
) -> float:
    """max |μ − b| / (β σ), where b is not met to within rounding."""
    miss = np.maximum(np.abs(mean - responses) - ROUNDING * largest, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.max(np.where(miss > 0, miss / reach[..., None], 0.0)))


def responses_everywhere(game: Game, respond: ResponseFunction, types: Matrix) -> NDArray[np.float64]:
    """b of every type and action (q, n, m)."""
    return np.stack([responses_of(game, respond, kind) for kind in types])


@dataclass(frozen=True)
class Share:
    """How often something was seen, with the Clopper-Pearson interval of its probability.

    >>> Share(seen=198, trials=200).interval
    (0.9643..., 0.9987...)
    """

    seen: int
    trials: int

    @property
    def value(self) -> float:
        """The share itself."""
        return self.seen / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, which errs on the careful side whatever the probability is."""
        return share_interval(self.seen, self.trials)


def covered(used: Matrix) -> Share:
    """In how many games (rows of `used`) the box held b from first to last."""
    return Share(int(np.sum(np.all(held(used), axis=1))), len(used))
