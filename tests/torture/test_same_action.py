"""A round that was drawn is never drawn again, even if nobody heard of the draw."""

import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from firstmover.matches import Decision, Match, commands
from firstmover.matches.events import Event
from tests.matches.played import ROUTES, answer
from tests.torture.children import Child, Say, nothing
from tests.torture.sizes import sizes

PROMISE = "ask never re-rolls"
ROUNDS_A_STORE = 200


class Rerolling(Match):
    """Draws whenever it is asked."""

    def ask(self, round_id: str | None = None) -> Decision:
        decision = super().ask(round_id)
        action = commands.sample_action(decision.strategy, commands.system_uniform())
        return replace(decision, action=action, probability=float(decision.strategy[action]))


def asking(sender: Connection, url: str, round_id: str) -> None:
    """Ask, and stop after the commit: the reply is never given."""
    match = Match.open(url, "roads")
    append = match.journal.append

    def stopped(*args: Any) -> Event:
        payload = append(*args).payload  # committed by now
        sender.send((payload["action"], payload["probability"], payload["strategy"]))
        time.sleep(600)
        raise AssertionError("the child was not killed")

    match.journal.append = stopped  # type: ignore[method-assign]
    match.ask(round_id)


def asked_again(folder: Path, kind: type[Match], kills: int, say: Say = nothing) -> None:
    """The second ask gives what the first one drew, however often."""
    for number in range(kills):
        path = str(folder / f"{number // ROUNDS_A_STORE}.db")
        if number % ROUNDS_A_STORE == 0:
            Match.create(path, "roads", ROUTES).close()
        child = Child(asking, path, str(number))
        child.hear(1)
        [(action, probability, strategy)] = child.kill()
        with kind.open(path, "roads") as match:
            for decision in (match.ask(str(number)), match.ask()):
                found = decision.round_id, decision.action, decision.probability
                assert found == (str(number), action, probability), "the action was drawn again"
                assert commands.packed(decision.strategy) == strategy
            match.tell(str(number), *answer(decision, number))
        say(f"{number + 1:,} / {number + 1:,} the same action and p")


@pytest.mark.parametrize(("_part", "kills"), sizes("kills before the reply"))
def test_the_same_action_after_a_kill_between_commit_and_reply(
    memory: Path, _part: int, kills: int, reached: Say
) -> None:
    asked_again(memory, Match, kills, reached)


def test_teeth_an_ask_that_draws_again(memory: Path) -> None:
    with pytest.raises(AssertionError, match="drawn again"):
        asked_again(memory, Rerolling, 20)
