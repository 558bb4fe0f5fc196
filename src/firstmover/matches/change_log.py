"""The changes of a match's menu, reward and types, from its journal, in words."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from firstmover.matches.config import RewardSpec
from firstmover.matches.events import Event
from firstmover.matches.rewards import reward_formula

if TYPE_CHECKING:
    from firstmover.matches.setup import Setting


class LoggedChange(NamedTuple):
    """A change: the number, the time and the actor of its event, what is new, and the reason, if one was given."""

    sequence: int
    clock: str
    actor: str | None
    words: str
    reason: str | None = None


def change_log(setting: "Setting", event_at: Callable[[int], Event]) -> list[LoggedChange]:
    """Return the changes that led to a setting, the first one first; `event_at` reads an event by its number."""
    found = []
    for sequence, _ in setting.before:
        event = event_at(sequence)
        payload = event.payload
        words = in_words(payload["what"])
        found.append(LoggedChange(sequence, event.clock, event.actor, words, payload.get("reason")))
    return found


def in_words(what: Mapping[str, Any]) -> str:
    """Return what is new in a setting as one line.

    >>> in_words({"added": ["6", "7"]}), in_words({"retired": "2"}), in_words({"unretired": "2"})
    ('menu: added 6, 7', 'menu: retired 2', 'menu: unretired 2')
    >>> in_words({"reward": {"value": 0.0, "responses": {"sold": "price"}}})
    'reward: price · sold'
    >>> in_words({"levels": {"customers": ["business"]}}), in_words({"levels": {"heat": {"hot": 2.0}}})
    ('type customers: added business', 'type heat: added hot = 2')
    """
    lines = []
    for kind, new in what.items():
        if kind == "reward":
            lines.append(f"reward: {reward_formula(RewardSpec.read(new))}")
        elif kind == "levels":
            lines += [f"type {name}: added {_levels(levels)}" for name, levels in new.items()]
        else:
            lines.append(f"menu: {kind} {new if isinstance(new, str) else ', '.join(map(str, new))}")
    return "; ".join(lines)


def _levels(levels: Any) -> str:
    """Levels by name, with their numbers if they have some."""
    return ", ".join(
        [f"{name} = {number:g}" for name, number in levels.items()] if isinstance(levels, Mapping) else levels
    )
