"""Play on a file system that becomes read-only at random moments, and writable again: FOLDER TURNS SEED [careless].

Run in user and mount namespaces of its own (`unshare --user --map-root-user --mount`), where every user may mount.
"""

import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match
from tests.matches.played import answer, new
from tests.torture.children import check_acknowledged

LONGEST = 0.02
"""Seconds from the first call of a turn until the file system becomes read-only, at most: some rounds."""


class Careless(Match):
    """Takes a tell that could not be written for a recorded one."""

    def tell(self, *told: Any, **more: Any) -> bool:
        try:
            return super().tell(*told, **more)
        except StoreUnavailable:
            return True


def mount(*arguments: str) -> bool:
    """Whether mount did it: it refuses read-only while a file is open for writing."""
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0


def become_read_only(folder: Path, delay: float) -> None:
    """Wait, and try until no write is under way; 30 seconds at most."""
    time.sleep(delay)
    until = time.monotonic() + 30
    while not mount("-o", "remount,ro", str(folder)) and time.monotonic() < until:
        pass


def play_until_refused(match: Match, said: list[Any]) -> str:
    """Rounds until the store cannot be written; what the caller was told."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            one_round(match, said)
        except StoreUnavailable as error:
            return str(error)
    raise AssertionError("the file system did not become read-only within a minute")


def one_round(match: Match, said: list[Any]) -> None:
    decision = match.ask(str(len(match.state().rounds) + 1))
    said.append(("asked", decision.round_id, decision.action, decision.probability))
    demand, congestion = answer(decision, int(decision.round_id))
    match.tell(decision.round_id, demand, congestion)
    said.append(("told", decision.round_id, {"demand": demand}, {"congestion": congestion}))


def main(name: str, turns: str, seed: str, careless: str = "") -> None:
    rng, said, folder = random.Random(int(seed)), list[Any](), Path(name)
    assert mount("-t", "tmpfs", "-o", "size=32m", "firstmover", name), "a tmpfs cannot be mounted"
    path = folder / "matches.db"
    new(folder).close()
    with (Careless if careless else Match).open(path, "roads") as match:
        for _ in range(int(turns)):
            thread = threading.Thread(target=become_read_only, args=(folder, rng.random() * LONGEST))
            thread.start()
            sentence = play_until_refused(match, said)
            thread.join()
            assert sentence.endswith("repeat the call later; nothing is recorded twice."), sentence
            with Match.open(path, "roads", read_only=True) as reader:
                assert len(reader.history()) >= len({each[1] for each in said}), "a reader misses rounds"
            assert mount("-o", "remount,rw", name), "it cannot be made writable again"
            one_round(match, said)
    with Match.open(path, "roads") as match:
        check_acknowledged(match, said)
        match.verify()
    print(f"{int(turns):,} times read-only, {len(said):,} acknowledgements", end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
