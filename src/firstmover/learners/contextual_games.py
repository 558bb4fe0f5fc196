"""c.GP-MW: weights of its own for each context known before the move, on upper confidence bounds of the reward."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np

from firstmover.core.arrays import Mask, Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Weights, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.learners.fixed import Fixed
from firstmover.learners.optimistic import credited
from firstmover.learners.reward_regression import GPMW, upper_bounds
from firstmover.strategies import MultiplicativeWeights

Cell = tuple[Vector, Weights]
"""The context at its centre, and the weights of its rounds."""


@dataclass(frozen=True, eq=False, repr=False)
class ContextualGPMW(StrategyCard):
    """c.GP-MW (Sessa, Bogunovic, Krause and Kamgarpour 2020), for types θ = (c, u) whose context c is known before p_t.

    p_t[x | c] ∝ exp(η Σ_{s < t, c_s in the cell of c} ucb_s(x, θ_s)),   η = 2 √(log n / (1 + rounds in the cell))

    A context belongs to the cell of the nearest centre in ‖·‖₁ if it is nearer than `radius`, otherwise it becomes the
    centre of a new cell; with radius 0 each context has its own cell. With `every`, each context c of the game is
    credited with ucb_s(x, (c, u_s)) in all rounds in which (c, u_s) is a type of the game. The belief about rewards is
    shared by all contexts. `unaware` is GP-MW, which decides where no context is given; `new` are the weights of a new
    cell.
    """

    unaware: GPMW
    new: Weights
    radius: float
    every: bool
    cells: tuple[Cell, ...]

    @classmethod
    def start(cls, game: Game, belief: Belief, confidence: ConfidenceWidth, radius: float, *, every: bool) -> Self:
        """Return the learner of the first round."""
        if game.reward_range is None:
            raise InvalidInput(f"reward_range of game {game.name!r} is not stated: c-gp-mw needs it.")
        if every and (game.types is None or radius > 0):
            reason = "no known types" if game.types is None else f"cells of radius {radius}"
            raise InvalidInput(
                f"every is true with {reason}: c-gp-mw credits every context where all are known, with radius 0; leave "
                "every out."
            )
        weights = replace(MultiplicativeWeights.start(game.n_actions, game.reward_range), rate_factor=sqrt(0.5))
        return cls(GPMW(game, belief, confidence, weights), weights, radius, every, ())

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.unaware.game

    @property
    def strategy(self) -> Vector:
        """p_t without a context, that of GP-MW."""
        return self.unaware.strategy

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        """p_t for a context, over the allowed actions."""
        if context is None:
            return decided(self.unaware, None, allowed)
        _, weights = self._cell(self.cells, self.game.checked_context(context))
        return decided(Fixed(weights.strategy), None, allowed)

    def _cell(self, cells: tuple[Cell, ...], context: Vector) -> tuple[int, Weights]:
        """The number and the weights of the cell of a context; of a new cell, the number of cells and new weights."""
        if cells:
            distances = np.abs(np.array([centre for centre, _ in cells]) - context).sum(axis=1)
            nearest = int(np.argmin(distances))
            if distances[nearest] < self.radius or distances[nearest] == 0:
                return nearest, cells[nearest][1]
        return len(cells), self.new

    def observe(self, feedback: Feedback) -> Self:
        """Credit the cells with upper confidence bounds by the belief before this round, then condition the belief."""
        seen, cells = self.game.check(feedback), self.cells
        for opponent_type in self._credited_types(seen.opponent_type):
            rewards = upper_bounds(self.unaware, opponent_type)
            context = opponent_type[list(self.game.context)]
            place, weights = self._cell(cells, context)
            weights = weights.update(credited(Fixed(weights.strategy), rewards, seen.allowed))
            centre = cells[place][0] if place < len(cells) else context
            cells = (*cells[:place], (centre, weights), *cells[place + 1 :])
        return replace(self, unaware=self.unaware.observe(seen), cells=cells)

    def _credited_types(self, opponent_type: Vector) -> list[Vector]:
        """θ_t alone or, with `every`, all types (c, u_t) of the game."""
        if not self.every:
            return [opponent_type]
        assert self.game.types is not None
        rest = np.setdiff1d(np.arange(len(opponent_type)), self.game.context)
        same = (self.game.types[:, rest] == opponent_type[rest]).all(axis=1)
        return list(np.unique(self.game.types[same], axis=0))
