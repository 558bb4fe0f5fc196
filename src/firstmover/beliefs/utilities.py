"""A belief about the utilities behind a choice: what revealed preferences say, by expectation propagation."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import scipy
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector

INCREMENT = 0.3
"""The standard deviation of one increment of h, in those of the utilities of places."""

COMMON = 0.5
"""The correlation of the increments of h: a steep curve is steep in most intervals."""

TREMBLE = 0.05
"""The standard deviation of the noise of a comparison of two places."""

HALVINGS = 11
"""Knots of h lie at the quantiles 1 − 2⁻ᵏ of all features up to this k: the middle of the menu and its extremes."""

DRAWS = 64
"""Draws of the posterior, by which the probability of each place is counted."""

SWEEPS, DAMPING = 8, 0.7
"""Passes of expectation propagation per fit, and the share of a new message that is taken over."""

WIDEST = 1e3
"""The largest variance of a margin without its own message; that before all choices is far below."""

Sites = dict[tuple[int, int], NDArray[np.float64]]
"""Messages by action and place read: precision and precision-weighted mean of the comparison with each place (2, c)."""


def ramps(actions: Matrix) -> NDArray[np.float64]:
    """The basis of h at every feature (n, c, b): each function rises from 0 to 1 between two knots, and stays.

    Shifting or rescaling all features leaves it unchanged.
    """
    low, high = actions.min(), actions.max()
    levels = np.quantile(actions, 1 - 0.5 ** np.arange(1, HALVINGS + 1))
    knots = np.unique(np.concatenate([[low], levels, [high]]))
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-9 * (high - low)])]
    if len(knots) < 2:
        return np.zeros((*actions.shape, 1))
    return np.clip((actions[:, :, None] - knots[:-1]) / np.diff(knots), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class UtilityBelief:
    """One opponent who chooses the place i of the largest utility a_i + s h(x[i]), with a sign s and increasing h.

    The action has one feature x[i] per place, such as its coverage; with s = −1 it deters, with s = 1 it attracts.
    a_i is standard normal and h = Σ_b w_b φ_b, w ≥ 0, on `ramps`. A choice of i at x says for every j

    a_i − a_j + s Σ_b w_b (φ_b(x[i]) − φ_b(x[j])) + ε ≥ 0,   ε normal of standard deviation `TREMBLE`.

    Each comparison, and each w_b ≥ 0, is a factor Φ(margin), of which expectation propagation finds a Gaussian
    message; together they give the Gaussian posterior of (a, w). A choice that was read in several ways enters each of
    them with its share, the likelihood of the reading times the probability of the choice by all *other* messages.
    """

    features: NDArray[np.float64]
    sign: int
    played: tuple[int, ...]
    likelihoods: Matrix
    readings: Matrix
    sites: Sites
    bounds: NDArray[np.float64]
    mean: Vector
    covariance: Matrix

    @classmethod
    def prior(cls, actions: Matrix, sign: int) -> Self:
        """Return the belief before the first choice; actions (n, c) have one feature per place."""
        basis = ramps(actions)
        (_, c, b), nothing = basis.shape, np.empty((0, actions.shape[1]))
        start = cls(basis, sign, (), nothing, nothing, {}, np.zeros((2, b)), np.zeros(c + b), np.eye(c + b))
        return start._fitted((), nothing)

    @property
    def n_places(self) -> int:
        """c."""
        return self.features.shape[1]

    @cached_property
    def _precision(self) -> Matrix:
        """The precision of (a, w) before all constraints."""
        c, b = self.features.shape[1:]
        increments = INCREMENT**2 * (COMMON * np.ones((b, b)) + (1 - COMMON) * np.eye(b))
        return scipy.linalg.block_diag(np.eye(c), np.linalg.inv(increments))

    def given(self, played: tuple[int, ...], likelihoods: Matrix) -> Self:
        """Return the belief after these actions, each with the likelihoods (k, c) of a choice of each place."""
        if played == self.played and np.all(np.abs(likelihoods - self.likelihoods) <= 0.01):
            return self
        return self._fitted(played, likelihoods)

    def _fitted(self, played: tuple[int, ...], likelihoods: Matrix) -> Self:
        """Expectation propagation from the messages so far."""
        c, b = self.features.shape[1:]
        rows, read = np.nonzero(likelihoods)
        keys = [(played[k], int(i)) for k, i in zip(rows, read, strict=True)]
        contrasts, compared = self._comparisons(np.array(played, dtype=int)[rows], read)
        margins = np.vstack([np.hstack([np.zeros((b, c)), np.eye(b)]), contrasts])
        message = np.hstack(
            [self.bounds, *(self.sites.get(key, np.zeros((2, c)))[:, compared[r]] for r, key in enumerate(keys))]
        )
        rival, opposite = likelihoods[rows] > 0, _opposite(rows, read, likelihoods.shape)
        opposite = np.concatenate([np.full(b, -1), np.where(opposite < 0, -1, b + opposite)[compared]])
        shares = np.ones(len(rows))
        for _ in range(SWEEPS):
            mean, covariance = self._posterior(margins, message)
            own = message + np.where(opposite < 0, 0.0, message[:, opposite] * [[1.0], [-1.0]])
            target, log_mass = _moments(margins, own, mean, covariance)
            within = np.zeros((len(rows), c))
            within[compared] = log_mass[b:]
            shares = _shares(rows, likelihoods[rows, read], np.where(rival, within, 0.0).sum(axis=1))
            weights = np.concatenate([np.ones(b), np.repeat(shares, c - 1)])
            message += DAMPING * (weights * target - message)
        mean, covariance = self._posterior(margins, message)
        readings = np.zeros_like(likelihoods)
        readings[rows, read] = shares
        sites: Sites = {}
        for r, key in enumerate(keys):
            sites[key] = np.zeros((2, c))
            sites[key][:, compared[r]] = message[:, b + r * (c - 1) : b + (r + 1) * (c - 1)]
        return replace(
            self,
            played=played,
            likelihoods=likelihoods,
            readings=readings,
            sites=sites,
            bounds=message[:, :b],
            mean=mean,
            covariance=covariance,
        )

    def _comparisons(self, actions: NDArray[np.intp], read: NDArray[np.intp]) -> tuple[Matrix, NDArray[np.bool_]]:
        """The coefficients of (a, w) in the margin of each read place over the others, and the mask (r, c) of these."""
        c, b = self.features.shape[1:]
        compared = np.arange(c) != read[:, None]
        places, basis = np.eye(c), self.sign * self.features[actions]
        chosen = basis[np.arange(len(read)), read]
        contrasts = np.concatenate([places[read][:, None] - places, chosen[:, None] - basis], axis=2)
        return contrasts[compared].reshape(-1, c + b), compared

    def _posterior(self, margins: Matrix, message: NDArray[np.float64]) -> tuple[Vector, Matrix]:
        covariance = np.linalg.inv(self._precision + (margins.T * message[0]) @ margins)
        return covariance @ (margins.T @ message[1]), (covariance + covariance.T) / 2

    @cached_property
    def _draws(self) -> Matrix:
        """Antithetic draws of (a, w) from the posterior, always by the same normal numbers."""
        normal = np.random.default_rng(0).standard_normal((DRAWS // 2, len(self.mean)))
        jitter = 1e-10 * np.trace(self.covariance) * np.eye(len(self.mean))
        return self.mean + np.vstack([normal, -normal]) @ np.linalg.cholesky(self.covariance + jitter).T

    @cached_property
    def chances(self) -> Matrix:
        """The probability of each place at every action (n, c): how often it is the best of a draw."""
        return self._chances(self._upright)

    def chances_at(self, action: int) -> Vector:
        """The probability of each place at one action (c,)."""
        return self._chances(self._upright[action : action + 1])[0]

    @property
    def _upright(self) -> NDArray[np.float64]:
        return self.features.transpose(0, 2, 1)

    def _chances(self, basis: NDArray[np.float64]) -> Matrix:
        n, _, c = basis.shape
        utilities = (self.sign * self._draws[:, c:]) @ basis
        utilities += self._draws[:, :c]
        best = utilities.argmax(axis=2) + c * np.arange(n)[:, None]
        return np.bincount(best.ravel(), minlength=n * c).reshape(n, c) / DRAWS


def _moments(
    margins: Matrix, message: NDArray[np.float64], mean: Vector, covariance: Matrix
) -> tuple[NDArray[np.float64], Vector]:
    """The messages (2, r) that match the moments of each factor Φ, and the log of its mass, by all but `message`."""
    variance = np.einsum("rp,rp->r", margins @ covariance, margins)
    cavity = 1 / np.maximum(1 / variance - message[0], 1 / WIDEST)
    centre = cavity * (margins @ mean / variance - message[1])
    total = cavity + TREMBLE**2
    z = centre / np.sqrt(total)
    log_mass = scipy.special.log_ndtr(z)
    slope = np.exp(-0.5 * (z**2 + np.log(2 * np.pi)) - log_mass)
    bend = slope * (slope + z) / total
    left = 1 - bend * cavity
    return np.stack([bend, centre * bend + slope / np.sqrt(total)]) / left, log_mass


def _shares(rows: NDArray[np.intp], likelihoods: Vector, log_mass: Vector) -> Vector:
    """The share of each reading among those of its row: likelihood times mass, which sum to 1 over a row."""
    if len(rows) == 0:
        return np.empty(0)
    weight = np.log(likelihoods) + log_mass
    top = np.full(rows.max() + 1, -np.inf)
    np.maximum.at(top, rows, weight)
    weight = np.exp(weight - top[rows])
    return weight / np.bincount(rows, weight)[rows]


def _opposite(rows: NDArray[np.intp], read: NDArray[np.intp], shape: tuple[int, ...]) -> NDArray[np.intp]:
    """The index of the comparison of j with i where i is read and compared with j (r, c); −1 if j is not read.

    Both are about one choice: what they say together is taken out before either is judged, or a reading would confirm
    itself.
    """
    c = shape[1]
    number = np.full(shape, -1)
    number[rows, read] = np.arange(len(rows))
    other, column = number[rows], np.arange(c)
    at = other * (c - 1) + read[:, None] - (read[:, None] > column)
    return np.where((other < 0) | (column == read[:, None]), -1, at)
