"""Draws of whole response functions from a posterior: pathwise conditioning."""

import math
from typing import NamedTuple

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import
from numpy.typing import NDArray

from firstmover.beliefs.relevance import Past, Structure
from firstmover.beliefs.sampling import covariance_root
from firstmover.core.arrays import Matrix, Vector


class Points(NamedTuple):
    """A grid of scaled actions (a, d) and types (q, p), with the number of the action of each observation (t,)."""

    actions: Matrix
    types: Matrix
    observed: NDArray[np.int_]


class Draws(NamedTuple):
    """The posterior mean at all types and actions (q, a), and draws of b there (n, q, a), in scaled responses."""

    mean: Matrix
    functions: NDArray[np.float64]


def pathwise_draws(
    structure: Structure, theta: Vector, points: Points, past: Past, *, n: int, rng: np.random.Generator
) -> Draws:
    """Return joint draws of b at every pair of an action and a type, given the past (Matheron's rule).

    With f drawn from the prior on the grid and at the observations, and ε from the noise,

    b = f + k (K + λ diag(noise))⁻¹ (y − f(observed) − ε)

    is a draw of the posterior (Wilson and others 2020). The kernel is a product over actions and types, so that
    f = √a R_θ Z R_xᵀ with roots of both factors: the covariance of the grid is never formed.
    """
    amplitude, of_action, of_type = structure.factors(theta)
    variance = structure.noise_variance(theta) * past.noise
    over = np.asarray(of_action(points.actions))
    between = np.asarray(of_type(np.vstack([points.types, past.types])))
    q, at = len(points.types), points.observed
    normal = rng.standard_normal((n, len(between), len(over)))
    prior = math.sqrt(amplitude) * (covariance_root(between) @ normal @ covariance_root(over).T)
    seen = prior[:, q + np.arange(len(at)), at] + np.sqrt(variance) * rng.standard_normal((n, len(at)))
    gram = amplitude * over[np.ix_(at, at)] * between[q:, q:]
    gram[np.diag_indices_from(gram)] += variance
    factor = scipy.linalg.cho_factor(gram, lower=True)
    weights = scipy.linalg.cho_solve(factor, np.vstack([past.responses, past.responses - seen]).T).T
    rows = amplitude * over[:, at]  # (a, t)
    moved = np.array([(between[:q, q:] * each) @ rows.T for each in weights])
    return Draws(moved[0], prior[:, :q] + moved[1:])
