"""Learners that take a response for a choice among places: what they read, and who decides."""

from dataclasses import dataclass, replace
from typing import Self

from firstmover.core.choices import met_elsewhere
from firstmover.core.contracts import Belief, Game
from firstmover.core.grouped_reports import Occasions
from firstmover.core.records import Feedback, ShortRepr, Vector
from firstmover.learners.single_type import SingleType
from firstmover.learners.stackelucb import StackelUCB


@dataclass(frozen=True, eq=False, repr=False)
class ByChoice(ShortRepr):
    """Reads each response as the indicator of a place, and lets a learner of indicators decide.

    r̃(x) = max Σ_i r(x, y_i) q_i over q in [μ − βσ, μ + βσ] ∩ simplex, with y_i where the opponent was met in place i:
    Eq. (6) for a vector of indicators. An opponent who jumps from one place to another is then never expected between.

    Reports of one action and type are read together; when they come to be read as another place, the belief is learnt
    again from `prior` with all reports as they are now read.
    """

    game: Game
    readings: Occasions
    decides: SingleType | StackelUCB
    prior: Belief

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.decides.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Read the place, let the other learn, and tell it where in the places the opponent was met."""
        seen = self.game.check(feedback)
        chances = self.decides.belief.predict(seen.opponent_type).mean[seen.action]
        readings, changed = self.readings.read(seen, chances)
        reports = readings.reports()
        learnt = self.decides.observe(reports[-1])
        if changed:
            belief = self.prior
            for report in reports:
                belief = belief.condition(report.action, report.opponent_type, report.response)
            learnt = replace(learnt, belief=belief)
        return replace(self, readings=readings, decides=replace(learnt, game=met_elsewhere(learnt.game, readings)))
