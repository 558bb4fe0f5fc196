"""The observations of agents: vectors of named parts, each with its bounds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import LARGEST, Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.games.opponent import Opponent
from firstmover.simulation.episode import Episode, pure

LARGEST_NORMAL = 12.3
"""NumPy's ziggurat method draws no standard normal number beyond 3.6542 + √(2 · 53 log 2) = 12.23."""

SLACK = 1e-9
"""How far, relative to 1 + |y|, a response may leave its domain by rounding."""


class Bounds(NamedTuple):
    """The smallest and the largest values of an observation or a part of it (k,)."""

    lower: Vector
    upper: Vector

    @classmethod
    def shares(cls, count: int) -> "Bounds":
        """Numbers from 0 to 1."""
        return cls(np.zeros(count), np.ones(count))

    @classmethod
    def anything(cls, count: int) -> "Bounds":
        """All numbers that firstmover takes: up to 1e150 in size."""
        return cls(np.full(count, -LARGEST), np.full(count, LARGEST))

    @classmethod
    def joined(cls, *parts: "Bounds") -> "Bounds":
        """Parts one after another."""
        lower, upper = zip(*parts, strict=True)
        return cls(np.concatenate(lower), np.concatenate(upper))

    def where(self, known: NDArray[np.bool_]) -> "Bounds":
        """These bounds where they are known, and any number elsewhere."""
        widest = Bounds.anything(len(known))
        return Bounds(np.where(known, self.lower, widest.lower), np.where(known, self.upper, widest.upper))


class AgentView:
    """What agents see of an episode: rounds left, the type and the response of the last round, the context.

    `types` (q, p) are the types that can come, if they are finitely many: one of them is the indicator of its number
    (q,), and zeros before the first round. Any other type is its features (p,).
    """

    def __init__(self, game: Game, opponent: Opponent, horizon: int, types: Matrix | None) -> None:
        self.game, self.types = game, types
        self._horizon, self._noise_std = horizon, opponent.noise_std
        self._width = len(_some_type(game, opponent) if types is None else types)

    def rounds_left(self, episode: Episode) -> Vector:
        """The share of the rounds that are still to be played, from 1 to 0 (1,)."""
        return np.array([1 - len(episode.past) / self._horizon])

    def last_type(self, episode: Episode) -> Vector:
        """θ_{t−1}."""
        if not episode.past:
            return np.zeros(self._width)
        last = episode.past[-1].opponent_type
        return last.copy() if self.types is None else np.asarray((self.types == last).all(axis=1), dtype=np.float64)

    def last_response(self, episode: Episode) -> Vector:
        """y_{t−1} with its noise; before the first round the point of the response domain that is nearest to 0."""
        domain = self.game.response_domain
        return episode.past[-1].response.copy() if episode.past else np.clip(0.0, domain.lower, domain.upper)

    @property
    def of_type(self) -> Bounds:
        """The bounds of `last_type`."""
        return Bounds.anything(self._width) if self.types is None else Bounds.shares(self._width)

    @property
    def of_response(self) -> Bounds:
        """The bounds of `last_response`: the response domain and the largest noise."""
        lower, upper = self.game.response_domain.lower, self.game.response_domain.upper
        reach = LARGEST_NORMAL * np.asarray(self._noise_std)
        low = lower - reach - SLACK * (1 + np.abs(lower))
        high = upper + reach + SLACK * (1 + np.abs(upper))
        below, above = (Bounds(low, high).where(np.isfinite(end)) for end in (lower, upper))
        return Bounds(below.lower, above.upper)

    @property
    def of_context(self) -> Bounds:
        """The range of each known feature of the types; any number where it does not vary."""
        columns = list(self.game.context)
        if self.game.types is None:
            return Bounds.anything(len(columns))
        rows = self.game.types[:, columns]
        return Bounds(rows.min(axis=0), rows.max(axis=0)).where(np.ptp(rows, axis=0) > 0)


def _some_type(game: Game, opponent: Opponent) -> Vector:
    """A type of this opponent, for its number of features."""
    trial = Episode(game, opponent, horizon=1)
    trial.context()
    return trial.move(pure(0, game.n_actions)).opponent_type
