"""Responses that are a choice among finitely many places: the places, and what noisy reports say about the choice."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import scipy

from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback, ShortRepr, _set

CLEAR = 5.0
"""The likelihood ratio to every other place above which a report counts for the location within its place."""

SURPRISE = 0.05
"""The smallest prior probability of a place, whatever the belief says."""


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """c places an opponent chooses among, each a box of the response space; a point where its corners are equal.

    `box` has corners (c, m), and the location within a place is unknown; `noise_std` is that of a reported location.

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
        """c."""
        return len(self.box.lower)

    @property
    def centres(self) -> Matrix:
        """The middle of each place (c, m)."""
        return (self.box.lower + self.box.upper) / 2

    def likelihood(self, response: Vector, reports: int = 1) -> Vector:
        """The density of the mean of some reports from each place (c,): a uniform location within it, plus noise.

        The noise of the mean is Gaussian, its standard deviation σ / √reports.
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


class Group(NamedTuple):
    """The reports of one action at one type: their number, their sum (m,), and the place they are assigned to."""

    action: int
    opponent_type: Vector
    reports: int
    total: Vector
    place: int
    clear: bool


@dataclass(frozen=True, eq=False, repr=False)
class GroupedReadings:
    """Readings of reports by action and type: at one action and type an opponent chooses one place.

    The mean of the n reports of a group has noise σ / √n. It is assigned again with every report, as `Readings` assigns
    one, given the locations of the *other* groups. So a report that noise moved across a border is corrected by the
    next ones; assigned one by one, with its own reports among the locations, a misread place would confirm itself.
    """

    places: Places
    groups: dict[tuple[int, bytes], Group]
    history: tuple[tuple[int, bytes], ...] = ()

    @classmethod
    def start(cls, places: Places) -> Self:
        """Before the first report."""
        return cls(places, {})

    def __repr__(self) -> str:
        return f"GroupedReadings({len(self.history)} reports in {len(self.groups)} groups)"

    def _without(self, key: tuple[int, bytes] | None) -> Readings:
        """The clear reports of all groups but one."""
        readings = Readings.start(self.places)
        for other, group in self.groups.items():
            if group.clear and other != key:
                readings.counts[group.place] += group.reports
                readings.sums[group.place] += group.total
        return readings

    @property
    def locations(self) -> Matrix:
        """The expected location in each place (c, m)."""
        return self._without(None).locations

    def reports(self, first: int = 0) -> list[Feedback]:
        """All reports from `first` on, each as the indicator of the place that its group is now assigned to."""
        groups = [self.groups[key] for key in self.history[first:]]
        indicators = np.eye(self.places.count)
        return [Feedback(group.action, group.opponent_type, indicators[group.place]) for group in groups]

    def read(self, feedback: Feedback, chances: Vector) -> tuple[Self, bool]:
        """The readings with one more report, and whether an earlier group is now assigned to another place.

        The prior probabilities (c,) count for a new group; those of a known one come from its own reports.
        """
        response = as_array("response", feedback.response, ndim=1, length=self.places.box.lower.shape[1])
        key = feedback.action, feedback.opponent_type.tobytes()
        before = self.groups.get(key)
        count, total = (1, response) if before is None else (before.reports + 1, before.total + response)
        equal = np.full(self.places.count, 1 / self.places.count)
        place, clear = self._without(key).assign(total / count, chances if before is None else equal, count)
        group = Group(feedback.action, feedback.opponent_type, count, total, place, clear)
        readings = replace(self, groups={**self.groups, key: group}, history=(*self.history, key))
        return readings, before is not None and before.place != place
