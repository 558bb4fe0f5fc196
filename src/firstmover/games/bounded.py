"""Bounded rationality: how opponents choose among finitely many places when they do not simply take the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector, as_array, as_number, distribution, non_negative

ChoiceRule = Callable[[Matrix], Matrix]
"""Utilities (k, c) of c places to the chances (k, c) of choosing each."""

TIE = 1e-12
"""Utilities closer than this are equal: the first place is taken."""


def best(utility: Matrix) -> Matrix:
    """The best place for certain, ties to the first.

    >>> best(np.array([[1.0, 3.0, 3.0]]))
    array([[0., 1., 0.]])
    """
    first = np.argmax(utility >= utility.max(axis=1, keepdims=True) - TIE, axis=1)
    return np.eye(utility.shape[1])[first]


def logit(rationality: float) -> ChoiceRule:
    """Quantal response (McKelvey and Palfrey 1995): chances ∝ exp(rationality · utility).

    >>> logit(np.log(2))(np.array([[1.0, 2.0, 1.0]]))
    array([[0.25, 0.5 , 0.25]])
    """
    non_negative("rationality", rationality)

    def choose(utility: Matrix) -> Matrix:
        with np.errstate(over="ignore"):  # a utility so far below the best has no chance
            return softmax(rationality * (utility - utility.max(axis=1, keepdims=True)), axis=1)

    return choose


def epsilon_best(epsilon: float) -> ChoiceRule:
    """The best place with chance 1 − ε, else any place, equally likely.

    >>> epsilon_best(0.3)(np.array([[1.0, 2.0, 0.0]])).round(3)
    array([[0.1, 0.8, 0.1]])
    """
    if not 0 <= as_number("epsilon", epsilon) <= 1:
        raise InvalidInput(f"epsilon is {epsilon}: give a chance between 0 and 1.")
    return lambda utility: (1 - epsilon) * best(utility) + epsilon / utility.shape[1]


def satisficing(slack: float) -> ChoiceRule:
    """Any place whose utility is at most `slack` below the best, equally likely (Simon 1956).

    >>> satisficing(0.5)(np.array([[1.0, 2.0, 1.5]]))
    array([[0. , 0.5, 0.5]])
    """
    non_negative("slack", slack)

    def choose(utility: Matrix) -> Matrix:
        enough = utility >= utility.max(axis=1, keepdims=True) - slack - TIE
        return enough / enough.sum(axis=1, keepdims=True)

    return choose


@dataclass(frozen=True, eq=False)
class Choosing:
    """b(x, θ): the chances (k, c) with which an opponent chooses each of c places, by its utility and a rule.

    >>> who = Choosing(lambda x, _: np.hstack([x, 1 - x]), logit(np.log(3)))
    >>> who(np.array([[0.0], [1.0]]), np.zeros(1))
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """

    utility: Callable[[Matrix, Vector], Matrix]
    rule: ChoiceRule

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The chances of each place for each action."""
        utility = as_array("utility", self.utility(actions, opponent_type), ndim=2)
        if len(utility) != len(actions) or utility.size == 0:
            raise InvalidInput(
                f"utility gave shape {utility.shape} for {len(actions)} action(s): give a row each, a column a place."
            )
        return self.rule(utility)


@dataclass(frozen=True, eq=False)
class Population:
    """Opponents of several kinds, met with fixed shares: their chances, averaged.

    >>> half = Population((Choosing(lambda x, _: x, best), Choosing(lambda x, _: -x, best)), np.array([0.75, 0.25]))
    >>> half(np.array([[1.0, 2.0]]), np.zeros(1))
    array([[0.25, 0.75]])
    """

    kinds: Sequence[Choosing]
    shares: Vector

    def __post_init__(self) -> None:
        if len(self.kinds) == 0 or len(self.kinds) != len(self.shares):
            raise InvalidInput(
                f"shares has {len(self.shares)} number(s) for {len(self.kinds)} kind(s): give one for each."
            )
        object.__setattr__(self, "shares", distribution("shares", self.shares, len(self.kinds)))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The chances of each place for each action."""
        chances = [share * kind(actions, opponent_type) for share, kind in zip(self.shares, self.kinds, strict=True)]
        return np.sum(chances, axis=0)
