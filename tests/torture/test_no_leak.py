"""Who watches sees no action before its round is told."""

import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from firstmover.matches import Match, MatchRound
from tests.matches.played import ROUTES, answer
from tests.torture.sizes import sizes

PROMISE = "never leaks x_t"
POLLS_A_STORE = 200


class Leaky(Match):
    """Shows all that the journal holds."""

    def history(self) -> list[MatchRound]:
        return self._current().history()


def watched(path: Path, kind: type[Match], polls: int) -> int:
    """Polls while rounds are asked, left waiting, and told; how many rounds were seen waiting."""
    Match.create(path, "roads", ROUTES).close()
    revealed, stop, failures = set[str](), threading.Event(), list[BaseException]()

    def play() -> None:
        try:
            with Match.open(path, "roads") as match:
                for number in count():
                    decision = match.ask(f"r{number}")
                    beside = match.ask(f"r{number} beside it")
                    if stop.is_set():
                        return
                    revealed.update((decision.round_id, beside.round_id))  # from here on they may show
                    match.tell(decision.round_id, *answer(decision, number))
                    match.void(beside.round_id, "only to be watched")
                    time.sleep(0.002)  # so that the reader gets its turn
        except BaseException as error:
            failures.append(error)

    player, waiting = threading.Thread(target=play), 0
    player.start()
    try:
        with kind.open(path, "roads", read_only=True) as watcher:
            for _ in range(polls):
                seen = watcher.history()
                waiting += sum(view.status == "pending" for view in seen)
                for view in seen:
                    shown = (view.action, view.label, view.probability) != (None, None, None)
                    assert not shown or view.round_id in revealed, f"round {view.round_id} shows too early"
    finally:
        stop.set()
        player.join()
    assert not failures, failures
    return waiting


@pytest.mark.parametrize("polls", sizes("polls of a reader"))
def test_a_reader_sees_no_action_that_is_not_revealed(memory: Path, polls: int, reached: Callable[[str], None]) -> None:
    waiting, each = 0, min(POLLS_A_STORE, polls)
    for done in range(0, polls, each):
        waiting += watched(memory / f"{done}.db", Match, each)
        reached(f"{done + each:,} polls, {waiting:,} waiting rounds seen, 0 unrevealed actions")
    assert waiting > 0, "the polls came when nothing waited"


def test_teeth_a_watcher_that_shows_all(memory: Path) -> None:
    with pytest.raises(AssertionError, match="shows too early"):
        watched(memory / "m.db", Leaky, 1_000)
