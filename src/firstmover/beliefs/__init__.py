"""μ, σ and γ: what the responses so far say about b."""

from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.confidence import ConstantWidth, LemmaWidth, confidence_box
from firstmover.beliefs.exact import information_gain, posterior
from firstmover.beliefs.finite import FiniteBelief
from firstmover.beliefs.fresh import FreshBelief
from firstmover.contracts import Belief
from firstmover.records import Matrix

__all__ = [
    "ConstantWidth",
    "FiniteBelief",
    "FreshBelief",
    "LemmaWidth",
    "belief_over",
    "confidence_box",
    "information_gain",
    "posterior",
]


def belief_over(
    kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int, types: Matrix | None = None
) -> Belief:
    """The belief before the first round, in the representation that fits what is known of the types.

    Known types make the domain finite: all of it is kept up to date, and reading a type is free. Without them every
    round may bring a new type, and a growing factor answers.
    """
    if types is None:
        return FreshBelief.prior(kernel, regularization, actions, n_outputs)
    return FiniteBelief.prior(kernel, regularization, actions, types, n_outputs)
