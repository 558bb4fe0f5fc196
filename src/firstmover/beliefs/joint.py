"""The joint posterior of b over all actions and several types: draws, the mean, and the mean without one response."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import
from numpy.typing import NDArray

from firstmover import kernels
from firstmover.beliefs.checks import not_definite
from firstmover.beliefs.fitted import PRIOR_COUNT, FittedBelief
from firstmover.beliefs.outliers import judged
from firstmover.beliefs.sampling import covariance_root
from firstmover.core.arrays import Matrix, Vector, as_count
from firstmover.core.contracts import Belief, Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.kernels import pairs

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

MOST_POINTS = 3000
"""Largest number of pairs of action and type whose covariance is decomposed whole, for a kernel that is no product."""

BLOCK = 16
"""Pairs of draws that are computed together."""

CAUTION = 1.5
"""The factor by which a prior is wider and rougher here than the belief's: far from all observations hyperparameters
are guesses, and the likeliest ones are too sure (Berkenkamp, Schoellig and Krause 2019 scale both in the same way)."""

Places = NDArray[np.int_]


class Observed(NamedTuple):
    """Responses (t, m) at actions (t, d) and types (t, p), and the variances of their noise (t,)."""

    actions: Matrix
    types: Matrix
    responses: Matrix
    variances: Vector


class Tables(NamedTuple):
    """The kernel k(z, z') = left[i, i'] right[j, j'] with the places (i, j) of the grid (n, q) and of observations.

    For a product of kernels `left` is that of different actions and `right` that of different types; otherwise `left`
    is 1 and `right` is the kernel of different pairs.
    """

    left: Matrix
    right: Matrix
    grid: tuple[Places, Places]
    observed: tuple[Places, Places]

    def __call__(self, rows: tuple[Places, Places], columns: tuple[Places, Places]) -> Matrix:
        """Return the kernel between places (k,) and places (l,)."""
        return self.left[np.ix_(rows[0], columns[0])] * self.right[np.ix_(rows[1], columns[1])]


def tables(kernel: "Kernel", menu: Matrix, types: Matrix, observed: Observed) -> Tables:
    """Tabulate a kernel over the grid of a menu and types, and over observations."""
    (n, d), q = menu.shape, len(types)
    actions, row = np.unique(np.concatenate([menu, observed.actions]) + 0.0, axis=0, return_inverse=True)
    kinds, column = np.unique(np.concatenate([types, observed.types]) + 0.0, axis=0, return_inverse=True)
    grid = np.repeat(row[:n, None], q, axis=1), np.repeat(column[None, :q], n, axis=0)
    seen, parts = (row[n:], column[q:]), kernels.split(kernel, d)
    if parts is not None:
        return Tables(parts[0](actions), parts[1](kinds), grid, seen)
    if len(actions) * len(kinds) > MOST_POINTS:
        raise InvalidInput(
            f"kernel {kernel} is not a product on_action(...) * on_type(...), and {len(actions)} actions with "
            f"{len(kinds)} types are more than {MOST_POINTS} points: evaluate fewer rounds, or use such a product."
        )
    whole = kernels.bind(kernel, d)(pairs(actions, kinds))
    at, zero = len(actions) * grid[1] + grid[0], np.zeros_like
    return Tables(np.ones((1, 1)), whole, (zero(at), at), (zero(seen[0]), len(actions) * seen[1] + seen[0]))


@dataclass(frozen=True, eq=False)
class GaussianPosterior:
    """The posterior of one Gaussian process on a grid of actions and types, by pathwise conditioning.

    With K_o the kernel between observations, Λ the variances of their noise, f a draw of the prior and ε one of the
    noise, f + K(grid, o) (K_o + Λ)⁻¹ (y − f(o) − ε) is a draw of the posterior (Wilson et al. 2021). For a product of
    kernels nothing of the squared size of the grid is computed: a draw costs O(a² b + a b²) for a different actions and
    b different types.
    """

    tables: Tables
    observed: Observed

    @cached_property
    def _factor(self) -> Matrix:
        """L of K_o + Λ."""
        gram = self.tables(self.tables.observed, self.tables.observed)
        try:
            return np.asarray(
                scipy.linalg.cholesky(gram + np.diag(self.observed.variances), lower=True), dtype=np.float64
            )
        except np.linalg.LinAlgError:
            points = np.hstack([self.observed.actions, self.observed.types])
            raise not_definite(gram, float(self.observed.variances.min()), points) from None

    @cached_property
    def _roots(self) -> tuple[Matrix, Matrix]:
        return covariance_root(self.tables.left), covariance_root(self.tables.right)

    def _solve(self, values: Matrix) -> Matrix:
        """(K_o + Λ)⁻¹ times the columns of (t, k)."""
        return np.asarray(scipy.linalg.cho_solve((self._factor, True), values), dtype=np.float64)

    def _from_observed(self, weights: Matrix) -> NDArray[np.float64]:
        """K(all, o) times each column of (t, k), at all places of the tables: (k, a, b)."""
        left, right, _, (rows, columns) = self.tables
        spread = np.zeros((len(left) * len(right), weights.shape[1]))
        np.add.at(spread, rows * len(right) + columns, weights)  # several observations may be at one place
        return left @ spread.T.reshape(-1, len(left), len(right)) @ right

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The posterior mean of all actions and types (n, q, m)."""
        found = self._from_observed(self._solve(self.observed.responses))
        return np.moveaxis(found[:, *self.tables.grid], 0, -1)

    def deviations(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return n draws of one output of b minus its mean, at all actions and types (n, actions, q)."""
        (left, right), (rows, columns) = self._roots, self.tables.observed
        prior = left @ rng.standard_normal((as_count("n", n), left.shape[1], right.shape[1])) @ right.T
        noise = np.sqrt(self.observed.variances) * rng.standard_normal((n, len(rows)))
        correction = self._from_observed(self._solve((prior[:, rows, columns] + noise).T))
        return (prior - correction)[:, *self.tables.grid]

    @cached_property
    def calibration(self) -> Vector:
        """c of each output (m,), from the predictions of each response by those before it, as in `FittedBelief`."""
        below = np.tril(self._factor, -1)
        solved = scipy.linalg.solve_triangular(self._factor, self.observed.responses, lower=True)
        error = self.observed.responses - below @ solved
        noise = self.observed.variances[:, None]
        variance = self._factor.diagonal()[:, None] ** 2 - noise
        squares, weights = judged(error, variance, noise)[1]
        total = PRIOR_COUNT + np.broadcast_to(weights, squares.shape).sum(axis=0)
        return np.asarray(np.sqrt((PRIOR_COUNT + squares.sum(axis=0)) / total), dtype=np.float64)

    def without(self, places: Places, numbers: Places) -> NDArray[np.float64]:
        """Return the mean of all actions at type `places[i]` without observation `numbers[i]` (k, n, m).

        With P = (K_o + Λ)⁻¹ and α = P y, the mean at z without observation s is K(z, o) (α − P_s α_s / P_ss).
        """
        inverse = self._solve(np.eye(len(self.observed.variances)))
        weights = inverse @ self.observed.responses
        found = np.empty((len(places), len(self.tables.grid[0]), weights.shape[1]))
        for place in np.unique(places):
            chosen = np.flatnonzero(places == place)
            which, (rows, columns) = numbers[chosen], self.tables.grid
            across = self.tables((rows[:, place], columns[:, place]), self.tables.observed)
            drop = weights[which] / inverse[which, which][:, None]
            found[chosen] = across @ weights - (across @ inverse[:, which]).T[:, :, None] * drop[:, None, :]
        return found


class Part(NamedTuple):
    """A member of a mixture with its probability: the posterior of each output, or one posterior of all outputs."""

    probability: float
    outputs: tuple[GaussianPosterior, ...]


@dataclass(frozen=True, eq=False)
class JointPosterior:
    """The posterior of b at all actions and some types: a mixture of Gaussian processes, in units of the responses.

    A draw of member k is μ + c (centre + unit f_k − μ), with f_k a draw of its Gaussian posterior, μ the mean of the
    mixture and c the calibration of each output.
    """

    parts: tuple[Part, ...]
    centre: Vector
    unit: Vector
    calibration: Vector

    def _stacked(self, part: Part, name: str) -> NDArray[np.float64]:
        return np.concatenate([getattr(each, name) for each in part.outputs], axis=-1)

    @cached_property
    def _means(self) -> list[NDArray[np.float64]]:
        return [self.centre + self.unit * self._stacked(part, "mean") for part in self.parts]

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """μ of all actions and types (n, q, m)."""
        return np.sum([part.probability * mean for part, mean in zip(self.parts, self._means, strict=True)], axis=0)

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
        """Yield about n draws of b in blocks (k, actions, q, m), in pairs that are symmetric about their mean.

        Each member has its share of the pairs, so that the average of all draws is μ but for rounding of the shares.
        """
        ends = np.round(np.cumsum([part.probability for part in self.parts]) * (as_count("n", n, least=2) / 2))
        for part, mean, count in zip(self.parts, self._means, np.diff(ends, prepend=0.0).astype(int), strict=True):
            middle = self.mean + self.calibration * (mean - self.mean)
            for start in range(0, count, BLOCK):
                away = self._away(part, min(BLOCK, count - start), rng)
                yield np.concatenate([middle + away, middle - away])

    def functions(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return n independent draws of b (n, actions, q, m), each from one member, by their probabilities."""
        chosen = rng.choice(len(self.parts), p=[part.probability for part in self.parts], size=as_count("n", n))
        found = np.empty((n, *self.mean.shape))
        for k, (part, mean) in enumerate(zip(self.parts, self._means, strict=True)):
            own = np.flatnonzero(chosen == k)
            for block in np.split(own, range(BLOCK, len(own), BLOCK)) if len(own) else ():
                found[block] = self.mean + self.calibration * (mean - self.mean) + self._away(part, len(block), rng)
        return found

    def _away(self, part: Part, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draws of b minus its mean by one member, calibrated (n, actions, q, m)."""
        outputs = part.outputs * (len(self.unit) // len(part.outputs))
        return self.calibration * self.unit * np.stack([each.deviations(n, rng) for each in outputs], axis=-1)

    def without(self, places: Places, numbers: Places) -> NDArray[np.float64]:
        """Return μ of all actions at type `places[i]` without observation `numbers[i]` (k, n, m)."""
        total = np.zeros((len(places), len(self.mean), len(self.unit)))
        for part in self.parts:
            each = [posterior.without(places, numbers) for posterior in part.outputs]
            total += part.probability * np.concatenate(each, axis=-1)
        return np.asarray(self.centre + self.unit * total, dtype=np.float64)


def joint_posterior(belief: Belief, game: Game, seen: Sequence[Feedback], types: Matrix) -> JointPosterior:
    """Return the cautious joint posterior at all actions and some types; `seen` are the observations of the belief."""
    if isinstance(belief, FittedBelief):
        return fitted_posterior(belief, types, CAUTION)
    if not (hasattr(belief, "kernel") and hasattr(belief, "regularization")):
        raise InvalidInput(f"{belief!r} has no kernel, by which its joint posterior is computed: use another learner.")
    m = game.n_outputs
    observed = Observed(
        game.actions[[each.action for each in seen]],
        np.array([each.opponent_type for each in seen]).reshape(len(seen), -1),
        np.array([each.response for each in seen]).reshape(len(seen), m),
        np.full(len(seen), belief.regularization),
    )
    given = GaussianPosterior(tables(belief.kernel, game.actions, types, observed), observed)
    posterior = GaussianPosterior(tables(cautious(belief.kernel), game.actions, types, observed), observed)
    return JointPosterior((Part(1.0, (posterior,)),), np.zeros(m), np.ones(m), given.calibration)


def cautious(kernel: "Kernel") -> "Kernel":
    """Return a kernel that is wider and rougher: √k times CAUTION, and all length scales divided by it."""
    from sklearn.base import clone  # noqa: PLC0415 - slow to import
    from sklearn.gaussian_process.kernels import ConstantKernel  # noqa: PLC0415

    scales = {name: value for name, value in kernel.get_params().items() if name.endswith("length_scale")}
    rougher = clone(kernel).set_params(**{name: np.divide(value, CAUTION) for name, value in scales.items()})
    return ConstantKernel(CAUTION**2, "fixed") * rougher


def fitted_posterior(belief: FittedBelief, types: Matrix, caution: float = 1.0) -> JointPosterior:
    """Return the joint posterior of a fitted belief at all actions and some types (q, p).

    With `caution` its prior is wider and its length scales are shorter by this factor.
    """
    last = belief.last
    if last is None:
        raise InvalidInput(f"{belief!r} has no fit yet: tell or import more responses first.")
    parts, grid = [], belief.scaled_grid(types)
    for k in last.counting:
        outputs = []
        for output in range(belief.game.n_outputs):
            structure, fitted, past = belief.regression(k, output)
            theta = structure.cautious(fitted, caution)
            noise = structure.noise_variance(theta) * past.noise
            observed = Observed(past.actions, past.types, past.responses[:, None], noise)
            outputs.append(GaussianPosterior(tables(structure.kernel(theta), *grid, observed), observed))
        parts.append(Part(float(last.weights[k]), tuple(outputs)))
    centre, unit = np.array(last.responses).T
    return JointPosterior(tuple(parts), centre, unit, belief.calibration)
