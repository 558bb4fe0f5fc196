"""μ, σ and γ: what the responses so far say about b."""

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.choice import ChoiceBelief
from firstmover.beliefs.columns import TABLE_LIMIT
from firstmover.beliefs.confidence import ConstantWidth, LemmaWidth, confidence_box
from firstmover.beliefs.deterred import Deterred
from firstmover.beliefs.exact import information_gain, posterior
from firstmover.beliefs.finite import FiniteBelief
from firstmover.beliefs.forgetting import Forgetting
from firstmover.beliefs.fresh import FreshBelief
from firstmover.beliefs.large import LargeBelief
from firstmover.beliefs.per_output import PerOutput
from firstmover.beliefs.sparse import BudgetedBelief
from firstmover.contracts import Belief
from firstmover.reading import split
from firstmover.records import Matrix

__all__ = [
    "BudgetedBelief",
    "ChoiceBelief",
    "ConstantWidth",
    "Deterred",
    "FiniteBelief",
    "Forgetting",
    "FreshBelief",
    "LargeBelief",
    "LemmaWidth",
    "PerOutput",
    "belief_over",
    "confidence_box",
    "information_gain",
    "posterior",
]


def belief_over(
    kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int, types: Matrix | None = None
) -> Belief:
    """The belief before the first round, in the representation that fits what is known of the types.

    Known types make the domain finite: all of it is kept up to date, and reading a type is free. When it is large and
    the kernel is a product of one of the action and one of the type, the types share what is kept. Without known types
    every round may bring a new one, and a growing factor answers.
    """
    if types is None:
        return FreshBelief.prior(kernel, regularization, actions, n_outputs)
    large = len(actions) * len(types) > TABLE_LIMIT and split(kernel, np.shape(actions)[-1]) is not None
    return (LargeBelief if large else FiniteBelief).prior(kernel, regularization, actions, types, n_outputs)
