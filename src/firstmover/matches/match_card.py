"""What a notebook shows of a match: a card, without the actions of pending rounds."""

import numpy as np

from firstmover.core.html_repr import Curve, card
from firstmover.matches.state import State


def match_card(state: State, access: str) -> str:
    """Return the card of a match: counts by its state, and the actions that were played in the told rounds."""
    rounds, setting = state.rounds.values(), state.setting
    void = len(rounds) - state.told - len(state.pending)
    named = (setting.config.learner or {}).get("name", "stackelucb")
    told = [(each.number, each.action_played) for each in rounds if each.status == "told"]
    rows = {
        "rounds": f"{len(rounds):,} asked: {state.told:,} told, {len(state.pending)} pending, {void} void",
        "actions": f"{len(setting.menu.labels):,}",
        "learner": named,
        "store": ", ".join([access, *(["archived"] if state.archived else [])]),
    }
    if state.imports or state.records:
        rows["history"] = f"{sum(state.imports.values()):,} rows imported, {len(state.records):,} recorded"
    numbers, actions = np.array(told, dtype=float).reshape(-1, 2).T
    return card(f"Match {state.name}", rows, Curve("action played in told round", numbers, actions, marks=True).draw())
