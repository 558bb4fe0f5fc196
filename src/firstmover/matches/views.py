"""Rounds as people and programs read them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firstmover.matches.fold import Played, State
from firstmover.matches.observing import Values


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
    return RoundView(
        played.round_id,
        played.status,
        None if hidden else played.action,
        None if hidden else state.setting.menu.labels[played.action],
        None if hidden else played.probability,
        played.opponent_type,
        played.response,
        _reward(state, played),
        len(state.rounds) - played.number if played.status == "pending" else played.delay,
        played.corrections,
        played.reason,
        played.clock,
    )


def _reward(state: State, played: Played) -> float | None:
    if played.response is None:
        return None
    game, response = state.setting.game, state.setting.responses.vector(played.response)
    return float(np.asarray(game.reward(game.actions[[played.action]], response[None]))[0])
