"""Where the shards live, and the one way to ask them: all at once, each brought up to date when it is behind."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.cluster import running_ray
from firstmover.contracts import ConfidenceWidth, Game
from firstmover.errors import InvalidInput, StoreUnavailable
from firstmover.sharded.log import Log, Standing
from firstmover.sharded.shard import Part, Question, Reply, Shard

_log = logging.getLogger(__name__)

LIVES = 10
"""How often an actor is started again: a part that does not fit into memory must not die for ever."""


class Home(Protocol):
    """Where shards live."""

    def ask(self, questions: dict[int, Question]) -> dict[int, Reply]:
        """The replies of some shards, each to its own question, at once."""
        ...


class InThisProcess:
    """Shards one after another in this process: to try things out, and to test."""

    def __init__(self, count: int) -> None:
        self.shards = [Shard() for _ in range(count)]

    def ask(self, questions: dict[int, Question]) -> dict[int, Reply]:
        """The replies of some shards, one after another."""
        return {at: self.shards[at].ask(question) for at, question in questions.items()}


class OnRay:
    """Each shard an actor of the Ray cluster that runs; one that is lost starts again, empty, on a node that is left.

    Ray repeats a call that was lost with its actor, and the new actor answers without an error: where it stands tells.
    """

    def __init__(self, count: int) -> None:
        self._ray = ray = running_ray()
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < count:
            raise InvalidInput(f"shards is {count}, and the cluster has {cores} core(s): give as many at most.")
        actor = ray.remote(num_cpus=1, max_restarts=LIVES, max_task_retries=-1)(Shard)
        self.actors = [actor.remote() for _ in range(count)]

    def ask(self, questions: dict[int, Question]) -> dict[int, Reply]:
        """The replies of some shards, which work side by side."""
        asked = [self.actors[at].ask.remote(question) for at, question in questions.items()]
        try:
            return dict(zip(questions, self._ray.get(asked), strict=True))
        except self._ray.exceptions.RayActorError:
            raise StoreUnavailable(
                f"a shard was lost {LIVES + 1} times: give more shards, so that each fits into a node's memory."
            ) from None


class Shards:
    """The parts of one menu: questions go out to all of them, and lost state is replayed from the log."""

    def __init__(self, home: Home, parts: Sequence[Callable[[], Part]]) -> None:
        self._home, self._parts, self.replays = home, parts, 0

    def ask(self, log: Log, name: str, *arguments: Any) -> list[Any]:
        """The answers of all shards, in the order of the menu, once each has applied the whole log."""
        return self._answers(range(len(self._parts)), Question(log.standing, log.entries[-1:], name, arguments), log)

    def ask_one(self, at: int, log: Log, name: str, *arguments: Any) -> Any:
        """The answer of one shard."""
        return self._answers([at], Question(log.standing, log.entries[-1:], name, arguments), log)[0]

    def _answers(self, which: Sequence[int], question: Question, log: Log) -> list[Any]:
        replies = self._home.ask(dict.fromkeys(which, question))
        while behind := {at: r.standing for at, r in replies.items() if r.standing != log.standing and not r.refusal}:
            self._note(behind, log)
            replies |= self._home.ask(
                {at: replace(question, told=log.entries, part=self._parts[at]()) for at in behind}
            )
        for reply in replies.values():
            if reply.refusal is not None:
                raise reply.refusal
        return [reply.answer for reply in replies.values()]

    def _note(self, behind: dict[int, Standing], log: Log) -> None:
        """Count the replays and say so; the first part that a shard is given is none."""
        if log.standing.rounds == 0:
            return
        self.replays += len(behind)
        for at, standing in behind.items():
            _log.warning("shard %d stands at round %d of %d: replayed", at, standing.rounds, log.standing.rounds)


def parts_of(
    game: Game, kernel: Kernel, regularization: float, confidence: ConfidenceWidth, shards: int
) -> list[Callable[[], Part]]:
    """The menu cut into so many parts of nearly equal length, each made when it is called for.

    >>> from firstmover import GAMES, ConstantWidth
    >>> shore = GAMES["shore"]
    >>> parts = parts_of(shore.build(), shore.kernel, shore.regularization, ConstantWidth(1.0), shards=5)
    >>> [(part().first, part().game.n_actions) for part in parts]
    [(0, 5), (5, 5), (10, 5), (15, 5), (20, 4)]
    """
    n = game.n_actions
    if not 1 <= shards <= n:
        raise InvalidInput(f"shards is {shards}: give a number from 1 to {n}, one action each at least.")

    def part(first: int, stop: int) -> Part:
        own = replace(game, actions=game.actions[first:stop])
        return Part(own, kernel, regularization, confidence, first, n)

    ends = np.cumsum([0, *(len(piece) for piece in np.array_split(np.arange(n), shards))]).tolist()
    return [partial(part, first, stop) for first, stop in pairwise(ends)]
