"""The equations as one would write them with NumPy and SciPy: K_t is kept, everything else is computed anew."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

from benchmarks.peers.methods.history import History
from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import bind, pairs


class FullCholesky:
    """K_t + λI factorised in every round; the kernel of a small domain is a table."""

    def __init__(self, workload: Workload) -> None:
        self._workload, self._history = workload, History(workload)
        self._kernel = bind(workload.kernel, workload.actions.shape[1])
        self._gram = np.empty((len(workload.played), len(workload.played)))
        self._table: Matrix | None = None
        if workload.small_domain and workload.types is not None:
            self._table = self._kernel(pairs(workload.actions, workload.types))
            self._starts = {row.tobytes(): i * len(workload.actions) for i, row in enumerate(workload.types)}
        self._observed: list[int] = []
        self._last = np.empty((0, 0))

    def _across(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """k(past, (X, θ)) of shape (t, n), and k(z, z) of the menu."""
        if self._table is None:
            queries = self._history.menu(opponent_type)
            return self._kernel(self._history.points, queries), self._kernel.diag(queries)
        start = self._starts[opponent_type.tobytes()]
        rows = slice(start, start + len(self._workload.actions))
        return self._table[self._observed, rows], self._table.diagonal()[rows]

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean and standard deviation of all actions."""
        t = self._history.count
        if t == 0:
            menu = self._history.menu(opponent_type)
            self._last = np.empty((0, len(menu)))
            return np.zeros((len(menu), self._workload.n_outputs)), np.sqrt(self._kernel.diag(menu))
        across, prior = self._across(opponent_type)
        system = self._gram[:t, :t] + self._workload.regularization * np.eye(t)
        self._last = across
        mean, explained = self._solve(system, across)
        return mean, np.sqrt(prior - explained)

    def _solve(self, system: Matrix, across: Matrix) -> tuple[Matrix, Vector]:
        """kᵀ (K + λI)⁻¹ y and kᵀ (K + λI)⁻¹ k, as Eqs. (2) and (3) read."""
        factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        mean = across.T @ cho_solve(factor, self._history.responses, check_finite=False)
        return mean, np.einsum("ij,ij->j", across, cho_solve(factor, across, check_finite=False))

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Take in one response; its row of K_t stands in what was just predicted."""
        self._take_in(self._last[:, action], action, opponent_type, response)

    def catch_up(self, told: list[Told]) -> None:
        """Take in responses of rounds that were not played, with their rows of K_t."""
        for action, opponent_type, response in told:
            point = np.append(self._workload.actions[action], opponent_type)[None]
            row = self._kernel(point, self._history.points)[0]
            self._take_in(row, action, opponent_type, response)

    def _take_in(self, row: Vector, action: int, opponent_type: Vector, response: Vector) -> None:
        t = self._history.count
        self._history.add(action, opponent_type, response)
        self._gram[t, :t] = self._gram[:t, t] = row
        self._gram[t, t] = self._kernel.diag(self._history.points[t:])[0]
        if self._table is not None:
            self._observed.append(self._starts[opponent_type.tobytes()] + action)


class HalfSolve(FullCholesky):
    """The same with V = L⁻¹ k alone, half of the triangular solves: μ = Vᵀ L⁻¹ y, σ² = k − Σ V²."""

    def _solve(self, system: Matrix, across: Matrix) -> tuple[Matrix, Vector]:
        factor = cholesky(system, lower=True, overwrite_a=True, check_finite=False)
        right = np.hstack([across, self._history.responses])
        solved = solve_triangular(factor, right, lower=True, overwrite_b=True, check_finite=False)
        v, w = np.split(solved, [across.shape[1]], axis=1)
        return v.T @ w, np.einsum("ij,ij->j", v, v)
