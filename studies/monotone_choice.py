"""A belief about an opponent whom coverage deters: what one choice rules out at other actions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import Matrix, Vector, as_array, as_count, as_index
from firstmover.core.contracts import Belief
from firstmover.core.records import Prediction


@dataclass(frozen=True, eq=False)
class Deterred(Sampling):
    """Indicators of places whose appeal falls with their own coverage x[i], and does not depend on that of others.

    A choice of place i at x means that i is preferred to every j, also where i is covered no more and j no less:

    x'[i] ≤ x[i] and x'[j] ≥ x[j]   ⟹   q_j(x') = 0,   j ≠ i

    The latest report of each action counts if it is at most `memory` rounds old. What the belief gives to places that
    are ruled out goes to the others in proportion; where reports that contradict each other rule out all, none is.

    >>> from studies.forgetting import Forgetting
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> patrols = np.array([[0.5, 0.3, 0.2], [0.4, 0.1, 0.5]])
    >>> belief = Deterred(Forgetting.prior(RBF(0.1), 0.001, patrols, 3, lifetime=1000.0), patrols, memory=50)
    >>> belief = belief.condition(0, np.zeros(1), np.array([1.0, 0.0, 0.0]))  # place 0 before 1 and 2
    >>> belief.ruled_out()
    array([[False,  True,  True],
           [False, False,  True]])
    """

    belief: Belief
    actions: Matrix
    memory: int
    reports: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        as_count("memory", self.memory)

    def ruled_out(self) -> NDArray[np.bool_]:
        """Return a mask (n, c): the places that are never chosen at each action, by the reports that count."""
        latest = dict(self.reports)
        if not latest:
            return np.zeros(self.actions.shape, dtype=bool)
        x, seen, places = self.actions, list(latest), np.array(list(latest.values()))
        no_more = x[:, places] <= x[seen, places]  # (n, k)
        no_less = x[:, None] >= x[seen]  # (n, k, c)
        no_less[:, np.arange(len(seen)), places] = False
        out = np.any(no_more[:, :, None] & no_less, axis=1)
        return out & ~out.all(axis=1, keepdims=True)

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, c), 0 where ruled out and summing to 1, and standard deviation (n,)."""
        prediction, open_ = self.belief.predict(opponent_type), ~self.ruled_out()
        shares = np.where(open_, np.maximum(prediction.mean, 0.0), 0.0)
        total = shares.sum(axis=1, keepdims=True)
        alike = open_ / open_.sum(axis=1, keepdims=True)
        return Prediction(np.where(total > 0, shares / np.where(total > 0, total, 1.0), alike), prediction.std)

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """The covariance of the belief about indicators, of some actions or all: (k, k)."""
        return self.belief.covariance(opponent_type, actions=actions)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more report, the indicator of a place (c,)."""
        response = as_array("response", response, ndim=1, length=self.actions.shape[1])
        report = as_index("action", action, len(self.actions)), int(np.argmax(response))
        belief = self.belief.condition(action, opponent_type, response)
        return replace(self, belief=belief, reports=(*self.reports, report)[-self.memory :])

    @property
    def information_gain(self) -> float:
        """The information gain of the belief about indicators."""
        return self.belief.information_gain
