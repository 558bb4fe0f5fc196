"""The rounds of a match and what was learnt from them, in columns: a long match is small in memory, quick to open."""

import json
from array import array
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, overload

from firstmover.matches.value_schema import Values

Status = Literal["pending", "told", "void"]
STATUSES: tuple[Status, ...] = ("pending", "told", "void")


class Played(NamedTuple):
    """What is known of one round; the strategy that its action was drawn from stays in the journal.

    `asked` and `closed` are numbers of events, `closed` 0 while it waits; `delay` counts the rounds that were asked
    before this one was closed; `text` is what was recorded when it was told.
    """

    round_id: str
    number: int
    asked: int
    action: int
    probability: float
    clock: str
    status: Status = "pending"
    closed: int = 0
    delay: int = 0
    text: str = ""
    reason: str = ""
    corrections: int = 0

    @property
    def observed(self) -> tuple[Values | None, Values | None]:
        """Type and response, both None unless it was told."""
        if self.status != "told":
            return None, None
        content = json.loads(self.text)
        return content["type"], content["response"]

    @property
    def opponent_type(self) -> Values | None:
        """What was told of the opponent."""
        return self.observed[0]

    @property
    def response(self) -> Values | None:
        """What was told of its response."""
        return self.observed[1]


class Rounds(Mapping[str, Played]):
    """Rounds by name, in the order in which they were asked; about 140 bytes each.

    A name that is the round's own number is not kept.

    >>> rounds = Rounds()
    >>> rounds.add("1", asked=2, action=0, probability=0.5, clock="now")
    >>> rounds.add("monday", asked=3, action=1, probability=0.5, clock="later")
    >>> rounds["1"].asked, rounds["monday"].clock, "2" in rounds, list(rounds)
    (2, 'later', False, ['1', 'monday'])
    """

    def __init__(self) -> None:
        self._asked, self._closed, self._delay = array("q"), array("q"), array("q")
        self._action, self._probability, self._status = array("q"), array("d"), array("b")
        self._clocks, self._texts = Texts(), Texts()
        self._rare: dict[int, tuple[str, int]] = {}  # reason and corrections of the few that have any
        self._names: dict[int, str] = {}
        self._places: dict[str, int] = {}

    def place(self, round_id: str) -> int | None:
        """Where a round stands, from 0; None if it was never asked."""
        if round_id in self._places:
            return self._places[round_id]
        number = int(round_id) if len(round_id) < 20 and round_id.isdecimal() else 0
        own = 1 <= number <= len(self) and str(number) == round_id and number - 1 not in self._names
        return number - 1 if own else None

    def at(self, place: int) -> Played:
        """The round that stands there."""
        reason, corrections = self._rare.get(place, ("", 0))
        return Played(
            self._names.get(place) or str(place + 1),
            place + 1,
            self._asked[place],
            self._action[place],
            self._probability[place],
            self._clocks[place],
            STATUSES[self._status[place]],
            self._closed[place],
            self._delay[place],
            self._texts[place],
            reason,
            corrections,
        )

    def closed_last(self) -> Played | None:
        """The round that was told or declared void last; None while all wait."""
        latest = max(self._closed, default=0)
        return self.at(self._closed.index(latest)) if latest else None

    def add(self, round_id: str, asked: int, action: int, probability: float, clock: str) -> None:
        """A round that was asked by the event of this number."""
        place = len(self)
        if round_id != str(place + 1):
            self._names[place], self._places[round_id] = round_id, place
        self._asked.append(asked)
        self._action.append(action)
        self._probability.append(probability)
        self._clocks.append(clock)
        self._status.append(0)
        self._closed.append(0)
        self._delay.append(0)
        self._texts.append("")

    def close(self, place: int, status: Status, closed: int, text: str, reason: str = "") -> None:
        """What became of a round, by the event of this number."""
        self._delay[place], self._closed[place] = len(self) - place - 1, closed
        self._write(place, status, text, reason, 0)

    def amend(self, played: Played) -> None:
        """A closed round as a correction has it."""
        self._write(played.number - 1, played.status, played.text, played.reason, played.corrections)

    def _write(self, place: int, status: Status, text: str, reason: str, corrections: int) -> None:
        self._status[place] = STATUSES.index(status)
        self._texts[place] = text
        if reason or corrections:
            self._rare[place] = reason, corrections

    def closed(self, place: int) -> int:
        """The number of the event that closed the round that stands there."""
        return self._closed[place]

    def __getitem__(self, round_id: str) -> Played:
        place = self.place(round_id)
        if place is None:
            raise KeyError(round_id)
        return self.at(place)

    def __contains__(self, round_id: object) -> bool:
        return isinstance(round_id, str) and self.place(round_id) is not None

    def __iter__(self) -> Iterator[str]:
        return (self._names.get(place) or str(place + 1) for place in range(len(self)))

    def __len__(self) -> int:
        return len(self._asked)


class Texts:
    """Texts by place, one after the other in one buffer; a new one for an old place is written at its end."""

    def __init__(self) -> None:
        self._buffer, self._starts, self._ends = bytearray(), array("q"), array("q")

    def __getitem__(self, place: int) -> str:
        return self._buffer[self._starts[place] : self._ends[place]].decode()

    def append(self, text: str) -> None:
        """The text of the next place."""
        self._starts.append(len(self._buffer))
        self._buffer += text.encode()
        self._ends.append(len(self._buffer))

    def __setitem__(self, place: int, text: str) -> None:
        self._starts[place] = len(self._buffer)
        self._buffer += text.encode()
        self._ends[place] = len(self._buffer)


class Step(NamedTuple):
    """Something learnt: a round that was told, rows that were imported, or a refit.

    `text` is what was recorded, `size` the number of observations in it; `action` is that of a round of the match, None
    elsewhere.
    """

    sequence: int
    text: str = ""
    size: int = 0
    action: int | None = None
    theta: list[float] | None = None

    @property
    def rows(self) -> tuple[tuple[int, Values, Values], ...]:
        """Action, type and response of each observation."""
        if not self.size:
            return ()
        content = json.loads(self.text)
        if self.action is not None:
            return ((self.action, content["type"], content["response"]),)
        return tuple((row["action"], row["type"], row["response"]) for row in content["rows"])


class Steps(Sequence[Step]):
    """All that was learnt, in the order of the events; of a round of the match only its place is kept."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds, self._order, self._others = rounds, array("q"), list[Step]()

    def add(self, step: Step) -> None:
        """Rows that were imported, or a refit."""
        self._others.append(step)
        self._order.append(-len(self._others))

    def add_round(self, place: int) -> None:
        """A round that was told, or that a correction has as told: it stands where it was closed."""
        closed = self._rounds.closed(place)
        latest = not self._order or self._sequence(self._order[-1]) < closed
        self._order.insert(len(self) if latest else bisect(self._order, closed, key=self._sequence), place)

    def drop_round(self, place: int) -> None:
        """A round that a correction declares void."""
        self._order.remove(place)

    def _sequence(self, entry: int) -> int:
        return self._others[-1 - entry].sequence if entry < 0 else self._rounds.closed(entry)

    def _step(self, entry: int) -> Step:
        if entry < 0:
            return self._others[-1 - entry]
        played = self._rounds.at(entry)
        return Step(played.closed, played.text, 1, played.action)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if isinstance(index, slice):
            return [self._step(entry) for entry in self._order[index]]
        return self._step(self._order[index])

    def __len__(self) -> int:
        return len(self._order)
