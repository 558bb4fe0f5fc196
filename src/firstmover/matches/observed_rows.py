"""All observations that the belief of a match is conditioned on, each under a name that people recognise."""

from typing import NamedTuple

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.games.map_record import short
from firstmover.matches.learner_state import learnt
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State
from firstmover.matches.value_schema import Values


class ObservedRow(NamedTuple):
    """One observation: its name, the label and features of the action, type and response."""

    name: str
    label: str
    features: Vector
    opponent_type: Values
    response: Values


def observed_rows(state: State) -> list[ObservedRow]:
    """Return the observations in the order in which the belief met them, with those of actions off the menu.

    A round and a record go by their ids, an imported row by its date or id, or else by its number among all rows that
    were imported.
    """
    menu, found, imported = state.setting.menu, [], 0
    actions = menu.actions
    for step in state.steps:
        if isinstance(step, MatchRound):
            (opponent_type, response), action = step.observed, step.action_played
            assert action is not None
            assert opponent_type is not None
            assert response is not None
            name = f"round {step.round_id}"
            found.append(ObservedRow(name, menu.labels[action], actions[action], opponent_type, response))
            continue
        for row in step.payload.get("rows", ()):
            imported += step.kind == "imported"
            if not learnt(row):
                continue
            number = f"imported row {imported}" if step.kind == "imported" else f"record {step.round_id}"
            name = row.get("when") or row.get("id") or number
            if "features" in row:
                features = np.array([row["features"][each] for each in menu.features])
                label = ", ".join(f"{each} {short(row['features'][each])}" for each in menu.features)
            else:
                features, label = actions[row["action"]], menu.labels[row["action"]]
            found.append(ObservedRow(name, label, features, row["type"], row["response"]))
    return found
