"""Random response functions with a known RKHS norm: scaled finite sums of kernels."""

from dataclasses import dataclass

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.errors import InvalidInput
from firstmover.kernels import bind, pairs


@dataclass(frozen=True, eq=False)
class KernelSum:
    """b_i(z) = Σ_j α_ij k(z, z_j) for each output i: a member of the RKHS of k with norm √(α_iᵀ K α_i).

    Parameters
    ----------
    kernel
        k, bound to the features of the actions.
    centres
        z_j (c, d + p).
    coefficients
        α (c, m).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.theory import KernelSum
    >>> KernelSum(RBF(), np.array([[0.0, 0.0]]), np.array([[3.0]])).norms
    array([3.])
    """

    kernel: Kernel
    centres: Matrix
    coefficients: Matrix

    @classmethod
    def of_norm(
        cls, kernel: Kernel, action_features: int, centres: Matrix, coefficients: Matrix, norm: float
    ) -> "KernelSum":
        """Return the sum with these coefficients, scaled so that every output has this norm.

        >>> import numpy as np
        >>> from firstmover.theory import KernelSum
        >>> from sklearn.gaussian_process.kernels import RBF
        >>> b = KernelSum.of_norm(RBF(), 1, np.array([[0.0, 0.0]]), np.array([[-7.0]]), norm=2.0)
        >>> b(np.array([[0.0], [1.0]]), np.array([0.0])).ravel().round(4), b.norms
        (array([-2.    , -1.2131]), array([2.]))
        """
        drawn = cls(bind(kernel, action_features), as_array("centres", centres, ndim=2), coefficients)
        norms = drawn.norms
        if not np.all(norms > 0):
            raise InvalidInput("coefficients give the zero function, which cannot be scaled: give others.")
        return cls(drawn.kernel, drawn.centres, coefficients * (positive("norm", norm) / norms))

    @property
    def norms(self) -> Vector:
        """‖b_i‖_k = √(α_iᵀ K α_i) of each output (m,)."""
        return np.sqrt(np.sum(self.coefficients * (self.kernel(self.centres) @ self.coefficients), axis=0))

    def at(self, points: Matrix) -> Matrix:
        """b at any rows z (k, m)."""
        return self.kernel(points, self.centres) @ self.coefficients

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b(x, θ) of all given actions at one type."""
        return self.at(pairs(actions, opponent_type[None]))


def random_response(
    kernel: Kernel, actions: Matrix, types: Matrix, norm: float, *, n_outputs: int, rng: np.random.Generator
) -> KernelSum:
    """Draw a function with normal coefficients at up to 12 distinct points of X × Θ, scaled to the norm.

    The first coefficient is four times as large as the others: a function with one peak is the hardest for a box
    centred at zero, since `|b(z)|` reaches norm · √k(z, z) only if the whole norm is concentrated at z.

    Parameters
    ----------
    kernel
        k over z.
    actions
        X (n, d).
    types
        Θ (q, p).
    norm
        Of every output.
    n_outputs
        m, the number of outputs.
    rng
        A random generator.

    Returns
    -------
    KernelSum
        A response function for `Opponent`.

    Raises
    ------
    InvalidInput
        If the kernel or the norm cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.theory import random_response
    >>> menu = np.linspace(0, 1, 5)[:, None]
    >>> b = random_response(RBF(), menu, np.array([[0.0]]), 2.0, n_outputs=1, rng=np.random.default_rng(0))
    >>> b.norms.round(6)
    array([2.])
    """
    domain = pairs(actions, types)
    centres = domain[rng.choice(len(domain), size=min(12, len(domain)), replace=False)]
    coefficients = rng.standard_normal((len(centres), n_outputs))
    coefficients[0] *= 4
    return KernelSum.of_norm(kernel, actions.shape[1], centres, coefficients, norm)
