"""A belief over a menu that is too large for one machine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.contracts import ConfidenceWidth, Game
from firstmover.records import Feedback, Prediction, Vector, as_count
from firstmover.sharded.log import Log, Observation
from firstmover.sharded.shards import Home, OnRay, Shards, parts_of


@dataclass(frozen=True, eq=False)
class ShardedBelief:
    """Eqs. (2) and (3) with the actions divided over shards, for a product kernel and known types.

    What a shard computes for its part is what `LargeBelief` computes for a whole menu; an observation is broadcast
    with its x, and μ and σ² stay where they are. This belief keeps the log alone: each question says how far the log
    goes, each reply how far the shard has come, and one that lost its state, or that followed another continuation of
    an earlier belief, is replayed.
    """

    game: Game
    shards: Shards
    log: Log
    information_gain: float

    @classmethod
    def start(
        cls,
        game: Game,
        kernel: Kernel,
        regularization: float,
        confidence: ConfidenceWidth,
        *,
        shards: int,
        home: Callable[[int], Home] = OnRay,
    ) -> Self:
        """The belief before the first round, in so many shards on the cluster that runs (`firstmover.cluster`).

        >>> from firstmover import GAMES, ConstantWidth
        >>> from firstmover.sharded import InThisProcess
        >>> shore = GAMES["shore"]
        >>> game, width = shore.build(), ConstantWidth(1.0)
        >>> belief = ShardedBelief.start(game, shore.kernel, shore.regularization, width, shards=3, home=InThisProcess)
        >>> belief = belief.condition(5, game.types[0], [0.4])
        >>> belief.predict(game.types[0]).mean[[5, 20], 0].round(4), belief.best(game.types[0])[0]
        (array([0.396 , 0.0132]), 19)
        """
        parts = parts_of(game, kernel, regularization, confidence, as_count("shards", shards))
        started = cls(game, Shards(home(len(parts)), parts), Log(), 0.0)
        started.shards.ask(started.log, "information_gain")  # what does not fit is refused now
        return started

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions: 8n(m + 1) bytes travel, so ask with care."""
        parts = self.shards.ask(self.log, "predict", opponent_type)
        return Prediction(*(np.concatenate(pieces) for pieces in zip(*parts, strict=True)))

    def best(self, opponent_type: Vector) -> tuple[int, float]:
        """Eq. (8): the first action of the largest optimistic reward at a type, and that reward."""
        answers = self.shards.ask(self.log, "best", opponent_type)
        reward, action = max(answers, key=lambda answer: (answer[0], -answer[1]))
        return action, reward

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response; this one stays usable, at the price of a replay."""
        return self.told(Feedback(action, opponent_type, response), weigh=False)

    def told(self, feedback: Feedback, *, weigh: bool) -> Self:
        """The belief after a round; with `weigh` the shards first add its optimistic rewards to their totals."""
        seen = self.game.check(feedback)
        log = self.log.append(Observation(seen, self.game.actions[seen.action], weigh))
        gain = self.shards.ask(log, "information_gain")[0]
        return type(self)(self.game, self.shards, log, gain)
