"""What was acknowledged is on the disk, whenever the process is killed."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstmover.matches import Match
from tests.matches.played import ROUTES
from tests.torture.children import Child, changing_player, check_acknowledged
from tests.torture.sizes import sizes

PROMISE = "acknowledged = durable"
KILLS_A_STORE = 10
"""A new store after so many kills, so that most of the time goes to kills and not to opening."""


class Hasty(Match):
    """Says that it recorded a tell, and records it when it is next asked."""

    owed: tuple[Any, ...] = ()

    def tell(self, *told: Any) -> bool:
        self.owed = told
        return True

    def ask(self, round_id: str | None = None) -> Any:
        if self.owed:
            super().tell(*self.owed)
        return super().ask(round_id)


def killed_at_random(
    path: str, kind: type[Match], kills: int, acknowledgements: int, rng: random.Random
) -> list[tuple[str, ...]]:
    """What children acknowledged, each killed at some moment; one of our own follows, and verifies all in the end.

    Every child opens the store anew, and so checks its whole chain after the kill before it.
    """
    heard = []
    with Match.create(path, "roads", ROUTES) as match:
        for _ in range(kills):
            child = Child(changing_player, kind, path)
            child.hear(rng.randrange(2 * acknowledgements + 1))
            time.sleep(rng.random() * 0.004)  # an ask or a tell takes about one millisecond
            said = child.kill()
            check_acknowledged(match, said)
            heard += said
    with Match.open(path, "roads") as match:
        match.verify()
        check_acknowledged(match, heard)
    Path(path).unlink()
    return heard


@pytest.mark.parametrize(("part", "kills", "acknowledgements"), sizes("kills"))
def test_nothing_acknowledged_is_lost_or_doubled(  # noqa: PLR0917 - what a fixture gives, and the size
    tmp_path: Path, memory: Path, part: int, kills: int, acknowledgements: int, reached: Callable[[str], None]
) -> None:
    rng, total, folder = random.Random(part), 0, tmp_path if part <= 1 else memory
    for done in range(0, kills, KILLS_A_STORE):
        total += len(killed_at_random(str(folder / f"{done}.db"), Match, KILLS_A_STORE, acknowledgements, rng))
        reached(f"{done + KILLS_A_STORE:,} kills, {total:,} acknowledgements of rounds and changes, 0 lost, 0 doubled")


def test_teeth_a_match_that_acknowledges_before_it_records(memory: Path) -> None:
    with pytest.raises(AssertionError, match=r"the tell of round .* is lost"):
        killed_at_random(str(memory / "m.db"), Hasty, 40, 4, random.Random(7))


class Forgetful(Match):
    """Says that it changed the reward, and does not."""

    def set_reward(self, *_: Any, **__: Any) -> bool:
        return True


def test_teeth_a_match_that_acknowledges_a_change_that_it_does_not_record(memory: Path) -> None:
    with pytest.raises(AssertionError, match=r"the change after round .* is lost"):
        killed_at_random(str(memory / "m.db"), Forgetful, 40, 12, random.Random(7))
