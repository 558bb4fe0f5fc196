"""Commitments to any mixture of the actions: the whole simplex, without a grid."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from firstmover.beliefs import confidence_box, posterior
from firstmover.beliefs.choice import MISREAD
from firstmover.core.arrays import Matrix, Vector, distribution
from firstmover.core.choices import ChoiceReward, best_choice, places_of
from firstmover.core.contracts import Game
from firstmover.core.places import Readings
from firstmover.core.records import Box, Feedback, Prediction, ShortRepr

LENGTH_SCALE = 0.1
"""Of the Matérn kernel over commitments: the response at this distance is nearly unknown."""

EXPLORATIONS = 4.0
"""At most this times √t of the first t rounds explore."""

MIXING = 20
"""The number of first explorations that follow the mixture of answers; later ones do so every other time."""

SCALES = np.array([1.0, 0.5, 0.25, 0.125])
"""Sizes of the moves around the best commitment, in steps of the mixture."""


@dataclass(frozen=True, eq=False, repr=False)
class Committing(ShortRepr):
    """Commits to mixtures p_t of n actions; the opponent sees p_t, which is its type θ_t, and chooses a place.

    The reward of a commitment is linear, r(p, y) = Σ_x p[x] r(x, y), and the belief is that of a choice, over points of
    the simplex. A round either plays the best commitment so far by the belief's mean, or, in at most 4 √t of the first
    t rounds, explores. Explorations follow the mixture of answers, z ← z + (a − z) / n with a the best action
    against the place just chosen, as in fictitious play; every other one tries the largest optimistic reward among
    moves of mass around the best so far.
    """

    game: Game
    readings: Readings
    mixture: Vector
    points: Matrix
    indicators: Matrix
    explored: int

    @classmethod
    def start(cls, game: Game) -> Self:
        """Before the first round: equal weights."""
        readings, n = Readings.start(places_of(game)), game.n_actions
        return cls(game, readings, np.full(n, 1 / n), np.empty((0, n)), np.empty((0, readings.places.count)), 0)

    @property
    def explores(self) -> bool:
        """Return whether this round may explore."""
        return bool(self.explored < EXPLORATIONS * np.sqrt(len(self.points) + 1))

    @property
    def mixes(self) -> bool:
        """Return whether this round explores the mixture of answers."""
        return self.explores and (self.explored < MIXING or self.explored % 2 == 1)

    @cached_property
    def rewards(self) -> Matrix:
        """r(x, y_i) of every action and place (n, c), at the locations met."""
        return ChoiceReward(self.game.reward, self.readings.locations).coefficients(self.game.actions)

    @cached_property
    def strategy(self) -> Vector:
        """p_t, the commitment itself."""
        if len(self.points) == 0 or self.mixes:
            return self.mixture
        return self._most_promising() if self.explores else self.best

    @cached_property
    def best(self) -> Vector:
        """The commitment played so far of the largest reward, by the mean of the belief cut to the simplex."""
        played = np.unique(self.points, axis=0)
        return played[int(np.argmax(self._optimistic(played, 0.0)))]

    def _optimistic(self, commitments: Matrix, width: float) -> Vector:
        """r̃ of commitments (k, n): the largest reward over [μ − βσ, μ + βσ] ∩ simplex."""
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern  # noqa: PLC0415 - slow to import

        c, kernel = self.indicators.shape[1], ConstantKernel(1.0) + Matern(LENGTH_SCALE, nu=2.5)
        prediction = posterior(kernel, MISREAD, self.points, self.indicators - 1 / c, commitments)
        believed = Prediction(prediction.mean + 1 / c, prediction.std)
        return best_choice(commitments @ self.rewards, confidence_box(believed, width, Box(np.zeros(c), np.ones(c))))

    def _most_promising(self) -> Vector:
        """The largest optimistic reward among moves of mass towards answers to places that were chosen."""
        best, n = self.best, self.game.n_actions
        answers = np.unique(self.rewards.argmax(axis=0)[self.indicators.any(axis=0)])
        idle = np.where(np.isin(np.arange(n), answers), 0.0, best)
        sources = [best, *np.eye(n)[answers]] + ([idle / idle.sum()] if idle.sum() > 0 else [])
        moves = (np.eye(n)[answers][:, None] - np.stack(sources)).reshape(-1, n)
        tried = (best + (SCALES / (self.explored + 1))[:, None, None] * moves).reshape(-1, n)
        tried = tried[tried.min(axis=1) >= 0]
        if len(tried) == 0:
            return self.mixture
        chosen = tried[int(np.argmax(self._optimistic(tried, 1 / self.indicators.shape[1])))]
        return chosen / chosen.sum()

    def observe(self, feedback: Feedback) -> Self:
        """Record the place that responds to the commitment; after an exploration, mix in the best action against it."""
        seen = self.game.check(feedback)
        commitment = distribution("opponent_type", seen.opponent_type, self.game.n_actions)
        # Equal prior probabilities of all places: with its own belief it would confirm a misread first report.
        c = self.indicators.shape[1]
        indicator, readings = self.readings.read(seen.response, np.full(c, 1 / c))
        explored, mixture = self.explored + int(self.explores), self.mixture
        if self.mixes:
            answer = np.zeros(self.game.n_actions)
            answer[self.rewards[:, np.argmax(indicator)].argmax()] = 1.0
            mixture = commitment + (answer - commitment) / explored
        return replace(
            self,
            readings=readings,
            mixture=mixture,
            points=np.vstack([self.points, commitment]),
            indicators=np.vstack([self.indicators, indicator]),
            explored=explored,
        )
