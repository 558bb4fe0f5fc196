"""A game played for real: asked for an action, told what happened, kept for months in a file or a database."""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from numpy.linalg import LinAlgError

from firstmover.core.errors import FirstmoverError, InvalidInput, PrecisionLost
from firstmover.core.numerics import one_thread
from firstmover.matches import commands
from firstmover.matches.config import MatchConfig, read_document
from firstmover.matches.csv_reader import numbered
from firstmover.matches.decision import Decision
from firstmover.matches.events import Draft, Event
from firstmover.matches.health import Health, health_of
from firstmover.matches.journal import Journal
from firstmover.matches.learner_state import Learning, snapshot_content
from firstmover.matches.refit import refitting
from firstmover.matches.round_rows import RoundView, closed, views
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.matches.verification import Verification, verified

if TYPE_CHECKING:
    from firstmover.core.contracts import Learner


class Match:
    """One match in one store; everything that it says follows from the events in its journal.

    >>> import tempfile
    >>> config = {"menu": {"game": "shore"}, "horizon": 100}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     match = Match.create(f"{folder}/shore.db", "bay", config)
    ...     decision = match.ask("monday")
    ...     same = match.ask("monday").action == decision.action
    ...     new = match.tell("monday", "3", 0.25)
    ...     same, new, match.status().told
    (True, True, 1)
    """

    def __init__(self, journal: Journal) -> None:
        self.journal, self._lock, self._closed = journal, RLock(), False
        with journal.closed_on_error():
            self._state = State.folded(journal.read())
            self._use_snapshot()

    @classmethod
    def create(cls, url: str | Path, name: str, config: Mapping[str, Any] | MatchConfig | Path | str) -> Self:
        """A new match; the configuration is checked as a whole, and its menu copied, before anything is written."""
        fields = read_document(Path(config)) if isinstance(config, str | Path) else config
        with one_thread():
            setting = Setting.of(fields)
        payload = {"name": commands.checked_name("name", name), "firstmover": version("firstmover")}
        return cls(Journal.create(url, name, Draft("created", payload | setting.stored(), claim="created")))

    @classmethod
    def open(cls, url: str | Path, name: str) -> Self:
        """A match that exists; the chain of its journal is checked from the first event to the last."""
        return cls(Journal.open(url, name))

    @property
    def name(self) -> str:
        """The match's name in its store."""
        return self._state.name

    @property
    def setting(self) -> Setting:
        """Game, menu, and the names of types and responses."""
        return self._state.setting

    @property
    def sequence(self) -> int:
        """The number of the last event that this object has seen."""
        return self._state.sequence

    def ask(self, round_id: str | None = None) -> Decision:
        """The action of a round; asked again, the same one, from the journal.

        Without an id: the round that was asked last, while it is neither told nor void, else the next, by number.
        """
        wanted = None if round_id is None else commands.checked_name("round_id", round_id)
        with self._lock:
            self._refit()
            event = self._record(lambda state: commands.asking(state, wanted))
            if event is None:
                played = self._state.rounds[commands.chosen_round(self._state, wanted)]
                event = self.journal.event(played.asked)
        return Decision.recorded(event, self.setting)

    def tell(self, round_id: str, opponent_type: object, response: object) -> bool:
        """Record what happened in a round, once; whether it was new. The same again changes nothing."""
        values = self._values(opponent_type, response)
        new = self._record(lambda state: commands.telling(state, round_id, values)) is not None
        self._refit()
        return new

    def void(self, round_id: str, reason: str) -> bool:
        """Declare that nothing will be told of a round; whether it was new."""
        reason = commands.checked_reason(reason)
        return self._record(lambda state: commands.voiding(state, round_id, reason)) is not None

    def correct(self, round_id: str, opponent_type: object = None, response: object = None, *, reason: str) -> bool:
        """Replace what was told of a round, or, without values, declare it void; what was before stays on record.

        All that was learnt is learnt anew, with the correction where the round was told; actions of the past stay.
        """
        void = opponent_type is None and response is None
        values = {"type": None, "response": None} if void else self._values(opponent_type, response)
        payload = {**values, "reason": commands.checked_reason(reason)}
        return self._record(lambda state: commands.correcting(state, round_id, payload)) is not None

    def import_history(self, rows: Iterable[Mapping[str, Any]], source: str = "", *, again: bool = False) -> int:
        """Take in what was observed without this match's asking: rows with action, type and response.

        They feed the belief, never the strategy, whose weights follow the match's own rounds. The same rows of the same
        source are taken in once; the number of rows that were new is returned. Rows that hold all of an earlier import,
        such as a file that has grown, are refused, unless all was observed `again`.
        """
        seen = [self._row(number, row) for number, row in numbered(rows)]
        if not seen:
            raise InvalidInput("history has no rows: give one or more, with action, type and response.")
        source = commands.checked_text("source", source, 200)
        new = self._record(lambda state: commands.importing(state, seen, source, again)) is not None
        self._refit()
        return len(seen) if new else 0

    def _refit(self) -> None:
        """Fit the hyperparameters if the configuration asks for it and it is time."""
        if self.setting.config.hyperparameters.source != "config":
            self._record(refitting)

    def _values(self, opponent_type: object, response: object) -> dict[str, Any]:
        return {"type": self.setting.types.read(opponent_type), "response": self.setting.responses.read(response)}

    def _row(self, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        try:
            action = self.setting.menu.index(row["action"])
            return {"action": action, **self._values(row["type"], row["response"])}
        except KeyError as error:
            raise InvalidInput(f"row {number} has no {error}: give action, type and response.") from None
        except InvalidInput as error:
            raise InvalidInput(f"row {number}: {error}") from None

    def _record(self, prepare: Callable[[State], commands.Prepared]) -> Event | None:
        """Decide in view of all events and record it, while other writers wait."""
        with self._lock:
            self._check_open()
            learning: Learning | None = None
            try:
                with self.journal.alone():
                    self._catch_up()
                    draft, learning = _prepared(prepare, self._state)
                    if draft is None:
                        return None
                    snapshot = None if learning is None else learning.snapshot
                    event = self.journal.append(draft, self._state.sequence, self._state.mark, snapshot)
            except BaseException:
                if learning is not None:  # the learner has a child that was not to be, and shares its buffers
                    self._state.forget()
                    self._use_snapshot()
                raise
            self._state.apply(event, learning)
            return event

    def _catch_up(self) -> None:
        before = self._state.learnt
        for event in self.journal.read(self._state.sequence, self._state.mark):
            self._state.apply(event)
        if self._state.learnt != before:
            self._use_snapshot()

    def _use_snapshot(self) -> None:
        if not self._state.has_learnt:
            self._state.content = snapshot_content(self.journal.snapshot(), *self._state.learnt)

    def state(self) -> State:
        """The state as of the last event in the store, to be read only."""
        with self._lock:
            self._check_open()
            self._catch_up()
            return self._state

    def learner(self) -> "Learner":
        """The learner as it stands, a value of your own to look at and to play on with."""
        with self._lock:
            learner = self.state().learning.learner
            self._state.forget()  # its buffers are the caller's now
            self._use_snapshot()
            return learner

    def status(self) -> Health:
        """How the match is doing, in words and figures."""
        with self._lock:
            return health_of(self.state())

    def history(self) -> list[RoundView]:
        """All rounds, in the order in which they were asked."""
        with self._lock:
            return views(self.state())

    def verify(self) -> Verification:
        """Check the file, the chain, and by a full replay every p_t, action and snapshot."""
        self._check_open()
        return verified(self.journal)

    def close(self) -> None:
        """Let go of the store; whatever is called afterwards is refused."""
        self._closed = True
        self.journal.close()

    def _check_open(self) -> None:
        if self._closed:
            raise closed(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _prepared(prepare: Callable[[State], commands.Prepared], state: State) -> commands.Prepared:
    """What is to be recorded; where the learner's arithmetic fails, the sentence says so and not that of the store."""
    try:
        return prepare(state)
    except FirstmoverError:
        raise
    except (ArithmeticError, LinAlgError) as error:
        state.forget()  # it may have begun
        raise PrecisionLost(
            f"The learner cannot compute with these values ({type(error).__name__}: {error}): nothing was recorded; "
            "give values of an ordinary size, or widen the kernel's scales."
        ) from error
