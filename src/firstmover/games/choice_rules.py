"""Choices among finitely many alternatives: best responses, and quantal responses."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from firstmover.core.arrays import Matrix, Vector, as_array, non_negative
from firstmover.core.errors import InvalidInput

ChoiceRule = Callable[[Matrix], Matrix]
"""Utilities (k, c) of c places to the probabilities (k, c) of choosing each."""

TIE = 1e-12
"""Utilities closer than this are equal: the first place is taken."""


def first_best(utility: Matrix, tolerance: float) -> NDArray[np.intp]:
    """The first place (k,) of the largest utility, up to the tolerance or, if larger, that fraction of the best."""
    best = utility.max(axis=1, keepdims=True)
    return np.argmax(utility >= best - tolerance * np.maximum(1.0, np.abs(best)), axis=1)


@dataclass(frozen=True)
class BestResponse:
    """b(x, θ) = argmax_y U_θ(x, y) over the rows of `candidates` (c, m); ties go to the first.

    Parameters
    ----------
    utility
        Actions (k, d), candidates (c, m) and a type (p,) to utilities (k, c).
    candidates
        The responses to choose from (c, m).
    tolerance
        Utilities tie if they differ by at most this, or by that fraction of the best, so that rounding breaks no tie.

    Raises
    ------
    InvalidInput
        If there is no candidate; when it is called, if the utility has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import BestResponse
    >>> away = BestResponse(lambda x, y, theta: np.abs(y[:, 0] - x), candidates=np.array([[0.0], [1.0]]))
    >>> away(np.array([[0.2], [0.5], [0.9]]), np.zeros(1)).ravel()
    array([1., 0., 0.])
    """

    utility: Callable[[Matrix, Matrix, Vector], Matrix]
    candidates: Matrix
    tolerance: float = TIE

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
                "one row per action and one column per candidate."
            )
        return self.candidates[first_best(utility, self.tolerance)]


def logit(rationality: float) -> ChoiceRule:
    """Quantal response (McKelvey and Palfrey 1995): probabilities ∝ exp(rationality · utility).

    >>> logit(np.log(2))(np.array([[1.0, 2.0, 1.0]]))
    array([[0.25, 0.5 , 0.25]])
    """
    non_negative("rationality", rationality)

    def choose(utility: Matrix) -> Matrix:
        with np.errstate(over="ignore"):  # a utility so far below the best has probability 0
            return softmax(rationality * (utility - utility.max(axis=1, keepdims=True)), axis=1)

    return choose


@dataclass(frozen=True, eq=False)
class Choosing:
    """b(x, θ): the probabilities (k, c) with which an opponent chooses each of c places, by its utility and a rule.

    >>> who = Choosing(lambda x, _: np.hstack([x, 1 - x]), logit(np.log(3)))
    >>> who(np.array([[0.0]]), np.zeros(1))
    array([[0.25, 0.75]])
    """

    utility: Callable[[Matrix, Vector], Matrix]
    rule: ChoiceRule

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The probabilities of the places for each action."""
        utility = as_array("utility", self.utility(actions, opponent_type), ndim=2)
        if len(utility) != len(actions) or utility.size == 0:
            raise InvalidInput(
                f"utility gave shape {utility.shape} for {len(actions)} action(s): give one row per action and one "
                "column per place."
            )
        return self.rule(utility)
