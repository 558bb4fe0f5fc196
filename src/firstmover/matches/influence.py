"""The weights of past observations in the prediction for one action."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.matches.learner_state import fitted_theta
from firstmover.matches.observed_rows import ObservedRow
from firstmover.matches.state import State

MOST_OBSERVATIONS = 2000
"""Observations up to which weights are computed: the time grows with the third power."""


@dataclass(frozen=True)
class Influence:
    """A past observation, and its weight in the prediction of the first response to the advised action."""

    name: str
    label: str
    opponent_type: dict[str, Any]
    response: dict[str, Any]
    weight: float


def influences(
    state: State, rows: Sequence[ObservedRow], action: int, opponent_type: Vector, most: int
) -> tuple[Influence, ...]:
    """Return the observations with the largest weights; none where the belief has no such weights."""
    weights = _weights(state, rows, action, opponent_type)
    if weights is None:
        return ()
    assert len(weights) == len(rows)
    largest = np.argsort(-np.abs(weights), kind="stable")[:most]
    chosen = [(rows[i], float(weights[i])) for i in largest]
    return tuple(Influence(row.name, row.label, row.opponent_type, row.response, weight) for row, weight in chosen)


def _weights(state: State, rows: Sequence[ObservedRow], action: int, opponent_type: Vector) -> Vector | None:
    """(K + λ I)⁻¹ k(z), z the action and type: the mean is the sum of responses with these weights, Eq. (2)."""
    setting = state.setting
    if len(rows) > MOST_OBSERVATIONS:
        return None
    of_belief = getattr(state.learning.belief, "influence", None)
    if of_belief is not None:
        return np.asarray(of_belief(action, opponent_type), dtype=np.float64)
    if not setting.has_kernel:
        return None
    from firstmover.kernels import bind

    actions = setting.game.actions
    kernel = bind(setting.kernel(fitted_theta(state.steps)), actions.shape[1])
    seen = [np.append(row.features, setting.types.vector(row.opponent_type)) for row in rows]
    gram = np.asarray(kernel(np.array([*seen, np.append(actions[action], opponent_type)])))
    total = gram[:-1, :-1] + setting.regularization * np.eye(len(rows))
    return np.asarray(np.linalg.solve(total, gram[:-1, -1]), dtype=np.float64)
