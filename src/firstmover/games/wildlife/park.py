"""A wildlife park: cells of side 1, an animal density, and the grid of places where poachers can strike."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import _set
from firstmover.games.rewards import lattice

Indices = NDArray[np.intp]
"""Indices of cells, boxes or lattice points."""


@dataclass(frozen=True, eq=False)
class Park:
    """φ(y) = density_scale · Σ_k w_k N(y; μ_k, Σ_k) on a park of c₁ × c₂ cells of side 1.

    Cell i₁ c₂ + i₂ is [i₁, i₁ + 1) × [i₂, i₂ + 1): a border belongs to the cell above it, the park's far edges to the
    last cells. A location outside counts as the nearest one in the park.

    The `weights` w (k,) are on the simplex; the mixture integrates to 1 over the plane. Responses lie on the multiples
    of `grid_step` below c₁ and c₂.
    """

    weights: Vector
    means: Matrix
    covariances: NDArray[np.float64]
    cells: tuple[int, int] = (5, 5)
    grid_step: float = 0.1
    density_scale: float = 1.0

    def __post_init__(self) -> None:
        weights, means = as_array("weights", self.weights, ndim=1), as_array("means", self.means, ndim=2)
        covariances = as_array("covariances", self.covariances, ndim=3)
        _check_mixture(weights, means, covariances)
        if len(self.cells) != 2 or any(c < 1 or c != int(c) for c in self.cells):
            raise InvalidInput(f"cells is {self.cells}: give two whole numbers, 1 or more.")
        if not 0 < self.grid_step <= 1:
            raise InvalidInput(
                f"grid_step is {self.grid_step}: give a step above 0, and at most 1, the side of a cell."
            )
        if max(self.cells) <= self.grid_step:
            raise InvalidInput(
                f"grid_step {self.grid_step} leaves one place in a park of one cell: give a smaller step."
            )
        positive("density_scale", self.density_scale)
        cells = (int(self.cells[0]), int(self.cells[1]))
        _set(self, weights=weights, means=means, covariances=covariances, cells=cells)

    @property
    def n_cells(self) -> int:
        """c₁ c₂."""
        return self.cells[0] * self.cells[1]

    @cached_property
    def _size(self) -> Vector:
        return np.array(self.cells, dtype=float)

    @cached_property
    def precisions(self) -> NDArray[np.float64]:
        """Σ_k⁻¹ (k, 2, 2)."""
        return np.asarray(np.linalg.inv(self.covariances), dtype=np.float64)

    @cached_property
    def peaks(self) -> Vector:
        """The density of each Gaussian at its own mean (k,), scaled."""
        return self.density_scale * self.weights / (2 * np.pi * np.sqrt(np.linalg.det(self.covariances)))

    @cached_property
    def _terms(self) -> NDArray[np.float64]:
        """μ₁, μ₂, the coefficients of u², u v and v² in −dᵀΣ⁻¹d / 2 with d = (u, v), and the peaks: (6, k)."""
        a, b, c = (self.precisions[:, i, j] for i, j in ((0, 0), (0, 1), (1, 1)))
        return np.stack([self.means[:, 0], self.means[:, 1], -a / 2, -b, -c / 2, self.peaks])

    def density_at(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        """φ at coordinates of two shapes that broadcast and have as many dimensions."""
        mean_1, mean_2, uu, uv, vv, peak = self._terms.reshape(6, -1, *(1,) * np.ndim(first))
        u, v = first - mean_1, second - mean_2
        return np.sum(peak * np.exp(uu * u * u + vv * v * v + (uv * u) * v), axis=0)

    def density(self, locations: Matrix) -> Vector:
        """φ of each row (k, 2)."""
        return self.density_at(locations[:, 0], locations[:, 1])

    def inside(self, locations: Matrix) -> Matrix:
        """The nearest locations in the park."""
        return np.minimum(np.maximum(locations, 0.0), self._size)

    def cell_of(self, locations: Matrix) -> Indices:
        """The index of the cell of each row (k, 2)."""
        at = np.minimum(np.maximum(locations, 0.0), self._size - 1).astype(np.intp)
        return at[:, 0] * self.cells[1] + at[:, 1]

    @cached_property
    def grid(self) -> Matrix:
        """The locations of responses, the first coordinate slowest; ties go to the first in this order."""
        axes = [np.round(np.arange(np.ceil(c / self.grid_step - 1e-9)) * self.grid_step, 12) for c in self.cells]
        return lattice(axes)

    @cached_property
    def largest_in_cells(self) -> Vector:
        """θ̄, the largest density on the grid within each cell."""
        largest = np.zeros(self.n_cells)
        np.maximum.at(largest, self.cell_of(self.grid), self.density(self.grid))
        return largest


def _check_mixture(weights: Vector, means: Matrix, covariances: NDArray[np.float64]) -> None:
    k = len(weights)
    if k == 0 or means.shape != (k, 2) or covariances.shape != (k, 2, 2):
        raise InvalidInput(
            f"weights {weights.shape}, means {means.shape} and covariances {covariances.shape} do not fit: "
            "give (k,), (k, 2) and (k, 2, 2) for k Gaussians."
        )
    if np.any(weights < 0) or abs(weights.sum() - 1) > 1e-9:
        raise InvalidInput(f"weights are {weights.tolist()}: give shares, 0 or more, that sum to 1.")
    symmetric = np.all(np.abs(covariances - covariances.transpose(0, 2, 1)) <= 1e-12 * np.abs(covariances).max())
    smallest = np.linalg.eigvalsh(covariances)[:, 0]
    if not symmetric or np.any(smallest <= 0):
        worst = int(np.argmin(smallest))
        raise InvalidInput(
            f"covariances[{worst}] is {covariances[worst].tolist()}: give symmetric matrices with eigenvalues above 0."
        )


@lru_cache(maxsize=8)
def published_park(density_scale: float = 10.0) -> Park:
    """The park of Section 4.2: 25 cells, four Gaussians of equal weight.

    The text asks for φ in [0, 1] and does not state the scale of the mixture. Its peak is 0.067; with the factor 10
    of the authors' program for the poachers φ peaks at 0.669. That program's rangers see the mixture itself,
    `density_scale=1`.
    """
    round_, long_ = np.array([[0.8, 0.4], [0.4, 0.8]]), np.array([[2.4, 2.0], [2.0, 2.4]])
    means = np.array([[1.5, 3.5], [3.5, 1.5], [4.0, 4.0], [1.5, 1.5]])
    return Park(np.full(4, 0.25), means, np.stack([round_, round_, round_, long_]), density_scale=density_scale)
