"""Months of play in one process: no memory, no descriptor and no digit is lost."""

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.learners import StackelUCB
from firstmover.matches import Match
from tests.matches.played import answer, new
from tests.torture.children import sizes

PROMISE = "soak"
MEGABYTE = 1 << 20
ALLOWED = 20.0
"""Megabytes of growth, beside what the events themselves hold."""


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


def soaked(folder: Path, kind: type[Match], rounds: int, restart: int) -> tuple[float, int, float]:
    """Growth of memory and of descriptors, each with the store closed, and the distance from straight play."""
    match: Match = kind(new(folder).journal)
    first: tuple[float, int] | None = None
    for number in range(rounds):
        decision = match.ask()
        demand, congestion = answer(decision, number)
        match.tell(decision.round_id, demand, congestion)
        if (number + 1) % restart == 0:
            match.close()
            del match
            first = first or (resident(), descriptors())
            last = resident(), descriptors()
            match = kind.open(folder / "matches.db", "roads")
    distance = float(np.max(np.abs(match.learner().strategy - straight_play(match).strategy)))
    match.close()
    assert first is not None
    return last[0] - first[0], last[1] - first[1], distance


def check(grown: float, opened: int, distance: float) -> None:
    assert grown <= ALLOWED, f"{grown:.1f} MB more"
    assert opened <= 0, f"{opened} descriptors more"
    assert distance <= 1e-9


@pytest.mark.parametrize(("rounds", "restart"), sizes((200, 20), (100_000, 500)))
def test_a_long_match(memory: Path, rounds: int, restart: int, reached: Callable[[str], None]) -> None:
    grown, opened, distance = soaked(memory, Match, rounds, restart)
    reached(
        f"{rounds:,} rounds, {rounds // restart:,} restarts: {grown:+.1f} MB, {opened:+d} descriptors, "
        f"weights within {distance:.1g}"
    )
    check(grown, opened, distance)


def test_teeth_a_match_that_lets_nothing_go(memory: Path) -> None:
    with pytest.raises(AssertionError, match="more"):
        check(*soaked(memory, Hoarding, 60, 2))
    for connection, _ in Hoarding.kept:
        connection.close()
    Hoarding.kept.clear()
