"""The suite of learners bites: each broken learner fails the check that names its fault."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pytest

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback, Round
from firstmover.games import increasing
from firstmover.learners import uniform
from firstmover.simulation import Cyclic, Opponent
from tests.contracts import checks_learner

N = 3
GAME = Game("teeth", np.arange(N)[:, None], increasing(lambda _, y: y[:, 0]), Box([0.0], [1.0]), (0.0, 1.0), np.eye(2))
HISTORY = [Feedback(t % N, np.eye(2)[t % 2], [0.1 * t]) for t in range(6)]


def answer(actions: Matrix, opponent_type: Vector) -> Matrix:
    return actions / N * opponent_type[0]


@dataclass
class Counts:
    """A sound learner, for the broken ones to begin from: how often each action was played, plus one."""

    counts: Vector = field(default_factory=lambda: np.ones(N))

    @property
    def strategy(self) -> Vector:
        return self.counts / self.counts.sum()

    def observe(self, feedback: Feedback) -> Self:
        seen = GAME.check(feedback)
        return replace(self, counts=self.counts + (np.arange(N) == seen.action))


class MutatesInPlace(Counts):
    def observe(self, feedback: Feedback) -> Self:
        self.counts[feedback.action] += 1
        return replace(self)


class SharesAnArray(Counts):
    """Returns a new learner, but with the old one's array, as a careless copy does."""

    def observe(self, feedback: Feedback) -> Self:
        child = replace(self)
        child.counts[feedback.action] += 1
        return child


class HandsOutItsArray(Counts):
    @property
    def strategy(self) -> Vector:
        self.counts /= self.counts.sum()
        return self.counts


class SumsToMore(Counts):
    @property
    def strategy(self) -> Vector:
        return self.counts / N


class Negative(Counts):
    @property
    def strategy(self) -> Vector:
        return np.array([1.5, -0.5, 0.0])


class WrongLength(Counts):
    @property
    def strategy(self) -> Vector:
        return np.array([0.5, 0.5])


class UsesGlobalRandom(Counts):
    @property
    def strategy(self) -> Vector:
        return np.random.dirichlet(self.counts)  # noqa: NPY002 - the fault


class DrawsButHidesIt(Counts):
    """Its strategy is right, yet it moves the global stream that others rely on."""

    @property
    def strategy(self) -> Vector:
        np.random.random()  # noqa: NPY002 - the fault
        return super().strategy


class Gullible(Counts):
    def observe(self, feedback: Feedback) -> Self:
        return replace(self, counts=self.counts + (np.arange(N) == feedback.action))


class TracesOfTheRefused(Counts):
    def observe(self, feedback: Feedback) -> Self:
        self.counts = self.counts + (np.arange(N) == feedback.action % N)
        return super().observe(feedback)


def test_a_sound_learner_passes_every_check() -> None:
    checks_learner.check_simplex(Counts, GAME, HISTORY)
    checks_learner.check_pure(Counts, HISTORY)
    checks_learner.check_observe_leaves_the_old(Counts, HISTORY)
    checks_learner.check_refuses_bad_feedback(Counts, GAME, HISTORY[0])
    opponent = Opponent(Cyclic(np.eye(2)), answer, 0.1)
    checks_learner.check_replay(Counts, GAME, opponent, 6)
    checks_learner.check_meets_the_same(Counts, lambda: uniform(N), GAME, opponent, 6)


@pytest.mark.parametrize("broken", [SumsToMore, Negative, WrongLength])
def test_a_strategy_off_the_simplex_is_caught(broken: type[Counts]) -> None:
    with pytest.raises(AssertionError, match="strategy"):
        checks_learner.check_simplex(broken, GAME, HISTORY)


@pytest.mark.parametrize("broken", [MutatesInPlace, SharesAnArray, HandsOutItsArray, UsesGlobalRandom])
def test_a_learner_that_changes_when_it_observes_is_caught(broken: type[Counts]) -> None:
    with pytest.raises(AssertionError):
        checks_learner.check_observe_leaves_the_old(broken, HISTORY)


@pytest.mark.parametrize("broken", [UsesGlobalRandom, DrawsButHidesIt])
def test_a_learner_with_random_numbers_is_caught(broken: type[Counts]) -> None:
    with pytest.raises(AssertionError):
        checks_learner.check_pure(broken, HISTORY)


def test_a_learner_whose_strategy_is_random_does_not_replay() -> None:
    with pytest.raises(AssertionError, match="differ at equal seeds"):
        checks_learner.check_replay(UsesGlobalRandom, GAME, Opponent(Cyclic(np.eye(2)), answer, 0.1), 6)


@pytest.mark.parametrize(
    ("broken", "fault"), [(Gullible, "accepted"), (TracesOfTheRefused, "a refused round left a trace")]
)
def test_a_learner_that_takes_bad_feedback_is_caught(broken: type[Counts], fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        checks_learner.check_refuses_bad_feedback(broken, GAME, HISTORY[0])


class FollowsTheStrategy:
    def draw(self, strategy: Vector, past: list[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        return np.eye(2)[int(strategy[0] > 0.33)]


def test_types_that_follow_the_learner_are_caught_by_the_oblivious_check() -> None:
    with pytest.raises(AssertionError, match="the types depend on the learner"):
        checks_learner.check_meets_the_same(
            Counts, lambda: uniform(N), GAME, Opponent(FollowsTheStrategy(), answer, 0.1), 6
        )
