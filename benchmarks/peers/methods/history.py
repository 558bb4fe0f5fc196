"""What the peers that start afresh every round keep: all points and responses so far."""

import numpy as np

from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import pairs


class History:
    """Points z = (x, θ) and responses in arrays of full length, and the menu at a type as points to ask for."""

    def __init__(self, workload: Workload) -> None:
        rounds, self._actions = len(workload.played), workload.actions
        self._points = np.empty((rounds, workload.actions.shape[1] + workload.seen.shape[1]))
        self._responses = np.empty((rounds, workload.n_outputs))
        known = [] if workload.types is None or not workload.small_domain else list(workload.types)
        self._menus = {row.tobytes(): pairs(workload.actions, row[None]) for row in known}
        self.count = 0

    @property
    def points(self) -> Matrix:
        """z of all rounds so far (t, d + p)."""
        return self._points[: self.count]

    @property
    def responses(self) -> Matrix:
        """y of all rounds so far (t, m)."""
        return self._responses[: self.count]

    def menu(self, opponent_type: Vector) -> Matrix:
        """z of all actions at one type (n, d + p)."""
        known = self._menus.get(opponent_type.tobytes())
        return pairs(self._actions, opponent_type[None]) if known is None else known

    def add(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """One more round."""
        d = self._actions.shape[1]
        self._points[self.count, :d] = self._actions[action]
        self._points[self.count, d:] = opponent_type
        self._responses[self.count] = response
        self.count += 1

    def add_all(self, told: list[Told]) -> None:
        """Several more rounds."""
        for each in told:
            self.add(*each)
