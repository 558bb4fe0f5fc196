"""A copy of a store in use is right or refused at opening; so is a store whose tables were changed by a bit."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from firstmover.core.errors import DamagedStore, FirstmoverError
from firstmover.matches import Match, soundness
from firstmover.matches.events import Draft, Event
from tests.matches.played import answer
from tests.torture.children import Child, Say, nothing, player
from tests.torture.grown import grown
from tests.torture.sizes import sizes

PROMISE = "torn copies and tables"
PAGE = 4096


def use(path: Path) -> list[Event]:
    """All events of a store that was opened, after two more rounds were recorded and read back."""
    with Match.open(path, "roads") as match:
        events = list(match.journal.read())
        for _ in range(2):
            decision = match.ask()
            match.tell(decision.round_id, *answer(decision, int(decision.round_id)))
    with Match.open(path, "roads") as match:
        assert len(match.history()) == match.verify().rounds
    return events


def copied(path: Path, contents: Iterable[bytes], say: Say = nothing) -> Iterator[list[Event]]:
    """The events of those contents that `open` does not refuse as damaged; whatever it takes can be played on."""
    right, refused, said = 0, 0, ""
    for content in contents:
        path.write_bytes(content)
        try:
            Match.open(path, "roads").close()
        except DamagedStore as error:
            said = str(error)
            refused += 1
        except FirstmoverError as error:
            raise AssertionError(f"open takes damage for something else: {error}") from None
        else:
            try:
                yield use(path)
            except FirstmoverError as error:
                raise AssertionError(f"open took what cannot be used: {error}") from None
            right += 1
        assert "repeat the call" not in said, "permanent damage"
        assert ". " not in said, "one sentence"
        say(f"{right + refused:,} copies: {right:,} right, {refused:,} refused by open, 0 wrong")


def live_copies(path: Path, number: int) -> Iterator[bytes]:
    """Copies of a file while it is written, page by page, with pauses at random."""
    rng = Random(7)
    for _ in range(number):
        pages, pause = list[bytes](), rng.choice([0.0, 0.0002, 0.001])
        with path.open("rb") as file:
            while page := file.read(PAGE):
                pages.append(page)
                time.sleep(pause * rng.random())
        yield b"".join(pages)


@pytest.mark.parametrize("number", sizes("copies of a live store"))
def test_copies_of_a_store_in_use(memory: Path, number: int, reached: Callable[[str], None]) -> None:
    path = memory / "matches.db"
    grown(path, 60)
    child = Child(player, Match, str(path))
    child.hear(2)
    found = list(copied(memory / "copy.db", live_copies(path, number), reached))
    child.kill()
    with Match.open(path, "roads") as match:
        events = list(match.journal.read())
    for seen in found:
        assert seen == events[: len(seen)], "a copy with other events than the store"


def cut_copies(folder: Path) -> list[bytes]:
    """Copies of which some pages were read before one more event, and the others after it."""
    path, found = folder / "matches.db", list[bytes]()
    grown(path, 30)
    for _ in range(3):
        before = path.read_bytes()
        with Match.open(path, "roads") as match:
            match.void(match.ask().round_id, "rain") if match.state().pending else match.ask()
        after = path.read_bytes()
        cuts = range(PAGE, len(before), PAGE)
        found += [one[:cut] + other[cut:] for one, other in ((before, after), (after, before)) for cut in cuts]
    return found


def test_copies_cut_between_two_rounds(memory: Path, reached: Callable[[str], None]) -> None:
    contents = cut_copies(memory)
    right = len(list(copied(memory / "copy.db", contents, reached)))
    assert 0 < right < len(contents)


def test_teeth_an_open_that_does_not_look_at_the_file(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = cut_copies(memory)
    monkeypatch.setattr(soundness, "check_file", lambda _: None)
    with pytest.raises(AssertionError):
        list(copied(memory / "copy.db", contents))


def test_an_event_beyond_the_head_is_refused(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of the match is that of an earlier moment; what was read before the damage is not overtaken, either."""
    path = memory / "matches.db"
    grown(path, 3)
    with Match.open(path, "roads") as match, closing(sqlite3.connect(path)) as store:
        before = match.journal.event(6)
        store.execute("UPDATE firstmover_matches SET length = 6, head = ?", (before.hash,))
        store.commit()
        sentence = "has 7 events where 6 are on record: .* restore the store from a backup made with"
        with pytest.raises(DamagedStore, match=sentence):
            Match.open(path, "roads")
        with pytest.raises(DamagedStore, match=sentence):
            match.journal.append(Draft("voided", {"reason": "rain"}), 6, before.hash)
        monkeypatch.setattr(soundness, "check_events", lambda *_: None)
        with pytest.raises(AssertionError, match="open took what cannot be used"):
            list(copied(path, [path.read_bytes()]))


def definitions(path: Path) -> list[int]:
    """The places in the file that hold the text of our tables."""
    content = path.read_bytes()
    with closing(sqlite3.connect(path)) as store:
        texts = [sql.encode() for (sql,) in store.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    starts = {content.index(text): len(text) for text in texts}
    return [start + offset for start, length in starts.items() for offset in range(length)]


def flipped(content: bytes, places: list[int], number: int) -> Iterator[bytes]:
    """One bit of the definitions changed: all of them, or some at random."""
    bits = [(place, bit) for place in places for bit in range(8)]
    for place, bit in Random(3).sample(bits, min(number, len(bits))):
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        yield bytes(changed)


def flips_of_tables(folder: Path, number: int, say: Say = nothing) -> None:
    path = folder / "matches.db"
    grown(path, 3)
    [expected] = copied(path, [path.read_bytes()])
    grown(folder / "other.db", 3)
    source = folder / "other.db"
    for found in copied(path, flipped(source.read_bytes(), definitions(source), number), say):
        assert len(found) == len(expected)


@pytest.mark.parametrize("number", sizes("bits of the schema"))
def test_a_flipped_bit_in_the_definition_of_a_table(memory: Path, number: int, reached: Callable[[str], None]) -> None:
    flips_of_tables(memory, number, reached)


def test_a_column_of_another_type_is_refused(memory: Path) -> None:
    """`VIRCHAR` holds numbers: round "1" is acknowledged, and read back as the number 1."""
    path = memory / "matches.db"
    grown(path, 3)
    content = path.read_bytes()
    assert content.count(b"round_id VARCHAR(80)") == 1
    path.write_bytes(content.replace(b"round_id VARCHAR(80)", b"round_id VIRCHAR(80)"))
    with pytest.raises(
        DamagedStore, match="definition of table firstmover_events is not what firstmover created: restore"
    ):
        Match.open(path, "roads")
    with pytest.raises(DamagedStore, match="definition of table firstmover_events"):
        Match.create(path, "another", {"menu": {"game": "shore"}, "horizon": 10})


def test_a_store_without_a_unique_index_is_refused(memory: Path) -> None:
    path = memory / "matches.db"
    grown(path, 3)
    with closing(sqlite3.connect(path)) as store:
        store.execute("DROP INDEX one_match_of_a_name")
    with pytest.raises(DamagedStore, match="definition of table firstmover_matches is not what firstmover created"):
        Match.open(path, "roads")
