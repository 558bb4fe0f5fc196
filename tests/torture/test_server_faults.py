"""PostgreSQL is restarted and its connections are cut during calls: nothing acknowledged is lost or doubled."""

import random
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match
from tests.matches.played import ROUTES, answer
from tests.torture.children import Child, Say, check_acknowledged, nothing
from tests.torture.server import FAST, IMMEDIATE, Server
from tests.torture.sizes import sizes

PROMISE = "PostgreSQL restarted or cut off"
PATIENCE = 60.0
"""Seconds after which a call that is repeated must have worked."""

Answer = TypeVar("Answer")
Fault = Callable[[Server], None]


def cut(server: Server) -> None:
    """Cut all connections."""
    server.cut_connections()


def restart(server: Server) -> None:
    """Restart the server as its administrator does."""
    server.stop(FAST)
    server.start()


def crash(server: Server) -> None:
    """End all processes of the server as if they had crashed, and start it again."""
    server.stop(IMMEDIATE)
    server.start()


class Careless(Match):
    """Takes a tell that the server did not confirm for a recorded one."""

    def tell(self, *told: Any, **more: Any) -> bool:
        try:
            return super().tell(*told, **more)
        except StoreUnavailable:
            return True


def playing(sender: Connection, kind: type[Match], url: str) -> None:
    """Play on whatever happens to the server, and repeat what was unavailable."""
    with kind.open(url, "roads") as match:
        for number in count(1):
            decision = repeated(sender, partial(match.ask, str(number)))
            sender.send(("asked", decision.round_id, decision.action, decision.probability))
            demand, congestion = answer(decision, number)
            repeated(sender, partial(match.tell, decision.round_id, demand, congestion))
            sender.send(("told", decision.round_id, {"demand": demand}, {"congestion": congestion}))


def repeated(sender: Connection, call: Callable[[], Answer]) -> Answer:
    """Repeat a call while the store is unavailable; every other error passes."""
    until, first = time.monotonic() + PATIENCE, True
    while True:
        try:
            return call()
        except StoreUnavailable as error:
            if "repeat the call" not in str(error) or time.monotonic() > until:
                raise
        if first:
            sender.send(("unavailable",))
        first = False
        time.sleep(0.02)


def disturbed(server: Server, kind: type[Match], faults: list[Fault], seed: int = 0, say: Say = nothing) -> None:
    """Faults at random moments while a child plays."""
    rng, url = random.Random(seed), server.new_database()
    Match.create(url, "roads", ROUTES).close()
    child, heard = Child(playing, kind, url), list[Any]()
    for turn, fault in enumerate(faults, 1):
        heard = child.hear(len(heard) + rng.randint(2, 8))
        assert child.process.is_alive(), "the child raised another error, which it printed"
        time.sleep(rng.random() * 0.01)
        fault(server)
        unavailable = heard.count(("unavailable",))
        say(
            f"{turn - faults[:turn].count(cut):,} restarts, {faults[:turn].count(cut):,} times all connections cut, "
            f"{len(heard) - unavailable:,} acknowledgements, {unavailable:,} calls repeated: 0 lost, 0 doubled"
        )
    child.hear(len(heard) + 4)  # it plays on after the last fault
    heard = child.kill()
    with Match.open(url, "roads") as match:
        check_acknowledged(match, [each for each in heard if each != ("unavailable",)])
        match.verify()


@pytest.mark.parametrize(("part", "faults"), sizes("faults of PostgreSQL"))
def test_faults_of_the_server_lose_nothing(server: Server, part: int, faults: int, reached: Say) -> None:
    disturbed(server, Match, ([crash, *[cut] * 4, restart, *[cut] * 4] * faults)[:faults], part, reached)


def test_teeth_a_match_that_does_not_wait_for_the_server(server: Server) -> None:
    with pytest.raises(AssertionError, match=r"the tell of round .* is lost"):
        disturbed(server, Careless, [cut] * 60)
