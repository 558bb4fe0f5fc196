"""Kernels of actions and types with automatic relevance, and their hyperparameters by maximum a posteriori."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy  # scipy.linalg and scipy.optimize are loaded on first use: they are slow to import

from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import on_action, on_type

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

POWERS = {"linear": 1, "quartic": 4, "links": 4, "common": 4}
"""Components Σ_i (u_i u'_i)^q / d, by name: each feature contributes its own power, with a coefficient of its own; or
(Σ_i u_i^q / d) (Σ_i u'_i^q / d) if the coefficient is common to all features."""

SMOOTHNESS = {"smooth": 2.5, "rough": 1.5}
"""Matérn components with one length scale per feature: ν, by name."""

MOST_LENGTHS = 20
"""With more features than this, all of a side share one length scale."""

ROUNDING = 1e-12
"""Share of the prior variance below which a difference of variances is rounding: here it only sets a width."""

MOST_STEPS, FEWEST_STEPS, STEPS_TIMES_POINTS = 30, 3, 3000
"""Iterations of the optimiser in one fit, which starts from the last one: fewer with many observations, which change
the hyperparameters less from fit to fit, and as few as possible for a structure that does not count."""


class Prior(NamedTuple):
    """A normal prior of the logarithm of a hyperparameter."""

    mean: float
    std: float


AMPLITUDE, NOISE = Prior(0.0, 2.0), Prior(math.log(0.1), 2.0)
"""a, in squared units of the response scale, and λ / a."""

SHARES = {
    "linear": Prior(math.log(0.3), 1.5),
    "links": Prior(math.log(100.0), 1.5),  # the constant is the congestion without any load of the action's
    "common": Prior(math.log(300.0), 1.5),
}
SHARE = Prior(0.0, 1.5)
"""The variance of a component relative to that of the constant."""

CONGESTION_ODDS = 4.0
"""Logarithm of the prior odds of the structure of congestion, in a game that declares it."""


LENGTH = Prior(0.2, 1.0)
"""A length scale relative to the root mean squared distance of the rows, which grows with the number of features."""


LIMIT = 4.0
"""Hyperparameters stay within this many standard deviations of their priors."""


def correlation(squared: Matrix, smoothness: float) -> tuple[Matrix, Matrix]:
    """The Matérn correlation of squared distances in length scales, and its derivative with respect to them."""
    distance = np.sqrt(2 * smoothness * squared)
    decay = np.exp(-distance)
    if smoothness == 1.5:
        return (1 + distance) * decay, -1.5 * decay
    return (1 + distance + distance * distance / 3) * decay, -(5 / 6) * (1 + distance) * decay


@dataclass(frozen=True)
class Side:
    """The factor Σ_c π_c P_c(u, u') of the actions or of the types, with features u in [0, 1]^d.

    P_0 = 1; the others are the named components, each at most 1. The shares are π = softmax(0, log s).
    """

    features: int
    components: tuple[str, ...]
    distance: float = 1.0

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The components; none without features."""
        return self.components if self.features else ()

    @cached_property
    def lengths(self) -> int:
        """The number of length scales of each Matérn component."""
        return self.features if self.features <= MOST_LENGTHS else 1

    @cached_property
    def priors(self) -> list[Prior]:
        """Of log s of each component, then of the log length scales."""
        priors = [SHARES.get(name, SHARE) for name in self.names]
        matern = [Prior(LENGTH.mean + math.log(self.distance), LENGTH.std)] * self.lengths if self.features else []
        return priors + [prior for name in self.names if name in SMOOTHNESS for prior in matern]

    def tables(self, rows: Matrix) -> tuple[dict[str, Matrix], list[Matrix]]:
        """The components that have no length scales, and the squared differences of each feature or of all."""
        fixed = {n: self._power(n)(rows) for n in self.names if n in POWERS}
        if not any(name in SMOOTHNESS for name in self.names):
            return fixed, []
        if self.lengths == self.features:
            return fixed, [np.square(column[:, None] - column) for column in rows.T]
        squares = np.vecdot(rows, rows)
        return fixed, [np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0.0)]

    def gram(
        self, theta: Vector, tables: tuple[dict[str, Matrix], list[Matrix]]
    ) -> tuple[Matrix | float, list[Matrix]]:
        """The factor between all rows, and its derivatives with respect to theta."""
        if not self.names:
            return 1.0, []
        fixed, squared = tables
        shares = softmax(theta[: len(self.names)])
        total: Matrix | float = shares[0]
        values, slopes, place = [], [], len(self.names)
        for share, name in zip(shares[1:], self.names, strict=True):
            if name in POWERS:
                value = fixed[name]
            else:
                scales = np.exp(-2 * theta[place : place + self.lengths])
                place += self.lengths
                value, slope = correlation(
                    sum(s * table for s, table in zip(scales, squared, strict=True)), SMOOTHNESS[name]
                )
                slopes += [(-2 * share * s) * (slope * table) for s, table in zip(scales, squared, strict=True)]
            values.append(value)
            total = total + share * value
        return total, [share * (value - total) for share, value in zip(shares[1:], values, strict=True)] + slopes

    def _power(self, name: str) -> "Kernel":
        """A component that has no length scales, as a kernel."""
        from firstmover.kernels.domain_kernels import Additive, Total  # noqa: PLC0415 - slow to import

        degree = POWERS[name]
        if name == "common":
            return Total(degree, self.features ** (1 / degree))
        return Additive(degree, self.features ** (0.5 / degree))

    def kernel(self, theta: Vector) -> "Kernel":
        """The same factor as a kernel expression."""
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern  # noqa: PLC0415 - slow to import

        shares, place = softmax(theta[: len(self.names)]), len(self.names)
        kernel: Kernel = ConstantKernel(shares[0], "fixed")
        for share, name in zip(shares[1:], self.names, strict=True):
            if name in POWERS:
                part = self._power(name)
            else:
                part = Matern(np.exp(theta[place : place + self.lengths]), "fixed", nu=SMOOTHNESS[name])
                place += self.lengths
            kernel += ConstantKernel(share, "fixed") * part
        return kernel


def softmax(logits: Vector) -> Vector:
    """Shares of the constant, whose logit is 0, and of the components."""
    raised = np.exp(np.append(0.0, logits))
    return np.asarray(raised / raised.sum(), dtype=np.float64)


@dataclass(frozen=True)
class Structure:
    """k = a · (factor of the action) · (factor of the type), with the noise variance λ = a ν.

    Its hyperparameters theta are log a, log ν, those of the action's side and those of the type's. `odds` is the
    logarithm of its prior odds.
    """

    action: Side
    type: Side
    odds: float = 0.0

    @cached_property
    def priors(self) -> Matrix:
        """Mean and standard deviation of the prior of each hyperparameter (k, 2)."""
        return np.array([AMPLITUDE, NOISE, *self.action.priors, *self.type.priors])

    def _parts(self, theta: Vector) -> tuple[Vector, Vector]:
        first = 2 + len(self.action.priors)
        return theta[2:first], theta[first:]

    def kernel(self, theta: Vector) -> "Kernel":
        """k as an expression over z = (u, v)."""
        from sklearn.gaussian_process.kernels import ConstantKernel  # noqa: PLC0415 - slow to import

        action, kind = self._parts(theta)
        kernel = ConstantKernel(math.exp(theta[0]), "fixed") * on_action(self.action.kernel(action))
        return kernel * on_type(self.type.kernel(kind)) if self.type.names else kernel

    def factors(self, theta: Vector) -> "tuple[float, Kernel, Kernel]":
        """a, and the factors of the action and of the type."""
        action, kind = self._parts(theta)
        return math.exp(theta[0]), self.action.kernel(action), self.type.kernel(kind)

    def noise_variance(self, theta: Vector) -> float:
        """λ."""
        return math.exp(theta[0] + theta[1])

    def cautious(self, theta: Vector, factor: float) -> Vector:
        """Return theta with √a times a factor and all length scales divided by it; λ stays."""
        found, first = theta.copy(), 2
        found[:2] += 2 * math.log(factor) * np.array([1.0, -1.0])
        for side in (self.action, self.type):
            last = first + len(side.priors)
            found[first + len(side.names) : last] -= math.log(factor)
            first = last
        return found

    def covariance(self, theta: Vector, actions: Matrix, types: Matrix) -> Matrix:
        """K between observations at scaled actions and types (t, t)."""
        amplitude, over, between = self.factors(theta)
        return amplitude * _between(over, actions) * _between(between, types)

    def fit(self, past: "Past", start: Vector, *, counts: bool = True) -> "Fitted":
        """Maximise log p(y | theta) + log p(theta) from `start`, in few steps if the structure does not count."""
        tables = self.action.tables(past.actions), self.type.tables(past.types)
        mean, std = self.priors.T
        steps = max(FEWEST_STEPS, min(MOST_STEPS, STEPS_TIMES_POINTS // len(past.noise))) if counts else FEWEST_STEPS

        def objective(theta: Vector) -> tuple[float, Vector]:
            misfit, slope = self._misfit(theta, tables, past)
            z = (theta - mean) / std
            return misfit + 0.5 * float(z @ z), slope + z / std

        bounds = np.stack([mean - LIMIT * std, mean + LIMIT * std], axis=1)
        found: Any = scipy.optimize.minimize(  # type: ignore[call-overload]
            objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps}
        )
        return Fitted(found.x, float(found.fun) - self.odds)

    def _misfit(
        self, theta: Vector, tables: tuple[tuple[dict[str, Matrix], list[Matrix]], ...], past: "Past"
    ) -> tuple[float, Vector]:
        """½ yᵀ C⁻¹ y + ½ log det C + ½ (repeats log λ + spread / λ) with C = K + λ diag(noise), and its gradient.

        That of the first two terms is ½ tr(W ∂C) with W = C⁻¹ − C⁻¹ y yᵀ C⁻¹. As ∂C is symmetric, the lower triangle
        of C⁻¹ is counted twice in place of the upper one.
        """
        action, kind = self._parts(theta)
        left, left_slopes = self.action.gram(action, tables[0])
        right, right_slopes = self.type.gram(kind, tables[1])
        amplitude, variance, y = math.exp(theta[0]), self.noise_variance(theta), past.responses
        gram = np.full((len(y), len(y)), amplitude) * left * right
        covariance = gram.copy()
        covariance[np.diag_indices_from(covariance)] += variance * past.noise
        factor, failed = scipy.linalg.lapack.dpotrf(covariance.T, lower=1, overwrite_a=1)
        if failed:
            return 1e12, np.zeros_like(theta)
        half_log_determinant = float(np.log(factor.diagonal()).sum())
        solved = scipy.linalg.lapack.dpotrs(factor, y, lower=1)[0]
        weights = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0].T  # above the diagonal of a transpose
        diagonal = weights.diagonal().copy()
        weights *= 2
        weights[np.diag_indices_from(weights)] = diagonal
        weights -= np.outer(solved, solved)
        of_noise = variance * float(past.noise @ weights.diagonal()) + past.repeats - past.spread / variance
        weights *= amplitude
        over_left, over_right = weights * right, weights * left
        slope = [float(np.sum(over_left * left)) + of_noise, of_noise]
        slope += [np.vdot(over_left, part) for part in left_slopes]
        slope += [np.vdot(over_right, part) for part in right_slopes]
        misfit = float(y @ solved) + past.repeats * math.log(variance) + past.spread / variance
        return 0.5 * misfit + half_log_determinant, 0.5 * np.array(slope)

    def joint_share(self, theta: Vector, menu: Matrix, past: "Past", kinds: Matrix, shares: Vector) -> Vector:
        """The standard deviation of Σ_θ s_θ b(x, θ) over Σ_θ s_θ times that of b(x, θ), for all actions (n,).

        The types have shares s of the rounds. It is 1 if the errors at all types are the same, and with q equal shares
        1/√q if they are independent.
        """
        amplitude, over, between = self.factors(theta)
        gram = self.covariance(theta, past.actions, past.types)
        gram[np.diag_indices_from(gram)] += self.noise_variance(theta) * past.noise
        factor = scipy.linalg.cholesky(gram, lower=True)
        prior, across = amplitude * over.diag(menu), between(past.types, kinds)
        rows = amplitude * over(past.actions, menu)

        def deviation(within: float, column: Vector) -> Vector:
            v = scipy.linalg.solve_triangular(factor, rows * column[:, None], lower=True)
            return np.sqrt(np.maximum(prior * within - np.einsum("ij,ij->j", v, v), ROUNDING * prior))

        joint = deviation(float(shares @ between(kinds) @ shares), across @ shares)
        alone = [s * deviation(float(d), c) for s, d, c in zip(shares, between.diag(kinds), across.T, strict=True)]
        return np.asarray(joint / np.sum(alone, axis=0), dtype=np.float64)


def _between(kernel: "Kernel", rows: Matrix) -> Matrix:
    """The kernel between all rows (t, t), evaluated once for equal ones."""
    different, place = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(kernel(different)[np.ix_(place, place)], dtype=np.float64)


class Past(NamedTuple):
    """Observations: scaled actions (t, d), types (t, p) and responses (t,), and factors of the noise variance (t,).

    Responses to the same action by the same type may be merged into one, which is exact: their mean has the noise of
    all of them together, `repeats` counts those that were merged into others, and `spread` is the sum of squares about
    the means, each divided by its factor of the noise variance.
    """

    actions: Matrix
    types: Matrix
    responses: Vector
    noise: Vector
    repeats: int = 0
    spread: float = 0.0

    def merged(self, most: int) -> "Past":
        """Return one observation per action and type; of more than `most`, the latest ones of each action.

        An action that was played once stays, and of those played often as many as there is room for.
        """
        t = len(self.noise)
        rows = np.hstack([self.actions, self.types])
        _, first, place = np.unique(rows[::-1], axis=0, return_index=True, return_inverse=True)
        latest, place = t - 1 - first, place[::-1]
        recent = np.sort(latest)[::-1]
        _, action = np.unique(self.actions[recent], axis=0, return_inverse=True)
        by_action = np.argsort(action, kind="stable")
        starts = np.searchsorted(action[by_action], action[by_action])
        rank = np.empty(len(recent), dtype=int)
        rank[by_action] = np.arange(len(recent)) - starts
        kept = np.sort(recent[np.argsort(rank, kind="stable")[:most]])
        number = np.full(t, -1)
        number[kept] = np.arange(len(kept))
        group = number[latest[place]]
        mine = group >= 0
        group, y, precision = group[mine], self.responses[mine], 1 / self.noise[mine]
        total = np.bincount(group, precision)
        mean = np.bincount(group, precision * y) / total
        spread = float(precision @ (y - mean[group]) ** 2)
        return Past(self.actions[kept], self.types[kept], mean, 1 / total, len(group) - len(kept), spread)


class Fitted(NamedTuple):
    """Hyperparameters, and minus the log posterior density there, but for a constant."""

    theta: Vector
    objective: float


def structures(actions: Matrix, types: Matrix, *, congestion: bool = False) -> tuple[Structure, ...]:
    """The bank for scaled actions and types: smooth, rough, a power of each feature, and congestion if declared."""
    sides = [
        (("linear", "smooth"), ("linear", "smooth")),
        (("rough",), ("rough",)),
        (("linear", "quartic"), ("linear",)),
    ]
    (d, x), (p, y) = ((rows.shape[1], float(np.sqrt(2 * rows.var(axis=0).sum()))) for rows in (actions, types))
    bank = [Structure(Side(d, a, x), Side(p, t, y)) for a, t in sides]
    if congestion:
        bank.append(Structure(Side(d, ("links", "common"), x), Side(p, ("linear",), y), CONGESTION_ODDS))
    return tuple(bank)
