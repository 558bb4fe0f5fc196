"""The service over a real PostgreSQL server: listed, asked, told, refused and heard as over SQLite."""

import threading
from collections.abc import Iterator

import pytest

from firstmover.core.errors import Conflict
from firstmover.matches import Match, match_list
from firstmover.matches.database import engine_for
from tests.matches.played import ROUTES
from tests.service.processes import Running
from tests.service.racing import race
from tests.torture.server import serving


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as server:
        yield server.new_database()


@pytest.fixture(scope="module")
def running(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = Running(tmp_path_factory.mktemp("service"), store=url)
    yield started
    started.stop()
    assert "Traceback" not in started.said()


def test_a_match_is_played_listed_and_heard(running: Running, url: str) -> None:
    with running.client() as client, running.client(running.reader) as page:
        match = client.create("heard", ROUTES)
        heard = page.open("heard").changes(patience=30)
        assert next(heard) == 1
        action = match.ask("monday").action
        assert next(heard) == 2
        assert (match.ask("monday").action, page.open("heard").round("monday").action) == (action, None)
        values = {"demand": "low"}, {"congestion": 1.0}
        assert [match.tell("monday", *values), match.tell("monday", *values)] == [True, False]
        with pytest.raises(Conflict, match="nothing was changed") as refused:
            match.tell("monday", {"demand": "low"}, {"congestion": 2.0})
        assert (refused.value.recorded["response"], refused.value.given["response"]) == (
            {"congestion": 1.0},
            {"congestion": 2.0},
        )
        match.ask("tuesday")
        assert match.void("tuesday", "rain")
        with Match.open(url, "heard") as local:
            local.ask("wednesday")
        assert 6 in heard, "what another process records is heard as well"
        listed = {
            "name": "heard",
            "kind": "menu",
            "asked": 3,
            "told": 1,
            "pending": ["wednesday"],
            "void": 1,
            "archived": False,
        }
        (found,) = [each for each in client.matches() if each["name"] == "heard"]
        assert found.pop("waiting_since") is not None
        assert found == listed
        assert match.verify().rounds == 3


def test_clients_that_race_have_one_winner_a_round(running: Running, url: str) -> None:
    with running.client() as client:
        client.create("roads", ROUTES)
    found = race(running.address, running.owner, 8, 6)
    assert found.odd == []
    assert {name: len(won) for name, won in found.won.items()} == {f"r{number}": 1 for number in range(6)}
    with Match.open(url, "roads") as match:
        assert {view.round_id: [(view.response or {})["congestion"]] for view in match.history()} == found.won


@pytest.mark.usefixtures("running")
def test_a_match_that_begins_while_others_are_listed_is_not_half_there(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, engine = match_list._pending, engine_for(url)

    def begin() -> None:
        with Match.create(url, "meanwhile", ROUTES) as match:
            match.ask("monday")

    def later(*given: object) -> dict[str, list[str]]:
        other = threading.Thread(target=begin)
        other.start()
        other.join()
        return waiting(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(match_list, "_pending", later)
    before = {each.name for each in match_list.read_matches(engine, {})}
    monkeypatch.undo()
    assert {each.name for each in match_list.read_matches(engine, {})} - before == {"meanwhile"}
    engine.dispose()
