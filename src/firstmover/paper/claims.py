"""The claims of the paper and their verdicts, computed from stored results."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np

from firstmover.core.records import Vector
from firstmover.figures.html_page import Verdict
from firstmover.simulation.intervals import mean_interval

Evidence = TypeVar("Evidence")


@lru_cache
def report_texts() -> dict[str, Any]:
    """Return the sentences of the report, from `report.toml`."""
    return tomllib.loads((files("firstmover.paper") / "report.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds under one reading, and the numbers that show it."""

    holds: bool
    words: str


@dataclass(frozen=True)
class Claim:
    """A claim of the paper with its findings by reading; `of_one_run` lists the readings with one run."""

    title: str
    quote: str
    findings: dict[str, Finding]
    of_one_run: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict in one phrase.

        >>> Claim("t", "q", {"paper": Finding(False, ""), "released": Finding(True, "")}).verdict
        'reproduces only under a reading'
        """
        holds = [finding.holds for finding in self.findings.values()]
        if all(holds):
            return "reproduces"
        return "reproduces only under a reading" if any(holds) else "does not reproduce"

    @property
    def scope(self) -> str:
        """The readings for which the verdict holds, if not all, and those with one run."""
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

    def on_page(self) -> Verdict:
        """Return the claim as the report shows it."""
        kinds = {"reproduces": "holds", "reproduces only under a reading": "partly", "does not reproduce": "fails"}
        findings = tuple((f"Preset {reading}", finding.words) for reading, finding in self.findings.items())
        return Verdict(self.title, self.quote, kinds[self.verdict], f"{self.verdict}{self.scope}", findings)


def claims_of(
    game: str,
    checks: Mapping[str, Callable[[Evidence], Finding]],
    evidence: Mapping[str, Evidence],
    of_one_run: tuple[str, ...] = (),
) -> list[Claim]:
    """Check every claim about a game in the results of each reading."""
    return [
        Claim(
            claim["title"],
            claim["quote"],
            {reading: checks[claim["check"]](found) for reading, found in evidence.items()},
            of_one_run,
        )
        for claim in report_texts()["claims"][game]
    ]


@dataclass(frozen=True)
class Lead:
    """The lead of one learner over another, paired by run: mean, 95 % half-width, number of runs ahead."""

    mean: float
    half_width: float
    runs_ahead: int
    runs: int

    @classmethod
    def of(cls, ahead: Vector, behind: Vector) -> "Lead":
        """Compare two learners' figures over the same seeds.

        >>> Lead.of(np.array([3.0, 5.0]), np.array([1.0, 1.0]))
        Lead(mean=3.0, half_width=12.7..., runs_ahead=2, runs=2)
        """
        difference = np.asarray(ahead) - np.asarray(behind)
        mean, half_width = mean_interval(difference[:, None])
        return cls(float(mean[0]), float(half_width[0]), int(np.sum(difference > 0)), len(difference))

    @property
    def certain(self) -> bool:
        """Whether the whole interval lies above 0; for one run, whether the mean does."""
        return self.mean > 0 if np.isnan(self.half_width) else self.mean - self.half_width > 0

    def words(self, decimals: int) -> str:
        """Return the lead as text."""
        if self.runs == 1:
            return f"{self.mean:,.{decimals}f} in one run"
        return f"{self.mean:,.{decimals}f} ± {self.half_width:,.{decimals}f}, on {self.runs_ahead} of {self.runs} seeds"


def percent(share: float, sign: str = "") -> str:
    """Return a share as text; a share that rounds to zero has no sign.

    >>> percent(0.9731), percent(0.011, "+"), percent(-0.0001, "+")
    ('97.3 %', '+1.1 %', '0.0 %')
    """
    shown = round(100 * share, 1)
    return f"{shown:{sign}.1f} %" if shown else "0.0 %"
