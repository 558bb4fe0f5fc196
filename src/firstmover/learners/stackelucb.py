"""StackelUCB (Algorithm 1 of Sessa, Bogunovic, Kamgarpour and Krause, 2020)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Weights
from firstmover.core.records import Feedback
from firstmover.learners.optimistic import best_possible, credited, optimistic_rewards
from firstmover.learners.setup import Setup
from firstmover.strategies import AdaHedge

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel


@dataclass(frozen=True, eq=False, repr=False)
class StackelUCB(StrategyCard):
    """Algorithm 1: weights over optimistic rewards, against opponents of any types in any order.

    After round t, with the confidence box [lcb_t, ucb_t] for b(x, θ_t)::

        r̃_t(x, θ_t) = max_y r(x, y) over the box            (Eq. 6, line 5)
        p_{t+1}[x] ∝ p_t[x] · exp(η r̃_t(x, θ_t))            (line 6)
        μ_{t+1}, σ_{t+1} from (x_t, θ_t, y_t)                (line 7)

    Parameters
    ----------
    game
        X, r and the response domain.
    belief
        The posterior of b before the first round.
    confidence
        β_t, such as `ConstantWidth` or `LemmaWidth`.
    weights
        p_t, such as `MultiplicativeWeights` or `AdaHedge`.

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=1.0, horizon=50)
    >>> play_run(game, opponent_for("shore", game, "random"), learner, rounds=50, seed=0)
    Run(50 rounds, 24 actions, mean reward 0.7482)
    """

    game: Game
    belief: Belief
    confidence: ConfidenceWidth
    weights: Weights

    @classmethod
    def start(
        cls, game: Game, kernel: "Kernel", regularization: float, confidence_width: float, horizon: int | None = None
    ) -> Self:
        """Return the first learner with a constant β_t; weights of Theorem 1, or `anytime` if T is unknown.

        Parameters
        ----------
        game
            X, r and the response domain; with a horizon, its reward range too.
        kernel
            k over z = (action, type), a scikit-learn kernel.
        regularization
            λ.
        confidence_width
            β, the same in every round.
        horizon
            T; None if it is unknown.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If a number is outside its range, the kernel is unsuitable, or the game states no reward range although
            there is a horizon.

        Examples
        --------
        >>> from firstmover import StackelUCB
        >>> from firstmover.games import GAMES
        >>> shore = GAMES["shore"]
        >>> learner = StackelUCB.start(shore.build(), shore.kernel, shore.regularization, 1.0, horizon=200)
        >>> learner.strategy[:3].round(4)
        array([0.0417, 0.0417, 0.0417])
        """
        setup = Setup(game, kernel, regularization, ConstantWidth(confidence_width), "fixed-rate", horizon)
        if horizon is None:
            return cls.anytime(game, setup.belief(), setup.confidence)
        return cls(game, setup.belief(), setup.confidence, setup.weights())

    @classmethod
    def anytime(cls, game: Game, belief: Belief, confidence: ConfidenceWidth) -> Self:
        """Return Algorithm 1 with AdaHedge weights, which need neither horizon nor reward range; the default.

        p_1 is uniform over the actions of the largest r̃_0(x), the best reward that the response domain allows; from
        round 2 on p_t ∝ exp(η_t Σ_{s<t} r̃_s) (docs/decisions/0030-anytime.md).

        Parameters
        ----------
        game
            X, r and the response domain.
        belief
            The posterior of b before the first round.
        confidence
            β_t.

        Returns
        -------
        Self
            The learner of round 1.

        Examples
        --------
        >>> from firstmover import StackelUCB
        >>> from firstmover.games import GAMES
        >>> roads = GAMES["routing"]
        >>> learner = StackelUCB.start(roads.build(), roads.kernel, roads.regularization, roads.confidence_width)
        >>> learner.strategy[[0, 31]].round(2)
        array([0. , 0.1])
        """
        return cls(game, belief, confidence, AdaHedge.opened(best_possible(game)))

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.weights.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Apply lines 5 to 7: optimistic rewards by the belief before this round, then weights, then belief."""
        seen = self.game.check(feedback)
        rewards = optimistic_rewards(self.game, self.belief, self.confidence, seen.opponent_type)
        weights = self.weights.update(credited(self, rewards, seen.allowed))
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        return type(self)(self.game, belief, self.confidence, weights)
