"""Months of play in one process: no memory, no descriptor and no digit is lost."""

import gc
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from firstmover.learners import StackelUCB
from firstmover.matches import Match
from tests.matches.played import answer, new
from tests.torture.children import Say, nothing
from tests.torture.sizes import sizes

PROMISE = "soak"
MEGABYTE = 1 << 20
ALLOWED = 20.0
"""Megabytes of growth over all rounds, from the first restart to the last, each with the store closed."""


class Hoarding(Match):
    """Never lets go of its store."""

    kept: list[Any] = []  # noqa: RUF012 - that is the fault

    def close(self) -> None:
        self.kept.append((self.journal.engine.raw_connection(), bytearray(MEGABYTE)))


def resident() -> float:
    """Resident megabytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def straight_play(match: Match) -> StackelUCB:
    """The learner that met all rounds without a store and without a restart."""
    learner = match.setting.learner()
    for played in match.state().rounds.values():
        assert played.opponent_type is not None
        assert played.response is not None
        learner = learner.observe(match.setting.feedback(played.action, played.opponent_type, played.response))
    return learner


class Soaked(NamedTuple):
    """What grew: megabytes while the store is open, megabytes and descriptors when it is closed; and what drifted."""

    held: float
    kept: float
    descriptors: int
    distance: float
    stored: float

    def __str__(self) -> str:
        return (
            f"{self.kept:+.1f} MB ({self.held:+.1f} MB while open, of {self.stored:.0f} MB in the store), "
            f"{self.descriptors:+d} descriptors, weights within {self.distance:.1g}"
        )


def soaked(folder: Path, kind: type[Match], rounds: int, restart: int, say: Say = nothing) -> Soaked:
    """Many rounds in one process, which opens its store anew after every so many."""
    path, match = folder / "matches.db", kind(new(folder).journal)
    first = None
    for number in range(1, rounds + 1):
        decision = match.ask()
        match.tell(decision.round_id, *answer(decision, number))
        if number % restart == 0:
            held = resident()
            match.close()
            del match
            now = held, resident(), descriptors()
            first = first or now
            match = kind.open(path, "roads")
            grown = now[0] - first[0], now[1] - first[1], now[2] - first[2]
            say(f"{number:,} rounds, {number // restart:,} restarts: {grown[1]:+.1f} MB, {grown[2]:+d} descriptors")
    distance = float(np.max(np.abs(match.learner().strategy - straight_play(match).strategy)))
    match.close()
    return Soaked(*grown, distance, path.stat().st_size / MEGABYTE)


def check(found: Soaked) -> None:
    assert found.kept <= ALLOWED, f"{found.kept:.1f} MB more"
    assert found.held <= max(found.stored, ALLOWED), f"{found.held:.1f} MB more than the store holds"
    assert found.descriptors <= 0, f"{found.descriptors} descriptors more"
    assert found.distance <= 1e-9


@pytest.mark.parametrize(("rounds", "restart"), sizes("rounds of a soak"))
def test_a_long_match(memory: Path, rounds: int, restart: int, reached: Say) -> None:
    found = soaked(memory, Match, rounds, restart, reached)
    reached(f"{rounds:,} rounds, {rounds // restart:,} restarts: {found}")
    check(found)


def test_teeth_a_match_that_lets_nothing_go(memory: Path) -> None:
    with pytest.raises(AssertionError, match="more"):
        check(soaked(memory, Hoarding, 12, 2))
    for connection, _ in Hoarding.kept:
        connection.close()
    Hoarding.kept.clear()
