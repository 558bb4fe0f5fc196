"""What an ask answers."""

from dataclasses import dataclass
from typing import Self

from firstmover.core.records import Vector
from firstmover.matches.events import Event, unpacked
from firstmover.matches.setup import Setting


@dataclass(frozen=True, eq=False)
class Decision:
    """What to do in a round: the action by index, label and features, its probability, and p_t."""

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    strategy: Vector

    @classmethod
    def recorded(cls, event: Event, setting: Setting) -> Self:
        """As the journal has it."""
        payload, menu = event.payload, setting.menu
        action = int(payload["action"])
        return cls(
            str(event.round_id),
            action,
            menu.labels[action],
            menu.described(action),
            float(payload["probability"]),
            unpacked(payload["strategy"]),
        )
