"""A match as a reader may see it: nothing can be written, and no action shows before its round is closed."""

from pathlib import Path
from typing import Self

from firstmover.matches.health import Health, health_of
from firstmover.matches.journal import Journal
from firstmover.matches.round_rows import RoundView, closed, views
from firstmover.matches.state import State


class Watcher:
    """Follows a match through a connection that cannot write.

    The action of a round is shown once the round is told or declared void: until then whoever answers it may be
    watching. p_t itself shows, in figures of its spread: the opponent of the theorem knows it.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._closed = journal, False
        with journal.closed_on_error():
            self._state = State.folded(journal.read())

    @classmethod
    def open(cls, url: str | Path, name: str) -> Self:
        """A match that exists."""
        return cls(Journal.open(url, name, read_only=True))

    def _current(self) -> State:
        if self._closed:
            raise closed(self._state.name)
        for event in self._journal.read(self._state.sequence, self._state.mark):
            self._state.apply(event)
        return self._state

    def status(self) -> Health:
        """How the match is doing."""
        return health_of(self._current())

    def history(self) -> list[RoundView]:
        """All rounds; actions of rounds that wait are None."""
        return views(self._current(), hide_pending=True)

    def close(self) -> None:
        """Let go of the store; whatever is called afterwards is refused."""
        self._closed = True
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
