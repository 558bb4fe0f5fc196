"""Responses that are a choice among finitely many places: the places, and what noisy reports say about the choice."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, ShortRepr, _set

CLEAR = 5.0
"""The likelihood ratio to every other place above which a report counts for the location within its place."""

SURPRISE = 0.05
"""The smallest prior probability of a place, whatever the belief says."""

CONTENDING = 20.0
"""A place is excluded by the reports of an action if another is this many times as likely."""

CERTAIN = 0.9
"""The share of a reading from which on its reports count for the known location of its place."""

DECLARED = 4.0
"""The declared noise counts as much as this many degrees of freedom of differences between reports."""


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """c places an opponent chooses among, each a box of the response space; a point where its corners are equal.

    `box` has corners (c, m), and the location within a place is unknown; `noise_std` is that of a reported location.

    Parameters
    ----------
    box
        The places as boxes, corners (c, m).
    noise_std
        Standard deviation of the noise of a reported location.

    Raises
    ------
    InvalidInput
        If there is no place, a corner is not finite, or the noise is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, Places
    >>> halves = Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise_std=0.1)
    >>> print(halves.likelihood(np.array([1.1])).round(2))
    [0.16 0.84]
    """

    box: Box
    noise_std: float

    def __post_init__(self) -> None:
        if self.box.lower.ndim != 2 or self.box.lower.size == 0:
            raise InvalidInput(f"places have corners of shape {self.box.lower.shape}: give one row (m,) per place.")
        if not (np.all(np.isfinite(self.box.lower)) and np.all(np.isfinite(self.box.upper))):
            raise InvalidInput("places are unbounded: give each a finite box.")
        _set(self, noise_std=positive("noise_std", self.noise_std))

    def __repr__(self) -> str:
        return f"Places({self.count} places, noise_std={self.noise_std:.4g})"

    @property
    def count(self) -> int:
        """c, the number of places."""
        return len(self.box.lower)

    @property
    def centres(self) -> Matrix:
        """The middle of each place (c, m)."""
        return (self.box.lower + self.box.upper) / 2

    def likelihood(self, response: Vector, reports: int = 1) -> Vector:
        """The density of the mean of some reports from each place (c,): a uniform location within it, plus noise.

        The noise of the mean is Gaussian, its standard deviation σ / √reports.

        Parameters
        ----------
        response
            The mean of the reports (m,).
        reports
            The number of reports.

        Returns
        -------
        Vector
            Densities (c,).
        """
        ndtr = scipy.special.ndtr  # imported on use: slow to import, and most matches have no places
        low, high, noise = self.box.lower, self.box.upper, self.noise_std / np.sqrt(reports)
        width = high - low
        spread = (ndtr((high - response) / noise) - ndtr((low - response) / noise)) / np.where(width > 0, width, 1.0)
        point = np.exp(-0.5 * ((response - low) / noise) ** 2) / (np.sqrt(2 * np.pi) * noise)
        return np.prod(np.where(width > 0, spread, point), axis=1)

    def nearest(self, response: Vector) -> int:
        """The place with the smallest distance, the first of equals."""
        return int(np.argmin(np.linalg.norm(np.clip(response, self.box.lower, self.box.upper) - response, axis=1)))


@dataclass(frozen=True, eq=False, repr=False)
class Readings(ShortRepr):
    """The clear reports of each place so far: their number n_i and their sum.

    A report y is assigned to the place i of the largest

    max(P_i, 0.05) · (ℓ_i(y) + n_i N(y; ȳ_i, (1 + 1/n_i) σ²)) / (1 + n_i)

    with P the prior probabilities: a uniform location in a place without reports, otherwise near the mean ȳ_i of its
    reports. So an outlier beyond a border still counts for its place. Locations never leave their place.
    """

    places: Places
    counts: Vector
    sums: Matrix

    @classmethod
    def start(cls, places: Places) -> Self:
        """Before the first report."""
        return cls(places, np.zeros(places.count), np.zeros(places.box.lower.shape))

    @property
    def locations(self) -> Matrix:
        """The expected location in each place (c, m): between its centre and the mean of its reports."""
        box, noise = self.places.box, self.places.noise_std**2
        prior = (box.upper - box.lower) ** 2 / 12  # the variance of a uniform location
        mean = (noise * self.places.centres + prior * self.sums) / (noise + prior * self.counts[:, None])
        return np.clip(mean, box.lower, box.upper)

    def read(self, response: Vector, chances: Vector) -> tuple[Vector, Self]:
        """The indicator of the most likely place of a report (c,), and the readings with it.

        A report that is not `CLEAR` does not change the locations.
        """
        response = as_array("response", response, ndim=1, length=self.sums.shape[1])
        place, clear = self.assign(response, chances)
        indicator = np.zeros(self.places.count)
        indicator[place] = 1.0
        if not clear:
            return indicator, self
        counts, sums = self.counts + indicator, self.sums + indicator[:, None] * response
        return indicator, replace(self, counts=counts, sums=sums)

    def assign(self, response: Vector, chances: Vector, reports: int = 1) -> tuple[int, bool]:
        """The most likely place of the mean of some reports, and whether it is `CLEAR`."""
        box, n = self.places.box, np.maximum(self.counts, 1.0)[:, None]
        variance = self.places.noise_std**2 * (1 / reports + 1 / n)
        off = response - np.clip(self.sums / n, box.lower, box.upper)
        near = np.prod(np.exp(-0.5 * off**2 / variance) / np.sqrt(2 * np.pi * variance), axis=1)
        density = (self.places.likelihood(response, reports) + self.counts * near) / (1 + self.counts)
        weights = density * np.maximum(chances, SURPRISE)
        place = int(np.argmax(weights)) if weights.max() > 0 else self.places.nearest(response)  # all may underflow
        others = np.where(np.arange(len(weights)) == place, 0.0, weights)
        return place, bool(CLEAR * others.max() <= weights[place])


@dataclass(frozen=True, eq=False)
class Reports:
    """The reports of an opponent of one type, by action: at one action it chooses one place, and one location there.

    `actions` are those played, in order of their first report; n_k, the sums and the sums of squares are per action.
    """

    places: Places
    actions: tuple[int, ...]
    counts: Vector
    sums: Matrix
    squares: Vector

    @classmethod
    def start(cls, places: Places) -> Self:
        """Before the first report."""
        return cls(places, (), np.zeros(0), np.zeros((0, places.box.lower.shape[1])), np.zeros(0))

    def __repr__(self) -> str:
        return f"Reports({int(self.counts.sum())} reports of {len(self.actions)} actions)"

    def add(self, action: int, response: Vector) -> Self:
        """The reports with one more."""
        response = as_array("response", response, ndim=1, length=self.sums.shape[1])
        if action in self.actions:
            now = np.arange(len(self.actions)) == self.actions.index(action)
            return replace(
                self,
                counts=self.counts + now,
                sums=self.sums + now[:, None] * response,
                squares=self.squares + now * (response @ response),
            )
        return replace(
            self,
            actions=(*self.actions, action),
            counts=np.append(self.counts, 1.0),
            sums=np.vstack([self.sums, response]),
            squares=np.append(self.squares, response @ response),
        )

    @property
    def noise_std(self) -> float:
        """σ: that of the places, as if found from `DECLARED` differences, and of reports of one action."""
        if len(self.actions) == 0:
            return self.places.noise_std
        within = self.squares - np.einsum("km,km->k", self.sums, self.sums) / self.counts
        freedom = self.sums.shape[1] * (self.counts.sum() - len(self.actions))
        pooled = DECLARED * self.places.noise_std**2 + max(float(within.sum()), 0.0)
        return float(np.sqrt(pooled / (DECLARED + freedom)))

    def likelihoods(self, readings: Matrix) -> Matrix:
        """The likelihood of each place at each action played (k, c), relative to the likeliest; 0 where excluded.

        With ȳ_k the mean of the n_k reports, and N_i reports of mean ȳ_i of *other* actions that are read (k, c) as
        place i almost certainly, it is the largest value over locations y in place i of

        exp(−[n_k ‖ȳ_k − y‖² + N_i ‖ȳ_i − y‖²] / 2σ²)

        A known location excludes a place and never favours it: locations of neighbouring places may be close. So a
        report near a border stays open between two places. A place whose likelihood is below 1 / `CONTENDING` of the
        largest is excluded.
        """
        box, n = self.places.box, self.counts[:, None, None]
        sure = np.where(readings > CERTAIN, 1.0, 0.0)
        number = (self.counts[:, None] * sure).sum(axis=0) - self.counts[:, None] * sure
        total = np.einsum("ki,km->im", sure, self.sums) - sure[:, :, None] * self.sums[:, None]
        number = number[:, :, None]
        common = np.clip((self.sums[:, None] + total) / (n + number), box.lower, box.upper)
        known = np.clip(total / np.maximum(number, 1.0), box.lower, box.upper)
        distance = n * (self.sums[:, None] / n - common) ** 2 + number * (known - common) ** 2
        exponent = -0.5 * distance.sum(axis=2) / self.noise_std**2
        relative = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        return np.where(relative * CONTENDING < 1, 0.0, relative)

    def locations(self, readings: Matrix) -> Matrix:
        """The expected location in each place (c, m): between its centre and the mean of its reports."""
        box, noise = self.places.box, self.noise_std**2
        prior = (box.upper - box.lower) ** 2 / 12  # the variance of a uniform location
        number, total = self.counts @ readings, readings.T @ self.sums
        mean = (noise * self.places.centres + prior * total) / (noise + prior * number[:, None])
        return np.clip(mean, box.lower, box.upper)
