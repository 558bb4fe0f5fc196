"""A part of the menu with all that is known about it: its belief and its share of the weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs import LargeBelief
from firstmover.beliefs.large import LargeDomain
from firstmover.beliefs.menu import Menu, PartOfMenu
from firstmover.contracts import ConfidenceWidth, Game
from firstmover.errors import FirstmoverError, InvalidInput
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.play import one_thread, sample
from firstmover.records import Prediction, Vector
from firstmover.sharded.log import EMPTY, START, Observation, Standing
from firstmover.strategies import MultiplicativeWeights


@dataclass(frozen=True, eq=False)
class Part:
    """What a shard is made of: actions first, first + 1, ... of `total`.

    `game` has the part's own actions alone; everything else of it is that of the whole.
    """

    game: Game
    kernel: Kernel
    regularization: float
    confidence: ConfidenceWidth
    first: int
    total: int


@dataclass(frozen=True, eq=False)
class Question:
    """Something to answer after the `wanted` rounds, the last of which is told along; with `part`, all of them."""

    wanted: Standing
    told: Sequence[Observation]
    name: str
    arguments: Sequence[Any]
    part: Part | None = None


@dataclass(frozen=True)
class Reply:
    """An answer with the round up to which the shard has applied: `answer` counts only where that is as wanted."""

    standing: Standing
    answer: Any = None
    refusal: FirstmoverError | None = None


class Shard:
    """Lines 5 to 7 of Algorithm 1 for a part of the menu; what it holds is a fold over the log, and nothing else."""

    _part: Part
    _menu: Menu
    _belief: LargeBelief
    _weights: MultiplicativeWeights

    def __init__(self) -> None:
        self._standing = EMPTY

    def ask(self, question: Question) -> Reply:
        """The answer; a shard that stands elsewhere, and is told one round only, says where it stands instead."""
        try:
            with one_thread():
                if not self._reach(question):
                    return Reply(self._standing)
                return Reply(self._standing, getattr(self, question.name)(*question.arguments))
        except FirstmoverError as refusal:
            return Reply(self._standing, refusal=refusal)

    def _reach(self, question: Question) -> bool:
        """Whether the shard now stands where it is wanted."""
        if self._standing == question.wanted:
            return True
        if question.part is not None:
            self._begin(question.part)
            for observation in question.told:
                self._step(observation)
        elif question.told and self._standing.after(question.told[-1]) == question.wanted:
            self._step(question.told[-1])
        return self._standing == question.wanted

    def _begin(self, part: Part) -> None:
        """Forget everything, and hold a part of the menu as before the first round."""
        self._standing = EMPTY
        game = part.game
        if game.types is None:
            raise InvalidInput(f"game {game.name!r} has no known types: a sharded belief needs finitely many.")
        menu = partial(PartOfMenu, first=part.first, total=part.total)
        domain = LargeDomain(part.kernel, part.regularization, game.actions, game.types, menu=menu)
        self._part, self._menu, self._belief = part, domain.menu, LargeBelief.over(domain, game.n_outputs)
        self._weights = MultiplicativeWeights.start(game.n_actions, game.reward_range)
        self._standing = START

    def _step(self, observation: Observation) -> None:
        seen, part = observation.feedback, self._part
        self._menu.visit(seen.action, observation.features)
        weights = self._weights
        if observation.weigh:
            weights = weights.update(optimistic_rewards(part.game, self._belief, part.confidence, seen.opponent_type))
        self._belief = self._belief.condition(seen.action, seen.opponent_type, seen.response)
        self._weights, self._standing = weights, self._standing.after(observation)

    def information_gain(self) -> float:
        """½ log det(I + K_t / λ), which every shard knows."""
        return self._belief.information_gain

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean and standard deviation of the part's actions."""
        return self._belief.predict(opponent_type)

    def best(self, opponent_type: Vector) -> tuple[float, int]:
        """The largest optimistic reward at a type, and the first action that has it."""
        part = self._part
        rewards = optimistic_rewards(part.game, self._belief, part.confidence, opponent_type)
        place = int(rewards.argmax())
        return float(rewards[place]), part.first + place

    def mass(self, rate: float) -> tuple[float, float]:
        """η max G and Σ exp(η (G − max G)): the part's share of a sum of exponentials."""
        totals = self._weights.cumulative
        top = totals.max()
        return rate * float(top), float(np.exp(rate * (totals - top)).sum())

    def weights(self, rate: float, top: float) -> Vector:
        """exp(η G − top) of the part's actions."""
        return np.exp(rate * self._weights.cumulative - top)

    def pick(self, rate: float, uniform: float) -> int:
        """The action that a uniform number picks when the part is the whole menu."""
        totals = self._weights.cumulative
        return self._part.first + sample(np.exp(rate * (totals - totals.max())), uniform)
