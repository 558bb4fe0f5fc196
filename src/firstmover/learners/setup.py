"""What a learner may be given: the game, its assumptions about b, and openly named privileges."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs import ChoiceBelief, ConstantWidth, belief_over
from firstmover.choices import choice_game, places_of
from firstmover.contracts import Belief, ConfidenceWidth, Game, TrueRewards, Weights
from firstmover.errors import InvalidInput, look_up
from firstmover.occasions import Occasions
from firstmover.records import Feedback, Matrix, Vector, positive
from firstmover.strategies import STRATEGIES, MultiplicativeWeights

Value = TypeVar("Value")


@dataclass(frozen=True)
class Setup:
    """Everything the table's builders choose from.

    Parameters
    ----------
    game
        What is played, as known to every learner.
    kernel, regularization, confidence
        The assumptions about b: k, λ and β_t.
    strategy, horizon, rate_factor
        Name of the weights in the STRATEGIES table, T when it is known, and what η is multiplied by.
    reward_kernel
        For learners that regress the reward instead of the response; None takes `kernel`.
    action
        The index that a fixed learner plays.
    history
        Rounds collected beforehand, for best-offline.
    true_rewards, future_types
        Privileges that only a simulation can give: full information, and the types to come.
    """

    game: Game
    kernel: Kernel
    regularization: float
    confidence: ConfidenceWidth
    strategy: str = "fixed-rate"
    horizon: int | None = None
    rate_factor: float = 1.0
    reward_kernel: Kernel | None = None
    action: int = 0
    history: Iterable[Feedback] = ()
    true_rewards: TrueRewards | None = None
    future_types: Matrix | None = None

    def belief(self) -> Belief:
        """The belief about responses before the first round."""
        game = self.game
        return belief_over(self.kernel, self.regularization, game.actions, game.n_outputs, game.types)

    def reward_belief(self) -> Belief:
        """A belief about rewards, one number, before the first round."""
        kernel = self.kernel if self.reward_kernel is None else self.reward_kernel
        return belief_over(kernel, self.regularization, self.game.actions, 1, self.game.types)

    def choices(self) -> tuple[Occasions, Game, Belief, ConfidenceWidth]:
        """No reports yet, the game in indicators of its c places, the belief about them, and β = 1/(2c).

        The widths ucb − lcb of all places together are then σ, whatever their number.
        """
        readings = Occasions.start(places_of(self.game))
        types, c = self.need("types of the game", self.game.types), readings.places.count
        belief = ChoiceBelief.prior(self.game.actions, types, c)
        return readings, choice_game(self.game, readings), belief, ConstantWidth(0.5 / c)

    def weights(self) -> Weights:
        """Uniform weights of the named kind."""
        start = look_up("strategy", self.strategy, STRATEGIES).start
        weights = start(self.game.n_actions, self.game.reward_range, self.horizon)
        if self.rate_factor == 1:
            return weights
        if not isinstance(weights, MultiplicativeWeights):
            raise InvalidInput(
                f"rate_factor is {self.rate_factor}: strategy {self.strategy!r} finds its own rate, so leave it out."
            )
        return replace(weights, rate_factor=positive("rate_factor", self.rate_factor))

    def the_type(self) -> Vector:
        """θ̄, for learners that face one known type."""
        types = self.game.types
        if types is None:
            raise InvalidInput(
                f"game {self.game.name!r} has no known types: this learner faces exactly one known type, so let "
                "another learner play, such as 'stackelucb'."
            )
        if len(types) != 1:
            raise InvalidInput(
                f"game {self.game.name!r} has {len(types)} types: this learner needs exactly one known type, as "
                "against opponent 'single'."
            )
        return types[0]

    def need(self, field: str, value: Value | None) -> Value:
        """A value that this learner cannot do without."""
        if value is None:
            raise InvalidInput(f"{field} is not given: this learner needs it.")
        return value
