"""The KERNELS table and the kernels that Python code names most; scikit-learn is imported when one is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.arrays import LARGEST, Matrix, as_count, non_negative, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.registry import Table

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

    from firstmover.core.documents import Specification
    from firstmover.kernels.expressions import OnPart


@dataclass(frozen=True)
class KernelEntry:
    """An entry of the KERNELS table.

    Parameters
    ----------
    summary
        One line for people.
    build
        The parameters, as keywords, to the kernel.
    parameters
        Their model, or None.

    Examples
    --------
    >>> from firstmover.kernels import KERNELS
    >>> KERNELS["rbf"].build(length_scale=0.5)
    1**2 * RBF(length_scale=0.5)
    """

    summary: str
    build: "Callable[..., Kernel]"
    parameters: "type[Specification] | None" = None


LARGEST_DEGREE = 1000
"""Of a polynomial: (bias + z·z')^degree overflows for all but the smallest z long before."""

KERNELS: Table[KernelEntry] = Table("kernel", "firstmover.kernels.entries:ENTRIES")
"""Kernels by name, for documents and the command line: each entry (`KernelEntry`) builds one from its parameters."""


def kernel_from(description: Mapping[str, Any]) -> "Kernel":
    """Return the kernel that a name and keyword parameters describe.

    Parameters
    ----------
    description
        The `name` in KERNELS, and the parameters.

    Returns
    -------
    Kernel
        A scikit-learn kernel over z.

    Raises
    ------
    InvalidInput
        If the name or a parameter is unknown, or a value is outside its range.

    Examples
    --------
    >>> from firstmover.kernels import kernel_from
    >>> kernel_from({"name": "polynomial", "degree": 3, "bias": 4.0})
    DotProduct(sigma_0=2) ** 3
    >>> kernel_from({"name": "rbf", "lenght_scale": 2.0})
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: Unknown parameter of kernel 'rbf' 'lenght_scale': did you mean ...
    """
    if not isinstance(description, Mapping) or not isinstance(description.get("name"), str):
        raise InvalidInput(f"kernel is {description!r}: give its name and parameters, such as {{name = 'rbf'}}.")
    given = {name: value for name, value in description.items() if name != "name"}
    entry, parameters = KERNELS.resolve(description["name"], given)
    return entry.build(**dict(parameters))


def on_action(kernel: "Kernel") -> "OnPart":
    """k(z, z') = kernel(x, x'): looks at the action only.

    Parameters
    ----------
    kernel
        A scikit-learn kernel over the features of the action.

    Returns
    -------
    OnPart
        The kernel over z; it keeps the hyperparameters of `kernel`.

    Examples
    --------
    >>> from firstmover import on_action, on_type
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> on_action(RBF(0.5)) * on_type(RBF(2.0))
    on_action(RBF(length_scale=0.5)) * on_type(RBF(length_scale=2))
    """
    from firstmover.kernels.expressions import OnPart  # noqa: PLC0415

    return OnPart(kernel, "action")


def on_type(kernel: "Kernel") -> "OnPart":
    """k(z, z') = kernel(θ, θ'): looks at the type only.

    Parameters
    ----------
    kernel
        A scikit-learn kernel over the features of the type.

    Returns
    -------
    OnPart
        The kernel over z; it keeps the hyperparameters of `kernel`.

    Examples
    --------
    >>> from firstmover import on_type
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> on_type(RBF(2.0))
    on_type(RBF(length_scale=2))
    """
    from firstmover.kernels.expressions import OnPart  # noqa: PLC0415

    return OnPart(kernel, "type")


def linear(bias: float = 1.0) -> "Kernel":
    """k(z, z') = bias + z·z'."""
    from sklearn.gaussian_process.kernels import DotProduct  # noqa: PLC0415

    return DotProduct(np.sqrt(non_negative("bias", bias)))


def polynomial(degree: int, bias: float = 1.0, scale: float = 1.0) -> "Kernel":
    """k(z, z') = (bias + z·z' / scale²)^degree, from scikit-learn's DotProduct.

    With a scale as large as the longest z, k stays at most (bias + 1)^degree: a cubic kernel on raw demands would reach
    10^17.

    Parameters
    ----------
    degree
        1 or more.
    bias
        0 or more.
    scale
        Divides z; positive.

    Returns
    -------
    Kernel
        A scikit-learn kernel.

    Raises
    ------
    InvalidInput
        If a parameter is outside its range, or the kernel would overflow.

    Examples
    --------
    >>> from firstmover import polynomial
    >>> round(float(polynomial(3, bias=2.0)([[1.0, 2.0]], [[3.0, -1.0]])[0, 0]), 9)
    27.0
    """
    from sklearn.gaussian_process.kernels import ConstantKernel, Exponentiation  # noqa: PLC0415

    degree, scale = as_count("degree", degree), positive("scale", scale)
    if abs(log(scale)) * 2 * degree > log(LARGEST) or degree > LARGEST_DEGREE:
        raise InvalidInput(
            f"polynomial has degree {degree:.6g} and scale {scale:.6g}: give a degree of at most {LARGEST_DEGREE}, and "
            f"a scale whose power 2 × degree is from {1 / LARGEST:g} to {LARGEST:g}."
        )
    power = Exponentiation(linear(non_negative("bias", bias) * scale**2), degree)
    return power if scale == 1 else ConstantKernel(scale ** (-2.0 * degree), "fixed") * power


def pairs(actions: Matrix, opponent_types: Matrix) -> Matrix:
    """Return z = (x, θ) for every action at every type, type by type.

    Parameters
    ----------
    actions
        X (n, d).
    opponent_types
        Θ (q, p).

    Returns
    -------
    Matrix
        Rows (q·n, d + p).

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.kernels import pairs
    >>> pairs(np.array([[1.0], [2.0]]), np.array([[7.0]]))
    array([[1., 7.],
           [2., 7.]])
    """
    n, q = len(actions), len(opponent_types)
    return np.hstack([np.tile(actions, (q, 1)), np.repeat(opponent_types, n, axis=0)])
