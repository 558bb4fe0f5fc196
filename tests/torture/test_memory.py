"""Without memory a call fails as a whole: nothing is lost, nothing is half written, and the match goes on."""

import random
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match, State, state_hash
from firstmover.matches.events import Event
from firstmover.matches.history import Imported
from tests.matches.played import answer, new, play
from tests.torture.children import PATIENCE, Child, Say, check_acknowledged, nothing
from tests.torture.sizes import sizes
from tests.torture.test_disk_full import asked, tell

PROMISE = "out of memory"
BLOCKS = (1 << 16, 1 << 12, 1 << 8)
"""Bytes of the blocks that are taken until there are none, large ones first."""

STEPS = 20
ROWS = [{"action": "north", "type": "low", "response": 3.0}] * 50
DONE = Imported(len(ROWS))


class Careless(Match):
    """Takes a tell or an import that failed for want of memory for a recorded one."""

    def tell(self, *told: Any, **more: Any) -> bool:
        try:
            return super().tell(*told, **more)
        except MemoryError:
            return True

    def import_history(self, rows: Any, *more: Any, **named: Any) -> Imported:
        try:
            return super().import_history(rows, *more, **named)
        except MemoryError:
            return DONE


@contextmanager
def little_memory(rng: random.Random) -> Iterator[None]:
    """Forbid the process to grow, take all that it can have, and give back random shares of it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    held, shares = [list[bytearray]() for _ in BLOCKS], [rng.random() ** 10 for _ in BLOCKS]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (used, hard))
        for size, blocks in zip(BLOCKS, held, strict=True):
            with suppress(MemoryError):
                while True:
                    blocks.append(bytearray(size))
        for blocks, share in zip(held, shares, strict=True):
            del blocks[: int(share * len(blocks))]
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def step(sender: Connection, match: Match) -> None:
    """One round and one import; each is said when it is acknowledged."""
    tell(sender, match, asked(sender, match, f"round {len(match.state().rounds)}"))
    sender.send(("imported", match.import_history(ROWS, again=True).new))


def exhausted(sender: Connection, kind: type[Match], path: str, seed: int) -> None:
    """Play while there is little memory; then, with memory again, play on and say what state this process has.

    A caller may hear MemoryError, or that the store is unavailable; never that it is damaged. The first step is made
    before: OpenBLAS waits for ever for the buffer of its first call, and keeps it for all others.
    """
    with kind.open(path, "roads") as match:
        step(sender, match)
        try:
            with little_memory(random.Random(seed)):
                for _ in range(STEPS):
                    step(sender, match)
        except (MemoryError, StoreUnavailable):
            sender.send(("failed",))
        step(sender, match)
        sender.send(("state", state_hash(match.state())))


def starved(folder: Path, kind: type[Match], limits: int, part: int = 0, say: Say = nothing) -> None:
    """Children with little memory, each on the same store. A child may die, as extensions do without memory."""
    with new(folder) as match:
        play(match, range(3))
    path, failed, died, acknowledged = folder / "matches.db", 0, 0, 0
    kept = shutil.copy(path, folder / "kept.db")
    for turn in range(limits):
        shutil.copy(kept, path)
        child = Child(exhausted, kind, str(path), 1_000_000 * part + turn)
        said = child.hear(1 << 62)
        child.process.join(PATIENCE)
        rounds = [each for each in said if each[0] in {"asked", "told"}]
        imported = sum(each[1] for each in said if each[0] == "imported")
        with Match.open(path, "roads") as match:
            check_acknowledged(match, rounds)
            assert sum(match.state().imports.values()) >= imported, "an import is lost"
            assert match.ask("after memory ended").round_id in match.state().pending
            match.verify()
        failed, acknowledged = failed + (("failed",) in said), acknowledged + len(rounds)
        died += child.process.exitcode != 0
        assert child.process.exitcode != 1, "the child raised another error, which it printed"
        say(
            f"{turn + 1:,} limits, {acknowledged:,} acknowledgements, {failed:,} calls without memory, {died:,} "
            "processes died: 0 lost, 0 half written"
        )
    assert failed > limits // 2, "memory did not end"


@pytest.mark.parametrize(("part", "limits"), sizes("limits of memory"))
def test_want_of_memory_loses_nothing(memory: Path, part: int, limits: int, reached: Say) -> None:
    starved(memory, Match, limits, part, reached)


def test_teeth_a_match_that_takes_a_failed_write_for_a_recorded_one(memory: Path) -> None:
    with pytest.raises(AssertionError, match="is lost"):
        starved(memory, Careless, 40)


def one_round(match: Match) -> None:
    decision = match.ask()
    match.tell(decision.round_id, *answer(decision, 1))


CALLS: dict[str, Callable[[Match], object]] = {
    "_asked": one_round,
    "_told": one_round,
    "_imported": lambda match: match.import_history(ROWS, again=True),
    "_changed": lambda match: match.retire("south"),
}


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_state_that_was_interrupted_is_read_again(
    memory: Path, monkeypatch: pytest.MonkeyPatch, method: str, error: type[BaseException]
) -> None:
    """The event is recorded, and this process stopped while it added it to its state."""
    add, interruptions = getattr(State, method), [error()]

    def interrupted(state: State, event: Event) -> None:
        add(state, event)
        if interruptions:
            raise interruptions.pop()

    with new(memory) as match:
        play(match, range(2))
        with monkeypatch.context() as patch:
            patch.setattr(State, method, interrupted)
            with pytest.raises(error):
                CALLS[method](match)
        one_round(match)
        found = match.state()
        with Match.open(memory / "matches.db", "roads") as fresh:
            assert state_hash(found) == state_hash(fresh.state())
            assert (found.order, found.told, found.sequence) == (
                fresh.state().order,
                fresh.state().told,
                fresh.state().sequence,
            )
