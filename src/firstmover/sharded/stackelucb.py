"""StackelUCB whose weights live where the belief lives: nothing as long as the menu travels."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs import ConstantWidth
from firstmover.contracts import ConfidenceWidth, Game
from firstmover.errors import InvalidInput
from firstmover.play import sample
from firstmover.records import Feedback, Vector, as_count
from firstmover.sharded.belief import ShardedBelief
from firstmover.strategies.multiplicative import learning_rate


@dataclass(frozen=True, eq=False)
class ShardedStackelUCB:
    """Algorithm 1 over shards, with the weights of Theorem 1.

    p_t[x] = exp(η G[x]) / Σ_i Z_i, Z_i = Σ exp(η G) over shard i, G the sum of the optimistic rewards. A round is a
    broadcast of (x_t, θ_t, y_t), a question for log Z_i, and one to the shard that the next action is drawn from.
    """

    belief: ShardedBelief
    horizon: int | None

    @classmethod
    def start(
        cls,
        game: Game,
        kernel: Kernel,
        regularization: float,
        confidence: ConfidenceWidth | float,
        *,
        horizon: int | None,
        shards: int,
        **home: Any,
    ) -> Self:
        """The learner of the first round; without a horizon the rate falls as 1/√t.

        >>> from firstmover import GAMES
        >>> from firstmover.sharded import InThisProcess
        >>> shore = GAMES["shore"]
        >>> learner = ShardedStackelUCB.start(
        ...     shore.build(), shore.kernel, shore.regularization, 1.0, horizon=200, shards=3, home=InThisProcess
        ... )
        >>> learner.sample(0.5), learner.strategy[:3].round(4)
        (12, array([0.0417, 0.0417, 0.0417]))
        """
        if game.reward_range is None:
            raise InvalidInput(f"game {game.name!r} has no reward_range: the weights of Theorem 1 need it.")
        width = confidence if callable(confidence) else ConstantWidth(confidence)
        if horizon is not None:
            horizon = as_count("horizon", horizon)
        return cls(ShardedBelief.start(game, kernel, regularization, width, shards=shards, **home), horizon)

    @property
    def learning_rate(self) -> float:
        """η for this round."""
        return learning_rate(self.belief.game.n_actions, self.horizon or self.belief.log.standing.rounds + 1)

    @cached_property
    def _masses(self) -> tuple[Vector, float]:
        """Z_i of every shard, divided by exp of the second: the largest η G."""
        belief = self.belief
        tops, sums = np.array(belief.shards.ask(belief.log, "mass", self.learning_rate)).T
        return sums * np.exp(tops - tops.max()), float(tops.max())

    def sample(self, uniform: float) -> int:
        """The action that a uniform number in [0, 1) picks: `firstmover.play.sample` of p_t, without p_t."""
        masses, _ = self._masses
        at = sample(masses, uniform)
        inside = (uniform * masses.sum() - masses[:at].sum()) / masses[at]
        inside = min(max(inside, 0.0), np.nextafter(1.0, 0.0))
        return int(self.belief.shards.ask_one(at, self.belief.log, "pick", self.learning_rate, float(inside)))

    @property
    def strategy(self) -> Vector:
        """p_t (n,): 8n bytes travel, so ask with care; `sample` needs none of it."""
        _, top = self._masses
        weights = np.concatenate(self.belief.shards.ask(self.belief.log, "weights", self.learning_rate, top))
        return weights / weights.sum()

    def observe(self, feedback: Feedback) -> Self:
        """Lines 5 to 7 in every shard: optimistic rewards, then the weights, then the belief."""
        return replace(self, belief=self.belief.told(feedback, weigh=True))
