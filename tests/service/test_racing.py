"""64 clients race asks and tells: one winner a round, and everyone hears what became of its own."""

from pathlib import Path

import pytest

from firstmover.core.errors import Conflict
from firstmover.matches import Match
from tests.service.processes import with_match
from tests.service.racing import RACING, Race, race
from tests.torture.sizes import sizes


def check(found: Race, folder: Path, rounds: int) -> None:
    """One winner a round, which is what the store holds; the others heard so; one action."""
    assert found.odd == []
    with Match.open(folder / "matches.db", "roads") as match:
        played = match.state().rounds
        assert len(played) == rounds
        for number in range(rounds):
            name = f"r{number}"
            stored = (played[name].response or {})["congestion"]
            assert found.won[name] == [stored]
            assert found.actions[name] == {played[name].action}
            others = ["conflict"] * (3 if stored == 2.0 else 1) + ["same"] * (0 if stored == 2.0 else 2)
            assert sorted(found.told[name]) == sorted([*others, "new"])
            assert len(found.told[name]) == RACING
        match.verify()


@pytest.mark.parametrize(("clients", "rounds"), sizes("clients of the service"))
def test_of_clients_that_race_one_wins_and_nothing_is_lost(tmp_path: Path, clients: int, rounds: int) -> None:
    running = with_match(tmp_path)
    found = race(running.address, running.owner, clients, rounds)
    running.stop()
    assert "Traceback" not in running.said()
    check(found, tmp_path, rounds)
    print(f"{found.calls} calls by {clients} clients: {found.calls / found.seconds:.0f} a second")


def last_tell_wins() -> None:
    """Keeps the last tell, and says so to everyone."""
    tell = Match.tell

    def careless(self: Match, round_id: str, opponent_type: object, response: object) -> bool:
        try:
            return tell(self, round_id, opponent_type, response)
        except Conflict:
            return self.correct(round_id, opponent_type, response, reason="the last one wins")

    Match.tell = careless  # type: ignore[method-assign]


def test_the_race_notices_a_service_where_the_last_tell_wins(tmp_path: Path) -> None:
    running = with_match(tmp_path, last_tell_wins)
    found = race(running.address, running.owner, 8, 4)
    running.stop()
    with pytest.raises(AssertionError):
        check(found, tmp_path, 4)
