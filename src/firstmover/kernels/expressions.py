"""Kernels over z = (action, type): scikit-learn's own, and wrappers that look at one part of z only.

Any scikit-learn kernel expression works as it is and then sees the whole row z. `on_action(k)` and `on_type(k)`
restrict k to one part, inside sums, products and powers too, and keep k's hyperparameters for the optimiser.
A belief binds the expression to the number of action features; `bind` does the same by hand.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    Hyperparameter,
    Kernel,
    Matern,
    WhiteKernel,
)

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import InvalidInput
from firstmover.kernels.table import kernel_from, on_action, on_type


class OnPart(Kernel):  # type: ignore[misc]  # scikit-learn ships no types
    """k((x, θ), (x', θ')) = kernel(x, x') or kernel(θ, θ'), as `part` says.

    The split of z is `action_features`, the number of leading columns that belong to the action.

    Parameters
    ----------
    kernel
        A scikit-learn kernel.
    part
        "action" or "type".
    action_features
        Number of leading columns of z that belong to the action; None: not bound yet.

    Raises
    ------
    InvalidInput
        When it is evaluated before it is bound.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.kernels import OnPart
    >>> OnPart(RBF(), "type", action_features=1)([[0.0, 5.0]], [[9.0, 5.0]])
    array([[1.]])
    """

    def __init__(
        self, kernel: Kernel, part: Literal["action", "type"] = "action", action_features: int | None = None
    ) -> None:
        self.kernel = kernel
        self.part = part
        self.action_features = action_features

    def _columns(self, z: Matrix) -> Matrix:
        if self.action_features is None:
            raise InvalidInput(
                f"{self!r} does not know how many columns belong to the action: call bind(kernel, action_features)."
            )
        z = np.atleast_2d(z)
        return z[:, : self.action_features] if self.part == "action" else z[:, self.action_features :]

    def __call__(self, X: Matrix, Y: Matrix | None = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix of the part, and its gradient in the hyperparameters when asked for."""
        other = None if Y is None else self._columns(Y)
        return self.kernel(self._columns(X), other, eval_gradient=eval_gradient)

    def diag(self, X: Matrix) -> Vector:
        """k(z, z) of each row."""
        return self.kernel.diag(self._columns(X))

    def is_stationary(self) -> bool:
        """Whether k depends on differences of its part only."""
        return bool(self.kernel.is_stationary())

    # What follows lets scikit-learn see the inner kernel's hyperparameters, as its own Exponentiation does.
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments and, if deep, those of the inner kernel."""
        own = {"kernel": self.kernel, "part": self.part, "action_features": self.action_features}
        inner = {f"kernel__{name}": value for name, value in self.kernel.get_params().items()} if deep else {}
        return own | inner

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """The inner kernel's hyperparameters under prefixed names."""
        return [
            Hyperparameter(f"kernel__{h.name}", h.value_type, h.bounds, h.n_elements)
            for h in self.kernel.hyperparameters
        ]

    @property
    def theta(self) -> Vector:
        """Logarithms of the free hyperparameters."""
        return self.kernel.theta

    @theta.setter
    def theta(self, theta: Vector) -> None:
        self.kernel.theta = theta

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Logarithms of the hyperparameters' limits."""
        return self.kernel.bounds

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OnPart)
            and (self.part, self.action_features) == (other.part, other.action_features)
            and bool(self.kernel == other.kernel)
        )

    __hash__ = None  # type: ignore[assignment]  # mutable through theta, like every scikit-learn kernel

    def __repr__(self) -> str:
        return f"on_{self.part}({self.kernel})"


def bind(kernel: Kernel, action_features: int) -> Kernel:
    """Return a copy of the expression in which every `on_action` and `on_type` knows the split of z.

    Parameters
    ----------
    kernel
        A scikit-learn kernel expression.
    action_features
        Number of leading columns of z that belong to the action.

    Returns
    -------
    Kernel
        The bound kernel.

    Raises
    ------
    InvalidInput
        If it is no kernel, or has a WhiteKernel or a CompoundKernel.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover import on_action
    >>> from firstmover.kernels import bind
    >>> bind(on_action(RBF()), 1)([[0.0, 5.0]], [[0.0, 7.0]])
    array([[1.]])
    """
    if not isinstance(kernel, Kernel):
        raise InvalidInput(f"kernel is {kernel!r}: give a scikit-learn kernel, such as RBF() or polynomial(3).")
    bound = clone(kernel)
    parameters = {"": bound} | bound.get_params()
    if any(isinstance(value, WhiteKernel) for value in parameters.values()):
        raise InvalidInput("kernel has a WhiteKernel: leave it out and give its noise_level as regularization.")
    if any(isinstance(value, CompoundKernel) for value in parameters.values()):
        raise InvalidInput("kernel has a CompoundKernel: use a sum or a product of its kernels instead.")
    splits = [name for name in parameters if name.rpartition("__")[2] == "action_features"]
    return bound.set_params(**dict.fromkeys(splits, action_features))


def rbf(length_scale: float = 1.0, variance: float = 1.0) -> Kernel:
    """k(z, z') = variance · exp(−‖z − z'‖² / (2 length_scale²))."""
    return positive("variance", variance) * RBF(positive("length_scale", length_scale))


def matern(length_scale: float = 1.0, variance: float = 1.0, nu: float = 2.5) -> Kernel:
    """k(z, z') = variance · the Matérn kernel of smoothness nu."""
    smooth = Matern(positive("length_scale", length_scale), nu=positive("nu", nu))
    return positive("variance", variance) * smooth


def product(action: Any, opponent_type: Any) -> Kernel:
    """k(z, z') = k_x(x, x') · k_θ(θ, θ'), each described by a name with parameters."""
    return on_action(kernel_from(action)) * on_type(kernel_from(opponent_type))
