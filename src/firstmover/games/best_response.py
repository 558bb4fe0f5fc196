"""Opponents who maximise a utility over finitely many responses."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector, as_array

Utility = Callable[[Matrix, Matrix, Vector], Matrix]
"""Actions (k, d), responses (c, m) and a type (p,) to utilities (k, c)."""


@dataclass(frozen=True)
class BestResponse:
    """b(x, θ) = argmax_y U_θ(x, y) over the rows of `candidates`; ties go to the first.

    Utilities tie when they differ by no more than `tolerance`, or than that share of the best, so that rounding breaks
    no tie.

    >>> away = BestResponse(lambda x, y, theta: np.abs(y[:, 0] - x), candidates=np.array([[0.0], [1.0]]))
    >>> away(np.array([[0.2], [0.5], [0.9]]), np.zeros(1))
    array([[1.],
           [0.],
           [0.]])
    """

    utility: Utility
    candidates: Matrix
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", as_array("candidates", self.candidates, ndim=2))
        if len(self.candidates) == 0:
            raise InvalidInput("candidates has no rows: a best response needs at least one to choose from.")

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The best candidate for each action."""
        utility = as_array("utility", self.utility(actions, self.candidates, opponent_type), ndim=2)
        if utility.shape != (len(actions), len(self.candidates)):
            raise InvalidInput(
                f"utility gave shape {utility.shape}: it must be ({len(actions)}, {len(self.candidates)}), "
                "one row an action and one column a candidate."
            )
        best = utility.max(axis=1, keepdims=True)
        slack = self.tolerance * np.maximum(1.0, np.abs(best))
        return self.candidates[np.argmax(utility >= best - slack, axis=1)]
