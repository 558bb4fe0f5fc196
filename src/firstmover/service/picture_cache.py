"""Matches followed for their pictures: each read by a connection of its own, so that players never wait for a view."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, get_ident
from typing import Any, Protocol

from firstmover.core.contracts import ResponseFunction, TrueRewards
from firstmover.core.errors import FirstmoverError, StoreUnavailable
from firstmover.figures.live import Trace, plain
from firstmover.matches import Journal

MOST = 16
"""Matches that are followed at once; of more, the one that was looked at longest ago is let go."""

PAUSE_SECONDS = 0.0005
"""How long preparing rests after each round, so that whoever calls goes first."""


@dataclass(frozen=True)
class Truth:
    """What a simulation knows of its opponents: b, and what every action would earn against a type."""

    respond: ResponseFunction
    rewards: TrueRewards


class Simulations(Protocol):
    """Matches whose opponents are simulated."""

    def truth_of(self, name: str) -> Truth | None:
        """What is known of a match's opponents; None if they are real."""
        ...


Build = Callable[[Trace, Truth | None], Any]
"""A record for the page from a trace that is up to date."""


@dataclass
class Followed:
    """One match: its trace, and the records that were made of it, each with the number of the last event."""

    trace: Trace | None = None
    kept: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


class Traces:
    """The traces of one store; `record` may be called from several threads, `prepare` from one at a time."""

    def __init__(self, url: str, simulations: Simulations | None = None) -> None:
        self.url, self.simulations = url, simulations
        self._followed: dict[str, Followed] = {}
        self._lock, self._stopping, self._preparing = Lock(), Event(), 0

    def truth_of(self, name: str) -> Truth | None:
        """What a simulation knows; None where there is none."""
        return None if self.simulations is None else self.simulations.truth_of(name)

    def record(self, name: str, key: str, build: Build) -> bytes:
        """The record as JSON, as of the last event; made once for each event that changes it."""
        followed = self._get(name)
        with followed.lock:
            try:
                truth = self.truth_of(name)
                if followed.trace is None:
                    journal = Journal.open(self.url, name, read_only=True)
                    with journal.closed_on_error():
                        rewards = None if truth is None else truth.rewards
                        followed.trace = Trace(journal, rewards, self._between)
                sequence = followed.trace.follow()
                if followed.kept.get(key, (0,))[0] != sequence:
                    followed.kept[key] = sequence, written(build(followed.trace, truth))
                return followed.kept[key][1]
            except FirstmoverError:
                _let_go(followed)  # the store may be put back: the next caller reads it afresh
                raise

    def prepare(self, name: str, key: str, build: Build) -> None:
        """Make a record before anybody asks for it, a little slower than need be."""
        self._preparing = get_ident()
        try:
            self.record(name, key, build)
        finally:
            self._preparing = 0

    def follows(self, name: str) -> bool:
        """Whether a match has been gone through already, so that its records take no time."""
        followed = self._followed.get(name)
        return followed is not None and followed.trace is not None

    def stop(self) -> None:
        """Let whoever goes through a match give up."""
        self._stopping.set()

    @property
    def stopping(self) -> bool:
        """Whether everything is coming to its end."""
        return self._stopping.is_set()

    def _between(self) -> None:
        if self.stopping:
            raise StoreUnavailable("The service is stopping: ask again when it is back.")
        if get_ident() == self._preparing:
            time.sleep(PAUSE_SECONDS)

    def _get(self, name: str) -> Followed:
        with self._lock:
            followed = self._followed.pop(name, None) or Followed()
            self._followed[name] = followed  # the last is the one that was used last
            for other in list(self._followed)[: max(0, len(self._followed) - MOST)]:
                if self._followed[other].lock.acquire(blocking=False):  # one that is being looked at stays
                    forgotten = self._followed.pop(other)
                    _let_go(forgotten)
                    forgotten.lock.release()
            return followed

    def close(self) -> None:
        """Let go of everything."""
        for followed in self._followed.values():
            with followed.lock:
                _let_go(followed)
        self._followed.clear()


def written(record: Any, **more: Any) -> bytes:
    """A record as JSON, with fields beside its own."""
    fields = ({} if record is None else plain(record)) | more
    return json.dumps(fields, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()


def _let_go(followed: Followed) -> None:
    if followed.trace is not None:
        followed.trace.journal.close()
    followed.trace, followed.kept = None, {}
