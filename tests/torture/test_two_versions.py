"""Two versions of firstmover play one match at once: the present one, and the first that writes the same tables."""

import json
import os
import random
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import Any, Protocol

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.events import Draft
from tests.installing import missing
from tests.matches.played import new, play
from tests.torture.children import Say, check_acknowledged, nothing
from tests.torture.sizes import sizes

PROMISE = "two versions on one store"
FIRST = "d7b2a32"
"""The commit that introduced version 2 of the tables."""

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds for an answer."""


class Player(Protocol):
    """One of the two versions."""

    def ask(self, round_id: str) -> tuple[int, float]: ...

    def tell(self, round_id: str, demand: str, congestion: float) -> bool: ...


class Present:
    """The present version, in this process."""

    def __init__(self, match: Match) -> None:
        self.match = match

    def ask(self, round_id: str) -> tuple[int, float]:
        decision = self.match.ask(round_id)
        return decision.action, decision.probability

    def tell(self, round_id: str, demand: str, congestion: float) -> bool:
        return self.match.tell(round_id, demand, congestion)


class Earlier:
    """The earlier version, in a process that answers line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def ask(self, round_id: str) -> tuple[int, float]:
        action, probability = self.call("ask", round_id)
        return action, probability

    def tell(self, round_id: str, demand: str, congestion: float) -> bool:
        new: bool = self.call("tell", round_id, demand, congestion)
        return new

    def call(self, *line: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        impatient = Timer(PATIENCE, self.process.kill)
        impatient.start()
        print(json.dumps(line), file=self.process.stdin, flush=True)
        answered = self.process.stdout.readline()
        impatient.cancel()
        assert answered, "the earlier version ended; its error is printed"
        return json.loads(answered)


@pytest.fixture(scope="module")
def earlier_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it was at the commit FIRST."""
    found = subprocess.run(["git", "archive", FIRST, "src"], cwd=ROOT, capture_output=True, check=False)
    if found.returncode != 0:
        missing(f"The history of this repository is missing: fetch commit {FIRST}.")
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(fileobj=BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


@contextmanager
def earlier(source: Path, path: Path, *more: str) -> Iterator[Earlier]:
    command = [sys.executable, str(ROOT / "tests/torture/other_version.py"), str(path), *more]
    env = {**os.environ, "PYTHONPATH": str(source)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=env, **pipes) as process:
        try:
            yield Earlier(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(PATIENCE)


def played_by_both(folder: Path, source: Path, rounds: int, *more: str, say: Say = nothing) -> None:
    """Each call is made by one of the two at random; often one tells what the other asked."""
    rng, said, path = random.Random(6), list[Any](), folder / "matches.db"
    with new(folder) as match, earlier(source, path, *more) as other:
        players: list[Player] = [Present(match), other]
        for number in range(rounds):
            round_id, demand, congestion = f"r{number}", rng.choice(["low", "high"]), rng.randrange(80) / 4
            first, second = rng.choice(players), rng.choice(players)
            drawn = first.ask(round_id)
            said.append(("asked", round_id, *drawn))
            for each in players:
                assert each.ask(round_id) == drawn, f"round {round_id} was drawn again"
            assert second.tell(round_id, demand, congestion)
            said.append(("told", round_id, {"demand": demand}, {"congestion": congestion}))
            say(f"{number + 1:,} rounds, each asked and told by either version: 0 lost, 0 drawn again, both verify")
        check_acknowledged(match, said)
        found = match.verify()
        assert found.largest_difference <= 1e-9
        events, largest = other.call("verify")
        assert (events, largest <= 1e-9) == (found.events, True)


@pytest.mark.parametrize("rounds", sizes("rounds of two versions"))
def test_both_versions_play_one_match(memory: Path, earlier_source: Path, rounds: int, reached: Say) -> None:
    played_by_both(memory, earlier_source, rounds, say=reached)


def test_teeth_a_version_that_forgets_tells(memory: Path, earlier_source: Path) -> None:
    with pytest.raises(AssertionError, match=r"the tell of round .* is lost"):
        played_by_both(memory, earlier_source, 12, "forgetful")


def test_an_event_of_a_later_version_is_no_damage(memory: Path) -> None:
    with new(memory) as match:
        play(match, range(2))
        state = match.state()
        match.journal.append(Draft("foreseen", {}), state.sequence, state.mark)  # type: ignore[arg-type]
        for call in (match.ask, match.verify, lambda: Match.open(memory / "matches.db", "roads")):
            with pytest.raises(
                InvalidInput, match=r"Event 6 .* 'foreseen', which a later version .* update firstmover"
            ):
                call()
