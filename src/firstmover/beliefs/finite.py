"""A belief over actions × known types: mean and variance are stored for the whole finite domain."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover import kernels
from firstmover.beliefs.checks import check_drift, check_features, check_scale, lost_variance, rounding, stands_clear
from firstmover.beliefs.columns import EAGER_LIMIT, Columns
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums, weighted
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import (
    MOST_OUTPUTS,
    Matrix,
    Vector,
    as_array,
    as_count,
    as_floats,
    as_index,
    as_menu,
    positive,
)
from firstmover.core.errors import InvalidInput, shown
from firstmover.core.records import Prediction

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

_FLOAT = np.dtype(np.float64)


class KnownTypes:
    """Positions of known types, `step` apart; equal types share a position, and −0 equals 0."""

    def __init__(self, types: Matrix, step: int = 1) -> None:
        self._positions = {_key(row): step * i for i, row in enumerate(types)}

    def position(self, opponent_type: Vector) -> int:
        """Return the position of a type; raise if it is unknown."""
        known = type(opponent_type) is np.ndarray and opponent_type.dtype is _FLOAT
        position = self._positions.get(opponent_type.tobytes()) if known else None
        if position is None:
            position = self._positions.get(_key(opponent_type))
        if position is None:
            raise InvalidInput(
                f"opponent_type {shown(np.asarray(opponent_type).tolist())} is not among the {len(self._positions)} "
                "known types: add it to the game's types, or give types=None if every round may bring a new type."
            )
        return position


def _key(opponent_type: Vector) -> bytes:
    """Return equal keys for equal types: adding 0 turns −0 into 0."""
    return (as_floats("opponent_type", opponent_type) + 0.0).tobytes()


class StoredGram:
    """k(D, D) from the result of `FiniteBelief.gram_table`; the kernel itself is built only if it is needed."""

    def __init__(self, kernel: "Callable[[], Kernel]", actions: Matrix, types: Matrix, table: Vector) -> None:
        self.points, self._kernel, self._table = kernels.pairs(actions, types), kernel, table
        self._features = actions.shape[1]

    @cached_property
    def kernel(self) -> "Kernel":
        """k, bound to the menu."""
        return kernels.bind(self._kernel(), self._features)

    def row(self, point: int) -> Vector:
        """Return k(D, z) of one point z of the domain."""
        return self.kernel(self.points[point : point + 1], self.points)[0]

    def upper(self) -> Matrix:
        """Return a new k(D, D), of which only the upper triangle is filled."""
        table = np.zeros((len(self.points), len(self.points)))
        table[np.triu_indices(len(table))] = self._table[len(table) :]
        return table


class FiniteDomain:
    """D = X × Θ with its kernel and λ: the constants of all beliefs over it."""

    gram: "kernels.DomainGram | StoredGram"

    def __init__(
        self, kernel: Any, regularization: float, actions: Matrix, types: Matrix, table: Vector | None = None
    ) -> None:
        actions, types = as_menu("actions", actions), as_array("types", types, ndim=2)
        if not len(types):
            raise InvalidInput("types has no rows: give at least one type, or None when any may come.")
        if table is None:
            check_features(kernels.bind(kernel, actions.shape[1]), actions.shape[1], np.append(actions[0], types[0]))
            self.gram = kernels.DomainGram(kernel, actions, types)
            self.prior_variance = self.gram.kernel.diag(self.gram.points)
        else:
            self.gram = StoredGram(kernel, actions, types, table)
            self.prior_variance = table[: len(self.gram.points)]
        self.regularization = regularization = positive("regularization", regularization)
        check_scale(regularization, self.prior_variance)
        self.largest = float(self.prior_variance.max())
        self.tiny = regularization < SUMS_RATIO * self.largest
        self.n_actions, self.types = len(actions), types
        self.start = KnownTypes(types, step=self.n_actions).position  # index in D of the first action at a type


class FiniteBelief(Sampling):
    """Eqs. (2) and (3) on the finite domain D = X × Θ, one column of the posterior covariance per round.

    With an observation y at z_j of D, c = cov(D, z_j) and d² = σ²(z_j) + λ:

    v = c / d,   μ ← μ + v (y − μ(z_j)) / d,   σ² ← σ² − v²,   γ ← γ + log(d² / λ) / 2

    Reading a type costs O(n); m outputs share everything but the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.beliefs import FiniteBelief
    >>> belief = FiniteBelief.prior(RBF(), 1.0, np.array([[0.0], [9.0]]), types=np.array([[0.0]]), n_outputs=1)
    >>> belief.condition(0, np.zeros(1), np.array([3.0])).predict(np.zeros(1)).std
    array([0.70710678, 1.        ])
    """

    __slots__ = ("_columns", "_domain", "_state", "count", "information_gain")

    _domain: FiniteDomain
    _columns: Columns
    _state: Matrix  # (m + 2, |D|): μ of each output, σ², σ
    count: int
    information_gain: float

    @classmethod
    def prior(  # noqa: PLR0917
        cls,
        kernel: "Kernel | Callable[[], Kernel]",
        regularization: float,
        actions: Matrix,
        types: Matrix,
        n_outputs: int,
        table: Vector | None = None,
    ) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z).

        Parameters
        ----------
        kernel
            k over z; with a table, a function that builds it.
        regularization
            λ.
        actions
            X (n, d).
        types
            Θ (q, p).
        n_outputs
            m, the number of outputs.
        table
            The `gram_table` of an earlier belief: nothing is evaluated then.

        Returns
        -------
        Self
            The belief.

        Raises
        ------
        InvalidInput
            If the kernel cannot be used, or an array or number is outside its range.
        """
        belief = cls()
        belief._domain = domain = FiniteDomain(kernel, regularization, actions, types, table)
        belief._columns = Columns(domain.gram)
        n_outputs = as_count("n_outputs", n_outputs, most=MOST_OUTPUTS)
        belief._state = np.zeros((n_outputs + 2, len(domain.prior_variance)))
        belief._state[-2], belief._state[-1] = domain.prior_variance, np.sqrt(domain.prior_variance)
        belief._state.setflags(write=False)
        belief.count, belief.information_gain = 0, 0.0
        return belief

    @property
    def kernel(self) -> "Kernel":
        """k, bound to the menu."""
        return self._domain.gram.kernel

    def gram_table(self, most: int) -> Vector | None:
        """Return k(z, z) of all points and the upper triangle of k(D, D), if D has at most this many points."""
        gram, n = self._domain.gram, len(self._domain.prior_variance)
        if n > min(most, EAGER_LIMIT):
            return None
        return np.concatenate([self._domain.prior_variance, gram.upper()[np.triu_indices(n)]])

    @property
    def regularization(self) -> float:
        """λ."""
        return self._domain.regularization

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at a known type, read-only."""
        domain, state = self._domain, self._state
        start = domain.start(opponent_type)
        menu = slice(start, start + domain.n_actions)
        mean = self._mean_from_sums(start) if domain.tiny and self.count else state[:-2, menu].T
        return Prediction(mean, state[-1, menu])

    @property
    def latest_type(self) -> Vector:
        """The type of the last observation; before it, the first type."""
        point = self._columns.observed[self.count - 1] if self.count else 0
        return self._domain.types[point // self._domain.n_actions]

    def prior_std(self, opponent_type: Vector) -> Vector:
        """Return √k(z, z) of all actions at a known type."""
        start = self._domain.start(opponent_type)
        return np.sqrt(self._domain.prior_variance[start : start + self._domain.n_actions])

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance of b at some actions (all by default) and one known type: (k, k)."""
        domain, columns = self._domain, self._columns
        start = domain.start(opponent_type)
        chosen = range(domain.n_actions) if actions is None else actions
        points = [start + as_index("action", action, domain.n_actions) for action in chosen]
        return (columns if len(columns.observed) == self.count else columns.first(self.count)).block(points)

    def _mean_from_sums(self, start: int) -> Matrix:
        """μ of all actions at one type (n, m) from the responses themselves."""
        domain, observed = self._domain, self._columns.observed[: self.count]
        points, told = domain.gram.points, np.array(self._columns.told[: self.count])
        queries = points[start : start + domain.n_actions]
        return mean_from_sums(domain.gram.kernel, domain.regularization, points[observed], told, queries)

    def condition(self, action: int, opponent_type: Vector, response: Vector, noise: float = 1.0) -> Self:
        """Return the belief after one more response, whose noise variance is `noise` times λ."""
        domain, columns, count = self._domain, self._columns, self.count
        if len(columns.observed) != count:
            columns = columns.first(count)
        response = self._checked(response)
        j = domain.start(opponent_type) + as_index("action", action, domain.n_actions)
        limit = rounding(columns.terms) * domain.largest if columns.terms else 0.0
        variance = domain.regularization * noise
        state, d, clear = columns.update(j, response, variance, limit, self._state)
        if not clear:
            if not stands_clear(state[-2], domain.prior_variance, columns.terms):
                points = domain.gram.points
                seen = points[[*columns.observed, j]]
                raise lost_variance(state[-2], domain.regularization, domain.gram.kernel, seen, points)
            np.sqrt(state[-2], out=state[-1])
        if domain.tiny:
            columns.told.append(weighted(response, noise))
        if columns.append(j, variance):
            folded = columns.variance()
            check_drift(state[-2], folded, domain.prior_variance, domain.regularization)
            state[-2], state[-1] = folded, np.sqrt(folded)
        state.setflags(write=False)
        child = type(self)()
        child._domain, child._columns, child._state, child.count = domain, columns, state, count + 1
        child.information_gain = self.information_gain + 0.5 * math.log(d * d / variance)
        return child

    def condition_all(
        self, actions: list[int], types: Matrix, responses: Matrix, noise: Vector, factor: Matrix
    ) -> Self:
        """Return this prior after all these responses; `factor` is L of K + λ diag(noise)."""
        domain, child = self._domain, type(self)()
        observed = [domain.start(kind) + action for kind, action in zip(types, actions, strict=True)]
        variances = domain.regularization * noise
        child._domain, child._columns, child.count = domain, Columns(domain.gram), len(actions)
        v = child._columns.fill(observed, variances, factor)
        variance = domain.prior_variance - np.einsum("ij,ij->j", v, v)
        if not stands_clear(variance, domain.prior_variance, len(actions)):
            points = domain.gram.points
            raise lost_variance(variance, domain.regularization, domain.gram.kernel, points[observed], points)
        solved = scipy.linalg.solve_triangular(factor, responses, lower=True)
        child._state = np.vstack([(v.T @ solved).T, variance, np.sqrt(variance)])
        child._state.setflags(write=False)
        told = zip(responses, noise, strict=True) if domain.tiny else ()
        child._columns.told = [weighted(*each) for each in told]
        child.information_gain = float(np.log(factor.diagonal()).sum() - 0.5 * np.log(variances).sum())
        return child

    def _checked(self, response: Vector) -> Vector:
        """Return the response if it is m finite numbers, otherwise raise."""
        m = len(self._state) - 2
        plain = type(response) is np.ndarray and response.dtype is _FLOAT and response.shape == (m,)
        if plain and math.isfinite(sum(response.tolist())):
            return response
        return as_array("response", response, ndim=1, length=m)
