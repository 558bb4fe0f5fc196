"""Responses that are a choice among finitely many places, and what noisy reports say about the place chosen."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Matrix, ShortRepr, Vector, _set, as_array, positive

CLEAR = 5.0
"""How many times likelier one place must be than any other for a report to tell where in it the opponent was."""

SURPRISE = 0.05
"""The least chance that a place is given, whatever the belief says."""


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """c places an opponent chooses among, each a box of the response space; a point where its corners are equal.

    Parameters
    ----------
    box
        Corners (c, m); within a place the location is the opponent's own.
    noise_std
        How far a reported location may lie from the true one, one standard deviation.

    >>> halves = Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise_std=0.1)
    >>> print(halves.likelihood(np.array([1.1])).round(2))
    [0.16 0.84]
    """

    box: Box
    noise_std: float

    def __post_init__(self) -> None:
        if self.box.lower.ndim != 2 or self.box.lower.size == 0:
            raise InvalidInput(
                f"places have corners of shape {self.box.lower.shape}: give one row (m,) for each place."
            )
        if not (np.all(np.isfinite(self.box.lower)) and np.all(np.isfinite(self.box.upper))):
            raise InvalidInput("places are unbounded: give each a finite box.")
        _set(self, noise_std=positive("noise_std", self.noise_std))

    def __repr__(self) -> str:
        return f"Places({self.count} places, noise_std={self.noise_std:.4g})"

    @property
    def count(self) -> int:
        """c."""
        return len(self.box.lower)

    @property
    def centres(self) -> Matrix:
        """The middle of each place (c, m)."""
        return (self.box.lower + self.box.upper) / 2

    def likelihood(self, response: Vector, reports: int = 1) -> Vector:
        """The density of the mean of some reports from each place (c,): any location within is as likely, plus noise.

        The noise of the mean is Gaussian, its standard deviation σ / √reports.
        """
        ndtr = scipy.special.ndtr  # loaded here: it is slow to load, and an ask of a live match needs no place
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
    """What the reports so far say about where in each place the opponent is: how many there are, and their sums.

    A report y is taken to come from the place i of the largest

    max(P_i, 0.05) · (ℓ_i(y) + n_i N(y; ȳ_i, (1 + 1/n_i) σ²)) / (1 + n_i)

    with P the chances of each place before it: from anywhere in a place never seen, else from where the opponent was
    met there n_i times. So an outlier beyond a border still counts for its place. Locations never leave their place.
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
        """Where in each place the opponent is expected (c, m): between the centre and the mean of its reports."""
        box, noise = self.places.box, self.places.noise_std**2
        prior = (box.upper - box.lower) ** 2 / 12  # the variance of a uniform location
        mean = (noise * self.places.centres + prior * self.sums) / (noise + prior * self.counts[:, None])
        return np.clip(mean, box.lower, box.upper)

    def read(self, response: Vector, chances: Vector) -> tuple[Vector, Self]:
        """The indicator of the place that a report most likely came from (c,), and the readings with it.

        A report that another place explains a `CLEAR`-th as well is no news about locations.

        >>> seen = Readings.start(Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise_std=0.1))
        >>> for chances in ([0.5, 0.5], [0.0, 1.0]):
        ...     print(seen.read(np.array([0.95]), np.array(chances))[0])
        [1. 0.]
        [0. 1.]
        """
        response = as_array("response", response, ndim=1, length=self.places.box.lower.shape[1])
        place, clear = self.judge(response, chances)
        indicator = np.zeros(self.places.count)
        indicator[place] = 1.0
        if not clear:
            return indicator, self
        counts, sums = self.counts + indicator, self.sums + indicator[:, None] * response
        return indicator, replace(self, counts=counts, sums=sums)

    def judge(self, response: Vector, chances: Vector, reports: int = 1) -> tuple[int, bool]:
        """The place that the mean of some reports most likely came from, and whether it is `CLEAR`."""
        weights = self._weights(response, reports) * np.maximum(chances, SURPRISE)
        place = int(np.argmax(weights)) if weights.max() > 0 else self.places.nearest(response)  # all may underflow
        others = np.where(np.arange(len(weights)) == place, 0.0, weights)
        return place, bool(CLEAR * others.max() <= weights[place])

    def _weights(self, response: Vector, reports: int) -> Vector:
        """The density of the mean of some reports from each place (c,), by the uniform location and those met."""
        box, n = self.places.box, np.maximum(self.counts, 1.0)[:, None]
        variance = self.places.noise_std**2 * (1 / reports + 1 / n)
        off = response - np.clip(self.sums / n, box.lower, box.upper)
        met = np.prod(np.exp(-0.5 * off**2 / variance) / np.sqrt(2 * np.pi * variance), axis=1)
        return (self.places.likelihood(response, reports) + self.counts * met) / (1 + self.counts)
