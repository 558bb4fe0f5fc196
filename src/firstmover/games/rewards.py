"""Rewards r(x, y) with their maximum over a box of responses, Eq. (6), and their minimum."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, as_array, as_count, non_negative, real_number
from firstmover.core.choices import best_choice
from firstmover.core.errors import InvalidInput, shown
from firstmover.core.linear_bounds import LinearBounds, Plane
from firstmover.core.records import Box

RewardFunction = Callable[[Matrix, Matrix], Vector]
"""Rows of actions (k, d) and of responses (k, m) to rewards (k,)."""

MOST_POINTS = 10_000_000
"""The largest number of lattice points of all boxes together, which memory limits."""


def lattice(axes: Sequence[Vector]) -> Matrix:
    """All combinations of coordinates, one row each, the last coordinate fastest.

    >>> lattice([np.array([0.0, 1.0]), np.array([5.0, 6.0])]).tolist()
    [[0.0, 5.0], [0.0, 6.0], [1.0, 5.0], [1.0, 6.0]]
    """
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def lattice_in(box: Box, points: int) -> NDArray[np.float64]:
    """A lattice of so many points per output in each of n boxes, (n, points^m, m)."""
    shares = lattice([np.linspace(0.0, 1.0, points)] * box.lower.shape[1])
    return np.minimum(box.lower[:, None] + shares * (box.upper - box.lower)[:, None], box.upper[:, None])


@dataclass(frozen=True)
class Monotone:
    """A reward that rises (+1) or falls (−1) in each coordinate of the response, so that the best corner is known.

    Parameters
    ----------
    function
        r: actions (k, d) and responses (k, m) to rewards (k,), row by row.
    directions
        +1 or −1 for each output.
    slopes
        Of a reward that is linear in the response: actions (k, d) to ∂r/∂y (k, m). Certificates are tighter with it.

    Raises
    ------
    InvalidInput
        If a direction is neither 1 nor −1, or there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, Monotone
    >>> profit = Monotone(lambda x, y: x[:, 0] * y[:, 0] - y[:, 1], directions=(1, -1))
    >>> profit.best_in_box(np.array([[2.0]]), Box([[1.0, 5.0]], [[3.0, 6.0]]))
    array([1.])
    """

    function: RewardFunction
    directions: tuple[int, ...]
    slopes: Callable[[Matrix], Matrix] | None = None

    def __post_init__(self) -> None:
        known = isinstance(self.directions, Sequence) and all(abs(real_number(each)) == 1 for each in self.directions)
        if not known or not self.directions:
            raise InvalidInput(
                f"directions is {shown(self.directions)}: give +1 or -1 for each output of the response."
            )

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self.function(actions, responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the corner that the directions point to."""
        return self._at_corner(actions, box, 1)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the opposite corner."""
        return self._at_corner(actions, box, -1)

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:  # noqa: ARG002 - of the contract
        """The reward itself if it declares slopes."""
        if self.slopes is None:
            return None
        slope = as_array("slopes", self.slopes(actions), ndim=2)
        origin = np.zeros((len(actions), len(self.directions)))
        if slope.shape != origin.shape:
            raise InvalidInput(f"slopes gave shape {slope.shape}: it must be {origin.shape}, one row per action.")
        plane = Plane(self.function(actions, origin), slope)
        return LinearBounds(plane, plane)

    def _at_corner(self, actions: Matrix, box: Box, sign: int) -> Vector:
        if box.lower.shape[-1] != len(self.directions):
            raise InvalidInput(
                f"directions has {len(self.directions)} sign(s): give one for each of {box.lower.shape[-1]} outputs."
            )
        return self.function(actions, np.where(sign * np.array(self.directions) > 0, box.upper, box.lower))


def increasing(
    function: RewardFunction, n_outputs: int = 1, slopes: Callable[[Matrix], Matrix] | None = None
) -> Monotone:
    """Return a reward that grows with every output of the response.

    Parameters
    ----------
    function
        r: actions (k, d) and responses (k, m) to rewards (k,), row by row.
    n_outputs
        m, the number of outputs.
    slopes
        Of a reward that is linear in the response: actions (k, d) to ∂r/∂y (k, m).

    Returns
    -------
    Monotone
        The reward; its maximum over a box is at the upper corner.

    Raises
    ------
    InvalidInput
        If there is no output.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, increasing
    >>> sales = increasing(lambda x, y: x[:, 0] * y[:, 0])
    >>> sales.best_in_box(np.array([[2.0]]), Box([[1.0]], [[4.0]]))
    array([8.])
    """
    return Monotone(function, (1,) * n_outputs, slopes)


def decreasing(
    function: RewardFunction, n_outputs: int = 1, slopes: Callable[[Matrix], Matrix] | None = None
) -> Monotone:
    """Return a reward that falls with every output of the response.

    Parameters
    ----------
    function
        r: actions (k, d) and responses (k, m) to rewards (k,), row by row.
    n_outputs
        m, the number of outputs.
    slopes
        Of a reward that is linear in the response: actions (k, d) to ∂r/∂y (k, m).

    Returns
    -------
    Monotone
        The reward; its maximum over a box is at the lower corner.

    Raises
    ------
    InvalidInput
        If there is no output.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, decreasing
    >>> delay = decreasing(lambda x, y: -y.sum(axis=1), n_outputs=2)
    >>> delay.best_in_box(np.array([[0.0]]), Box([[1.0, 2.0]], [[4.0, 4.0]]))
    array([-3.])
    """
    return Monotone(function, (-1,) * n_outputs, slopes)


@dataclass(frozen=True, eq=False)
class Bilinear:
    """r(x, y) = xᵀ A y, the expected payoff of a table A (n, f) when y (f,) are probabilities of follower actions.

    The maximum is over box ∩ simplex, so that a constant added to the table is added to the maximum.

    Parameters
    ----------
    payoffs
        A (n, f).

    Raises
    ------
    InvalidInput
        If the table is no matrix of finite numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box
    >>> from firstmover.games import Bilinear
    >>> Bilinear(np.array([[2.0, -1.0]])).best_in_box(np.array([[1.0]]), Box([[0.0, 0.25]], [[0.5, 1.0]]))
    array([0.5])
    """

    payoffs: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "payoffs", as_array("payoffs", self.payoffs, ndim=2))

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return np.sum((actions @ self.payoffs) * responses, axis=1)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """max Σ_j c_j y_j with c = Aᵀ x, over the y of the box that sum to 1."""
        return best_choice(actions @ self.payoffs, box)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """min Σ_j c_j y_j over the same y."""
        return -best_choice(-actions @ self.payoffs, box)

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds:  # noqa: ARG002 - of the contract
        """The reward itself."""
        plane = Plane(np.zeros(len(actions)), actions @ self.payoffs)
        return LinearBounds(plane, plane)


def values_on_lattice(function: RewardFunction, actions: Matrix, box: Box, points: int) -> Matrix:
    """The values of a function on a lattice of so many points per output in each of n boxes (n, points^m)."""
    n, m = box.lower.shape
    if n * points**m > MOST_POINTS:
        raise InvalidInput(
            f"points is {points}: {n} boxes of {m} outputs would need more than {MOST_POINTS:_} in all; give "
            "fewer points, or a Monotone or Concave reward."
        )
    y = lattice_in(box, points)
    return np.asarray(function(np.repeat(actions, y.shape[1], axis=0), y.reshape(-1, m))).reshape(n, -1)


def _check_bounded(box: Box) -> None:
    if not (np.all(np.isfinite(box.lower)) and np.all(np.isfinite(box.upper))):
        raise InvalidInput("box is unbounded: give the game a finite response_domain, or a finite confidence_width.")


@dataclass(frozen=True)
class Concave:
    """A reward concave and differentiable in the response, with its gradient in y, (k, m).

    All boxes are one separable problem for L-BFGS-B. At its solution ŷ the tangent bounds the rest of the box:
    max r ≤ r(ŷ) + max_y ∇r(ŷ)·(y − ŷ). This bound is returned: at least the maximum, and above it by at most the last
    term.

    Parameters
    ----------
    function
        r: actions (k, d) and responses (k, m) to rewards (k,), concave in the responses.
    gradient
        ∂r/∂y (k, m) of the same rows.

    Raises
    ------
    InvalidInput
        When a maximum is computed, if the box is unbounded or the gradient has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, Concave
    >>> near = Concave(lambda x, y: -(y[:, 0] - x[:, 0]) ** 2, lambda x, y: -2 * (y - x))
    >>> near.best_in_box(np.array([[2.0], [9.0]]), Box([[1.0], [1.0]], [[3.0], [3.0]])).round(6)
    array([  0., -36.])
    """

    function: RewardFunction
    gradient: Callable[[Matrix, Matrix], Matrix]

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self.function(actions, responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The certified maximum over each box."""
        from scipy.optimize import Bounds, minimize  # noqa: PLC0415 - slow to import, and no other reward needs it

        _check_bounded(box)
        shape = box.lower.shape

        def cost(flat: Vector) -> tuple[float, Vector]:
            y = flat.reshape(shape)
            return -float(np.sum(self.function(actions, y))), -self._slope(actions, y).ravel()

        start = ((box.lower + box.upper) / 2).ravel()
        limits = Bounds(box.lower.ravel(), box.upper.ravel())
        best = minimize(cost, start, jac=True, bounds=limits, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-12})
        y = np.clip(best.x.reshape(shape), box.lower, box.upper)
        slope = self._slope(actions, y)
        gap = np.sum(np.maximum(slope * (box.upper - y), slope * (box.lower - y)), axis=1)
        return self.function(actions, y) + gap

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The smallest value at a corner, which is the minimum of a concave function."""
        _check_bounded(box)
        return values_on_lattice(self.function, actions, box, 2).min(axis=1)

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:
        """The tangent in the middle of each box from above, and the minimum over it from below."""
        if box is None:
            return None
        _check_bounded(box)
        middle = (box.lower + box.upper) / 2
        slope = self._slope(actions, middle)
        above = Plane(self.function(actions, middle) - np.sum(slope * middle, axis=1), slope)
        return LinearBounds(above, Plane(self.worst_in_box(actions, box), np.zeros_like(slope)))

    def _slope(self, actions: Matrix, responses: Matrix) -> Matrix:
        slope = np.asarray(self.gradient(actions, responses))
        if slope.shape != responses.shape:
            raise InvalidInput(f"gradient gave shape {slope.shape}: it must be {responses.shape}, one row per action.")
        return slope


@dataclass(frozen=True)
class Lattice:
    """Any reward with a Lipschitz constant in ‖·‖₁ of the response: the maximum over a lattice, plus its error.

    With q points per axis no point of the box is further than Σ_i width_i / (2 (q − 1)) from the lattice. L_r times
    this distance is added, so the result is at least the maximum, and exceeds it by at most as much.

    Parameters
    ----------
    function
        r: actions (k, d) and responses (k, m) to rewards (k,).
    reward_lipschitz
        L_r: a change of y by 1 in ‖·‖₁ changes r by at most L_r.
    points
        q, the number of points per output, 2 or more.

    Raises
    ------
    InvalidInput
        If the constant is negative or there are fewer than 2 points; when a maximum is computed, if the box is
        unbounded or needs too many points.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, Lattice
    >>> wave = Lattice(lambda x, y: np.sin(y[:, 0]), reward_lipschitz=1.0, points=101)
    >>> wave.best_in_box(np.array([[0.0]]), Box([[0.0]], [[4.0]])).round(3)
    array([1.02])
    """

    function: RewardFunction
    reward_lipschitz: float
    points: int = 33

    def __post_init__(self) -> None:
        non_negative("reward_lipschitz", self.reward_lipschitz)
        as_count("points", self.points, least=2)

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self.function(actions, responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The largest value on the lattice plus its error."""
        error, values = self._on_lattice(actions, box)
        return values.max(axis=1) + error

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The smallest value on the lattice minus its error."""
        error, values = self._on_lattice(actions, box)
        return values.min(axis=1) - error

    def _on_lattice(self, actions: Matrix, box: Box) -> tuple[Vector, Matrix]:
        """The error of each box and the values on its lattice."""
        _check_bounded(box)
        width = (box.upper - box.lower).sum(axis=1)
        error = self.reward_lipschitz * width / (2 * (self.points - 1))
        return error, values_on_lattice(self.function, actions, box, self.points)
