"""Another learner in the told rounds of a match, against opponents drawn from the posterior."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, Learner, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action
from firstmover.core.records import Feedback
from firstmover.matches.learner_state import Learning
from firstmover.matches.policies import ToldRounds
from firstmover.matches.policy_values import PolicyValue
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.theory.off_policy import COMMON, Definitions, Responses, RewardModel

DRAWS = 8
"""Opponents that the learner meets."""

WIDTH = 2.364624
"""Half the width of a 95 % band in standard deviations of 8 values: that of Student's t."""


@dataclass(frozen=True, eq=False)
class Replayed:
    """The rounds of a match to be played by another learner, with the reward of the `setting`.

    The learner starts from the history that was imported before the first round, sees the recorded types, contexts and
    masks, and learns from responses b(x, θ_t) plus noise, b drawn from the posterior. It keeps no rules of the match.
    `model` has the rewards of draws, whose range is for learners that need one where the configuration has none.
    """

    state: State
    told: ToldRounds
    setting: Setting
    responses: Responses
    definitions: Definitions
    model: RewardModel

    def value(self, learner: str | Mapping[str, Any], seed: int) -> PolicyValue:
        """Return the mean over opponents of (1/T) Σ_t Σ_x p_t(x) r(x, b(x, θ_t)); errors in common widen its band."""
        other, rng = self._setting_of(learner), np.random.default_rng([seed, 1])
        each = []
        for block in self.responses.posterior.draws(DRAWS, rng):
            each += [self._season(other, draw[:, self.responses.places], rng) for draw in block]
        values, common = np.array(each).T
        mean, reach = float(values.mean()), WIDTH * float(np.hypot(values.std(ddof=1), COMMON * common.mean()))
        name = learner if isinstance(learner, str) else str(learner["name"])
        return PolicyValue(f"learner {name}", mean, mean - reach, mean + reach)

    def _setting_of(self, learner: str | Mapping[str, Any]) -> Setting:
        fields = {"name": learner} if isinstance(learner, str) else dict(learner)
        if not isinstance(fields.get("name"), str):
            raise InvalidInput(f"learner is {learner!r}: give a name, or a table with a name and parameters.")
        config = self.setting.config
        update: dict[str, Any] = dict.fromkeys(("floor", "hold", "change_cost", "strategy"))
        update |= {"learner": fields, "horizon": config.horizon or len(self.told.rounds)}
        if config.reward is not None and self.setting.game.reward_range is None:
            update["reward"] = config.reward.model_copy(
                update={"range": [float(self.model.draws.min()), float(self.model.draws.max())]}
            )
        other = Setting(config.model_copy(update=update), self.setting.menu)
        other.check_learner()
        return other

    def _start(self, other: Setting) -> Learner:
        """The learner after the history that was imported before the first told round."""
        learning = Learning.start(other)
        for step in self.state.steps:
            if isinstance(step, MatchRound):
                break
            if step.kind in ("imported", "recorded"):
                learning = learning.after(step)
        return learning.learner

    def _season(self, other: Setting, draw: NDArray[np.float64], rng: np.random.Generator) -> tuple[float, float]:
        """The mean reward of all rounds against one response function (n, T, m), and the mean of σ_r."""
        game, learner, noise = other.game, self._start(other), np.ravel(self.state.learning.noise_variance)
        total, common, domain, deviations = 0.0, 0.0, game.response_domain, self.model.deviations
        for t, played in enumerate(self.told.rounds):
            context = None if played.context is None else other.context.vector(played.context)
            allowed = None if self.told.allowed[t].all() else self.told.allowed[t]
            strategy = decided(learner, context, allowed)
            responses = np.clip(draw[:, t], domain.lower, domain.upper)
            reward = self.definitions.rewards[self.definitions.number[t]]
            total += float(strategy @ reward(game.actions, responses))
            common += float(strategy @ deviations[t])
            action = sample_action(strategy, rng.random())
            seen = noisy(game, responses[action], noise, rng)
            learner = learner.observe(Feedback(action, other.types.vector(played.opponent_type or {}), seen, allowed))
        return total / len(self.told.rounds), common / len(self.told.rounds)


def noisy(game: Game, response: Vector, variance: Vector, rng: np.random.Generator) -> Vector:
    """Return a response as it is observed: with noise, within its domain; of a choice, one of the levels."""
    if game.places is not None:
        chances = response / response.sum() if response.any() else np.full(len(response), 1 / len(response))
        return np.eye(len(chances))[sample_action(chances, rng.random())]
    seen = response + np.sqrt(variance) * rng.standard_normal(len(response))
    return np.clip(seen, game.response_domain.lower, game.response_domain.upper)
