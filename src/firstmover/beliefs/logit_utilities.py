"""Utilities of an opponent that sees a mixture p and chooses a place: fitted to its choices, and the best p for them.

All are in units of a logit choice: place i is chosen with probability exp U_i(p) / Σ_j exp U_j(p).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # scipy.optimize and scipy.special are loaded on first use: they are slow to import
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector

SCALE = 30.0
"""The prior standard deviation of a utility: large, so that choices are nearly deterministic."""

OWN = 0.3
"""The prior scale of what one place has of its own in its deterrence, relative to what all have in common."""

MARGIN = 2.0
"""The lead in utility of the place that a commitment is meant for: it is then chosen with odds of e² to any other."""

STEPS = 30
"""Bisections of a level of utility."""

ITERATIONS = 200
"""The largest number of iterations of a fit."""


@dataclass(frozen=True, eq=False)
class Deterrence:
    """U_i(p) = a_i − Σ_m (s_m + d_im) φ_m(w_i(p)), s, d ≥ 0: a place appeals less, the more the leader gains there.

    w_i(p) = Σ_x p[x] w[x, i] in [0, 1] is the scaled payoff of the leader at place i; in a park it is the coverage of
    the cell. φ_m rises from 0 to 1 between two knots, which lie at 0, 1 / 2n and then at factors of at most √2 up to 1.
    """

    payoffs: Matrix

    @cached_property
    def knots(self) -> Vector:
        """The ends of the ramps φ_m (M + 1,)."""
        first = 1 / (2 * len(self.payoffs))
        steps = int(np.ceil(2 * np.log2(1 / first)))
        return np.append(0.0, first ** (1 - np.arange(steps + 1) / steps))

    @property
    def centre(self) -> Vector:
        """The prior mean: all places alike, coverage deters."""
        c, m = self.payoffs.shape[1], len(self.knots) - 1
        return np.concatenate([np.zeros(c), np.full(m, 0.8 * SCALE), np.full(c * m, 0.8 * OWN * SCALE)])

    @property
    def scale(self) -> Vector:
        """The prior standard deviation of each parameter."""
        c, m = self.payoffs.shape[1], len(self.knots) - 1
        return np.concatenate([np.full(c + m, SCALE), np.full(c * m, OWN * SCALE)])

    @property
    def bounds(self) -> list[tuple[float | None, None]]:
        """Slopes are 0 or more."""
        c = self.payoffs.shape[1]
        return [(None, None)] * c + [(0.0, None)] * (len(self.scale) - c)

    def features(self, commitments: Matrix) -> NDArray[np.float64]:
        """φ_m(w_i(p)) of each commitment (k, c, M)."""
        w = commitments @ self.payoffs
        return np.clip((w[..., None] - self.knots[:-1]) / np.diff(self.knots), 0.0, 1.0)

    def _split(self, parameters: Vector) -> tuple[Vector, Matrix]:
        c, m = self.payoffs.shape[1], len(self.knots) - 1
        return parameters[:c], parameters[c : c + m] + parameters[c + m :].reshape(c, m)

    def utilities(self, parameters: Vector, features: NDArray[np.float64]) -> Matrix:
        """U_i(p) of each commitment (k, c)."""
        appeal, slopes = self._split(parameters)
        return appeal - np.einsum("kim,im->ki", features, slopes)

    def gradient(self, slope: Matrix, features: NDArray[np.float64]) -> Vector:
        """The gradient in the parameters of a function whose gradient in the utilities is `slope` (k, c)."""
        slopes = -np.einsum("ki,kim->im", slope, features)
        return np.concatenate([slope.sum(axis=0), slopes.sum(axis=0), slopes.ravel()])

    def best(self, parameters: Vector, rewards: Matrix) -> Vector | None:
        """The commitment that equalises utilities at the lowest level, with a lead for the place that earns most.

        Of the places with U_i = u at the lowest feasible level u, the one of largest Σ_x p[x] r(x, y_i) gets the lead.
        """
        appeal, slopes = self._split(parameters)
        even = self._lowest(appeal, slopes)
        if even is None:
            return None
        commitment, level = even
        earned = np.where(appeal >= level, commitment @ rewards, -np.inf)
        lead = MARGIN * (np.arange(len(appeal)) == np.argmax(earned))
        found = self._lowest(appeal - lead, slopes)
        return None if found is None else found[0]

    def _lowest(self, appeal: Vector, slopes: Matrix) -> tuple[Vector, float] | None:
        """The lowest u such that some p has U_i(p) ≤ u for all i, by bisection, and this p."""
        fallen = np.hstack([np.zeros((len(slopes), 1)), np.cumsum(slopes, axis=1)])
        low, high, found = float((appeal - fallen[:, -1]).max()), float(appeal.max()), None
        for level in (high, *[None] * STEPS):
            u = (low + high) / 2 if level is None else level
            needed = np.array([np.interp(a - u, f, self.knots) for a, f in zip(appeal, fallen, strict=True)])
            commitment = self._covering(np.where(appeal > u, needed, 0.0))
            if commitment is None:
                low = u
            else:
                high, found = u, commitment
        return None if found is None else (found, high)

    def _covering(self, needed: Vector) -> Vector | None:
        """Return p with w_i(p) ≥ needed_i for all i, or None: directly where action i counts at place i alone."""
        n = len(self.payoffs)
        alone = self.payoffs.argmax(axis=0)
        if np.array_equal(self.payoffs, np.eye(n)[:, alone]):
            p = np.zeros(n)
            p[alone] = needed
            rest = 1 - p.sum()
            if rest < 0:
                return None
            return p / p.sum() if p.sum() > 0 else np.bincount(alone, minlength=n) / len(alone)
        answer = scipy.optimize.linprog(np.zeros(n), -self.payoffs.T, -needed, np.ones((1, n)), [1.0], bounds=(0, 1))
        return None if answer.x is None else _on_simplex(answer.x)


@dataclass(frozen=True, eq=False)
class LinearUtilities:
    """U_i(p) = Σ_x p[x] B[x, i], as of a follower with a payoff table; the prior mean is opposed to the leader."""

    payoffs: Matrix

    @property
    def bounds(self) -> None:
        """Payoffs may be any numbers."""
        return None

    @property
    def centre(self) -> Vector:
        """The prior mean."""
        return -0.5 * SCALE * self.payoffs.ravel()

    @property
    def scale(self) -> Vector:
        """The prior standard deviation of each parameter."""
        return np.full(self.payoffs.size, SCALE)

    def features(self, commitments: Matrix) -> Matrix:
        """The commitments themselves (k, n)."""
        return commitments

    def utilities(self, parameters: Vector, features: Matrix) -> Matrix:
        """U_i(p) of each commitment (k, c)."""
        return features @ parameters.reshape(self.payoffs.shape)

    def gradient(self, slope: Matrix, features: Matrix) -> Vector:
        """The gradient in the parameters of a function whose gradient in the utilities is `slope` (k, c)."""
        return (features.T @ slope).ravel()

    def best(self, parameters: Vector, rewards: Matrix) -> Vector | None:
        """The optimal commitment by one linear program per place (Conitzer and Sandholm 2006), with a lead if it can.

        max_p Σ_x p[x] r(x, y_i)   over the simplex   with   U_i(p) ≥ U_j(p) + lead   for every place j ≠ i
        """
        table, (n, c) = parameters.reshape(self.payoffs.shape), self.payoffs.shape
        for lead in (MARGIN, 0.0):
            value, found = -np.inf, None
            for i in np.argsort(-rewards.max(axis=0)):
                if rewards[:, i].max() <= value:
                    break
                others = np.delete(table - table[:, [i]], i, axis=1).T
                answer = scipy.optimize.linprog(
                    -rewards[:, i], others, np.full(c - 1, -lead), np.ones((1, n)), [1.0], bounds=(0, 1)
                )
                if answer.x is not None and float(rewards[:, i] @ answer.x) > value:
                    value, found = float(rewards[:, i] @ answer.x), _on_simplex(answer.x)
            if found is not None:
                return found
        return None


def _on_simplex(x: Vector) -> Vector:
    p = np.clip(x, 0.0, None)
    return p / p.sum()


def log_choice(utilities: Matrix) -> Matrix:
    """The logarithm of the probability of each place (k, c)."""
    return utilities - scipy.special.logsumexp(utilities, axis=1, keepdims=True)


def fit(
    model: Deterrence | LinearUtilities, commitments: Matrix, log_likelihood: Matrix, centre: Vector | None = None
) -> Vector:
    """The parameters of the largest posterior density, given ℓ_i of the reports of each commitment (k, c).

    Σ_k log Σ_i P_i(p_k) ℓ_ki − ½ Σ ((θ − centre) / scale)²: a report is not assigned to one place beforehand.
    """
    scale, features = model.scale, model.features(commitments)
    relative = log_likelihood - log_likelihood.max(axis=1, keepdims=True)  # so that units do not matter
    middle = (model.centre if centre is None else centre) / scale

    def objective(z: Any, /) -> Any:
        return _objective(model, features, relative, z, middle)

    found = scipy.optimize.minimize(
        objective, middle, jac=True, method="L-BFGS-B", bounds=model.bounds, options={"maxiter": ITERATIONS}
    )
    return np.asarray(found.x) * scale


def _objective(
    model: Deterrence | LinearUtilities, features: Any, log_likelihood: Matrix, z: Vector, middle: Vector
) -> tuple[float, Vector]:
    """The negative log posterior density of θ = scale · z, and its gradient in z."""
    log_p = log_choice(model.utilities(z * model.scale, features))
    joint = log_p + log_likelihood
    evidence = scipy.special.logsumexp(joint, axis=1, keepdims=True)
    slope = np.exp(log_p) - np.exp(joint - evidence)
    off = z - middle
    return float(-evidence.sum() + 0.5 * off @ off), model.gradient(slope, features) * model.scale + off
