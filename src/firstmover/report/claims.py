"""What the paper says, and whether our runs say it too: every verdict is computed from the stored results."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from firstmover.intervals import mean_interval
from firstmover.records import Vector

Evidence = TypeVar("Evidence")


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds under one reading, and the figures that say so."""

    holds: bool
    words: str


@dataclass(frozen=True)
class Question(Generic[Evidence]):
    """A claim of the paper, in its own words, and how the results of one reading answer it."""

    title: str
    quote: str
    answer: Callable[[Evidence], Finding]

    def asked(self, evidence: dict[str, Evidence]) -> "Claim":
        """The claim, with what was found under each reading."""
        return Claim(self.title, self.quote, {reading: self.answer(results) for reading, results in evidence.items()})


@dataclass(frozen=True)
class Claim:
    """A claim with its findings, by reading."""

    title: str
    quote: str
    findings: dict[str, Finding]

    @property
    def verdict(self) -> str:
        """In one phrase.

        >>> Claim("t", "q", {"paper": Finding(False, ""), "released": Finding(True, "")}).verdict
        'reproduces only under a reading'
        """
        holds = [finding.holds for finding in self.findings.values()]
        if all(holds):
            return "reproduces"
        return "reproduces only under a reading" if any(holds) else "does not reproduce"

    @property
    def scope(self) -> str:
        """Which readings the verdict is about, where it is not all of them."""
        if len(self.findings) == 1:
            return f" (preset {next(iter(self.findings))}, the only one played)"
        kept = [reading for reading, finding in self.findings.items() if finding.holds]
        return f" ({', '.join(kept)})" if 0 < len(kept) < len(self.findings) else ""


@dataclass(frozen=True)
class Lead:
    """By how much one learner is ahead of another, run by run: mean, half-width of its 95 % interval, runs ahead."""

    mean: float
    half_width: float
    runs_ahead: int
    runs: int

    @classmethod
    def of(cls, ahead: Vector, behind: Vector) -> "Lead":
        """Of two learners' figures over the same seeds.

        >>> Lead.of(np.array([3.0, 5.0]), np.array([1.0, 1.0]))
        Lead(mean=3.0, half_width=12.7..., runs_ahead=2, runs=2)
        """
        difference = np.asarray(ahead) - np.asarray(behind)
        mean, half_width = mean_interval(difference[:, None])
        return cls(float(mean[0]), float(half_width[0]), int(np.sum(difference > 0)), len(difference))

    @property
    def certain(self) -> bool:
        """Whether the whole interval lies above 0; one run has none, and its mean decides."""
        return self.mean > 0 if np.isnan(self.half_width) else self.mean - self.half_width > 0

    def words(self, decimals: int) -> str:
        """The figures."""
        interval = "" if np.isnan(self.half_width) else f" ± {self.half_width:,.{decimals}f}"
        return f"{self.mean:,.{decimals}f}{interval}, on {self.runs_ahead} of {self.runs} seeds"


def percent(share: float, sign: str = "") -> str:
    """A share in words.

    >>> percent(0.9731), percent(0.011, "+")
    ('97.3 %', '+1.1 %')
    """
    return f"{100 * share:{sign}.1f} %"
