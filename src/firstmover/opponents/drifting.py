"""Opponents that drift: b is asked about the number of the round, 1, 2, 3 …, and changes with it."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from firstmover.contracts import ResponseFunction
from firstmover.errors import InvalidInput
from firstmover.opponents.poachers import Poachers
from firstmover.records import Matrix, Vector, as_array, positive


@dataclass(frozen=True, eq=False)
class MovingCamp:
    """Poachers whose camp moves along a road of places at a steady speed: b_t(x) is their answer from where they are.

    The camp is at the first place in round 1 and reaches the last after `rounds` more, where it stays.

    >>> from firstmover.games.park import published_park
    >>> moving = MovingCamp(Poachers(published_park(), coverage_sign=1), ((0.0, 0.0), (5.0, 0.0)), rounds=10)
    >>> print(moving.camp(6.0), moving(np.eye(25)[[0]], np.array([1.0])), moving(np.eye(25)[[0]], np.array([11.0])))
    (2.5, 0.0) [[1.5 3.3]] [[3.5 1.5]]
    """

    poachers: Poachers
    road: tuple[tuple[float, float], ...]
    rounds: float

    def __post_init__(self) -> None:
        positive("rounds", self.rounds)
        if as_array("road", self.road, ndim=2).shape[1] != 2 or len(self.road) < 2:
            raise InvalidInput(f"road is {self.road}: give two places or more, two numbers each.")

    def camp(self, t: float) -> tuple[float, float]:
        """Where the camp is in round t."""
        way = np.clip((t - 1) / self.rounds, 0, 1) * (len(self.road) - 1)
        legs, places = np.arange(len(self.road)), np.array(self.road)
        return float(np.interp(way, legs, places[:, 0])), float(np.interp(way, legs, places[:, 1]))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b_t(x) of each patrol (k, 2) in the round that the type names."""
        return _from(self.poachers, self.camp(float(opponent_type[0])))(actions, opponent_type)


@lru_cache(maxsize=1024)
def _from(poachers: Poachers, start: tuple[float, float]) -> Poachers:
    return replace(poachers, start=start)


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
