"""A match: a game against a real opponent, with ask and tell, stored in a file or a database."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import numpy as np
from numpy.linalg import LinAlgError

from firstmover.core.errors import Conflict, FirstmoverError, InvalidInput, Overtaken, PrecisionLost, counted, shown
from firstmover.core.files import atomic_file, canonical_json
from firstmover.core.numerics import one_thread
from firstmover.matches import changes, commands, forks
from firstmover.matches.change_log import LoggedChange, change_log
from firstmover.matches.config import MatchConfig, read_document
from firstmover.matches.events import Draft, Event, unpacked
from firstmover.matches.interrupts import interruptible
from firstmover.matches.learner_state import Learning, counts_as_round, learnt
from firstmover.matches.names import checked_actor, checked_match_name, checked_name, normal_form
from firstmover.matches.round_log import RoundEvent, round_logs
from firstmover.matches.rounds import Decision, MatchRound
from firstmover.matches.schedule import DueRound, Schedule, due_round
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.matches.value_schema import GameTypes, Types

if TYPE_CHECKING:  # SQLAlchemy is imported when a match is created or opened, others by the calls that need them
    from firstmover.core.contracts import Learner
    from firstmover.matches.certificate import MatchCertificate
    from firstmover.matches.explanation import Explanation
    from firstmover.matches.health import Health
    from firstmover.matches.history import Imported
    from firstmover.matches.journal import Journal
    from firstmover.matches.outcome_check import OutcomeCheck
    from firstmover.matches.policy_values import PolicyValues
    from firstmover.matches.table_reader import Rows
    from firstmover.matches.verification import Verification
    from firstmover.matches.what_if import WhatIf

_LOG = logging.getLogger(__name__)

Prepare = Callable[[State], commands.Prepared]
"""Decides from the state what to record."""

ATTEMPTS = 4
"""Times that an event is computed before the store is locked; if others were quicker each time, it is locked first."""


class Match:
    """One match in one store; all that it returns follows from the events in its journal.

    Opened read-only, it uses a connection that cannot write, and the action of a round is hidden until the round is
    told or declared void, since the opponent may be the reader. Of p_t only the spread is shown: its most probable
    action often is the pending one.

    Parameters
    ----------
    journal
        The store of the match; `create` and `open` provide it.
    read_only
        Whether the match is only observed.
    actor
        The name under which events are recorded; None: the user of the operating system.

    Raises
    ------
    InvalidInput
        If the actor is no valid name.
    DamagedStore
        If the hash chain of the journal is broken.

    Examples
    --------
    >>> from firstmover import Match
    >>> import tempfile
    >>> config = {"menu": {"game": "shore"}, "horizon": 100}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     match = Match.create(f"{folder}/shore.db", "bay", config)
    ...     decision = match.ask("monday")
    ...     same = match.ask("monday").action == decision.action
    ...     new = match.tell("monday", "3", 0.25)
    ...     same, new, match
    (True, True, Match('bay': 1 round asked, 0 pending))
    """

    def __init__(self, journal: "Journal", *, read_only: bool = False, actor: str | None = None) -> None:
        self.read_only = read_only
        self.actor = checked_actor(actor)
        self._journal, self._lock, self._closed = journal, RLock(), False
        with journal.closed_on_error():
            self._state, self._complete = self._folded(), True
        forks.OBJECTS.add(self)

    @classmethod
    def create(
        cls,
        url: str | Path,
        name: str,
        config: Mapping[str, Any] | MatchConfig | Path | str,
        *,
        actor: str | None = None,
    ) -> Self:
        """Create a match; the configuration is checked and its menu copied before anything is written.

        Parameters
        ----------
        url
            A file, or the URL of a database.
        name
            Of the match in its store.
        config
            A configuration: a table, a `MatchConfig`, or the path of a TOML or JSON file.
        actor
            The name under which events are recorded; None: the user of the operating system.

        Returns
        -------
        Self
            The open match.

        Raises
        ------
        InvalidInput
            If the configuration is invalid, or the store has a match of this name.
        """
        from firstmover.matches.journal import Journal

        fields = read_document(Path(config)) if isinstance(config, str | Path) else config
        name, actor = checked_match_name(name), checked_actor(actor)
        payload = {"name": name, "firstmover": version("firstmover")}
        with one_thread():
            stored = Setting.of(fields).stored()
            read_back = Setting.restored(json.loads(canonical_json(stored)))  # levels are in the order of the journal
            draft = Draft("created", payload | stored, claim="created")
            return cls(Journal.create(url, name, draft, Learning.start(read_back).snapshot, actor), actor=actor)

    @classmethod
    def open(cls, url: str | Path, name: str, *, read_only: bool = False, actor: str | None = None) -> Self:
        """Open an existing match; the hash chain of its journal is checked.

        Parameters
        ----------
        url
            A file, or the URL of a database.
        name
            Of the match in its store.
        read_only
            Whether the match is only observed.
        actor
            The name under which events are recorded; None: the user of the operating system.

        Returns
        -------
        Self
            The open match.

        Raises
        ------
        InvalidInput
            If there is no such store or match.
        DamagedStore
            If the content of the store is damaged.
        """
        from firstmover.matches.journal import Journal

        actor = checked_actor(actor)
        return cls(Journal.open(url, name, read_only=read_only), read_only=read_only, actor=actor)

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
        """The number of the last event that this object has read."""
        return self._state.sequence

    @property
    def head(self) -> str:
        """The hash of that event, which depends on all events before it."""
        return self._state.mark

    @property
    def restores(self) -> tuple[str, ...]:
        """The hashes of those events that mark a restored backup."""
        return tuple(self._state.restores)

    @property
    def closed(self) -> bool:
        """Whether the match was closed, or deleted."""
        return self._closed

    @property
    def journal(self) -> "Journal":
        """The events; not available read-only, since they hold the actions of pending rounds."""
        self._check_may_see()
        return self._journal

    def ask(
        self,
        round_id: str | None = None,
        *,
        context: object = None,
        allowed: Iterable[str | int] | None = None,
        without: Iterable[str | int] | None = None,
    ) -> Decision:
        """Return the action of a round; idempotent: asked again, the same one, from the journal.

        Asked again, the round has its context and mask, and needs none.

        Parameters
        ----------
        round_id
            Name of the round; None: the pending round that was asked last, else the next number.
        context
            The part of the type that is known before the action.
        allowed
            The actions that may be played, by label or index; None: all.
        without
            The actions that may not be played; instead of `allowed`.

        Returns
        -------
        Decision
            The action with its label, features and probability, and p_t.

        Raises
        ------
        InvalidInput
            If the context or an action is unknown, no action is left, or the match is read-only or closed.
        Conflict
            If the round was asked with another context or mask.
        """
        wanted = None if round_id is None else checked_name("round_id", round_id)
        allowed, without = commands.listed("allowed", allowed), commands.listed("without", without)

        def asking(state: State) -> commands.Prepared:
            known = None if context is None else state.setting.context.read(context)
            return commands.asking(state, wanted, known, commands.masked(state.setting, allowed, without))

        with self._lock:
            self._refit()
            event = self._record(asking)
            if event is None:
                played = self._state.rounds[commands.chosen_round(self._state, wanted)]
                event = self._journal.event(played.asked)
            played = self._state.rounds[str(event.round_id)]
            label, features = self._state.described(played)
        payload = event.payload
        strategy = unpacked(payload["strategy"])
        shares = self.setting.menu.shares(strategy) if played.committed else None
        decided = played.round_id, int(payload["action"]), label, features, float(payload["probability"])
        return Decision(*decided, strategy, shares).explained_by(self.explain)

    def tell(
        self,
        round_id: str,
        opponent_type: object,
        response: object,
        *,
        played: str | int | None = None,
        reason: str | None = None,
    ) -> bool:
        """Record type and response of a round; idempotent.

        Parameters
        ----------
        round_id
            Name of the round.
        opponent_type
            θ_t: a table of values by name, or one value if there is one name.
        response
            y_t, in the same form.
        played
            The action, by label or index, that was played instead of the advised one: the belief learns from it, the
            weights from the rewards of all actions as always.
        reason
            Why another action was played.

        Returns
        -------
        bool
            Whether the values were new.

        Raises
        ------
        InvalidInput
            If the round was not asked, or a value cannot be used.
        Conflict
            If other values are on record.
        """
        values = self._values(opponent_type, response, round_id, told=True) | self._played(played)
        if reason is not None:
            values["reason"] = commands.checked_reason(reason)
        new = self._record_next(lambda state: commands.telling(state, round_id, values)) is not None
        self._refit()
        return new

    def check(
        self, round_id: str, opponent_type: object, response: object, *, played: str | int | None = None
    ) -> "OutcomeCheck":
        """Compare an outcome with its forecast, and question values that are far from it; nothing is recorded.

        Parameters
        ----------
        round_id
            Name of the round.
        opponent_type, response, played
            As in `tell`.

        Returns
        -------
        OutcomeCheck
            The forecast of each value, and the questions.
        """
        from firstmover.matches.outcome_check import check_outcome

        self._check_may_see()
        values = self._values(opponent_type, response, round_id, told=True) | self._played(played)
        with self._lock:
            state = self._current()
            asked = commands.asked_round(state, round_id)
            asked = asked._replace(played=values.get("played"))
            return check_outcome(state, asked, values["type"], values["response"])

    def void(self, round_id: str, reason: str) -> bool:
        """Declare that nothing will be told of a round; idempotent. Return whether it was new.

        Parameters
        ----------
        round_id
            Name of the round.
        reason
            Why.

        Returns
        -------
        bool
            Whether it was new.
        """
        reason = commands.checked_reason(reason)
        return self._record(lambda state: commands.voiding(state, round_id, reason)) is not None

    def correct(
        self,
        round_id: str,
        opponent_type: object = None,
        response: object = None,
        *,
        reason: str,
        played: str | int | None = None,
    ) -> bool:
        """Replace what was told of a round or, without values, declare it void; the journal keeps the old values.

        The learner is computed again with the corrected values; past actions stay.

        Parameters
        ----------
        round_id
            Name of the round.
        opponent_type, response
            The new values, as in `tell`; both None: the round is void.
        reason
            Why.
        played
            The action that was played; None: as recorded.

        Returns
        -------
        bool
            Whether anything changed.
        """
        void = opponent_type is None and response is None
        values = {"type": None, "response": None} if void else self._values(opponent_type, response, round_id)
        payload = {**values, **self._played(played), "reason": commands.checked_reason(reason)}
        return self._record(lambda state: commands.correcting(state, round_id, payload)) is not None

    def record(
        self,
        action: str | int,
        opponent_type: object,
        response: object,
        *,
        record_id: str | None = None,
        reason: str | None = None,
    ) -> bool:
        """Record what happened when an action was played that nobody had asked for.

        It conditions the belief, not the strategy, whose weights follow the rounds that were asked.

        Parameters
        ----------
        action
            By label or index.
        opponent_type, response
            As in `tell`.
        record_id
            Makes the call idempotent; without it, every call is another observation.
        reason
            Why the action was played.

        Returns
        -------
        bool
            Whether it was new.
        """
        name = uuid4().hex if record_id is None else checked_name("record_id", record_id)
        row = self._observation(action, opponent_type, response)
        because = None if reason is None else commands.checked_reason(reason)
        new = self._record_next(lambda state: commands.recording(state, name, row, because)) is not None
        self._refit()
        return new

    def import_history(
        self,
        rows: Any,
        source: str = "",
        *,
        again: bool = False,
        columns: Mapping[str, str] | None = None,
        decimal: str | None = None,
    ) -> "Imported":
        """Add observations that this match did not ask for; they condition the belief, not the weights of actions.

        In a match with `warm_start` the weights count them, too, where the type is known and the action on the menu.

        Parameters
        ----------
        rows
            Rows with action, type and response, a frame of pandas or polars, or the Path of a CSV, Parquet or JSON
            file, such as the export of another match.
        source
            A note on their origin; None: the name of the file.
        again
            Whether rows that are on record were observed again; otherwise they are skipped.
        columns
            The column of each value by name; the match remembers it.
        decimal
            A comma or a point; the match remembers it.

        Returns
        -------
        Imported
            The numbers of new rows, skipped rows, rows without a type, ignored rows and rows that count as rounds.

        Raises
        ------
        InvalidInput
            If there is no row, or a row cannot be used; nothing is recorded then.
        """
        from firstmover.matches.history import Imported, read_history, recorded
        from firstmover.matches.table_reader import Reading

        with self._lock:
            saved, setting = Reading.read(self._current().reading), self.setting
        reading = Reading.of(columns, decimal).named(setting)
        history = read_history(rows, setting, reading, saved)
        seen = [recorded(place, row, setting) for place, row in history.rows]
        self._check_features(history.rows, seen)
        if not seen:
            raise InvalidInput("history has no rows: give one or more, with action, type and response.")
        if isinstance(rows, Path) and not source:
            source = rows.name
        source = commands.checked_text("source", source, 200)
        stated = reading.over(saved).model_dump(exclude_none=True) if columns or decimal else None
        about: Any = {"again": again, "reading": stated, "rounds": history.rounds, "fits": history.fits}
        event = self._record(lambda state: commands.importing(state, seen, source, **about))
        self._refit()
        new = [] if event is None else event.payload["rows"]
        without_type = len(new) - sum(map(learnt, new))
        as_rounds = sum(counts_as_round(self.setting, row) for row in new)
        return Imported(len(new), len(seen) - len(new), without_type, history.ignored, as_rounds)

    def _check_features(self, rows: "Rows", seen: list[dict[str, Any]]) -> None:
        """Raise InvalidInput for a row with an action off the menu, unless the belief learns from features alone."""
        off = next((number for number, row in enumerate(seen) if "features" in row), None)
        if off is None:
            return
        with self._lock:
            belief = self._current().learning.belief
        if not hasattr(belief, "condition_at"):
            place, row = rows[off]
            raise InvalidInput(
                f"{place}: action {shown(row.get('action', row['features']))} is not on the menu, and the belief of "
                "this match has no other actions: leave the row out, or play the learner auto."
            )

    def add_actions(self, rows: object, *, reason: str | None = None) -> bool:
        """Append actions to the menu, each a row with the columns of the menu; return whether any was new.

        Past rounds keep their meaning: in them the new actions were asleep, and count as what the rounds earned.
        """
        return self._change(lambda setting: changes.add_actions(setting, rows), reason)

    def retire(self, action: str | int, *, reason: str | None = None) -> bool:
        """Take an action out of all rounds to come; return whether it was new."""
        return self._change(lambda setting: changes.retire(setting, action, retired=True), reason)

    def unretire(self, action: str | int, *, reason: str | None = None) -> bool:
        """Let a retired action be played again; return whether it was retired."""
        return self._change(lambda setting: changes.retire(setting, action, retired=False), reason)

    def set_reward(self, reward: object, *, reason: str | None = None) -> bool:
        """Define the reward as in a configuration; return whether it is another one.

        Rounds that were told keep the reward that they earned; decisions follow the new one, for past rounds too.
        """
        return self._change(lambda setting: changes.set_reward(setting, reward), reason)

    def add_levels(self, name: str, levels: Sequence[str] | Mapping[str, float], *, reason: str | None = None) -> bool:
        """Append levels to a type, with numbers if its levels have them; return whether any was new."""
        return self._change(lambda setting: changes.add_levels(setting, name, levels), reason)

    def _change(self, change: Callable[[Setting], changes.Change], reason: str | None) -> bool:
        because = None if reason is None else commands.checked_reason(reason)
        new = self._record(lambda state: commands.changing(state, change, because)) is not None
        self._refit()
        return new

    def change_log(self) -> list[LoggedChange]:
        """The changes of the menu, the reward and the types so far, the first one first."""
        with self._lock:
            return change_log(self._current().setting, self._journal.event)

    def rename(self, name: str) -> bool:
        """Give the match another name, by which it is opened from now on; return whether it is new."""
        new = checked_match_name(name)
        return self._record(lambda state: commands.renaming(state, new)) is not None

    def set_schedule(self, schedule: Mapping[str, Any] | Schedule | None) -> bool:
        """Set when rounds are due, or None for no schedule; it reminds and never asks. Return whether it is new."""
        given = schedule if schedule is None or isinstance(schedule, Schedule) else Schedule.read(schedule)
        return self._record(lambda state: commands.scheduling(state, given)) is not None

    def due(self) -> DueRound | None:
        """When the next round is due by the schedule; None if there is none."""
        with self._lock:
            return due_round(self._current())

    def archive(self) -> bool:
        """End the match: it is no longer listed, and records nothing until `unarchive`. Return whether it was new."""
        return self._record(lambda state: commands.archiving(state, archived=True)) is not None

    def unarchive(self) -> bool:
        """Let an archived match go on; return whether it was archived."""
        return self._record(lambda state: commands.archiving(state, archived=False)) is not None

    def delete(self, *, confirm: str, export: str | Path) -> None:
        """Delete the match and all its events, after its journal was written to a new file, and close it.

        Parameters
        ----------
        confirm
            The name of the match.
        export
            The new file, which ends in .json.
        """
        path = Path(export)
        if path.exists() or path.suffix.lower() != ".json":
            raise InvalidInput(f"export is {str(path)!r}: name a new file that ends in .json.")
        self._delete(confirm, lambda _: self._export(path))

    def delete_exported(self, *, confirm: str, head: str) -> None:
        """Delete a match whose journal the caller has kept: `head` is the hash of the last event there."""

        def check(state: State) -> None:
            if head != state.mark:
                raise Conflict(
                    "The match has other events than the export: nothing was deleted; export its journal again, and "
                    "give the hash of the last event there."
                )

        self._delete(confirm, check)

    def _delete(self, confirm: str, prepare: Callable[[State], None]) -> None:
        with self._lock:
            self._check_writable()
            with self._journal.alone():
                state = self._current()
                if not isinstance(confirm, str) or normal_form(confirm) != state.name:
                    raise InvalidInput(
                        f"confirm is {shown(confirm)}: give the name of the match, {state.name!r}, to delete it."
                    )
                prepare(state)
                self._journal.delete()
            self.close()

    def _export(self, path: Path) -> None:
        """Write all events to a file that only its owner can read."""
        from firstmover.matches.files import exported

        with atomic_file(path, mode=0o600) as file:
            file.write(exported(path.suffix.lower(), [], self.setting, self._journal.read()))

    def _refit(self) -> None:
        """Record a refit of the hyperparameters if one is due."""
        if self.setting.refits:
            self._record(commands.refitting)

    def _present(self) -> Setting:
        """The setting after the last event in the store."""
        with self._lock:
            return self._current().setting

    def _values(
        self, opponent_type: object, response: object, round_id: str | None = None, *, told: bool = False
    ) -> dict[str, Any]:
        """The values to record; neither the type of a commitment nor the context of a round need be given."""
        setting = self._present()
        implied = setting.commits and (opponent_type is None or opponent_type == {})
        known = {} if implied else self._type(setting.types, opponent_type, round_id, told=told)
        return {"type": known, "response": setting.responses.read(response)}

    def _type(
        self, types: Types | GameTypes, opponent_type: object, round_id: str | None, *, told: bool
    ) -> dict[str, Any]:
        """The whole type; that of a round that is told has the context with which the round was asked."""
        if round_id is None or not isinstance(types, Types) or not types.context.specs:
            return types.read(opponent_type)
        with self._lock:
            context = commands.asked_round(self._current(), round_id).context or {}
        found = types.completed(context, opponent_type)
        if told:
            commands.check_context(round_id, context, found)
        return found

    def _played(self, action: str | int | None) -> dict[str, Any]:
        """The action that was played instead of the advised one, if any, to be recorded."""
        return {} if action is None else {"played": self._present().menu.index(action)}

    def _observation(self, action: object, opponent_type: object, response: object) -> dict[str, Any]:
        """An observation outside of rounds, to be recorded."""
        setting = self._present()
        index = setting.menu.index(action)
        if setting.commits and not opponent_type:  # a commitment to this action alone
            opponent_type = {"type": np.eye(len(setting.menu.labels))[index].tolist()}
        return {"action": index, **self._values(opponent_type, response)}

    def _record(self, prepare: Prepare) -> Event | None:
        """Decide what to record and record it; other writers wait only if they were quicker several times."""
        with self._lock:
            self._check_writable()
            for _ in range(ATTEMPTS):
                with suppress(Overtaken):
                    return self._recorded(*self._append(prepare))
            return self._record_alone(prepare)

    def _record_next(self, prepare: Prepare) -> Event | None:
        """Record what the learner has to continue from: other writers wait for this step, not for those before it."""
        with self._lock:
            self._check_writable()
            self._learnt()
            return self._record_alone(prepare)

    def _record_alone(self, prepare: Prepare) -> Event | None:
        with self._journal.alone():
            found = interruptible(lambda: self._append(prepare))
        return self._recorded(*found)

    def _learnt(self) -> None:
        """Compute the learner, if it can be; a call that needs it raises its errors."""
        with suppress(FirstmoverError, ArithmeticError, LinAlgError):
            _ = self._current().learning

    def _append(self, prepare: Prepare) -> tuple[Event | None, Learning | None]:
        """Read all events, decide what to record and append it, unless another process is quicker."""
        state = self._current()
        try:
            draft, learning = prepare(state)
        except (ArithmeticError, LinAlgError) as error:
            if isinstance(error, FirstmoverError):
                raise
            state.forget()  # incomplete
            raise PrecisionLost(
                f"The learner cannot compute with these values ({type(error).__name__}: {error}): nothing was "
                "recorded; give values of an ordinary size, or increase the length scales of the kernel."
            ) from error
        if draft is None:
            return None, None
        commands.check_not_archived(state, draft)
        snapshot = None if learning is None else learning.snapshot
        return self._journal.append(draft, state.sequence, state.mark, snapshot, self.actor), learning

    def _recorded(self, event: Event | None, learning: Learning | None) -> Event | None:
        """Add an event that this match has recorded to the state."""
        if event is not None:
            self._apply(event, learning)
            _LOG.info("recorded", extra={"match": self.name, "event": event.kind, "sequence": event.sequence})
            base = None if learning is None else learning.base_to_store()
            if base is not None:
                self._journal.store_base(base)
        return event

    def _apply(self, event: Event, learning: Learning | None = None) -> None:
        """Add an event to the state; after an interruption the state is read again."""
        self._complete = False
        self._state.apply(event, learning)
        self._complete = True

    def _current(self) -> State:
        """The state after the last event in the store."""
        self._check_open()
        for event in self._journal.read(self._state.sequence, self._state.mark):  # raises if they are of an older copy
            if self._complete:
                self._apply(event)
        if not self._complete:
            self._state, self._complete = self._folded(), True
        return self._state

    def _folded(self) -> State:
        """The state by all events in the store."""
        return State.folded(self._journal.read(), self._journal.snapshot, self._journal.stored_base)

    def _after_fork(self) -> None:
        """Replace a lock that a thread of the parent process holds."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock, self._complete = RLock(), False

    def state(self) -> State:
        """The state after the last event in the store, not to be changed; not available read-only."""
        self._check_may_see()
        with self._lock:
            return self._current()

    def learner(self) -> "Learner":
        """The learner after the last event, a value that the caller may continue with."""
        with self._lock:
            learner = self._current().learning.learner
            self._state.forget()  # the caller owns its buffers
            return learner

    def explain(self, round_id: str | None = None) -> "Explanation":
        """Return why the action of a pending round was advised; without an id, of the one that was asked last."""
        from firstmover.matches.explanation import explained

        wanted = None if round_id is None else checked_name("round_id", round_id)
        self._check_may_see()
        with self._lock:
            state = self._current()
            played = commands.pending_round(state, wanted)
            return explained(state, played, unpacked(self._journal.event(played.asked).payload["strategy"]))

    def what_if(self, action: str | int, context: object = None) -> "WhatIf":
        """Return what is expected if an action is played now, in a context, and how that compares with the advice.

        Parameters
        ----------
        action
            By label or index.
        context
            The part of the type that is known before the action.

        Returns
        -------
        WhatIf
            The expected response and reward, and their difference to the advice.
        """
        from firstmover.matches.what_if import expected_if

        self._check_may_see()
        with self._lock:
            state = self._current()
            known = None if context is None else state.setting.context.read(context)
            return expected_if(state, state.setting.menu.index(action), known)

    def certificate(self) -> "MatchCertificate":
        """Return a bound on what the told rounds lost against the best fixed action."""
        from firstmover.matches.certificate import certificate_of

        with self._lock:
            return certificate_of(self._current())

    def evaluate(
        self,
        policies: Mapping[str, object] | Iterable[str | int] = ("played",),
        *,
        learners: Iterable[str | Mapping[str, Any]] = (),
        reward: object = None,
        seed: int = 0,
    ) -> "PolicyValues":
        """Return what policies, and other learners, would have earned per told round, by the model and by propensities.

        Parameters
        ----------
        policies
            Each an action by label or index, a name (played, present, uniform), a table of actions by the levels of a
            context, or probabilities (T, n) of all actions in the told rounds, in the order of asks.
        learners
            Names of LEARNERS, or tables of a name and parameters.
        reward
            Replaces that of the rounds: a table as in a configuration, or a sentence; None: theirs.
        seed
            Of the draws.

        Returns
        -------
        PolicyValues
            The value of each policy with its band.
        """
        from firstmover.matches.evaluation import Question, evaluated

        self._check_may_see()
        named = policies if isinstance(policies, Mapping) else {str(each): each for each in policies}
        with self._lock:
            return evaluated(self._current(), self._journal, Question(named, list(learners), reward, seed))

    def status(self) -> "Health":
        """Counts, calibration, concentration, and what weakens the guarantee; read-only, no action is named."""
        from firstmover.matches.health import health_of

        with self._lock:
            health = health_of(self._current())
        return health.for_reader() if self.read_only else health

    def history(self) -> list[MatchRound]:
        """All rounds, in the order in which they were asked; read-only, without the actions of pending ones."""
        with self._lock:
            return self._current().history(hide_pending=self.read_only)

    def round_log(self, round_id: str) -> tuple[RoundEvent, ...]:
        """The events of a round, the first one first: what was done, when, by whom and why."""
        return self.round_logs([round_id])[round_id]

    def round_logs(self, round_ids: Iterable[str]) -> dict[str, tuple[RoundEvent, ...]]:
        """The events of several rounds by id."""
        with self._lock:
            state = self._current()
            wanted = [commands.asked_round(state, round_id).round_id for round_id in round_ids]
            return round_logs(state, wanted, self._journal.events)

    def verify(self, *, head: str | None = None) -> "Verification":
        """Check the file, the hash chain and, by a full replay, every p_t, action and snapshot.

        Parameters
        ----------
        head
            The `head` of an earlier moment: its event must still be there.

        Returns
        -------
        Verification
            The problems that were found, if any.
        """
        from firstmover.matches.verification import verified

        self._check_open()
        return verified(self._journal, head)

    def close(self) -> None:
        """Release the store; later calls raise an error."""
        self._closed = True
        self._journal.close()

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidInput(f"match {self.name!r} is closed: open it again.")

    def _check_writable(self) -> None:
        self._check_open()
        if self.read_only:
            raise InvalidInput(f"match {self.name!r} is open read-only: open it without read_only to record.")

    def _check_may_see(self) -> None:
        if self.read_only:
            raise InvalidInput(
                f"match {self.name!r} is open read-only, and its events hold actions that are not yet revealed: use "
                "status() and history()."
            )

    def __repr__(self) -> str:
        state = self._state
        return f"Match({self.name!r}: {counted(len(state.rounds), 'round')} asked, {len(state.pending)} pending)"

    def _repr_html_(self) -> str:
        from firstmover.matches.match_card import match_card

        return match_card(self._state, "closed" if self._closed else "read-only" if self.read_only else "open")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
