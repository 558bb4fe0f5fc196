"""Learners for responses that are a choice among places."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from firstmover.beliefs import ChoiceBelief, ConstantWidth
from firstmover.core.arrays import Vector
from firstmover.core.choices import choice_game, places_of, with_locations
from firstmover.core.contracts import Belief, ConfidenceWidth, Game
from firstmover.core.errors import InvalidInput
from firstmover.core.places import GroupedReadings
from firstmover.core.records import Feedback, ShortRepr
from firstmover.learners.single_type import SingleType
from firstmover.learners.stackelucb import StackelUCB


@dataclass(frozen=True, eq=False, repr=False)
class ByChoice(ShortRepr):
    """Reads each response as the indicator of a place; `decides`, a learner of indicators, chooses p_t.

    r̃(x) = max Σ_i r(x, y_i) q_i over q in [μ − βσ, μ + βσ] ∩ simplex, with y_i the expected location in place i:
    Eq. (6) for a vector of indicators. An opponent that jumps between places is then never predicted in between.

    Reports of one action and type are read together; when they are assigned to another place, the belief is conditioned
    again from `prior` on all reports.
    """

    game: Game
    readings: GroupedReadings
    decides: SingleType | StackelUCB
    prior: Belief

    @classmethod
    def start(cls, game: Game, decides: Callable[[Game, Belief, ConfidenceWidth], SingleType | StackelUCB]) -> Self:
        """Return the learner before any report; `decides` builds the learner of indicators, with β = 1/(2c).

        The widths ucb − lcb of all c places then sum to σ for any number of places.
        """
        readings = GroupedReadings.start(places_of(game))
        if game.types is None:
            raise InvalidInput(f"game {game.name!r} has no known types: this learner needs them.")
        belief = ChoiceBelief.prior(game.actions, game.types, c := readings.places.count)
        indicators = choice_game(game, readings.locations)
        return cls(game, readings, decides(indicators, belief, ConstantWidth(0.5 / c)), belief)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.decides.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Read the place, update the learner of indicators, and the expected locations in its reward."""
        seen = self.game.check(feedback)
        chances = self.decides.belief.predict(seen.opponent_type).mean[seen.action]
        readings, changed = self.readings.read(seen, chances)
        decides = self.decides.observe(readings.reports(first=-1)[0])
        if changed:
            belief = self.prior
            for report in readings.reports():
                belief = belief.condition(report.action, report.opponent_type, report.response)
            decides = replace(decides, belief=belief)
        return replace(
            self, readings=readings, decides=replace(decides, game=with_locations(decides.game, readings.locations))
        )
