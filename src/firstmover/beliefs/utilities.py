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

FLIPPED = np.array([1.0, -1.0])[:, None, None]
"""The signs of precision and mean of a comparison made the other way round."""

WIDEST = 1e3
"""The largest variance of a margin without its own message; that before all choices is far below."""


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

    `messages` (2, k, c, c) are precision and precision-weighted mean of the comparison of i with j at each action
    played, 0 where i is not read; `bounds` (2, b) are those of w ≥ 0. All comparisons at an action x are differences of
    its c utilities F (a, w), so that the precision is F^T L F, summed over actions, with L the Laplacian of the
    messages: cost grows with c² per action, whatever the number of readings.
    """

    features: NDArray[np.float64]
    sign: int
    played: tuple[int, ...]
    likelihoods: Matrix
    readings: Matrix
    messages: NDArray[np.float64]
    bounds: NDArray[np.float64]
    mean: Vector
    covariance: Matrix

    @classmethod
    def prior(cls, actions: Matrix, sign: int) -> Self:
        """Return the belief before the first choice; actions (n, c) have one feature per place."""
        basis = ramps(actions)
        (_, c, b), nothing = basis.shape, np.empty((0, actions.shape[1]))
        messages, bounds = np.zeros((2, 0, c, c)), np.zeros((2, b))
        start = cls(basis, sign, (), nothing, nothing, messages, bounds, np.zeros(c + b), np.eye(c + b))
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
        rows, read = np.nonzero(likelihoods)
        others = np.arange(self.n_places) != read[:, None]
        rival = others & (likelihoods[rows] > 0)
        basis = self.sign * self.features[list(played)]
        messages, bounds, shares = self._messages(played, likelihoods > 0), self.bounds.copy(), np.ones(len(rows))
        for _ in range(SWEEPS):
            mean, covariance = self._posterior(basis, messages, bounds)
            centre, variance = _margins(basis, mean, covariance, rows, read)
            message = messages[:, rows, read]
            opposite = (
                messages.swapaxes(2, 3)[:, rows, read] * FLIPPED
            )  # of the same choice: it must not confirm itself
            target, log_mass = _moments(message + opposite, centre, np.where(others, variance, 1.0))
            shares = _shares(rows, likelihoods[rows, read], np.where(rival, log_mass, 0.0).sum(axis=1))
            messages[:, rows, read] = message + DAMPING * (np.where(others, shares[:, None] * target, 0.0) - message)
            increments = np.arange(self.n_places, len(mean))
            target, _ = _moments(bounds, mean[increments], covariance[increments, increments])
            bounds += DAMPING * (target - bounds)
        mean, covariance = self._posterior(basis, messages, bounds)
        readings = np.zeros_like(likelihoods)
        readings[rows, read] = shares
        return replace(
            self,
            played=played,
            likelihoods=likelihoods,
            readings=readings,
            messages=messages,
            bounds=bounds,
            mean=mean,
            covariance=covariance,
        )

    def _messages(self, played: tuple[int, ...], possible: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The messages so far of readings that are still possible (2, k, c, c); 0 for new actions."""
        c = self.n_places
        messages = np.zeros((2, len(played), c, c))
        known = [k for k, action in enumerate(played) if action in self.played]
        messages[:, known] = self.messages[:, [self.played.index(played[k]) for k in known]]
        return np.where(possible[:, :, None], messages, 0.0)

    def _posterior(
        self, basis: NDArray[np.float64], messages: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[Vector, Matrix]:
        """Mean and covariance of (a, w): Σ F^T L F over the actions, F = (I, ± φ), besides prior and bounds."""
        c, b = self.n_places, len(self.mean) - self.n_places
        weights = messages[0] + messages[0].swapaxes(1, 2)
        degrees = weights.sum(axis=2)
        sloped, flat = degrees[:, :, None] * basis - weights @ basis, basis.reshape(-1, b)  # L φ
        joint = sloped.sum(axis=0)
        places = np.diag(degrees.sum(axis=0)) - weights.sum(axis=0)
        data = np.block([[places, joint], [joint.T, flat.T @ sloped.reshape(-1, b)]])
        pull = messages[1].sum(axis=2) - messages[1].sum(axis=1)
        shift = np.concatenate([pull.sum(axis=0), pull.ravel() @ flat + bounds[1]])
        covariance = np.linalg.inv(self._precision + data + np.diag(np.append(np.zeros(c), bounds[0])))
        return covariance @ shift, (covariance + covariance.T) / 2

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


def _margins(
    basis: NDArray[np.float64], mean: Vector, covariance: Matrix, rows: NDArray[np.intp], read: NDArray[np.intp]
) -> tuple[Matrix, Matrix]:
    """Mean and variance of the margin of each place read over all places (r, c), by the utilities of each action."""
    c = basis.shape[1]
    utilities = mean[:c] + basis @ mean[c:]
    crossed = basis @ covariance[c:, :c]
    joint = covariance[:c, :c] + crossed + crossed.swapaxes(1, 2) + basis @ covariance[c:, c:] @ basis.swapaxes(1, 2)
    own = np.diagonal(joint, axis1=1, axis2=2)
    centre = utilities[rows, read][:, None] - utilities[rows]
    return centre, own[rows, read][:, None] + own[rows] - 2 * joint[rows, read]


def _moments(
    message: NDArray[np.float64], margin: NDArray[np.float64], variance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The messages (2, ...) that match the moments of each factor Φ, and the log of its mass, by all but `message`."""
    cavity = 1 / np.maximum(1 / variance - message[0], 1 / WIDEST)
    centre = cavity * (margin / variance - message[1])
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
