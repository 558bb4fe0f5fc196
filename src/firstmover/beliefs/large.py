"""A belief over very many actions and a few known types, for kernels that are a product of the two."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover import kernels
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums, weighted
from firstmover.beliefs.finite import KnownTypes
from firstmover.beliefs.growing import GrowingFactor, GrowingRows
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import MOST_OUTPUTS, Matrix, Vector, as_array, as_count, as_index, as_menu, positive
from firstmover.core.errors import FirstmoverError, InvalidInput, PrecisionLost
from firstmover.core.numerics import check_memory
from firstmover.core.records import Prediction
from firstmover.kernels import on_action, pairs

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

LARGEST_ERROR = 1e-2
"""Relative difference of two computations of σ² that is accepted: half of it in σ."""

ROWS = 16
"""Kernel rows per block: each type has its own blocks, and the last one is half empty on average."""

WIDE, NARROW = 16_384, 2_048
"""Actions per panel, so that intermediate results stay in cache: for one row of V, for many."""


class LargeDomain:
    """X × Θ with k((x, θ), (x', θ')) = k_x(x, x') k_θ(θ, θ') and λ: the constants of all beliefs over it.

    It also stores k_x(x, X) of every observed action x, grouped by the type at which it was observed: a row depends on
    its action alone, so all beliefs over one domain share it. Rows are written once, in blocks.
    """

    def __init__(self, kernel: "Kernel", regularization: float, actions: Matrix, types: Matrix) -> None:
        self.actions, self.types = as_menu("actions", actions), as_array("types", types, ndim=2)
        self.regularization, self.known = positive("regularization", regularization), KnownTypes(self.types)
        self.kernel, parts = kernels.bind(kernel, self.actions.shape[1]), kernels.split(kernel, self.actions.shape[1])
        if parts is None:
            raise InvalidInput(
                f"kernel {kernel} is not a product of a kernel of the action and one of the type: write it as "
                "on_action(...) * on_type(...), or use a smaller menu."
            )
        self.over_actions, over_types = parts
        check_features(self.kernel, self.actions.shape[1], np.append(self.actions[0], self.types[0]))
        self.diagonal: Vector = self.over_actions.diag(self.actions)
        self.between_types: Matrix = over_types(self.types)
        for type_index in range(len(self.types)):
            check_scale(regularization, self.prior_variance(type_index))
        self.tiny = regularization < SUMS_RATIO * float(self.diagonal.max() * self.between_types.diagonal().max())
        self._gram = kernels.DomainGram(on_action(self.over_actions), self.actions, np.zeros((1, 1)))
        self._blocks: list[list[Matrix]] = [[] for _ in self.types]
        self._slots: list[dict[int, int]] = [{} for _ in self.types]
        self._check_block()

    def prior_variance(self, type_index: int) -> Vector:
        """Return k(z, z) of all actions at one type."""
        return self.diagonal * self.between_types[type_index, type_index]

    def panels(self, width: int) -> Iterator[slice]:
        """Iterate over the menu in panels."""
        return (slice(first, first + width) for first in range(0, len(self.diagonal), width))

    def slot(self, type_index: int, action: int) -> int:
        """Return the index of an action's row among those of a type; a new row is computed."""
        slots, blocks = self._slots[type_index], self._blocks[type_index]
        if action not in slots:
            block, line = divmod(len(slots), ROWS)
            if line == 0:
                self._check_block()
                blocks.append(np.empty((ROWS, len(self.actions))))
            blocks[block][line] = self._gram.row(action)
            slots[action] = len(slots)
        return slots[action]

    def _check_block(self) -> None:
        """Raise if one more block does not fit into memory."""
        check_memory(
            8.0 * ROWS * len(self.actions),
            f"storing {ROWS} more rows of the kernel over {len(self.actions):,} actions",
            "give a smaller menu or play fewer rounds",
        )

    def weighted(self, type_index: int, weights: Matrix, columns: slice) -> Matrix:
        """Return Σ_i weights[:, i] k_x(x_i, X[columns]) over the rows of one type: (p, count) to (p, width)."""
        total = None
        for first, block in zip(range(0, weights.shape[1], ROWS), self._blocks[type_index], strict=False):
            part = weights[:, first : first + ROWS]
            product = part @ block[: part.shape[1], columns]
            total = product if total is None else np.add(total, product, out=total)
        assert total is not None
        return total

    def grouped(self, type_indices: list[int], slots: list[int], weights: Matrix) -> dict[int, Matrix]:
        """Return weights of observations (p, t) as weights of kernel rows by type; equal actions add up."""
        groups, indices, places = {}, np.array(type_indices), np.array(slots)
        for type_index in dict.fromkeys(type_indices):
            mine = indices == type_index
            summed = np.zeros((len(self._slots[type_index]), len(weights)))
            np.add.at(summed, places[mine], weights[:, mine].T)
            groups[type_index] = summed.T
        return groups


class Past:
    """The observations along one line of beliefs: L, R = L⁻¹, w = L⁻¹ y, and μ, σ² at the types predicted so far.

    The row of V = L⁻¹ K(observed, (X, θ)) that observation s adds is

    V[s] = Σ_i R[s, i] k_θ(θ_i, θ) k_x(x_i, X) = Σ_u k_θ(u, θ) B_u,   B_u = Σ_{i: θ_i = u} R[s, i] k_x(x_i, X)

    so that one pass over the rows of k_x updates all types: σ² ← σ² − V[s]², μ ← μ + V[s] w_s.
    """

    def __init__(self, domain: LargeDomain, n_outputs: int) -> None:
        self.domain, self.n_outputs = domain, n_outputs
        self.actions, self.types, self.slots = list[int](), list[int](), list[int]()
        self.factor, self.inverse, self.solved = GrowingFactor(), GrowingRows(16), GrowingRows(n_outputs)
        self.told = GrowingRows(n_outputs + 1)
        self._predicted = list[int]()  # types
        self._variance, self._mean = np.empty((0, len(domain.actions))), np.empty((0, n_outputs, len(domain.actions)))

    def at(self, count: int) -> "Past":
        """Return this past if it holds exactly `count` observations, otherwise a copy of the first `count`."""
        if len(self.types) == count:
            return self
        copy = Past(self.domain, self.n_outputs)
        copy.actions, copy.types, copy.slots = self.actions[:count], self.types[:count], self.slots[:count]
        copy.factor, copy.inverse = self.factor.copied(count), self.inverse.copied(count)
        copy.solved, copy.told = self.solved.copied(count), self.told.copied(count)
        return copy

    def points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        return np.hstack([self.domain.actions[self.actions], self.domain.types[self.types]])

    def state(self, type_index: int) -> tuple[Vector, Matrix]:
        """Return σ² (n,) and μ (m, n) of all actions at one type, which is kept up to date from now on."""
        domain, t = self.domain, len(self.types)
        if type_index not in self._predicted:  # from all rows of V at once
            variance, mean = domain.prior_variance(type_index), np.zeros(self._mean.shape[1:])
            weights = self.inverse.first(t)[:, :t] * domain.between_types[self.types, type_index]
            groups = domain.grouped(self.types, self.slots, weights)
            for columns in domain.panels(NARROW) if groups else ():
                v = sum(domain.weighted(u, part, columns) for u, part in groups.items())
                variance[columns] -= np.einsum("ij,ij->j", v, v)
                mean[:, columns] = self.solved.first(t).T @ v
            self._predicted.append(type_index)
            self._variance = np.concatenate([self._variance, variance[None]])
            self._mean = np.concatenate([self._mean, mean[None]])
        position = self._predicted.index(type_index)
        return self._variance[position], self._mean[position]

    def columns(self, actions: list[int], type_index: int) -> Matrix:
        """Return L⁻¹ k(observed, z) of some actions at one type (t, k)."""
        domain = self.domain
        across = domain.over_actions(domain.actions[self.actions], domain.actions[actions])
        across *= domain.between_types[self.types, type_index, None]
        return self.factor.solve(len(self.types), across)

    def check_error(self, action: int, type_index: int, variance: float) -> None:
        """Raise if the stored variance of one action differs too much from the one by the factor."""
        if type_index not in self._predicted:
            return
        stored = float(self.state(type_index)[0][action])
        if not abs(stored - variance) <= LARGEST_ERROR * variance:
            raise PrecisionLost(
                f"variance of action {action} is {stored:.6g} by one computation and {variance:.6g} by another: raise "
                f"regularization {self.domain.regularization:.3g} or scale the features down."
            )

    def append(  # noqa: PLR0917
        self, action: int, type_index: int, row: Vector, pivot: float, response: Vector, noise: float
    ) -> None:
        """Add an observation, whose column is `row`, and update all types predicted so far."""
        domain, t = self.domain, len(self.types)
        solved = (response - row @ self.solved.first(t)) / pivot
        self.told.append(t, weighted(response, noise))
        self.slots.append(domain.slot(type_index, action))
        self.actions.append(action)
        self.types.append(type_index)
        inverse_row = np.append(row @ self.inverse.first(t)[:, :t], -1.0) / -pivot
        self.factor.append(t, row, pivot)
        self.inverse.append(t, inverse_row)
        self.solved.append(t, solved)
        if not self._predicted:
            return
        groups = domain.grouped(self.types, self.slots, inverse_row[None])
        mix = domain.between_types[np.ix_(self._predicted, list(groups))]
        for columns in domain.panels(WIDE):
            v = mix @ np.concatenate([domain.weighted(u, weights, columns) for u, weights in groups.items()])
            for output, step in enumerate(solved):
                self._mean[:, output, columns] += step * v
            v *= v
            self._variance[:, columns] -= v

    def fill(
        self, actions: list[int], type_indices: list[int], responses: Matrix, noise: Vector, factor: Matrix
    ) -> None:
        """Set all observations at once, with L."""
        self.actions, self.types = list(actions), type_indices
        self.slots = [self.domain.slot(*at) for at in zip(type_indices, actions, strict=True)]
        told = np.array([weighted(*each) for each in zip(responses, noise, strict=True)])
        self.factor, self.told = GrowingFactor.of(factor), GrowingRows.of(told)
        inverse = scipy.linalg.lapack.dtrtri(factor, lower=1)[0]
        self.inverse, self.solved = GrowingRows.of(inverse), GrowingRows.of(inverse @ responses)


class LargeBelief(Sampling):
    """Eqs. (2) and (3) for a product kernel: k_x(observed, X) is stored once, for all types.

    An observation costs one pass over these rows, O(t n), and updates μ and σ² of all actions at every type that was
    predicted before; reading them costs O(n). A new type, or an older belief, is computed from all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.beliefs import LargeBelief
    >>> belief = LargeBelief.prior(RBF(), 1.0, np.array([[0.0], [9.0]]), types=np.array([[0.0]]), n_outputs=1)
    >>> belief.condition(0, np.zeros(1), np.array([3.0])).predict(np.zeros(1)).std
    array([0.70710678, 1.        ])
    """

    __slots__ = ("_domain", "_past", "count", "information_gain")

    _domain: LargeDomain
    _past: Past
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: "Kernel", regularization: float, actions: Matrix, types: Matrix, n_outputs: int) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z).

        Parameters
        ----------
        kernel
            A product of a kernel of the action and one of the type.
        regularization
            λ.
        actions
            X (n, d).
        types
            Θ (q, p).
        n_outputs
            m, the number of outputs.

        Returns
        -------
        Self
            The belief.

        Raises
        ------
        InvalidInput
            If the kernel is no such product, or an array or number is outside its range.
        """
        belief = cls()
        belief._domain = LargeDomain(kernel, regularization, actions, types)
        belief._past, belief.count, belief.information_gain = (
            Past(belief._domain, as_count("n_outputs", n_outputs, most=MOST_OUTPUTS)),
            0,
            0.0,
        )
        return belief

    @property
    def kernel(self) -> "Kernel":
        """k, bound to the menu."""
        return self._domain.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._domain.regularization

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at a known type."""
        domain = self._domain
        type_index = domain.known.position(opponent_type)
        self._past = self._past.at(self.count)
        variance, mean = self._past.state(type_index)
        if not stands_clear(variance, domain.prior_variance(type_index), self.count):
            raise self._lost(variance, type_index, domain.actions)
        if domain.tiny and self.count:
            return Prediction(self._mean_from_sums(type_index), np.sqrt(variance))
        return Prediction(mean.copy().T, np.sqrt(variance))

    @property
    def latest_type(self) -> Vector:
        """The type of the last observation; before it, the first type."""
        return self._domain.types[self._past.types[self.count - 1] if self.count else 0]

    def prior_std(self, opponent_type: Vector) -> Vector:
        """Return √k(z, z) of all actions at a known type."""
        return np.sqrt(self._domain.prior_variance(self._domain.known.position(opponent_type)))

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance of b at some actions (all by default) and one known type: (k, k)."""
        domain, n = self._domain, len(self._domain.actions)
        type_index = domain.known.position(opponent_type)
        chosen = [as_index("action", action, n) for action in (range(n) if actions is None else actions)]
        prior = domain.over_actions(domain.actions[chosen]) * domain.between_types[type_index, type_index]
        if not self.count:
            return prior
        v = self._past.at(self.count).columns(chosen, type_index)
        return prior - v.T @ v

    def _mean_from_sums(self, type_index: int) -> Matrix:
        """μ from the responses themselves, where λ is tiny (n, m)."""
        domain, past = self._domain, self._past
        queries = pairs(domain.actions, domain.types[type_index][None])
        told = past.told.first(self.count)
        return mean_from_sums(domain.kernel, domain.regularization, past.points(), told, queries)

    def condition(self, action: int, opponent_type: Vector, response: Vector, noise: float = 1.0) -> Self:
        """Return the belief after one more response, whose noise variance is `noise` times λ."""
        domain, past = self._domain, self._past.at(self.count)
        response = as_array("response", response, ndim=1, length=past.n_outputs)
        type_index, action = domain.known.position(opponent_type), as_index("action", action, len(domain.actions))
        row, played = past.columns([action], type_index)[:, 0], domain.actions[[action]]
        prior = domain.over_actions.diag(played) * domain.between_types[type_index, type_index]
        variance = prior - row @ row
        if not stands_clear(variance, prior, self.count):
            raise self._lost(variance, type_index, played)
        past.check_error(action, type_index, float(variance[0]))
        squared = float(variance[0]) + domain.regularization * noise
        past.append(action, type_index, row, math.sqrt(squared), response, noise)
        child = type(self)()
        child._domain, child._past, child.count = domain, past, self.count + 1
        child.information_gain = self.information_gain + 0.5 * math.log(squared / (domain.regularization * noise))
        return child

    def condition_all(
        self, actions: list[int], types: Matrix, responses: Matrix, noise: Vector, factor: Matrix
    ) -> Self:
        """Return this prior after all these responses; `factor` is L of K + λ diag(noise)."""
        domain, child = self._domain, type(self)()
        child._domain, child._past, child.count = domain, Past(domain, responses.shape[1]), len(actions)
        child._past.fill(actions, [domain.known.position(kind) for kind in types], responses, noise, factor)
        gain = np.log(factor.diagonal()).sum() - 0.5 * np.log(domain.regularization * noise).sum()
        child.information_gain = float(gain)
        return child

    def _lost(self, variance: Vector, type_index: int, actions: Matrix) -> FirstmoverError:
        """Return the error for a variance that rounding may have consumed, at some actions and one type."""
        domain, past = self._domain, self._past.at(self.count)
        queries = pairs(actions, domain.types[type_index][None])
        return lost_variance(variance, domain.regularization, domain.kernel, past.points(), queries)
