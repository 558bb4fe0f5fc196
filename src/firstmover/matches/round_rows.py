"""Rounds as people and programs read them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.matches.round_table import Played
from firstmover.matches.state import State
from firstmover.matches.value_schema import Values


def closed(name: str) -> InvalidInput:
    """The refusal of whoever goes on with a match that was let go of."""
    return InvalidInput(f"match {name!r} is closed: open it again.")


@dataclass(frozen=True)
class RoundView:
    """One round: what was done, what came of it, and, of what was told, the reward that it amounts to.

    `action`, `label` and `probability` are None where they are not yet revealed.
    """

    round_id: str
    status: str
    action: int | None
    label: str | None
    probability: float | None
    opponent_type: Values | None
    response: Values | None
    reward: float | None
    delay: int
    corrections: int
    reason: str
    asked_at: str

    def row(self) -> dict[str, Any]:
        """One flat row: values by name."""
        fields = asdict(self)
        values = {f"type {name}": value for name, value in (fields.pop("opponent_type") or {}).items()}
        values |= {f"response {name}": value for name, value in (fields.pop("response") or {}).items()}
        return fields | values


def views(state: State, *, hide_pending: bool = False) -> list[RoundView]:
    """All rounds in the order in which they were asked; actions of rounds that wait are hidden from watchers."""
    return [view_of(state, played, hide_pending=hide_pending) for played in state.rounds.values()]


def view_of(state: State, played: Played, *, hide_pending: bool = False) -> RoundView:
    """One round; its action is hidden from watchers while it waits."""
    hidden = hide_pending and played.status == "pending"
    opponent_type, response = played.observed
    return RoundView(
        played.round_id,
        played.status,
        None if hidden else played.action,
        None if hidden else state.setting.menu.labels[played.action],
        None if hidden else played.probability,
        opponent_type,
        response,
        None if response is None else reward_of(state, played.action, response),
        len(state.rounds) - played.number if played.status == "pending" else played.delay,
        played.corrections,
        played.reason,
        played.clock,
    )


def reward_of(state: State, action: int, told: Values) -> float:
    """r(x, y) of what was told."""
    game, response = state.setting.game, state.setting.responses.vector(told)
    return float(np.asarray(game.reward(game.actions[[action]], response[None]))[0])
