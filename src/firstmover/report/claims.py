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

    def asked(self, evidence: dict[str, Evidence], of_one_run: tuple[str, ...] = ()) -> "Claim":
        """The claim, with what was found under each reading."""
        findings = {reading: self.answer(results) for reading, results in evidence.items()}
        return Claim(self.title, self.quote, findings, of_one_run)


@dataclass(frozen=True)
class Claim:
    """A claim with its findings, by reading."""

    title: str
    quote: str
    findings: dict[str, Finding]
    of_one_run: tuple[str, ...] = ()
    """The readings that were played once, so that nothing says how far to trust them."""

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
        """Which readings the verdict is about, where it is not all of them, and which of them rest on one run."""
        kept = [reading for reading, finding in self.findings.items() if finding.holds]
        parts = []
        if len(self.findings) == 1:
            parts.append(f"preset {next(iter(self.findings))}, the only one played")
        elif 0 < len(kept) < len(self.findings):
            parts.append(", ".join(kept))
        if self.of_one_run:
            every = len(self.of_one_run) == len(self.findings)
            parts.append("one run" if every else f"one run of {self.of_one_run[0]}")
        return f" ({'; '.join(parts)})" if parts else ""


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
        if self.runs == 1:
            return f"{self.mean:,.{decimals}f} in one run"
        return f"{self.mean:,.{decimals}f} ± {self.half_width:,.{decimals}f}, on {self.runs_ahead} of {self.runs} seeds"


def runs_in_words(count: int) -> str:
    """How many runs.

    >>> runs_in_words(1), runs_in_words(10)
    ('one run', '10 runs')
    """
    return "one run" if count == 1 else f"{count} runs"


def percent(share: float, sign: str = "") -> str:
    """A share in words; what is rounded to nothing has no sign.

    >>> percent(0.9731), percent(0.011, "+"), percent(-0.0001, "+")
    ('97.3 %', '+1.1 %', '0.0 %')
    """
    shown = round(100 * share, 1)
    return f"{shown:{sign}.1f} %" if shown else "0.0 %"
