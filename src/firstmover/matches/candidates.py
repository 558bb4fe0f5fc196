"""Actions with what the learner expects of them, and what it counts for finding out more."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, counted
from firstmover.games.map_record import short
from firstmover.matches.observed_rows import ObservedRow
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.matches.value_schema import Values

NINE_TENTHS = 1.6448536
"""Half the width of a 90 % band, in standard deviations."""


@dataclass(frozen=True)
class Candidate:
    """An action with its probability and its mean reward over the types so far.

    `expected` is the posterior mean, with the 90 % band from `lower` to `upper`. `optimistic` is what the learner
    values the action at, Σ_θ s_θ r̃(x, θ); `finding_out` is the difference of both, the part of that value that is not
    expected to be earned.
    """

    label: str
    probability: float
    expected: float
    lower: float
    upper: float
    optimistic: float
    finding_out: float

    def words(self) -> str:
        """Its value, and the parts of that."""
        parts = f"{short(self.expected)} is expected ({short(self.lower)} to {short(self.upper)})"
        if self.finding_out < 0:  # a concave reward at the mean of several models exceeds its mean over them
            return f"value {short(self.optimistic)}, {parts}, and nothing is counted for finding out"
        return f"of its value {short(self.optimistic)}, {parts} and {short(self.finding_out)} is for finding out"


@dataclass(frozen=True, eq=False)
class Valuation:
    """Expected and optimistic mean rewards of all actions in a context (n,), with 90 % bands, and p_t (n,)."""

    labels: tuple[str, ...]
    probabilities: Vector
    expected: Vector
    lower: Vector
    upper: Vector
    optimistic: Vector

    def candidate(self, action: int) -> Candidate:
        """The record of one action."""
        return Candidate(
            self.labels[action],
            float(self.probabilities[action]),
            float(self.expected[action]),
            float(self.lower[action]),
            float(self.upper[action]),
            float(self.optimistic[action]),
            float(self.optimistic[action] - self.expected[action]),
        )

    def best(self, actions: Iterable[int], values: Vector) -> int:
        """The action with the largest of these values."""
        return max(actions, key=lambda i: float(values[i]))


def check_explainable(setting: Setting, learner: object) -> None:
    """Raise InvalidInput if decisions of this match do not follow from expected rewards of actions."""
    if setting.commits:
        raise InvalidInput("A commitment to a mixture is not explained: ask for the forecast of its responses.")
    if not (hasattr(learner, "belief") and (hasattr(learner, "confidence") or hasattr(learner, "optimistic"))):
        raise InvalidInput(
            "The learner of this match predicts no expected reward per action: actions cannot be compared; their "
            "probabilities are in p_t."
        )


def valuation(state: State, rows: list[ObservedRow], context: Values | None, strategy: Vector) -> Valuation:
    """Return what the learner expects now, in a context, with the probabilities of a decision."""
    from firstmover.learners.mean_rewards import reward_estimates, type_shares

    setting, learner = state.setting, state.learning.learner
    check_explainable(setting, learner)
    game, types = setting.game, [setting.types.vector(row.opponent_type) for row in rows]
    if not rows:
        raise InvalidInput("Nothing was observed yet: every action is open; tell a round or import rows first.")
    known = None if context is None else setting.context.vector(context)
    shares = type_shares(game, np.array(types), known)
    found = reward_estimates(learner, game, shares)
    if found is None:
        raise InvalidInput(
            f"{counted(len(rows), 'observation')} so far: nothing follows for other actions; tell more rounds first."
        )
    mean, below, above = found.expected
    probabilities = np.append(strategy, np.zeros(game.n_actions - len(strategy)))  # actions added since have 0
    bands = mean - NINE_TENTHS * below, mean + NINE_TENTHS * above
    return Valuation(setting.menu.labels, probabilities, mean, *bands, found.optimistic)
