"""One belief in many runs at once: the same menu and kernel, other types, actions and responses in every run."""

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.checks import check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.factor import GrowingFactor
from firstmover.beliefs.fresh import FreshBelief
from firstmover.core.records import Matrix, Vector
from firstmover.kernels import pairs

Actions = NDArray[np.intp]
"""One action per run."""


class BatchBelief:
    """`FreshBelief` in several runs, with a leading axis of runs; it is conditioned in place.

    The equations and their order are those of `FreshBelief`: predictions are equal up to rounding.
    """

    def __init__(self, belief: FreshBelief, runs: int, rounds: int) -> None:
        self._belief, self._menu, self._runs = belief, belief.menu, runs
        self.count, self.information_gain = 0, np.zeros(runs)
        self._capacity = belief.count + rounds
        self._tables = [table.rows(0, len(belief.actions)) for table in belief.menu.gram.tables]
        self._terms = [np.empty((runs, self._capacity, table.shape[1])) for table in self._tables]
        self._factor, self._actions = GrowingFactor((runs,)), np.empty((runs, self._capacity), dtype=np.intp)
        self._responses = np.empty((runs, self._capacity, belief.n_outputs))
        self._solved, self._types = np.empty_like(self._responses), np.empty((runs, 0, 0))
        self._last: tuple[Matrix, Matrix] | None = None
        for action, opponent_type, response in belief.history():
            types = np.tile(opponent_type, (runs, 1))
            self.predict(types)
            self.condition(np.full(runs, action), types, np.tile(response, (runs, 1)))

    def predict(self, opponent_types: Matrix) -> tuple[NDArray[np.float64], Matrix]:
        """Return mean (runs, n, m) and standard deviation (runs, n) of all actions, each run at its type (runs, p)."""
        menu, t = self._menu, self.count
        if t == 0:
            self._types = np.empty((self._runs, self._capacity, opponent_types.shape[1]))
            check_features(menu.gram.kernel, menu.actions.shape[1], np.append(menu.actions[0], opponent_types[0]))
        diagonal = menu.gram.diagonal(opponent_types)
        check_scale(menu.regularization, diagonal.ravel())
        terms = [term[:, :t] for term in self._terms]
        v = self._factor.solve(t, menu.gram.from_terms(terms, self._types[:, :t], opponent_types))
        variance = diagonal - np.einsum("rij,rij->rj", v, v)
        if not stands_clear(variance.ravel(), diagonal.ravel(), t):
            self._refuse(variance, diagonal, opponent_types)
        self._last = v, variance
        mean = v.swapaxes(1, 2) @ self._solved[:, :t]
        if t:
            for run in np.flatnonzero(menu.regularization < SUMS_RATIO * diagonal.max(axis=1)).tolist():
                mean[run] = self._mean_from_sums(run, opponent_types[run])
        return mean, np.sqrt(variance)

    def condition(self, actions: Actions, opponent_types: Matrix, responses: Matrix) -> None:
        """Condition on one more response of every run, at the types of the last prediction."""
        assert self._last is not None
        (v, variance), t, runs = self._last, self.count, np.arange(self._runs)
        row, squared = v[runs, :, actions], variance[runs, actions] + self._menu.regularization
        d = np.sqrt(squared)[:, None]
        self._factor.append(t, row, d)
        for term, table in zip(self._terms, self._tables, strict=True):
            term[:, t] = table[actions]
        self._solved[:, t] = (responses - (row[:, None] @ self._solved[:, :t])[:, 0]) / d
        self._actions[:, t], self._types[:, t], self._responses[:, t] = actions, opponent_types, responses
        self.information_gain = self.information_gain + 0.5 * np.log(squared / self._menu.regularization)
        self.count, self._last = t + 1, None

    def _points(self, run: int) -> Matrix:
        return np.hstack([self._menu.actions[self._actions[run, : self.count]], self._types[run, : self.count]])

    def _mean_from_sums(self, run: int, opponent_type: Vector) -> Matrix:
        menu, responses = self._menu, self._responses[run, : self.count]
        queries = pairs(menu.actions, opponent_type[None])
        return mean_from_sums(menu.gram.kernel, menu.regularization, self._points(run), responses, queries)

    def _refuse(self, variance: Matrix, diagonal: Matrix, opponent_types: Matrix) -> None:
        """Raise the error of the first run whose variance is lost."""
        menu = self._menu
        for run in range(self._runs):
            if not stands_clear(variance[run], diagonal[run], self.count):
                queries = pairs(menu.actions, opponent_types[run][None])
                raise lost_variance(variance[run], menu.regularization, menu.gram.kernel, self._points(run), queries)
