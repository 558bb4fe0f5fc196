"""Rules of bounded rationality beside the logit of the package: noisy best responses, satisficing, and mixtures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_number, distribution, non_negative
from firstmover.core.errors import InvalidInput
from firstmover.games.choice_rules import TIE, ChoiceRule, Choosing


def best(utility: Matrix) -> Matrix:
    """The best place with probability 1, ties to the first."""
    first = np.argmax(utility >= utility.max(axis=1, keepdims=True) - TIE, axis=1)
    return np.eye(utility.shape[1])[first]


def epsilon_best(epsilon: float) -> ChoiceRule:
    """The best place with probability 1 − ε, otherwise a uniformly random place."""
    if not 0 <= as_number("epsilon", epsilon) <= 1:
        raise InvalidInput(f"epsilon is {epsilon}: give a probability between 0 and 1.")
    return lambda utility: (1 - epsilon) * best(utility) + epsilon / utility.shape[1]


def satisficing(slack: float) -> ChoiceRule:
    """A uniformly random place among those whose utility is at most `slack` below the best (Simon 1956)."""
    non_negative("slack", slack)

    def choose(utility: Matrix) -> Matrix:
        enough = utility >= utility.max(axis=1, keepdims=True) - slack - TIE
        return enough / enough.sum(axis=1, keepdims=True)

    return choose


@dataclass(frozen=True, eq=False)
class Population:
    """Opponents of several kinds with fixed shares: the weighted mean of their choice probabilities."""

    kinds: Sequence[Choosing]
    shares: Vector

    def __post_init__(self) -> None:
        if len(self.kinds) == 0 or len(self.kinds) != len(self.shares):
            raise InvalidInput(
                f"shares has {len(self.shares)} number(s) for {len(self.kinds)} kind(s): give one for each."
            )
        object.__setattr__(self, "shares", distribution("shares", self.shares, len(self.kinds)))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The probabilities of the places for each action."""
        chances = [share * kind(actions, opponent_type) for share, kind in zip(self.shares, self.kinds, strict=True)]
        return np.sum(chances, axis=0)
