"""The published figures."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from firstmover.core.records import Matrix, Vector


@dataclass(frozen=True)
class Published:
    """Published curves and totals by the label of our runs: means over 10 runs.

    Parameters
    ----------
    source
        Where the numbers come from.
    rounds
        The rounds t at which curves are given.
    regret
        R(t) / t in the routing game.
    total_reward
        The sum of rewards over 100 rounds, in both games.
    printed_congestion, printed_reward
        The table of Figure 1, as printed.
    references
        The horizontal lines of Figure 2.
    reward
        The reward of round t in the park.
    held_from
        The round from which each run plays the best patrol to the end; 101 if it does not.
    """

    source: str
    rounds: list[int]
    regret: dict[str, list[float]]
    total_reward: dict[str, float]
    printed_congestion: dict[str, float]
    printed_reward: dict[str, float]
    references: dict[str, float]
    reward: dict[str, list[float]]
    held_from: dict[str, list[int]]

    def curves(self, name: str, labels: tuple[str, ...]) -> Matrix:
        """Return the `regret` or the `reward` of each label (k, rounds); NaN where nothing was published."""
        table: dict[str, list[float]] = getattr(self, name)
        return np.array([table.get(label, [np.nan] * len(self.rounds)) for label in labels])

    @property
    def t(self) -> Vector:
        """The rounds as floating-point numbers."""
        return np.array(self.rounds, dtype=float)


@lru_cache
def published() -> Published:
    """Return the published figures that ship with the package.

    >>> published().total_reward["Hedge"], published().references["OPT"]
    (26138.48, 0.05004)
    """
    text = (files("firstmover.paper") / "published.json").read_text(encoding="utf-8")
    return Published(**json.loads(text))
