"""One repeated game: a generator of rounds."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from firstmover.contracts import Game, GrowsMenu, Learner
from firstmover.errors import InvalidInput
from firstmover.opponents.opponent import Opponent, responses_of
from firstmover.records import Matrix, Round, Run, Vector, as_array, as_count, distribution


def sample(strategy: Vector, uniform: float) -> int:
    """The action that a uniform number in [0, 1) picks: the first whose cumulative probability exceeds it.

    >>> sample(np.array([0.5, 0.0, 0.5]), 0.5)
    2
    """
    cumulative = np.cumsum(strategy)
    return int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))


@dataclass(frozen=True)
class Streams:
    """Separate random numbers for the actions, types and noise of one run, and for data collected before it."""

    actions: np.random.Generator
    types: np.random.Generator
    noise: np.random.Generator
    history: np.random.Generator

    @classmethod
    def of(cls, seed: int) -> "Streams":
        """The streams of a seed, from their beginning."""
        seed = as_count("seed", seed, least=0)
        return cls(*(np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(4)))


def play(game: Game, opponent: Opponent, learner: Learner, seed: int) -> Iterator[Round]:
    """Rounds without end; take as many as you like.

    Actions, types and noise come from separate streams of the seed, so two learners meet the same noise and,
    unless the adversary adapts to them, the same types; equal seeds replay exactly.
    """
    streams = Streams.of(seed)
    past: list[Round] = []
    while True:
        menu = None
        if isinstance(learner, GrowsMenu):
            game, menu = learner.grown, learner.grown.actions
        strategy = distribution("strategy", learner.strategy, game.n_actions)
        opponent_type = as_array("opponent_type", opponent.types.draw(strategy, past, streams.types), ndim=1)
        action = sample(strategy, streams.actions.random())
        asked = opponent.asked(opponent_type[None], first=len(past) + 1)[0]
        true_response = responses_of(game, opponent.respond, asked, [action])[0]
        response = opponent.seen(true_response, streams.noise)
        reward = float(checked_reward(game, np.array([action]), true_response[None])[0])
        this = Round(len(past) + 1, strategy, action, opponent_type, true_response, response, reward, menu)
        past.append(this)
        yield this
        learner = learner.observe(this.feedback)


def play_run(game: Game, opponent: Opponent, learner: Learner, rounds: int, seed: int) -> Run:
    """The first rounds of a game as columns."""
    rounds = as_count("rounds", rounds)
    with one_thread():
        return Run.of(list(islice(play(game, opponent, learner, seed), rounds)))


def one_thread() -> AbstractContextManager[object]:
    """One BLAS thread: with two, NumPy's and SciPy's pools wait for each other, which takes 3 to 10 times longer."""
    return _pools().limit(limits=1)


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()  # looks for libraries, for as long as a short run takes: once


def checked_reward(game: Game, actions: NDArray[np.intp], responses: Matrix) -> Vector:
    """r of noiseless responses (k, m) to actions (k,), refused when one leaves the game's stated range."""
    rewards = as_array("reward", game.reward(game.actions[actions], responses), ndim=1, length=len(actions))
    if game.reward_range is not None:
        low, high = game.reward_range
        slack = 1e-9 * (high - low)
        fine = (low - slack <= rewards) & (rewards <= high + slack)
        if not fine.all():
            worst = int(fine.argmin())
            raise InvalidInput(
                f"reward {rewards[worst]:.6g} of action {actions[worst]} is outside the game's reward_range "
                f"({low:.6g}, {high:.6g}): state the range that rewards can take."
            )
    return rewards
