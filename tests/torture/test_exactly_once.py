"""Of tells that race, one is recorded, and every other client hears what became of its own."""

import threading
from collections import defaultdict
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import Conflict
from firstmover.matches import Match
from tests.torture.children import Child
from tests.torture.grown import grown
from tests.torture.sizes import sizes

PROMISE = "exactly-once tell"
PROCESSES, RACING = 4, 4
Outcome = tuple[str, float, str]
"""The round, what was told, and how it ended: new, same or conflict; else the error."""


class LastTellWins(Match):
    """Keeps the last tell, and says so to everyone."""

    def tell(self, round_id: str, opponent_type: object, response: object) -> bool:
        try:
            return super().tell(round_id, opponent_type, response)
        except Conflict:
            return self.correct(round_id, opponent_type, response, reason="the last one wins")


def client(kind: type[Match], url: str, tells: list[tuple[str, float]], ended: list[Outcome]) -> None:
    """One client, with a match of its own."""
    with kind.open(url, "roads") as match:
        for round_id, response in tells:
            try:
                ended.append((round_id, response, "new" if match.tell(round_id, "low", response) else "same"))
            except Conflict:
                ended.append((round_id, response, "conflict"))
            except BaseException as error:
                ended.append((round_id, response, repr(error)))


def clients(sender: Connection, kind: type[Match], url: str, lists: list[list[tuple[str, float]]]) -> None:
    """Several clients in one process, one a thread."""
    ended: list[Outcome] = []
    threads = [threading.Thread(target=client, args=(kind, url, tells, ended)) for tells in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sender.send(ended)


def race(url: str, kind: type[Match], number: int, rounds: int) -> list[Outcome]:
    """Every round is told by four of the clients at about the same time, by one of them with another response."""
    grown(url, rounds, told=False)
    tells: list[list[tuple[str, float]]] = [[] for _ in range(number)]
    for turn in range(rounds):
        for place in range(RACING):
            mine = (turn + place * number // RACING) % number
            tells[mine].append((str(turn + 1), 9.0 if place == turn % RACING else 1.0))
    children = [Child(clients, kind, url, tells[first::PROCESSES]) for first in range(PROCESSES)]
    return [outcome for child in children for ended in child.end() for outcome in ended]


def check_race(url: str, outcomes: list[Outcome], rounds: int) -> None:
    by_round: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for round_id, response, how in outcomes:
        by_round[round_id].append((response, how))
    with Match.open(url, "roads") as match:
        played: dict[str, Any] = match.state().rounds
        assert len(by_round) == rounds
        for round_id, ended in by_round.items():
            kept = played[round_id].response["congestion"]
            assert [how for _, how in ended].count("new") == 1, f"round {round_id}: {ended}"
            expected = sorted((response, "same" if response == kept else "conflict") for response, _ in ended)
            expected[expected.index((kept, "same"))] = (kept, "new")
            assert sorted(ended) == sorted(expected), f"round {round_id} keeps {kept}: {ended}"
        assert match.verify().events == 1 + 2 * rounds


@pytest.mark.parametrize(("number", "rounds"), sizes("racing tells"))
def test_one_tell_wins_and_the_others_are_told(
    memory: Path, number: int, rounds: int, reached: Callable[[str], None]
) -> None:
    url = str(memory / "matches.db")
    outcomes = race(url, Match, number, rounds)
    check_race(url, outcomes, rounds)
    reached(f"{number} clients, {rounds:,} rounds, {len(outcomes):,} tells: one winner a round, 0 exceptions")


def test_teeth_a_store_that_keeps_the_last_tell(memory: Path) -> None:
    url = str(memory / "matches.db")
    with pytest.raises(AssertionError, match="round"):
        check_race(url, race(url, LastTellWins, 8, 8), 8)
