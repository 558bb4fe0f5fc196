"""Does the box hold b? Counted over games whose b is known, for all actions, types and rounds at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.contracts import Belief, ConfidenceWidth, Game, ResponseFunction
from firstmover.guarantees.replay import beliefs_of
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
    slack = ROUNDING * np.abs(responses).max()
    used = []
    for now in beliefs_of(belief, run):
        said = [now.predict(kind) for kind in types]
        reach = confidence(now.information_gain) * np.stack([s.std for s in said])[:, :, None]
        miss = np.maximum(np.abs(np.stack([s.mean for s in said]) - responses) - slack, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            used.append(np.max(np.where(miss > 0, miss / reach, 0.0)))
    return np.array(used)


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
    return Share(int(np.sum(np.all(used <= 1 + ROUNDING, axis=1))), len(used))
