"""Runs of several seeds, round by round together, or one after the other."""

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread, sample_actions
from firstmover.core.records import Matrix, Round, Run, Vector, as_array, distribution
from firstmover.games.opponent import Opponent, responses_of
from firstmover.simulation.batch_stackelucb import ManyStackelUCB
from firstmover.simulation.loop import Streams, checked_rewards, play_run

LONGEST = 300
"""Rounds beyond which the arithmetic outweighs what a round costs around it, so that nothing is gained together."""

TOGETHER = 64
"""Runs that are played together: enough to forget what a round costs around the arithmetic."""

NUMBERS = 2**25
"""Strategies' entries that runs played together may hold: 0.25 GB, beside a belief of about as much."""


class Columns:
    """What happened so far in several runs, round by round; the rounds of one run are made when they are asked for."""

    def __init__(self, game: Game, runs: int, rounds: int, type_features: int) -> None:
        n, m = game.n_actions, game.n_outputs
        self.strategies, self.actions = np.empty((runs, rounds, n)), np.empty((runs, rounds), dtype=np.int64)
        self.opponent_types = np.empty((runs, rounds, type_features))
        self.true_responses, self.responses = np.empty((runs, rounds, m)), np.empty((runs, rounds, m))
        self.rewards = np.empty((runs, rounds))

    def run(self, index: int) -> Run:
        """One run."""
        return Run(
            strategies=self.strategies[index],
            actions=self.actions[index],
            opponent_types=self.opponent_types[index],
            true_responses=self.true_responses[index],
            responses=self.responses[index],
            rewards=self.rewards[index],
        )


class Past(Sequence[Round]):
    """The rounds of one run so far, as a source of types sees them."""

    def __init__(self, run: int) -> None:
        self.columns: Columns | None = None
        self.length, self._run = 0, run

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, t: int) -> Round: ...
    @overload
    def __getitem__(self, t: slice) -> Sequence[Round]: ...
    def __getitem__(self, t: int | slice) -> Round | Sequence[Round]:
        if isinstance(t, slice):
            return [self[i] for i in range(*t.indices(self.length))]
        if not -self.length <= t < self.length:
            raise IndexError(t)
        assert self.columns is not None
        t, run = t % self.length, self.columns.run(self._run)
        return Round(
            t=t + 1,
            strategy=run.strategies[t],
            action=int(run.actions[t]),
            opponent_type=run.opponent_types[t],
            true_response=run.true_responses[t],
            response=run.responses[t],
            reward=float(run.rewards[t]),
        )


def play_many(
    game: Game, opponents: Opponent | Sequence[Opponent], learner: Learner, rounds: int, seeds: Sequence[int]
) -> list[Run]:
    """The first rounds of a game for each seed: what `play_run` gives one by one, up to rounding.

    `opponents` is one for all seeds, or one for each. StackelUCB with fresh types and multiplicative weights is played
    in all runs together, up to 300 rounds; every other learner one by one.
    """
    if not isinstance(seeds, Sequence):
        raise InvalidInput(f"seeds is {seeds!r}: give a list of whole numbers, such as [0, 1, 2].")
    each = [opponents] * len(seeds) if isinstance(opponents, Opponent) else list(opponents)
    if len(each) != len(seeds):
        raise InvalidInput(f"opponents has {len(each)} entries for {len(seeds)} seeds: give one, or one for each.")
    if any(who.sampled or who.drifts for who in each) or not plays_together(learner, rounds):
        return [play_run(game, who, learner, rounds, seed) for who, seed in zip(each, seeds, strict=True)]
    runs: list[Run] = []
    size = min(TOGETHER, max(1, NUMBERS // (rounds * game.n_actions)))
    for first in range(0, len(seeds), size):
        some = list(seeds[first : first + size])
        many = ManyStackelUCB.of(learner, len(some), rounds)
        assert many is not None
        with one_thread():
            runs += _together(game, each[first : first + size], many, rounds, some)
    return runs


def plays_together(learner: Learner, rounds: int) -> bool:
    """Whether `play_many` plays several runs of this learner as one computation, because that is quicker."""
    return 1 <= rounds <= LONGEST and ManyStackelUCB.of(learner, 1, rounds) is not None


def _together(game: Game, opponents: list[Opponent], many: ManyStackelUCB, rounds: int, seeds: list[int]) -> list[Run]:
    streams = [Streams.of(seed) for seed in seeds]
    uniforms = np.array([stream.actions.random(rounds) for stream in streams])
    noise = np.array(
        [
            opponent.noise_std * stream.noise.standard_normal((rounds, game.n_outputs))
            for opponent, stream in zip(opponents, streams, strict=True)
        ]
    )
    past, columns = [Past(i) for i in range(len(seeds))], None
    for t in range(rounds):
        strategies = _distributions(many.strategies)
        types = np.stack(
            [
                as_array("opponent_type", opponent.types.draw(strategy, before, stream.types), ndim=1)
                for opponent, strategy, before, stream in zip(opponents, strategies, past, streams, strict=True)
            ]
        )
        columns = columns or Columns(game, len(seeds), rounds, types.shape[1])
        actions = sample_actions(strategies, uniforms[:, t])
        true = _responses(game, opponents, types, actions)
        columns.strategies[:, t], columns.actions[:, t], columns.opponent_types[:, t] = strategies, actions, types
        columns.true_responses[:, t], columns.responses[:, t] = true, true + noise[:, t]
        columns.rewards[:, t] = checked_rewards(game, actions.tolist(), true)
        for before in past:
            before.columns, before.length = columns, t + 1
        if t + 1 < rounds:
            many.observe(actions, types, columns.responses[:, t])
    assert columns is not None
    return [columns.run(i) for i in range(len(seeds))]


def _distributions(strategies: Matrix) -> Matrix:
    """The strategies themselves, when every row is a distribution."""
    if not (strategies.min() >= 0 and np.all(np.abs(strategies.sum(axis=1) - 1) <= 1e-9)):
        for strategy in strategies:
            distribution("strategy", strategy, len(strategy))
    strategies.flags.writeable = False
    return strategies


def _responses(game: Game, opponents: list[Opponent], types: Matrix, actions: NDArray[np.intp]) -> Matrix:
    """b of each run's action at its type (runs, m)."""
    answers: list[Vector] = [
        responses_of(game, opponent.respond, kind, [action])[0]
        for opponent, kind, action in zip(opponents, types, actions.tolist(), strict=True)
    ]
    return np.array(answers)
