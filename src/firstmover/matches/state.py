"""The state of a match: a pure fold over its events, in the order in which they were committed."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.contracts import decided
from firstmover.core.errors import DamagedStore, FirstmoverError, first_line
from firstmover.core.files import canonical_json
from firstmover.core.numerics import one_thread
from firstmover.matches.events import GENESIS, Draft, Event, unpacked
from firstmover.matches.learner_state import Learning, Step, learn, learnt, parts, rows_of, snapshot_content
from firstmover.matches.rounds import MatchRound
from firstmover.matches.schedule import Schedule
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import Values

if TYPE_CHECKING:
    from firstmover.learners.decision_rules import PastRounds

LEARNT = ("told", "corrected", "recorded", "imported", "refitted", "changed")
"""Kinds of events that change the learner."""


@dataclass
class State:
    """The result of the events so far; it depends on nothing else, neither a clock nor a random number.

    The learner is computed lazily from `steps`. A correction replaces its round where it stands, and the learner is
    computed again; so it is if the setting changes: it is always the one that meets all steps in the present setting.

    `_known` is the learner after so many of the steps. It is not `_sound` while it is continued: learners share
    buffers, so that after an interruption, and if the continued one was not recorded, it is computed again. `_again` is
    the learner of a correction that is not recorded yet, with its steps.

    Parameters
    ----------
    setting
        Game, menu, and the names of types and responses.
    name
        Of the match.
    sequence, mark
        Number and hash of the last event.
    rounds, pending
        By name, in the order of asks.
    order
        Names of all rounds.
    steps
        The told rounds, records, imports and refits in the order of their events.
    closed_last
        Name of the round that was closed last.
    learnt
        Number and hash of the last event that the learner depends on.
    imports, records
        Rows that were imported, and observations outside of rounds.
    corrected_at
        By round, the numbers of the events that corrected it.
    refits
        Fitted hyperparameters.
    reading
        How the last import was read.
    told
        The number of told rounds.
    archived
        Whether the match is archived.
    schedule, scheduled_at
        When rounds are due, and since when.
    restores
        Hashes of the events that mark a restored backup.
    snapshot, base
        Read those in the store, which only save time.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     decision = bay.ask("monday")
    ...     state = bay.state()
    >>> state.sequence, list(state.pending)
    (2, ['monday'])
    """

    setting: Setting
    name: str
    sequence: int = 0
    mark: str = GENESIS
    rounds: dict[str, MatchRound] = field(default_factory=dict)
    pending: dict[str, None] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    steps: list[MatchRound | Event] = field(default_factory=list)
    closed_last: str | None = None
    learnt: tuple[int, str] = (0, GENESIS)
    imports: dict[str, int] = field(default_factory=dict)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    corrected_at: dict[str, list[int]] = field(default_factory=dict)
    refits: dict[str, dict[str, Any]] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    told: int = 0
    archived: bool = False
    schedule: Schedule | None = None
    scheduled_at: str = ""
    restores: list[str] = field(default_factory=list)
    snapshot: Callable[[], str | None] = field(default=lambda: None)
    base: Callable[[], bytes | None] = field(default=lambda: None)
    _known: tuple[Learning, int] | None = None
    _sound: bool = True
    _again: tuple[list[MatchRound | Event], Learning] | None = None
    _content: tuple[tuple[int, str], dict[str, Any] | None] | None = None

    @classmethod
    def created(cls, event: Event) -> "State":
        """The state after the first event."""
        if event.kind != "created":
            raise DamagedStore("The journal does not begin with the creation of a match: the store is damaged.")
        payload = event.payload
        here = event.sequence, event.hash
        return cls(Setting.restored(payload), payload["name"], *here, learnt=here)

    @classmethod
    def folded(
        cls,
        events: Iterable[Event],
        snapshot: Callable[[], str | None] = lambda: None,
        base: Callable[[], bytes | None] = lambda: None,
    ) -> "State":
        """The state after all these events."""
        events = iter(events)
        first = next(events, None)
        if first is None:
            raise DamagedStore("The journal is empty: the store is damaged.")
        state = cls.created(first)
        state.snapshot, state.base = snapshot, base
        for event in events:
            state.apply(event)
        return state

    def apply(self, event: Event, learning: Learning | None = None) -> None:
        """Add one event; `learning` is the learner after it, if that was computed before it was recorded."""
        try:
            getattr(self, f"_{event.kind}")(event)
        except FirstmoverError:
            raise
        except (LookupError, TypeError, ValueError) as error:
            raise inconsistent(event, error) from error
        self.sequence, self.mark = event.sequence, event.hash
        if event.kind in LEARNT:
            self.learnt = event.sequence, event.hash
        if learning is not None:
            self._known, self._sound, self._again = (learning, len(self.steps)), True, None

    def _asked(self, event: Event) -> None:
        round_id, number = str(event.round_id), len(self.rounds) + 1
        self.pending[round_id] = None
        self.order.append(round_id)
        committed = event.payload["strategy"] if self.setting.commits else ""
        drawn = event.drawn
        played = MatchRound(round_id, number, event.sequence, drawn["action"], drawn["probability"], event.clock)
        without = tuple(drawn.get("not_allowed", ()))
        self.rounds[round_id] = played._replace(committed=committed, context=drawn.get("context"), without=without)

    def _told(self, event: Event) -> None:
        plain = event.text.startswith('{"response":')  # neither `played` nor `reason`, which come first
        payload = {} if plain else event.payload
        more = {name: payload.pop(name) for name in ("played", "reason") if name in payload}
        recorded = event.text if plain else canonical_json(payload)
        self.steps.append(self._close(event, status="told", recorded=recorded, **more))
        self.told += 1

    def _voided(self, event: Event) -> None:
        self._close(event, status="void", reason=event.payload["reason"])

    def _close(self, event: Event, **changes: Any) -> MatchRound:
        round_id = self.closed_last = str(event.round_id)
        del self.pending[round_id]
        before = self.rounds[round_id]
        delay = len(self.rounds) - before.number
        self.rounds[round_id] = before._replace(closed=event.sequence, delay=delay, **changes)
        return self.rounds[round_id]

    def _renamed(self, event: Event) -> None:
        self.name = event.payload["name"]

    def _archived(self, event: Event) -> None:
        self.archived = event.payload["archived"]

    def _scheduled(self, event: Event) -> None:
        given = event.payload["schedule"]
        self.schedule = None if given is None else Schedule.read(given)
        self.scheduled_at = event.clock

    def _restored(self, event: Event) -> None:
        self.restores.append(event.hash)

    def _changed(self, event: Event) -> None:
        self.setting = Setting.restored(event.payload).following(self.setting, event.sequence)
        self.forget()

    def _corrected(self, event: Event) -> None:
        before = self.rounds[str(event.round_id)]
        after = self.rounds[before.round_id] = corrected(before, event.payload)
        self.corrected_at.setdefault(before.round_id, []).append(event.sequence)
        self.steps = self._steps_with(after)
        self.told += (after.status == "told") - (before.status == "told")
        self.forget()

    def _steps_with(self, closed: MatchRound) -> list[MatchRound | Event]:
        """The steps after a correction: the round where it was closed, or nowhere if it is void."""
        place = bisect_left(self.steps, closed.closed, key=_position)
        found = place < len(self.steps) and _position(self.steps[place]) == closed.closed
        return self.steps[:place] + [closed] * (closed.status == "told") + self.steps[place + found :]

    def _imported(self, event: Event) -> None:
        payload = event.payload
        self.steps += parts(event)
        self.imports[str(event.claim)] = sum(map(learnt, payload["rows"]))
        self.reading = payload.get("reading", self.reading)

    def _recorded(self, event: Event) -> None:
        self.steps.append(event)
        self.records[str(event.round_id)] = event.payload["rows"][0]

    def _refitted(self, event: Event) -> None:
        self.steps.append(event)
        self.refits[str(event.claim)] = event.payload

    @property
    def learning(self) -> Learning:
        """The learner after all steps, computed lazily."""
        if not self._sound:
            self.forget()
        with one_thread():
            self._sound = False
            learning, first = self._start()
            learning = learn(learning, self.steps, first)
            self._known, self._sound = (learning, len(self.steps)), True
        return learning

    def adopt(self, learning: Learning) -> None:
        """Take the learner after all steps, which was computed elsewhere."""
        self._known, self._sound = (learning, len(self.steps)), True

    def _start(self) -> tuple[Learning, int]:
        """The learner that is known, that of the snapshot, or the first one, and how many steps it has learnt."""
        if self._known is not None:
            return self._known
        content, decides = self.content, self.setting.learner_entry[0].response_belief
        if content and decides and content["weights"] and content.get("whole", True):
            return Learning.restored(self.setting, self.steps, content, self.base), len(self.steps)
        return Learning.start(self.setting), 0

    def next_learning(self, step: Step) -> Learning:
        """The learner after one more step."""
        learning = self.learning
        further = parts(step) if isinstance(step, Draft) else [step]
        with one_thread():
            self._sound = False  # until the event is applied
            return learn(learning, [*self.steps, *further], len(self.steps))

    def changed_learning(self, setting: Setting) -> Learning:
        """The learner after a change of the setting: everything is learnt again."""
        with one_thread():
            return learn(Learning.start(setting), self.steps)

    def corrected_learning(self, closed: MatchRound) -> Learning:
        """The learner after a correction: everything is learnt again, this round where it was closed.

        If other rounds were told since it was last computed, it is continued with them.
        """
        steps, known, self._again = self._steps_with(closed), self._again, None
        if known is None or known[0] != steps[: len(known[0])]:
            known = [], Learning.start(self.setting)
        with one_thread():
            learning = learn(known[1], steps, len(known[0]))
        self._again = steps, learning
        return learning

    def forget(self) -> None:
        """Discard the learner; it is computed again when it is next needed."""
        self._known, self._sound, self._again = None, True, None

    @property
    def content(self) -> dict[str, Any] | None:
        """The content of the stored snapshot, if it is one of this state."""
        if self._content is None or self._content[0] != self.learnt:
            self._content = self.learnt, snapshot_content(self.snapshot(), *self.learnt)
        return self._content[1]

    @property
    def fit_due(self) -> bool:
        """Whether a refit is due; from a snapshot of this state if there is one, without computing the learner."""
        with one_thread():
            if self._known is None and self.content is not None:
                return bool(self.content.get("fit_due"))
            return self.learning.fit_due

    @property
    def strategy(self) -> Vector:
        """p_t; from a snapshot of this state if there is one, without computing the learner."""
        with one_thread():
            if self._known is None and self.content is not None:
                return unpacked(self.content["strategy"])
            return self.learning.learner.strategy

    def decide(self, context: Values | None, without: Sequence[int]) -> Vector:
        """p_t in a context, over all actions but some, by the rules of the match."""
        rules = self.setting.rules
        if rules is None and context is None and not without:
            return self.strategy
        vector = None if context is None else self.setting.context.vector(context)
        mask = self.setting.mask(without)
        with one_thread():
            if rules is None:
                return decided(self.learning.learner, vector, mask)
            return rules.strategy(self.learning.learner, self.setting.game, self.past_rounds, vector, mask)

    @property
    def past_rounds(self) -> "PastRounds":
        """All rounds that were asked, with the actions as they were played, and the types of all observations."""
        from firstmover.learners.decision_rules import PastRounds

        setting, rounds = self.setting, self.rounds.values()
        actions = [played.action_played or 0 for played in rounds]
        contexts = [setting.context.vector(played.context or {}) for played in rounds] if setting.context.specs else []
        types = [setting.types.vector(row[1]) for step in self.steps for row in rows_of(step)]
        return PastRounds(
            actions,
            np.array(contexts) if contexts else np.empty((len(actions), 0)),
            np.array(types) if types else np.empty((0, 1)),
        )

    def change_cost(self, played: MatchRound) -> float:
        """What a told round cost because another action was played than in the told round that was asked before it.

        Rounds that are pending do not count: a reader may not see their actions.
        """
        rules = self.setting.rules
        if rules is None or not rules.change_cost:
            return 0.0
        earlier = (self.rounds[name] for name in reversed(self.order[: played.number - 1]))
        before = next((each for each in earlier if each.status == "told"), None)
        changed = before is not None and before.action_played != played.action_played
        return rules.change_cost if changed else 0.0

    def shown(self, played: MatchRound, *, hide_pending: bool = False) -> MatchRound:
        """A round with its label, reward and delay so far; from a reader, the action of a pending one is hidden."""
        if played.status == "pending":
            played = played._replace(delay=len(self.rounds) - played.number)
            if hide_pending:
                return played._replace(action=None, probability=None, committed="")
        assert played.action is not None
        response = played.response
        reward = None if response is None else self.reward(played, response) - self.change_cost(played)
        other = None if played.played is None else self.setting.menu.labels[played.played]
        return played._replace(label=self.described(played)[0], played_label=other, reward=reward)

    def described(self, played: MatchRound) -> tuple[str, dict[str, float]]:
        """Label and features of the action of a round, or of the mixture that it commits to."""
        assert played.action is not None
        menu = self.setting.menu
        if played.committed:
            return menu.mixture(unpacked(played.committed))
        return menu.labels[played.action], menu.described(played.action)

    def history(self, *, hide_pending: bool = False) -> list[MatchRound]:
        """All rounds as `shown`, in the order in which they were asked."""
        return [self.shown(played, hide_pending=hide_pending) for played in self.rounds.values()]

    def latest_rows(self, most: int) -> list[tuple[int, Values, Values]]:
        """Action, type and response of the latest observations, imported ones too, the last one last."""
        rows: list[tuple[int, Values, Values]] = []
        for step in reversed(self.steps):
            rows = rows_of(step)[-most:] + rows
            if len(rows) >= most:
                break
        return rows[-most:]

    def reward(self, played: MatchRound, response: Values) -> float:
        """r(x, y) of a response by name, as defined when it was told; of a commitment, the mean over its mixture."""
        setting, action = self.setting.at(played.closed or self.sequence), played.action_played
        if (action or 0) >= setting.game.n_actions:  # corrected to an action that was added since
            setting, action = replace(setting, menu=self.setting.menu.only(action or 0)), 0
        game, vector = setting.game, setting.responses.vector(response)
        if played.committed:
            rewards = game.reward(game.actions, np.tile(vector, (game.n_actions, 1)))
            return float(unpacked(played.committed) @ rewards)
        assert action is not None
        return float(np.asarray(game.reward(game.actions[[action]], vector[None]))[0])


def inconsistent(event: Event, error: Exception) -> DamagedStore:
    """The error for an event whose hash is right and whose content cannot be."""
    return DamagedStore(
        f"Event {event.sequence} of the journal does not follow from the events before it ({first_line(error)}): the "
        "store is damaged; restore it from a backup."
    )


def corrected(closed: MatchRound, payload: dict[str, Any]) -> MatchRound:
    """A closed round after a correction; it is void if the correction has no response.

    The action that was played stays as recorded, unless the correction states it.
    """
    void = payload["response"] is None
    played = payload.get("played", closed.played)
    return closed._replace(
        status="void" if void else "told",
        recorded="" if void else canonical_json({"type": payload["type"], "response": payload["response"]}),
        reason=payload["reason"],
        corrections=closed.corrections + 1,
        played=None if played == closed.action else played,
    )


def _position(step: MatchRound | Event) -> int:
    """The number of the event that the step stands at."""
    return step.closed if isinstance(step, MatchRound) else step.sequence
