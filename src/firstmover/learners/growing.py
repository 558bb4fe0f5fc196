"""StackelUCB over a menu of mixed strategies that grows, for any sequence of types."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from firstmover import kernels
from firstmover.beliefs import confidence_box, information_gain, posterior
from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import ConfidenceWidth, Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Prediction
from firstmover.kernels import pairs
from firstmover.strategies import GrowingWeights

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

SCALES = np.array([0.5, 0.25, 0.125, 0.0625, 0.03125])
"""Shares of a mixture that a proposal moves to one pure strategy."""


def mixes(actions: Matrix) -> bool:
    """Return whether every action is a mixed strategy over two pure strategies or more."""
    fine = bool(np.all(actions >= 0) and np.all(np.abs(actions.sum(axis=1) - 1) < 1e-9))
    return fine and actions.shape[1] > 1


@dataclass(frozen=True, eq=False, repr=False)
class Growing(StrategyCard):
    """Weights over optimistic rewards of a menu that gains at most one new mixture of n pure strategies per round.

    Proposed are the moves of mass (1 − s) x + s e_i, for all i and shares s, from the member played last and from the
    one that is best in hindsight by the mean. The proposal of the largest Σ_s r̃_t(x, θ_s), over the types of all
    rounds so far by the current belief, enters if it exceeds all members. It gets the weight of a sleeping specialist
    (`GrowingWeights`), so that its regret from then on is bounded for any types. `start` builds the first learner.

    Parameters
    ----------
    game
        With the current menu; its first actions are those of the original game.
    kernel
        k, bound to the features of the actions.
    regularization
        λ.
    confidence
        β_t.
    weights
        Over the members so far.
    points, responses
        The observations: z_s (t, n + p) and y_s (t, m).

    Examples
    --------
    >>> from firstmover import GAMES, ConstantWidth
    >>> from firstmover.learners import Growing
    >>> harbour = GAMES["harbour"]
    >>> learner = Growing.start(harbour.build(horizon=20), harbour.kernel, harbour.regularization, ConstantWidth(1.0))
    >>> learner.grown
    Game('harbour', 15 actions, 3 outputs, 3 types)
    """

    game: Game
    kernel: "Kernel"
    regularization: float
    confidence: ConfidenceWidth
    weights: GrowingWeights
    points: Matrix
    responses: Matrix

    @classmethod
    def start(cls, game: Game, kernel: "Kernel", regularization: float, confidence: ConfidenceWidth) -> Self:
        """Return the learner before the first round: equal weights.

        Parameters
        ----------
        game
            With known types, and mixed strategies as actions.
        kernel
            k over z = (action, type).
        regularization
            λ.
        confidence
            β_t.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If types are unknown, or actions are no mixed strategies.
        """
        if game.types is None or not mixes(game.actions):
            raise InvalidInput(
                f"game {game.name!r} has no known types, or actions that are no mixed strategies: this learner mixes "
                "actions, so use another, such as 'stackelucb'."
            )
        n, d, p = *game.actions.shape, game.types.shape[1]
        empty = np.empty((0, d + p)), np.empty((0, game.n_outputs))
        regularization = positive("regularization", regularization)
        return cls(game, kernels.bind(kernel, d), regularization, confidence, GrowingWeights.start(n), *empty)

    @property
    def grown(self) -> Game:
        """The game with the menu of the coming round."""
        return self.game

    @property
    def strategy(self) -> Vector:
        """p_t over the members so far."""
        return self.weights.strategy

    @cached_property
    def _width(self) -> float:
        gained = information_gain(self.kernel(self.points), self.regularization) if len(self.points) else 0.0
        return self.confidence(gained)

    def _optimistic(self, actions: Matrix, types: Matrix, width: float) -> Matrix:
        """r̃ of mixtures at types (q, k), of any mixtures: members or not."""
        queries = pairs(actions, types)
        if len(self.points):
            believed = posterior(self.kernel, self.regularization, self.points, self.responses, queries)
        else:
            believed = Prediction(np.zeros((len(queries), self.game.n_outputs)), np.sqrt(self.kernel.diag(queries)))
        box = confidence_box(believed, width, self.game.response_domain)
        best = self.game.reward.best_in_box(np.tile(actions, (len(types), 1)), box)
        rewards = as_array("best_in_box", best, ndim=1, length=len(queries)).reshape(len(types), -1)
        return rewards if self.game.reward_range is None else np.clip(rewards, *self.game.reward_range)

    def observe(self, feedback: Feedback) -> Self:
        """Optimistic rewards by the belief before this round, then weights, belief, and perhaps a new member."""
        seen = self.game.check(feedback)
        rewards = self._optimistic(self.game.actions, seen.opponent_type[None], self._width)[0]
        point = np.append(self.game.actions[seen.action], seen.opponent_type)
        updated = replace(
            self,
            weights=self.weights.update(rewards),
            points=np.vstack([self.points, point]),
            responses=np.vstack([self.responses, seen.response]),
        )
        return updated._with_proposal(seen.action)

    def _with_proposal(self, played: int) -> Self:
        """Return the learner, with one more member if a proposal has a larger optimistic total than all members."""
        kinds, counts = np.unique(self.points[:, self.game.actions.shape[1] :], axis=0, return_counts=True)
        members, n = self.game.actions, self.game.actions.shape[1]
        best = int(np.argmax(counts @ self._optimistic(members, kinds, 0.0)))
        origins = members[list(dict.fromkeys([best, played]))]
        moves = SCALES[:, None, None, None] * (np.eye(n) - origins[:, None])
        proposals = (origins[:, None] + moves).reshape(-1, n)
        totals = counts @ self._optimistic(np.vstack([members, proposals]), kinds, self._width)
        chosen = int(np.argmax(totals))
        if chosen < len(members):
            return self
        menu = np.vstack([members, proposals[chosen - len(members)]])
        return replace(self, game=replace(self.game, actions=menu), weights=self.weights.enter())
