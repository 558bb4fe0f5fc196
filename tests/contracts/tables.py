"""The entries of the tables, made ready for the conformance suites."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game, Learner
from firstmover.core.records import Box, Feedback
from firstmover.games import GAMES
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import Behaviour, Opponent, opponent_for, true_rewards
from firstmover.simulation.loop import play_run
from firstmover.strategies import STRATEGIES

ROUNDS = 8


@cache
def game_of(name: str) -> Game:
    return GAMES[name].build()


@cache
def behaviour_of(name: str) -> Behaviour:
    return GAMES[name].opponents(game_of(name))


@cache
def some_types(name: str) -> Matrix:
    """Θ, or three draws where every round may bring a new type."""
    types = game_of(name).types
    if types is not None:
        return types
    sampler, rng = behaviour_of(name).sampler, np.random.default_rng(2)
    assert sampler is not None, f"game {name!r} has neither types nor a sampler of them"
    return np.stack([sampler(rng) for _ in range(3)])


@dataclass(frozen=True)
class LearnerCase:
    """One learner of the table in one game, with rounds that somebody else played in it."""

    learner: str
    game_name: str
    strategy: str = "fixed-rate"

    def __str__(self) -> str:
        return f"{self.learner}-{self.game_name}-{self.strategy}"

    @property
    def game(self) -> Game:
        """The game, with one type or a bounded response domain where the learner needs that."""
        game = game_of(self.game_name)
        if self.learner == "max-min":
            domain = game.response_domain
            game = replace(game, response_domain=Box(np.maximum(domain.lower, -99), np.minimum(domain.upper, 99)))
        return replace(game, types=some_types(self.game_name)[:1]) if LEARNERS[self.learner].single_type else game

    def oblivious(self) -> list[Opponent]:
        """Opponents that do not look at the strategy and bring types that the learner can use."""
        names = ["random"] if self.game.types is None else ["cyclic", "single", "random"]
        if LEARNERS[self.learner].single_type:
            names = ["single"]
        return [opponent_for(self.game_name, self.game, name) for name in names]

    def history(self) -> list[Feedback]:
        """Rounds played uniformly; the same for all learners that play the same game."""
        return played_uniformly(self.game_name, LEARNERS[self.learner].single_type)

    def setup(self, history: Iterable[Feedback]) -> Setup:
        """All that a builder may ask for."""
        entry, game = GAMES[self.game_name], self.game
        return Setup(
            game=game,
            kernel=entry.kernel,
            regularization=entry.regularization,
            confidence=ConstantWidth(entry.confidence_width),
            strategy=self.strategy,
            horizon=ROUNDS,
            history=history,
            true_rewards=true_rewards(game, behaviour_of(self.game_name).respond),
            future_types=some_types(self.game_name),
        )

    def build(self) -> Callable[[], Learner]:
        """A maker of the learner of the first round, which is built once: a test that changed it would fail others."""
        return lambda: _built(self)


@cache
def _built(case: LearnerCase) -> Learner:
    return LEARNERS[case.learner].build(case.setup(case.history()), {"action": 1} if case.learner == "fixed" else {})


LEARNER_CASES = [
    LearnerCase(learner, game) for learner in LEARNERS for game in GAMES if LEARNERS[learner].suits(game_of(game))
]
LEARNER_CASES += [LearnerCase("stackelucb", "shore", strategy) for strategy in STRATEGIES if strategy != "fixed-rate"]


@cache
def played_uniformly(game_name: str, single_type: bool) -> list[Feedback]:
    case = LearnerCase("gp-ucb" if single_type else "uniform", game_name)
    learner = LEARNERS["uniform"].build(case.setup(()))
    run = play_run(case.game, case.oblivious()[-1], learner, ROUNDS, seed=1)
    return [Feedback(*row) for row in zip(run.actions, run.opponent_types, run.responses, strict=True)]
