"""Opponents that drift: b depends on the number of the round, 1, 2, 3, …, instead of the type."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.contracts import ResponseFunction
from firstmover.core.records import Matrix, Vector, positive


@dataclass(frozen=True, eq=False)
class Blended:
    """b_t(x) = (1 − s) b(x, θ₁) + s b(x, θ₂) with s = min(1, (t − 1) / rounds): one type turns into another.

    >>> late = Blended(lambda x, theta: theta * x, np.zeros(1), np.array([4.0]), rounds=4.0)
    >>> print(late(np.ones((1, 1)), np.array([2.0])), late(np.ones((1, 1)), np.array([9.0])))
    [[1.]] [[4.]]
    """

    respond: ResponseFunction
    before: Vector
    after: Vector
    rounds: float

    def __post_init__(self) -> None:
        positive("rounds", self.rounds)

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b_t of each action (k, m) in the round that the type names."""
        share = float(np.clip((opponent_type[0] - 1) / self.rounds, 0, 1))
        return (1 - share) * self.respond(actions, self.before) + share * self.respond(actions, self.after)
