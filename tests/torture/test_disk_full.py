"""A disk that fills up costs nothing that was acknowledged, and the next open works."""

import random
import resource
import shutil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Decision, Match
from tests.matches.played import answer, new, play
from tests.torture.children import Child, Say, change, check_acknowledged, nothing
from tests.torture.sizes import sizes

PROMISE = "disk full"
ROOM = 30_000
"""Bytes beyond the size of the store at most: some fifteen rounds."""

AHEAD = 12
"""Rounds that are asked before the disk fills."""


class Careless(Match):
    """Takes a failed write for a written one."""

    def tell(self, *told: Any) -> bool:
        try:
            return super().tell(*told)
        except StoreUnavailable:
            return True


def filling(sender: Connection, kind: type[Match], path: str, room: int) -> None:
    """Play until no file may grow any more; then, with room again, repeat what failed.

    Some rounds are asked before, and told while the disk fills: a tell, too, may be the write that fails.
    """
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    with kind.open(path, "roads") as match:
        ahead = [asked(sender, match, f"ahead {number}") for number in range(AHEAD)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (Path(path).stat().st_size + room, most))
        for _ in range(100):
            try:
                two_rounds(sender, match, ahead)
            except StoreUnavailable:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                two_rounds(sender, match, ahead)
                return


def asked(sender: Connection, match: Match, round_id: str | None = None) -> Decision:
    decision = match.ask(round_id)
    sender.send(("asked", decision.round_id, decision.action, decision.probability))
    return decision


def tell(sender: Connection, match: Match, decision: Decision) -> None:
    demand, congestion = answer(decision, 1)
    match.tell(decision.round_id, demand, congestion)
    sender.send(("told", decision.round_id, {"demand": demand}, {"congestion": congestion}))


def two_rounds(sender: Connection, match: Match, ahead: list[Decision]) -> None:
    if ahead:
        tell(sender, match, ahead[0])
        del ahead[0]
    name = f"now {len(match.state().rounds)}" if ahead else None
    decision = asked(sender, match, name)
    tell(sender, match, decision)
    made = change(match, 4 * (1 + len(match.setting.before)))
    if made is not None:
        sender.send(("changed", decision.round_id, *made))


def filled(folder: Path, kind: type[Match], budgets: int, part: int = 0, say: Say = nothing) -> None:
    """Budgets from too small to ample, each on the same store."""
    with new(folder) as match:
        play(match, range(3))
    path, rng, acknowledged = folder / "matches.db", random.Random(11 + part), 0
    kept = shutil.copy(path, folder / "kept.db")
    for turn in range(budgets):
        shutil.copy(kept, path)
        room = ROOM * turn // budgets + rng.randrange(ROOM // budgets + 1) - 5_000
        said = Child(filling, kind, str(path), room).end()
        acknowledged += len(said)
        with Match.open(path, "roads") as match:
            check_acknowledged(match, said)
            assert match.ask("after the disk was full").round_id in match.state().pending
            match.verify()
        done = f"{turn + 1:,}"
        say(f"{done} budgets, {acknowledged:,} acknowledgements, 0 lost, next open works {done} / {done}")


@pytest.mark.parametrize(("part", "budgets"), sizes("full disks"))
def test_a_full_disk_loses_nothing(memory: Path, part: int, budgets: int, reached: Say) -> None:
    filled(memory, Match, budgets, part, reached)


def test_teeth_a_match_that_takes_a_failed_write_for_a_written_one(memory: Path) -> None:
    with pytest.raises(AssertionError, match="is lost"):
        filled(memory, Careless, 12)
