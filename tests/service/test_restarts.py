"""Stopped, killed, started again, without its store, beside others: nothing that was acknowledged is lost."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import httpx
import pytest

from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable
from firstmover.matches import Match
from firstmover.service import events
from firstmover.service.client import RemoteMatch
from firstmover.service.tokens import Tokens
from tests.matches.played import ROUTES, answer
from tests.service.processes import Running, wait_until, with_match
from tests.torture.children import KILLED
from tests.torture.sizes import sizes


def play(match: RemoteMatch, said: list[tuple[str, int, float, bool]], last: int = 1 << 30) -> None:
    """Play on, and note what is acknowledged, until the service is gone."""
    try:
        for number in range(len(match.history()) + 1, last + 1):
            decision = match.ask(f"r{number}")
            said.append((decision.round_id, decision.action, decision.probability, False))
            demand, congestion = answer(decision, number)
            match.tell(decision.round_id, {"demand": demand}, {"congestion": congestion})
            said.append((decision.round_id, decision.action, decision.probability, True))
    except StoreUnavailable:
        return


def check(folder: Path, said: list[tuple[str, int, float, bool]]) -> None:
    """All that was acknowledged is in the store, as it was acknowledged."""
    with Match.open(folder / "matches.db", "roads") as match:
        rounds = match.state().rounds
        for round_id, action, probability, is_told in said:
            played = rounds[round_id]
            assert (played.action, played.probability) == (action, probability)
            assert played.status == "told" or not is_told
        match.verify()


@pytest.mark.parametrize("kills", sizes("kills of the service"))
def test_a_killed_service_loses_nothing_that_it_acknowledged(tmp_path: Path, kills: int) -> None:
    rng, said = Random(0), list[tuple[str, int, float, bool]]()
    running = with_match(tmp_path)
    for _ in range(kills):
        with running.client() as client:
            player = threading.Thread(target=play, args=(client.open("roads"), said))
            player.start()
            heard = len(said)
            assert wait_until(lambda heard=heard: len(said) > heard + 4)
            time.sleep(0.05 * rng.random())
            assert running.stop(signal.SIGKILL) == KILLED
            player.join()
        check(tmp_path, said)
        running = Running(tmp_path)
    running.stop()
    assert len(said) > 4 * kills


def test_a_service_starts_again_into_the_same_state_and_a_page_left_open_finds_it(tmp_path: Path) -> None:
    running = with_match(tmp_path)
    heard: list[int] = []
    with running.client() as client, running.client(running.reader) as page:
        match = client.open("roads")
        play(match, [], 3)
        match.ask("waits")
        before, status = match.replay(), match.status()

        def listen() -> None:
            for sequence in page.open("roads").changes(patience=30):
                heard.append(sequence)
                if sequence > before["events"]:
                    return

        listener = threading.Thread(target=listen)
        listener.start()
        assert wait_until(lambda: heard == [before["events"]])
        start = time.monotonic()
        assert running.stop() == -signal.SIGTERM
        assert time.monotonic() - start < 8, "those who listen do not hold it up"
        with pytest.raises(StoreUnavailable, match="does not answer"):
            match.status()
        again = Running(tmp_path, port=running.port)
        assert (match.replay(), match.status()) == (before, status)
        assert match.tell("waits", {"demand": "low"}, {"congestion": 1.0})
        listener.join(30)
        assert heard[-1] == before["events"] + 1
    again.stop()
    assert "Traceback" not in again.said()


def test_calls_that_have_begun_are_finished_when_it_stops(tmp_path: Path) -> None:
    running = with_match(tmp_path)
    said: list[tuple[str, int, float, bool]] = []
    with running.client() as client:
        player = threading.Thread(target=play, args=(client.open("roads"), said))
        player.start()
        assert wait_until(lambda: len(said) > 6)
        running.stop()
        player.join()
    check(tmp_path, said)
    with Match.open(tmp_path / "matches.db", "roads") as match:
        assert len(match.journal.event(1).payload) > 0
        assert match.sequence - 1 == len(said), "nothing was recorded that was not acknowledged either"


def test_a_store_that_is_gone_or_damaged_is_one_sentence_until_it_is_back(tmp_path: Path) -> None:
    running, store = with_match(tmp_path), tmp_path / "matches.db"
    with running.client() as client:
        match = client.open("roads")
        play(match, [], 2)
        before = match.status()
        kept = store.rename(tmp_path / "kept.db")
        for call in (match.status, match.ask, client.matches, match.status):
            with pytest.raises(StoreUnavailable, match=r"^The store is unavailable \(unable to open database file\)"):
                call()
        with pytest.raises(StoreUnavailable, match="unable to open database file"):
            client.create("other", ROUTES)
        assert not store.exists(), "no empty store is put in its place"
        store.write_bytes(b"this is no store" * 1000)
        with pytest.raises(
            DamagedStore,
            match=r"^The store cannot be read .*: it is no store of firstmover, or damaged; "
            r"correct the path, or restore it from a copy\.$",
        ):
            match.status()
        kept.replace(store)
        assert match.status() == before
    running.stop()
    assert "Traceback" not in running.said()


def test_a_stream_ends_when_its_token_is_revoked(tmp_path: Path) -> None:
    running, tokens = with_match(tmp_path), Tokens(tmp_path / "tokens.json")
    secret, token = tokens.new("reader")
    with running.client(secret) as page, running.client() as client:
        heard = page.open("roads").changes(patience=30)
        assert next(heard) == 1
        tokens.revoke(token.id)
        time.sleep(2 * events.POLL_SECONDS)
        client.open("roads").ask("monday")
        with pytest.raises(InvalidInput, match="The token is missing or unknown"):
            next(heard)
    running.stop()
    assert "Traceback" not in running.said()


def tell_all(match: RemoteMatch, response: float, won: list[tuple[str, float]], odd: list[str]) -> None:
    for number in range(1, 9):
        try:
            match.ask(f"r{number}")
            if match.tell(f"r{number}", {"demand": "low"}, {"congestion": response}):
                won.append((f"r{number}", response))
        except Conflict:
            continue
        except FirstmoverError as error:
            odd.append(str(error))


def test_two_services_and_the_library_share_a_store(tmp_path: Path) -> None:
    first = with_match(tmp_path)
    second = Running(tmp_path)
    won: list[tuple[str, float]] = []
    odd: list[str] = []
    clients = [first.client(), second.client(), first.client()]
    threads = [
        threading.Thread(target=tell_all, args=(client.open("roads"), float(i), won, odd))
        for i, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    with Match.open(tmp_path / "matches.db", "roads") as match:
        for number in range(1, 9):
            match.ask(f"r{number}")
    for thread, client in zip(threads, clients, strict=True):
        thread.join()
        client.close()
    with first.client() as one, second.client() as other:
        assert one.open("roads").history() == other.open("roads").history()
        stored = {view.round_id: (view.response or {})["congestion"] for view in one.open("roads").history()}
    assert odd == []
    assert sorted(won) == sorted(stored.items())
    first.stop()
    second.stop()


def test_the_command_prints_where_to_look_and_ends_politely(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from firstmover.cli import main; main()", "serve", "--port", "0"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    process = subprocess.Popen(
        command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"Open (http://127\.0\.0\.1:\d+)/#token=(fm_[\w-]+)\n", line)
    assert found is not None, line
    address, token = found.groups()
    headers = {"authorization": f"Bearer {token}"}
    assert wait_until(lambda: reachable(address))
    assert httpx.get(f"{address}/v1/matches", headers=headers).json() == {"role": "owner", "matches": [], "total": 0}
    process.send_signal(signal.SIGINT)
    assert "everything that was acknowledged is kept" in process.stdout.readline()
    _, complaints = process.communicate(timeout=20)
    assert (process.returncode, complaints) == (0, "")
    kept = json.loads((tmp_path / "tokens.json").read_text())["tokens"]
    assert [(token["role"], token["label"]) for token in kept] == [("owner", "page")]
    assert (tmp_path / "matches.db").stat().st_mode & 0o077 == 0


def reachable(address: str) -> bool:
    try:
        return httpx.get(address).status_code == 200
    except httpx.TransportError:
        return False
