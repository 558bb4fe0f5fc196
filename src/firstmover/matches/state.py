"""The state of a match: a pure fold over its events, in the order in which they were committed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from firstmover.core.errors import DamagedStore
from firstmover.core.files import canonical_json
from firstmover.core.numerics import one_thread
from firstmover.core.records import Vector
from firstmover.matches.events import GENESIS, Event, unpacked
from firstmover.matches.learner_state import Learning, restored_weights
from firstmover.matches.round_table import Played, Rounds, Step, Steps
from firstmover.matches.setup import Setting


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
    rounds: Rounds = field(default_factory=Rounds)
    pending: dict[str, None] = field(default_factory=dict)
    learnt: tuple[int, str] = (0, GENESIS)
    imports: dict[str, int] = field(default_factory=dict)
    refits: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: int = 0
    content: dict[str, Any] | None = None
    _learning: Learning | None = None
    _applied: int = 0

    def __post_init__(self) -> None:
        self.steps = Steps(self.rounds)

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
        self.pending[event.round_id] = None
        self.rounds.add(event.round_id, event.sequence, *event.drawn, event.clock)

    def _told(self, event: Event) -> None:
        self.steps.add_round(self._close(event, "told", event.text))
        self.told += 1

    def _voided(self, event: Event) -> None:
        self._close(event, "void", "", event.payload["reason"])

    def _close(self, event: Event, status: Literal["told", "void"], *recorded: str) -> int:
        """Where the round stands that was closed."""
        assert event.round_id is not None
        del self.pending[event.round_id]
        place = self.rounds.place(event.round_id)
        assert place is not None
        self.rounds.close(place, status, event.sequence, *recorded)
        return place

    def _corrected(self, event: Event) -> None:
        assert event.round_id is not None
        before, after = self.rounds[event.round_id], self.amended(event.round_id, event.payload)
        self.rounds.amend(after)
        if (before.status, after.status) == ("told", "void"):
            self.steps.drop_round(after.number - 1)
        if (before.status, after.status) == ("void", "told"):
            self.steps.add_round(after.number - 1)
        self.told += (after.status == "told") - (before.status == "told")
        self.forget()

    def amended(self, round_id: str, payload: dict[str, Any]) -> Played:
        """A round as a correction makes it."""
        before, void = self.rounds[round_id], payload["response"] is None
        return before._replace(
            status="void" if void else "told",
            text="" if void else canonical_json({"type": payload["type"], "response": payload["response"]}),
            reason=payload["reason"],
            corrections=before.corrections + 1,
        )

    def _imported(self, event: Event) -> None:
        rows = len(event.payload["rows"])
        self.steps.add(Step(event.sequence, event.text, rows))
        self.imports[str(event.claim)] = rows

    def _refitted(self, event: Event) -> None:
        payload = event.payload
        self.steps.add(Step(event.sequence, theta=payload["theta"]))
        self.refits[str(event.claim)] = payload

    @property
    def learning(self) -> Learning:
        """What the steps amount to, computed as far as it was not yet."""
        with one_thread():
            if self._learning is None:
                self._learning, self._applied = self._begun()
            self._learning = _learnt(self._learning, self.steps, self._applied)
            self._applied = len(self.steps)
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
        """What a correction would lead to: everything learnt anew, the round where it was closed."""
        played = self.amended(round_id, payload)
        steps = [step for step in self.steps if step.sequence != played.closed]
        if played.status == "told":
            steps.append(Step(played.closed, played.text, 1, played.action))
        with one_thread():
            return _learnt(Learning.start(self.setting), sorted(steps, key=lambda step: step.sequence), 0)

    def _begun(self) -> tuple[Learning, int]:
        if self.content is None or not self._resumable:
            return Learning.start(self.setting), 0
        return Learning.restored(self.setting, self.steps, self.content), len(self.steps)

    @property
    def _resumable(self) -> bool:
        """Whether weights and belief are the whole state of the learner, so that a snapshot is enough."""
        entry = self.setting.learner_entry[0]
        return entry.response_belief and bool(self.content and self.content["weights"])

    def forget(self) -> None:
        """Learn anew when it is next needed."""
        self._learning, self._applied, self.content = None, 0, None

    @property
    def strategy(self) -> Vector:
        """p_t; from a snapshot without learning anything anew, if there is one that stands here."""
        with one_thread():
            if self._learning is None and self.content is not None:
                if "strategy" in self.content:
                    return unpacked(self.content["strategy"])
                return restored_weights(self.setting.weights(), self.content["weights"]).strategy
            return self.learning.learner.strategy


def _learnt(learning: Learning, steps: Sequence[Step], first: int) -> Learning:
    """The learning after all steps, of which it knows those before the `first`."""
    for place in range(first, len(steps)):
        step = steps[place]
        learning = learning.after(step, steps[:place] if step.theta is not None else ())
    return learning
