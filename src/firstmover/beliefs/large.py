"""A belief over very many actions and a few known types, for kernels that are a product of the two."""

import math
from collections.abc import Callable
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.factor import GrowingFactor
from firstmover.beliefs.kernel_rows import KernelRows
from firstmover.beliefs.known_types import KnownTypes
from firstmover.beliefs.menu import Menu
from firstmover.beliefs.tracked import ProductKernel, Tracked
from firstmover.errors import FirstmoverError, InvalidInput, PrecisionLost
from firstmover.kernels import bind, pairs
from firstmover.reading import split
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive

SINGLE_RATIO = 1e-2
"""λ / max k from which rows of the kernel may be kept in single precision."""

LARGEST_ERROR = 1e-2
"""Share of σ² by which two reckonings of it may differ: half of that in σ."""


class LargeDomain:
    """X × Θ with a product kernel and λ: what all beliefs over it share."""

    def __init__(
        self,
        kernel: Kernel,
        regularization: float,
        actions: Matrix,
        types: Matrix,
        *,
        dtype: str = "float64",
        menu: Callable[[Kernel, Matrix], Menu] = Menu,
    ) -> None:
        self.actions, self.types = as_array("actions", actions, ndim=2), as_array("types", types, ndim=2)
        self.regularization, self.known = positive("regularization", regularization), KnownTypes(self.types)
        self.kernel, parts = bind(kernel, self.actions.shape[1]), split(kernel, self.actions.shape[1])
        if parts is None:
            raise InvalidInput(
                f"kernel {kernel} is no product of a kernel of the action and one of the type: write it as "
                "on_action(...) * on_type(...), or use a smaller menu."
            )
        self.over_actions, over_types = parts
        check_features(self.kernel, self.actions.shape[1], np.append(self.actions[0], self.types[0]))
        self.menu = menu(self.over_actions, self.actions)
        rows = KernelRows(self.menu.row, len(self.actions), len(self.types), dtype)
        self.product = ProductKernel(self.over_actions.diag(self.actions), over_types(self.types), rows)
        for kind in range(len(self.types)):
            check_scale(regularization, self.product.prior_variance(kind))
        self.largest = float(self.product.diagonal.max() * self.product.between_types.diagonal().max())
        self.tiny = regularization < SUMS_RATIO * self.largest


class Past:
    """What was observed along one line of beliefs: L, R = L⁻¹, w = L⁻¹ y, and the types that are tracked."""

    def __init__(self, domain: LargeDomain, n_outputs: int) -> None:
        self.domain, self.n_outputs = domain, n_outputs
        self.actions, self.kinds, self.slots = list[int](), list[int](), list[int]()
        self.factor, self.inverse, self.solved = GrowingFactor(), AppendOnly.empty(16), AppendOnly.empty(n_outputs)
        self.responses = AppendOnly.empty(n_outputs)
        self.tracked = Tracked(domain.product, n_outputs)

    def at(self, count: int) -> "Past":
        """This past if it holds exactly `count` observations, otherwise a copy of the first `count`."""
        if len(self.kinds) == count:
            return self
        copy = Past(self.domain, self.n_outputs)
        copy.actions, copy.kinds, copy.slots = self.actions[:count], self.kinds[:count], self.slots[:count]
        copy.factor, copy.inverse, copy.solved = self.factor, self.inverse, self.solved
        copy.responses = self.responses
        return copy

    def points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        return np.hstack([self.domain.menu.features(self.actions), self.domain.types[self.kinds]])

    def state(self, kind: int) -> tuple[Vector, Matrix]:
        """σ² (n,) and μ (m, n) of all actions at one type, which is tracked from now on."""
        tracked, t = self.tracked, len(self.kinds)
        if kind not in tracked.kinds:
            tracked.add(kind, self.kinds, self.slots, self.inverse.first(t)[:, :t], self.solved.first(t))
        position = tracked.kinds.index(kind)
        return tracked.variance[position], tracked.mean[position]

    def column(self, action: int, kind: int) -> Vector:
        """L⁻¹ k(observed, z) of one action at one type."""
        domain = self.domain
        across = domain.over_actions(domain.menu.features(self.actions), domain.menu.features([action]))
        across *= domain.product.between_types[self.kinds, kind, None]
        return self.factor.solve(len(self.kinds), across)[:, 0]

    def error(self, action: int, kind: int, variance: float) -> float:
        """The share by which the tracked variance of one action is off; refused when it matters."""
        place = self.domain.menu.place(action)
        if place is None or kind not in self.tracked.kinds:
            return 0.0
        kept = float(self.state(kind)[0][place])
        share = abs(kept - variance) / variance
        if not share <= LARGEST_ERROR:
            raise PrecisionLost(
                f"variance of action {action} is {kept:.6g} by one reckoning and {variance:.6g} by another: raise "
                f"regularization {self.domain.regularization:.3g}, scale the features down, or leave out "
                "single_precision."
            )
        return share

    def append(self, action: int, kind: int, row: Vector, pivot: float, response: Vector) -> None:
        """Record an observation, whose column is `row`, and bring the tracked types up to date."""
        t = len(self.kinds)
        solved = (response - row @ self.solved.first(t)) / pivot
        self.responses = self.responses.append(t, response)
        self.slots.append(self.domain.product.rows.slot(kind, action))
        self.actions.append(action)
        self.kinds.append(kind)
        inverse_row = np.append(row @ self.inverse.first(t)[:, :t], -1.0) / -pivot
        self.factor = self.factor.append(t, row, pivot)
        self.inverse, self.solved = self.inverse.append(t, inverse_row), self.solved.append(t, solved)
        self.tracked.apply(self.kinds, self.slots, inverse_row, solved)


class LargeBelief:
    """Eqs. (2) and (3) for a product kernel: k_x(observed, X) is kept once, for all types.

    An observation costs one pass over these rows, O(t n), and brings μ and σ² of all actions up to date at every type
    that was asked for; reading them costs O(n). A type that is new, or an older belief, is computed from all rows.
    """

    __slots__ = ("_domain", "_past", "count", "information_gain", "storage_error")

    _domain: LargeDomain
    _past: Past
    count: int
    information_gain: float
    storage_error: float
    """Largest share by which σ² as kept for the menu and as the factor gives it differed at an action when played."""

    @classmethod
    def prior(
        cls,
        kernel: Kernel,
        regularization: float,
        actions: Matrix,
        types: Matrix,
        n_outputs: int,
        *,
        single_precision: bool = False,
    ) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z).

        With `single_precision` the rows of k_x are kept in four bytes a number: half the memory and the time, and a
        loss that `storage_error` measures.
        """
        dtype = "float32" if single_precision else "float64"
        domain = LargeDomain(kernel, regularization, actions, types, dtype=dtype)
        if single_precision and regularization < SINGLE_RATIO * domain.largest:
            raise InvalidInput(
                f"single_precision with regularization {regularization:.3g} below 1e-2 of the largest k(z, z) = "
                f"{domain.largest:.3g} would lose the standard deviation: leave it out or raise the regularization."
            )
        return cls.over(domain, n_outputs)

    @classmethod
    def over(cls, domain: LargeDomain, n_outputs: int) -> Self:
        """The belief over a domain before the first round."""
        belief = cls()
        domain.product.rows.check_block()
        belief._domain, belief._past = domain, Past(domain, n_outputs)
        belief.count, belief.information_gain, belief.storage_error = 0, 0.0, 0.0
        return belief

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._domain.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._domain.regularization

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at a known type."""
        domain = self._domain
        kind = domain.known.position(opponent_type)
        self._past = self._past.at(self.count)
        variance, mean = self._past.state(kind)
        prior = domain.product.prior_variance(kind)
        if not stands_clear(variance, prior, self.count):
            raise self._lost(variance, kind, domain.actions)
        return Prediction(
            self._mean_from_sums(kind) if domain.tiny and self.count else mean.copy().T, np.sqrt(variance)
        )

    def _mean_from_sums(self, kind: int) -> Matrix:
        """μ from the responses themselves, where λ is tiny (n, m)."""
        domain, past = self._domain, self._past
        queries = pairs(domain.actions, domain.types[kind][None])
        responses = past.responses.first(self.count)
        return mean_from_sums(domain.kernel, domain.regularization, past.points(), responses, queries)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        domain, past = self._domain, self._past.at(self.count)
        response = as_array("response", response, ndim=1, length=past.n_outputs)
        kind, action = domain.known.position(opponent_type), as_index("action", action, domain.menu.n_actions)
        row, played = past.column(action, kind), domain.menu.features([action])
        prior = domain.over_actions.diag(played) * domain.product.between_types[kind, kind]
        variance = prior - row @ row
        if not stands_clear(variance, prior, self.count):
            raise self._lost(variance, kind, played)
        squared = float(variance[0]) + domain.regularization
        child, d = type(self)(), math.sqrt(squared)
        child.storage_error = max(self.storage_error, past.error(action, kind, float(variance[0])))
        past.append(action, kind, row, d, response)
        child._domain, child._past, child.count = domain, past, self.count + 1
        child.information_gain = self.information_gain + 0.5 * math.log(squared / domain.regularization)
        return child

    def _lost(self, variance: Vector, kind: int, actions: Matrix) -> FirstmoverError:
        """The refusal of a variance that rounding may have made, at some actions and one type."""
        domain, past = self._domain, self._past.at(self.count)
        queries = pairs(actions, domain.types[kind][None])
        return lost_variance(variance, domain.regularization, domain.kernel, past.points(), queries)
