"""Mean and variance of a large menu at the types that were asked for, kept up to date."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firstmover.beliefs.kernel_rows import KernelRows
from firstmover.records import Matrix, Vector

WIDE, NARROW = 16_384, 2_048
"""Actions that are treated together, so that intermediate results stay in cache: for one row of V, for many."""


@dataclass(frozen=True, eq=False)
class ProductKernel:
    """k((x, θ), (x', θ')) = k_x(x, x') k_θ(θ, θ') over X and the known types.

    `diagonal` is k_x(x, x) of all actions, `between_types` is k_θ (q, q), and `rows` are those of k_x met so far.
    """

    diagonal: Vector
    between_types: Matrix
    rows: KernelRows

    def prior_variance(self, kind: int) -> Vector:
        """k(z, z) of all actions at one type."""
        return self.diagonal * self.between_types[kind, kind]

    def panels(self, width: int) -> Iterator[slice]:
        """The menu in pieces."""
        return (slice(first, first + width) for first in range(0, len(self.diagonal), width))

    def grouped(self, kinds: list[int], slots: list[int], weights: Matrix) -> dict[int, Matrix]:
        """Weights of observations (p, t) as weights of kernel rows, type by type; an action seen twice adds up."""
        groups, here, stands = {}, np.array(kinds), np.array(slots)
        for kind in dict.fromkeys(kinds):
            mine = here == kind
            summed = np.zeros((self.rows.count(kind), len(weights)))
            np.add.at(summed, stands[mine], weights[:, mine].T)
            groups[kind] = summed.T.astype(self.rows.dtype)
        return groups


class Tracked:
    """μ and σ² of all actions at some types, after the first `count` observations.

    With R = L⁻¹, the row of V = L⁻¹ K(observed, (X, θ)) that observation s adds is

    V[s] = Σ_i R[s, i] k_θ(θ_i, θ) k_x(x_i, X) = Σ_u k_θ(u, θ) B_u,   B_u = Σ_{i: θ_i = u} R[s, i] k_x(x_i, X)

    so that one pass over the rows of k_x, whatever the number of types, brings all of them up to date:
    σ² ← σ² − V[s]², μ ← μ + V[s] w_s with w = L⁻¹ y.
    """

    def __init__(self, kernel: ProductKernel, n_outputs: int) -> None:
        n = len(kernel.diagonal)
        self._kernel, self.kinds = kernel, list[int]()
        self.variance, self.mean = np.empty((0, n)), np.empty((0, n_outputs, n))

    def add(self, kind: int, kinds: list[int], slots: list[int], inverse: Matrix, solved: Matrix) -> None:
        """Begin with a type that was not asked for before, from all rows of V at once."""
        kernel = self._kernel
        variance, mean = kernel.prior_variance(kind), np.zeros(self.mean.shape[1:])
        groups = kernel.grouped(kinds, slots, inverse * kernel.between_types[kinds, kind])
        for columns in kernel.panels(NARROW) if groups else ():
            v = sum(kernel.rows.weighted(u, weights, columns) for u, weights in groups.items())
            variance[columns] -= np.einsum("ij,ij->j", v, v)
            mean[:, columns] = solved.T @ v
        self.kinds.append(kind)
        self.variance = np.concatenate([self.variance, variance[None]])
        self.mean = np.concatenate([self.mean, mean[None]])

    def apply(self, kinds: list[int], slots: list[int], inverse_row: Vector, solved_row: Vector) -> None:
        """Bring all tracked types up to date with one more observation."""
        if not self.kinds:
            return
        kernel = self._kernel
        groups = kernel.grouped(kinds, slots, inverse_row[None])
        mix = kernel.between_types[np.ix_(self.kinds, list(groups))]
        for columns in kernel.panels(WIDE):
            v = mix @ np.concatenate([kernel.rows.weighted(u, weights, columns) for u, weights in groups.items()])
            for output, step in enumerate(solved_row):
                self.mean[:, output, columns] += step * v
            v *= v
            self.variance[:, columns] -= v
