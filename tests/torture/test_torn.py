"""A file that was cut or changed is refused, or gives what was acknowledged; never something else."""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import sleep

import pytest

from firstmover.core.errors import FirstmoverError
from firstmover.matches import Match
from firstmover.matches.events import Event
from tests.matches.played import new, play
from tests.torture.children import Child, change, player
from tests.torture.sizes import sizes

PROMISE = "torn or corrupt file"


def read_back(path: Path) -> tuple[list[Event], bytes]:
    """Every event and the strategy that they lead to, as an ordinary opening gives them."""
    with Match.open(path, "roads") as match:
        return list(match.journal.read()), match.state().strategy.tobytes()


def original(folder: Path) -> Path:
    with new(folder) as match:
        play(match, range(3))
        change(match, 4)
    return folder / "matches.db"


def damaged(path: Path, contents: Iterable[bytes], say: Callable[[int, int], None] = lambda *_: None) -> None:
    """Contents that are refused or harmless, how many of each is said; a silent change is an assertion."""
    expected, refused, harmless = read_back(path), 0, 0
    for content in contents:
        path.write_bytes(content)
        try:
            found = read_back(path)
        except FirstmoverError:
            refused += 1
        else:
            assert found == expected, "a changed file was taken for what was recorded"
            harmless += 1
        say(refused, harmless)


def truncations(content: bytes, step: int) -> Iterator[bytes]:
    return (content[:length] for length in range(0, len(content), step))


def flips(content: bytes, number: int, used: list[int], part: int = 0) -> Iterator[bytes]:
    """One bit changed, or up to eight bytes, at places that hold something."""
    rng = random.Random(5 + part)
    for turn in range(number):
        changed, place = bytearray(content), rng.choice(used)
        if turn % 2:
            changed[place] ^= 1 << rng.randrange(8)
        else:
            length = rng.randint(1, 8)
            changed[place : place + length] = rng.randbytes(len(changed[place : place + length]))
        yield bytes(changed)


def used_places(content: bytes) -> list[int]:
    return [place for place, byte in enumerate(content) if byte]


@pytest.mark.parametrize("step", sizes("bytes between cuts"))
def test_every_truncation_is_refused_or_harmless(memory: Path, step: int, reached: Callable[[str], None]) -> None:
    path = original(memory)

    def say(refused: int, harmless: int) -> None:
        reached(f"cut at {refused + harmless:,} places: {refused:,} refused, {harmless:,} read in full, 0 changed")

    damaged(path, truncations(path.read_bytes(), step), say)


def stopped_in_a_commit(folder: Path) -> tuple[Path, Path]:
    """A store whose writer was killed while it committed, and the rollback journal that it left."""
    path = original(folder)
    journal = path.with_name(f"{path.name}-journal")
    for attempt in range(200):
        child = Child(player, Match, str(path))
        child.hear(2)
        sleep(attempt % 25 * 0.001)  # a commit may be anywhere in what follows an answer
        child.kill()
        if journal.exists() and journal.stat().st_size > 512:
            return path, journal
        with Match.open(path, "roads") as match:
            if match.state().pending:
                match.void(match.ask().round_id, "the writer was killed")
    raise AssertionError("no kill fell into a commit")


@pytest.mark.parametrize("step", sizes("bytes between cuts of a rollback journal"))
def test_a_rollback_journal_that_was_cut(memory: Path, step: int, reached: Callable[[str], None]) -> None:
    path, journal = stopped_in_a_commit(memory)
    store, left = path.read_bytes(), journal.read_bytes()
    expected, _ = read_back(path)
    refused, whole = 0, 0
    for content in truncations(left, step):
        path.write_bytes(store)
        journal.write_bytes(content)
        try:
            events, _ = read_back(path)
        except FirstmoverError:
            refused += 1
            continue
        assert events[: len(expected)] == expected, "a rollback that stopped half way was not noticed"
        assert len(events) <= len(expected) + 1, "more than the one event that was under way"
        whole += 1
    reached(f"rollback journal cut at {refused + whole:,} places: {refused:,} refused, {whole:,} read in full")


@pytest.mark.parametrize(("part", "number"), sizes("flips"))
def test_no_flip_changes_what_was_recorded(
    memory: Path, part: int, number: int, reached: Callable[[str], None]
) -> None:
    path = original(memory)
    content = path.read_bytes()

    def say(refused: int, harmless: int) -> None:
        reached(f"{refused + harmless:,} flips: {refused:,} refused, {harmless:,} harmless, 0 silently changed")

    damaged(path, flips(content, number, used_places(content), part), say)


def changed_responses(content: bytes) -> Iterator[bytes]:
    """Every recorded response with another first digit, which is as valid as the one that was recorded."""
    for found in re.finditer(rb'"response":\{"congestion":(\d)', content):
        digit = (int(found[1]) + 1) % 10
        yield b"".join([content[: found.start(1)], b"%d" % digit, content[found.end(1) :]])


def test_teeth_a_journal_without_its_chain(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = original(memory)
    changed = list(changed_responses(path.read_bytes()))
    assert len(changed) == 3
    sound, refused = path.read_bytes(), []
    damaged(path, changed, lambda *counts: refused.append(counts))
    assert refused[-1] == (3, 0), "the chain protects every response"
    path.write_bytes(sound)
    monkeypatch.setattr(Event, "check", lambda event, *_: event)
    with pytest.raises(AssertionError, match="taken for what was recorded"):
        damaged(path, changed)
