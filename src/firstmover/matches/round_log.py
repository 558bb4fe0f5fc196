"""The events of a round in their order: what was done, when, by whom and why."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from firstmover.matches.events import Event
from firstmover.matches.value_schema import Values

if TYPE_CHECKING:
    from firstmover.matches.state import State

RoundEventKind = Literal["asked", "told", "voided", "corrected"]


class RoundEvent(NamedTuple):
    """An event of a round with its time, actor and reason, and the values that it recorded.

    `actor` is None in events of stores of version 1. `played_label` is the action that was played instead of the
    advised one, as the event states it. The advised action is in no field: a reader may not see it yet.
    """

    kind: RoundEventKind
    clock: str
    actor: str | None
    reason: str | None = None
    opponent_type: Values | None = None
    response: Values | None = None
    played_label: str | None = None


def round_logs(
    state: "State", round_ids: Iterable[str], events_at: Callable[[Iterable[int]], Mapping[int, Event]]
) -> dict[str, tuple[RoundEvent, ...]]:
    """Return the events of rounds that were asked, the first one first; `events_at` reads events by their numbers."""
    numbers = {round_id: _numbers(state, round_id) for round_id in round_ids}
    events = events_at({number for each in numbers.values() for number in each})
    labels = state.setting.menu.labels
    return {
        round_id: tuple(_round_event(events[number], labels) for number in each) for round_id, each in numbers.items()
    }


def _numbers(state: "State", round_id: str) -> list[int]:
    played = state.rounds[round_id]
    closed = [played.closed] if played.closed else []
    return [played.asked, *closed, *state.corrected_at.get(round_id, ())]


def _round_event(event: Event, labels: tuple[str, ...]) -> RoundEvent:
    kind: RoundEventKind = event.kind  # type: ignore[assignment]  # the numbers are those of these kinds
    if kind == "asked":
        return RoundEvent(kind, event.clock, event.actor)
    payload = event.payload
    played = payload.get("played")
    return RoundEvent(
        kind,
        event.clock,
        event.actor,
        payload.get("reason"),
        payload.get("type"),
        payload.get("response"),
        None if played is None else labels[played],
    )
