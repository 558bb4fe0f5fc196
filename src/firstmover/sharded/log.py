"""What every shard was told, in order, and a short name for how far one has come."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from firstmover.records import Feedback, Vector, as_array


@dataclass(frozen=True, eq=False)
class Observation:
    """A round as it is told to all shards: x too, because its row stands in one of them only."""

    feedback: Feedback
    features: Vector
    weigh: bool
    """Whether the weights follow the optimistic rewards of this round."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", as_array("features", self.features, ndim=1))


class Standing(NamedTuple):
    """The round up to which something has applied its log, and a digest of these rounds.

    The digest tells two pasts of equal length apart, as two continuations of one belief have.
    """

    rounds: int
    digest: bytes

    def after(self, observation: Observation) -> "Standing":
        """Where it stands after one more observation."""
        seen = observation.feedback
        numbers = [np.array([seen.action, observation.weigh], dtype=float), seen.opponent_type, seen.response]
        digest = blake2b(self.digest, digest_size=16)
        for part in (*numbers, observation.features):
            digest.update(len(part).to_bytes(8, "little") + part.tobytes())
        return Standing(self.rounds + 1, digest.digest())


EMPTY = Standing(-1, b"empty")
"""Without even a part of the menu: how an actor begins, and begins again after it was lost."""

START = Standing(0, b"")
"""Before the first round."""


@dataclass(frozen=True, eq=False)
class Log:
    """Everything that was observed along one line of beliefs, as kept by the driver."""

    entries: tuple[Observation, ...] = ()
    standing: Standing = field(default=START)

    def append(self, observation: Observation) -> "Log":
        """The log with one more observation; this one stays as it is."""
        return Log((*self.entries, observation), self.standing.after(observation))
