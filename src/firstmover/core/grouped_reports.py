"""Reports of one occasion taken together: an opponent who answers alike is read better the more often it answers."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.places import Places, Readings
from firstmover.core.records import Feedback, Matrix, Vector, as_array


@dataclass(frozen=True, eq=False)
class Occasion:
    """An action at a type, and what was reported of it: n reports, their sum (m,), and the place they are read as."""

    action: int
    opponent_type: Vector
    count: int
    total: Vector
    place: int
    clear: bool


@dataclass(frozen=True, eq=False, repr=False)
class Occasions:
    """Readings of reports by what they answer: on one occasion, an action at a type, an opponent goes to one place.

    The mean of its n reports has noise σ / √n and is read anew with every report, as `Readings` reads one, by where the
    opponent was met on *other* occasions. So a report that noise took across a border is corrected by the next ones;
    read one by one, with its own reports among those met, a place misread once would confirm itself for ever.
    """

    places: Places
    known: dict[tuple[int, bytes], Occasion]
    history: tuple[tuple[int, bytes], ...] = ()

    @classmethod
    def start(cls, places: Places) -> Self:
        """Before the first report."""
        return cls(places, {})

    def __repr__(self) -> str:
        return f"Occasions({len(self.history)} reports on {len(self.known)} occasions)"

    def _met(self, but: tuple[int, bytes] | None = None) -> Readings:
        """Where the opponent was met, by the occasions that are clear, but for one."""
        readings = Readings.start(self.places)
        counts, sums = readings.counts, readings.sums
        for key, occasion in self.known.items():
            if occasion.clear and key != but:
                counts[occasion.place] += occasion.count
                sums[occasion.place] += occasion.total
        return replace(readings, counts=counts, sums=sums)

    @property
    def locations(self) -> Matrix:
        """Where in each place the opponent is expected (c, m)."""
        return self._met().locations

    def indicator(self, key: tuple[int, bytes]) -> Vector:
        """The indicator (c,) of the place that an occasion is read as."""
        return (np.arange(self.places.count) == self.known[key].place).astype(float)

    def reports(self) -> list[Feedback]:
        """All reports so far in their order, each as the indicator of the place that its occasion is now read as."""
        return [Feedback(self.known[k].action, self.known[k].opponent_type, self.indicator(k)) for k in self.history]

    def read(self, feedback: Feedback, chances: Vector) -> tuple[Self, bool]:
        """The readings with one more report, and whether an occasion seen before is now read as another place.

        The chances (c,) count for a new occasion; on a known one the belief has them from its own reports.

        >>> from firstmover.core.records import Box
        >>> seen = Occasions.start(Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise_std=0.1))
        >>> for report in (1.02, 0.9, 0.88):
        ...     seen, changed = seen.read(Feedback(0, np.zeros(1), np.array([report])), np.array([0.5, 0.5]))
        ...     print(seen.reports()[-1].response, changed)
        [0. 1.] False
        [1. 0.] True
        [1. 0.] False
        """
        response = as_array("response", feedback.response, ndim=1, length=self.places.box.lower.shape[1])
        key = feedback.action, feedback.opponent_type.tobytes()
        before = self.known.get(key)
        count, total = (1, response) if before is None else (before.count + 1, before.total + response)
        alike = np.full(self.places.count, 1 / self.places.count)
        place, clear = self._met(but=key).judge(total / count, chances if before is None else alike, count)
        occasion = Occasion(feedback.action, feedback.opponent_type, count, total, place, clear)
        readings = replace(self, known={**self.known, key: occasion}, history=(*self.history, key))
        return readings, before is not None and before.place != place
