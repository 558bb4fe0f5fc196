"""The state of a match: a pure fold over its events, in the order in which they were committed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from firstmover.errors import DamagedStore
from firstmover.matches.events import GENESIS, Event, canonical
from firstmover.matches.learning import Learning, Step, restored_weights
from firstmover.matches.numerics import one_thread
from firstmover.matches.observing import Values
from firstmover.matches.setting import Setting
from firstmover.records import Vector


class Played(NamedTuple):
    """What is known of one round; the strategy that its action was drawn from stays in the journal.

    `asked` and `closed` are numbers of events; `delay` counts the rounds that were asked before this one was closed;
    `text` is what was recorded when it was told.
    """

    round_id: str
    number: int
    asked: int
    action: int
    probability: float
    clock: str
    status: Literal["pending", "told", "void"] = "pending"
    closed: int | None = None
    delay: int = 0
    text: str | None = None
    reason: str = ""
    corrections: int = 0

    @property
    def observed(self) -> tuple[Values | None, Values | None]:
        """Type and response, both None unless it was told."""
        if self.text is None:
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


@dataclass
class State:
    """What the events so far amount to; nothing else enters it, no clock and no random number.

    Rounds, and the names of those that wait, are kept in the order in which they were asked. What was learnt is a list
    of steps; the learner is computed from them when it is needed. A correction changes the step of its round where it
    stands, and all is learnt anew.
    """

    setting: Setting
    name: str
    sequence: int = 0
    mark: str = GENESIS
    rounds: dict[str, Played] = field(default_factory=dict)
    pending: dict[str, None] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    learnt: tuple[int, str] = (0, GENESIS)
    imports: dict[str, int] = field(default_factory=dict)
    refits: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: int = 0
    content: dict[str, Any] | None = None
    _learning: Learning | None = None
    _applied: int = 0

    @classmethod
    def created(cls, event: Event) -> "State":
        """The state after the first event."""
        if event.kind != "created":
            raise DamagedStore("The journal does not begin with a match that was created: the store is damaged.")
        payload = event.payload
        return cls(Setting.restored(payload), payload["name"], event.sequence, event.hash)

    @classmethod
    def folded(cls, events: Iterable[Event]) -> "State":
        """The state after all these events."""
        events = iter(events)
        first = next(events, None)
        if first is None:
            raise DamagedStore("The journal is empty: the store is damaged.")
        state = cls.created(first)
        for event in events:
            state.apply(event)
        return state

    def apply(self, event: Event, learning: Learning | None = None) -> None:
        """Take one more event in; `learning` is what it leads to, if that was computed before it was recorded."""
        getattr(self, f"_{event.kind}")(event)
        self.sequence, self.mark = event.sequence, event.hash
        if event.kind not in ("created", "asked", "voided"):
            self.learnt, self.content = (event.sequence, event.hash), None
        if learning is not None:
            self._learning, self._applied = learning, len(self.steps)

    def _asked(self, event: Event) -> None:
        assert event.round_id is not None
        payload = event.payload
        self.pending[event.round_id] = None
        self.rounds[event.round_id] = Played(
            event.round_id,
            len(self.rounds) + 1,
            event.sequence,
            payload["action"],
            payload["probability"],
            event.clock,
        )

    def _told(self, event: Event) -> None:
        self.steps.append(self.step_of(self._close(event, "told", text=event.text)))
        self.told += 1

    def _voided(self, event: Event) -> None:
        self._close(event, "void", reason=event.payload["reason"])

    def _close(self, event: Event, status: Literal["told", "void"], **values: Any) -> Played:
        assert event.round_id is not None
        played = self.rounds[event.round_id]
        del self.pending[event.round_id]
        delay = len(self.rounds) - played.number
        played = played._replace(status=status, closed=event.sequence, delay=delay, **values)
        self.rounds[event.round_id] = played
        return played

    def _corrected(self, event: Event) -> None:
        assert event.round_id is not None
        self.rounds[event.round_id], self.steps = self.amended(event.round_id, event.payload)
        self.told = sum(played.status == "told" for played in self.rounds.values())
        self.forget()

    def amended(self, round_id: str, payload: dict[str, Any]) -> tuple[Played, list[Step]]:
        """A round and all steps as a correction makes them: it stands where the round was closed."""
        before = self.rounds[round_id]
        void = payload["response"] is None
        played = before._replace(
            status="void" if void else "told",
            text=None if void else canonical({"type": payload["type"], "response": payload["response"]}),
            reason=payload["reason"],
            corrections=before.corrections + 1,
        )
        steps = [step for step in self.steps if step.sequence != before.closed]
        if not void:
            steps = sorted([*steps, self.step_of(played)], key=lambda step: step.sequence)
        return played, steps

    def _imported(self, event: Event) -> None:
        rows = len(event.payload["rows"])
        self.steps.append(Step(event.sequence, event.text, rows))
        self.imports[str(event.claim)] = rows

    def _refitted(self, event: Event) -> None:
        payload = event.payload
        self.steps.append(Step(event.sequence, theta=payload["theta"]))
        self.refits[str(event.claim)] = payload

    @staticmethod
    def step_of(played: Played) -> Step:
        """The step that a told round is."""
        assert played.closed is not None
        assert played.text is not None
        return Step(played.closed, played.text, 1, played.action)

    @property
    def learning(self) -> Learning:
        """What the steps amount to, computed as far as it was not yet."""
        with one_thread():
            if self._learning is None:
                self._learning, self._applied = self._begun()
            while self._applied < len(self.steps):
                step = self.steps[self._applied]
                self._learning = self._learning.after(step, self.steps[: self._applied] if step.theta else ())
                self._applied += 1
        return self._learning

    @property
    def has_learnt(self) -> bool:
        """Whether the learner was computed, so that no snapshot is needed."""
        return self._learning is not None

    def next_learning(self, step: Step) -> Learning:
        """What one more step would lead to."""
        learning = self.learning
        with one_thread():
            return learning.after(step, self.steps)

    def corrected_learning(self, round_id: str, payload: dict[str, Any]) -> Learning:
        """What a correction would lead to: everything learnt anew, from the amended steps."""
        changed = State(self.setting, self.name, steps=self.amended(round_id, payload)[1])
        return changed.learning

    def _begun(self) -> tuple[Learning, int]:
        if self.content is None:
            return Learning.start(self.setting), 0
        return Learning.restored(self.setting, self.steps, self.content), len(self.steps)

    def forget(self) -> None:
        """Learn anew when it is next needed."""
        self._learning, self._applied, self.content = None, 0, None

    @property
    def strategy(self) -> Vector:
        """p_t; from a snapshot without learning anything anew, if there is one that stands here."""
        with one_thread():
            if self._learning is None and self.content is not None:
                return restored_weights(self.setting.weights(), self.content["weights"]).strategy
            return self.learning.learner.strategy
