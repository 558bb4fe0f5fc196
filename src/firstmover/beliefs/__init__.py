"""Posterior beliefs about b: μ, σ and γ from the responses so far."""

from typing import TYPE_CHECKING

import numpy as np

from firstmover import kernels
from firstmover.beliefs.choice import ChoiceBelief
from firstmover.beliefs.columns import TABLE_LIMIT
from firstmover.beliefs.confidence import ConstantWidth, LemmaWidth, confidence_box
from firstmover.beliefs.exact import information_gain, posterior
from firstmover.beliefs.finite import FiniteBelief
from firstmover.beliefs.fresh import FreshBelief
from firstmover.beliefs.large import LargeBelief
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Belief

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

__all__ = [
    "ChoiceBelief",
    "ConstantWidth",
    "FiniteBelief",
    "FreshBelief",
    "LargeBelief",
    "LemmaWidth",
    "belief_over",
    "confidence_box",
    "information_gain",
    "posterior",
]


def belief_over(
    kernel: "Kernel", regularization: float, actions: Matrix, n_outputs: int, types: Matrix | None = None
) -> Belief:
    """Return the belief before the first round, in the representation that suits the types.

    With known types the domain is finite and its posterior is stored, so that a prediction is a lookup. If the domain
    is large and the kernel is a product of a kernel of the action and one of the type, the types share kernel rows.
    Without known types, each prediction solves with a growing Cholesky factor.

    Parameters
    ----------
    kernel
        k over z = (action, type).
    regularization
        λ.
    actions
        X (n, d).
    n_outputs
        m, the number of outputs.
    types
        Θ (q, p); None if any type may come.

    Returns
    -------
    Belief
        A belief with `predict` and `condition`.

    Raises
    ------
    InvalidInput
        If the kernel cannot be used, or an array or number is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.beliefs import belief_over
    >>> belief = belief_over(RBF(), 0.01, np.array([[0.0], [1.0]]), n_outputs=1, types=np.array([[0.5]]))
    >>> belief.condition(0, np.array([0.5]), np.array([2.0])).predict(np.array([0.5])).mean.round(3)
    array([[1.98 ],
           [1.201]])
    """
    if types is None:
        return FreshBelief.prior(kernel, regularization, actions, n_outputs)
    large = len(actions) * len(types) > TABLE_LIMIT and kernels.split(kernel, np.shape(actions)[-1]) is not None
    return (LargeBelief if large else FiniteBelief).prior(kernel, regularization, actions, types, n_outputs)
