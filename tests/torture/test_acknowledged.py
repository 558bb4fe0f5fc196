"""What was acknowledged is on the disk, whenever the process is killed."""

import random
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from firstmover.matches import Match
from tests.matches.played import ROUTES
from tests.torture.children import Child, check_acknowledged, player, sizes

PROMISE = "acknowledged = durable"
KILLS_A_STORE = 20
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


def killed_at_random(folder: Path, kind: type[Match], kills: int, acknowledgements: int = 40) -> tuple[int, int]:
    """Kills, and what was acknowledged between them; every store is verified in the end."""
    rng, total = random.Random(7), 0
    for store in count():
        size = min(KILLS_A_STORE, kills - store * KILLS_A_STORE)
        if size <= 0:
            return kills, total
        path = str(folder / f"{store}.db")
        Match.create(path, "roads", ROUTES).close()
        for _ in range(size):
            child = Child(player, kind, path)
            child.hear(rng.randrange(2 * acknowledgements + 1))
            time.sleep(rng.random() * 0.01)
            said = child.kill()
            total += len(said)
            with Match.open(path, "roads") as match:
                check_acknowledged(match, said)
        with Match.open(path, "roads") as match:
            match.verify()
        Path(path).unlink()
    raise AssertionError


@pytest.mark.parametrize("kills", sizes(20, 25_000))
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path, kills: int, reached: Callable[[str], None]) -> None:
    acknowledgements = 10 if kills < 100 else 40
    done, acknowledged = killed_at_random(tmp_path, Match, kills, acknowledgements)
    reached(f"{done:,} kills, {acknowledged:,} acknowledgements, 0 lost, 0 doubled")


def test_teeth_a_match_that_acknowledges_before_it_records(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"the tell of round .* is lost"):
        killed_at_random(tmp_path, Hasty, 40, 4)
