"""Matches followed for their pictures: each read by a connection of its own, so that players never wait for a view."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol

from firstmover.contracts import ResponseFunction, TrueRewards
from firstmover.errors import FirstmoverError
from firstmover.matches import Journal
from firstmover.plots.live import Trace, plain

MOST = 16
"""Matches that are followed at once; of more, the one that was looked at longest ago is let go."""


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
    """The traces of one store; `record` may be called from several threads."""

    def __init__(self, url: str, simulations: Simulations | None = None) -> None:
        self.url, self.simulations = url, simulations
        self._followed: dict[str, Followed] = {}
        self._lock = Lock()

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
                        followed.trace = Trace(journal, None if truth is None else truth.rewards)
                sequence = followed.trace.follow()
                if followed.kept.get(key, (0,))[0] != sequence:
                    record = plain(build(followed.trace, truth))
                    content = json.dumps(record, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
                    followed.kept[key] = sequence, content.encode()
                return followed.kept[key][1]
            except FirstmoverError:
                _let_go(followed)  # the store may be put back: the next caller reads it afresh
                raise

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


def _let_go(followed: Followed) -> None:
    if followed.trace is not None:
        followed.trace.journal.close()
    followed.trace, followed.kept = None, {}
