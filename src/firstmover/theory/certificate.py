"""A certificate of what was lost: an upper bound on the regret of the rounds played, from confidence boxes."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, worst_in_box
from firstmover.core.records import Box


class Certificate(NamedTuple):
    """An upper bound on the regret so far, the action that attains it, and the number of rounds."""

    regret: float
    action: int
    rounds: int

    @property
    def per_round(self) -> float:
        """The bound on the regret per round."""
        return self.regret / max(self.rounds, 1)


def regret_certificate(
    game: Game, actions: NDArray[np.int_], types: Matrix, boxes: Callable[[Vector], Box]
) -> Certificate:
    """Return the largest regret R(T) that boxes [lower, upper] around b(x, θ) leave possible.

    With U(x, θ) and L(x, θ) the largest and the smallest reward in the box of x and θ,

    R(T) ≤ max_x Σ_{t: x_t ≠ x} U(x, θ_t) − L(x_t, θ_t)

    as long as all boxes contain b: in rounds with x_t = x nothing was lost against x.
    """
    kinds, which = np.unique(types, axis=0, return_inverse=True)
    upper, lower = _bounds(game, [boxes(kind) for kind in kinds])
    played = np.zeros_like(upper)
    np.add.at(played, (which, actions), 1.0)
    against = played.sum(axis=1) @ upper - float(np.sum(played * lower)) - np.sum(played * (upper - lower), axis=0)
    best = int(np.argmax(against))
    return Certificate(float(against[best]), best, len(actions))


def _bounds(game: Game, boxes: Iterable[Box]) -> tuple[Matrix, Matrix]:
    """U and L of all actions at each type (q, n), within the range of rewards."""
    found = list(boxes)
    upper = np.array([game.reward.best_in_box(game.actions, box) for box in found])
    lower = np.array([worst_in_box(game.reward, game.actions, box) for box in found])
    if game.reward_range is None:
        return upper, lower
    return np.clip(upper, *game.reward_range), np.clip(lower, *game.reward_range)


def box_of(game: Game, belief: Belief, confidence: ConfidenceWidth) -> Callable[[Vector], Box]:
    """Return the boxes of a belief at each type."""
    width = confidence(belief.information_gain)
    return lambda kind: confidence_box(belief.predict(kind), width, game.response_domain)


class Intersection:
    """The intersection, at known types, of the boxes of all rounds: all hold at once if those of theory do."""

    def __init__(self, game: Game, types: Matrix) -> None:
        self.types = {kind.tobytes(): number for number, kind in enumerate(types)}
        shape = len(types), game.n_actions, game.n_outputs
        self.lower = np.broadcast_to(game.response_domain.lower, shape).copy()
        self.upper = np.broadcast_to(game.response_domain.upper, shape).copy()
        self._kinds = types

    def add(self, boxes: Callable[[Vector], Box]) -> None:
        """Intersect with the boxes of another round."""
        for number, kind in enumerate(self._kinds):
            box = boxes(kind)
            np.maximum(self.lower[number], box.lower, out=self.lower[number])
            np.minimum(self.upper[number], box.upper, out=self.upper[number])

    def __call__(self, kind: Vector) -> Box:
        """The intersection at one type; where boxes do not meet, b was not in all of them: the middle between."""
        number = self.types[kind.tobytes()]
        lower, upper = self.lower[number], self.upper[number]
        middle = (lower + upper) / 2
        return Box(np.where(lower > upper, middle, lower), np.where(lower > upper, middle, upper))
