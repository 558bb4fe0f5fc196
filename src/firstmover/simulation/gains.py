"""What a policy gains over another one in simulated seasons: means, intervals, risks, and when it pays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.simulation.intervals import mean_interval, share_interval

HORIZONS = (4, 12, 52)
"""Rounds after which the risk of being behind is stated."""

RANGE = (0.05, 0.95)
"""Quantiles over seasons between which nine of ten lie."""


@dataclass(frozen=True, eq=False)
class Gain:
    """Earnings of a policy (s, T) and of the present one in the same seasons, without the noise of responses."""

    name: str
    earned: Matrix
    present: Matrix

    @property
    def rounds(self) -> int:
        """T."""
        return self.earned.shape[1]

    @property
    def per_round(self) -> float:
        """The mean earnings per round."""
        return float(self.earned.mean())

    @property
    def relative(self) -> Vector:
        """The gain of each season as a share of what the present policy earns on average (s,).

        Where that is nothing, it is a share of what this policy earns.
        """
        scale = abs(self.present.mean()) or abs(self.earned.mean()) or 1.0
        return np.asarray((self.earned - self.present).mean(axis=1) / scale, dtype=np.float64)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean relative gain; None if one season was played."""
        mean, half = mean_interval(self.relative)
        return None if len(self.earned) == 1 else (float(mean - half), float(mean + half))

    @property
    def horizons(self) -> tuple[int, ...]:
        """Rounds after which the risk is stated: those of HORIZONS that are played, or else the last."""
        return tuple(h for h in HORIZONS if h <= self.rounds) or (self.rounds,)

    @property
    def ahead(self) -> Matrix:
        """Total earnings so far minus those of the present policy (s, T)."""
        return np.cumsum(self.earned - self.present, axis=1)

    def worse_after(self, rounds: int) -> float | None:
        """The share of seasons in which it is behind after so many rounds; None if fewer were played."""
        return None if rounds > self.rounds else float(np.mean(self.ahead[:, rounds - 1] < 0))

    def worse_interval(self, rounds: int) -> tuple[float, float]:
        """The 95 % interval of the chance to be behind after so many rounds, by the number of seasons."""
        return share_interval(int(np.sum(self.ahead[:, rounds - 1] < 0)), len(self.earned))

    @property
    def pays_after(self) -> tuple[int | None, float]:
        """The round from which on the median season is ahead for good, and the share of seasons that end behind.

        None if the median season ends behind.
        """
        behind = self.ahead < 0
        last = np.where(
            behind.any(axis=1), self.rounds - behind[:, ::-1].argmax(axis=1), 0
        )  # rounds until the last one behind
        median = int(np.ceil(np.median(last)))
        return (None if median >= self.rounds else median), float(np.mean(behind[:, -1]))

    def curve(self) -> Matrix:
        """Quantiles 5, 50 and 95 % over seasons of the total gain after each round (3, T)."""
        return np.asarray(np.quantile(self.ahead, (RANGE[0], 0.5, RANGE[1]), axis=0), dtype=np.float64)

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, for programs."""
        pays, behind = self.pays_after
        return {
            "name": self.name,
            "seasons": len(self.earned),
            "rounds": self.rounds,
            "per_round": self.per_round,
            "gain": float(self.relative.mean()),
            "gain_interval": self.interval,
            "gain_of_nine_in_ten": np.quantile(self.relative, RANGE).tolist(),
            "worse_after": {str(h): self.worse_after(h) for h in self.horizons},
            "worse_interval": {str(h): self.worse_interval(h) for h in self.horizons},
            "pays_after": pays,
            "ends_behind": behind,
        }
