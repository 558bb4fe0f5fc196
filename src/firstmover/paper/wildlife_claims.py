"""The claims and tables of Section 4.2 and Appendix F."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.records import Vector
from firstmover.paper.claims import Finding, Lead
from firstmover.paper.menus import CLAIMED_ROUND
from firstmover.paper.published import published
from firstmover.paper.results import Results
from firstmover.paper.wildlife import GP_UCB, OURS, held_from, wildlife_setup
from firstmover.paper.wildlife_figures import LAST_ROUNDS, comparable
from firstmover.runs.comparison import with_interval
from firstmover.simulation.intervals import mean_interval

SMALL_WIDTH = 0.2
"""The largest β of the paper's Figure 3 that counts as "sufficiently small"."""


@dataclass(frozen=True)
class WildlifeEvidence:
    """The runs of one reading."""

    results: Results

    @classmethod
    def of(cls, folder: Path) -> "WildlifeEvidence":
        """Read a folder."""
        return cls(Results.read(folder, "wildlife"))

    @property
    def notes(self) -> dict[str, Any]:
        """OPT, Max-Min, Best-offline and the best patrol."""
        return self.results.manifest.notes

    @property
    def shown(self) -> str:
        """The label of ours at the β of Figure 2."""
        return f"{OURS} {self.results.preset.shown_width:g}"

    def labels(self, algorithm: str) -> list[str]:
        """The labels of an algorithm at every β."""
        return [label for label in self.results.manifest.labels if label.startswith(f"{algorithm} ")]

    def held(self, label: str) -> Vector:
        """The round from which each run plays the best patrol to the end; T + 1 if it does not."""
        runs = self.results.rounds_of(label, "action")
        return np.array([held_from(actions, self.notes["optimal_action"]) for actions in runs], dtype=float)

    def last(self, label: str) -> Vector:
        """The mean reward of each run's last rounds."""
        return self.results.rounds_of(label, "reward")[:, -LAST_ROUNDS:].mean(axis=1)

    def when(self, label: str) -> str:
        """The median round from which the best patrol is held, as text."""
        return when(self.held(label), self.results.manifest.rounds)

    def held_in_words(self, label: str) -> str:
        """The same as part of a sentence."""
        median = self.when(label)
        return "is never held" if median == "never" else f"is held from round {median} on"


def when(held: Vector, rounds: int) -> str:
    """Return the median of rounds, or never.

    >>> when(np.array([50.0, 61.0, 70.0, 101.0]), 100), when(np.array([101.0, 101.0, 3.0]), 100)
    ('65.5', 'never')
    """
    median = float(np.median(held))
    return "never" if median > rounds else f"{median:g}"


def optimal_soon(evidence: WildlifeEvidence) -> Finding:
    """OPT in about 60 rounds at the β shown."""
    held, rounds = evidence.held(evidence.shown), evidence.results.manifest.rounds
    never = int(np.sum(held > rounds))
    return Finding(
        bool(np.median(held) <= CLAIMED_ROUND),
        f"at β = {evidence.results.preset.shown_width:g}, the best patrol {evidence.held_in_words(evidence.shown)} in "
        f"the median run; {never} of {len(held)} never hold it to the end. The last {LAST_ROUNDS} rounds "
        f"earn {evidence.last(evidence.shown).mean():.3f} each, the best patrol {evidence.notes['optimum']:.3f}.",
    )


def ahead_of_baselines(evidence: WildlifeEvidence) -> Finding:
    """Our algorithm against Max-Min and Best-offline, at the end of the runs."""
    last, notes = evidence.last(evidence.shown), evidence.notes
    offline, known = np.array(notes["best_offline"]), wildlife_setup(evidence.results.preset).known
    leads = [Lead.of(last, np.full_like(last, notes["max_min"])), Lead.of(last, offline)]
    mean = evidence.results.totals(evidence.shown).mean() / evidence.results.manifest.rounds
    return Finding(
        all(lead.certain for lead in leads),
        f"over the last {LAST_ROUNDS} rounds ours earns {last.mean():.3f} per round, Max-Min {notes['max_min']:.3f} as "
        f"this preset counts it, Best-offline {offline.mean():.3f} in the mean of {len(offline)} draws. Over all "
        f"rounds ours earns {mean:.4f} per round; the max-min patrol guarantees {known.max_min_guaranteed:.3f} and "
        f"obtains {known.max_min_obtained:.3f} against these poachers.",
    )


def ahead_of_gp_ucb(evidence: WildlifeEvidence) -> Finding:
    """Our algorithm at the β shown against GP-UCB at its best β."""
    totals = {label: evidence.results.totals(label) for label in evidence.labels(GP_UCB)}
    best = max(totals, key=lambda label: totals[label].mean())
    lead = Lead.of(evidence.results.totals(evidence.shown), totals[best])
    return Finding(
        lead.certain,
        f"ours at β = {evidence.results.preset.shown_width:g} earns "
        f"{evidence.results.totals(evidence.shown).mean():.2f} in all, GP-UCB at its best β = "
        f"{best.rpartition(' ')[2]} earns {totals[best].mean():.2f}: a lead of {lead.words(2)}. "
        f"The best patrol {evidence.held_in_words(best)} in GP-UCB's median run.",
    )


def insensitive(evidence: WildlifeEvidence) -> Finding:
    """The same result at every small β."""
    small = [f"{OURS} {width:g}" for width in evidence.results.preset.widths if width <= SMALL_WIDTH]
    large = [label for label in evidence.labels(OURS) if label not in small]
    return Finding(
        all(np.median(evidence.held(label)) <= CLAIMED_ROUND for label in small),
        f"in the median run the best patrol {_by_width(evidence, small)}; for larger β it "
        f"{_by_width(evidence, large)}.",
    )


def _by_width(evidence: WildlifeEvidence, labels: list[str]) -> str:
    widths: dict[str, list[str]] = {}
    for label in labels:
        median = evidence.when(label)
        held = median if median == "never" else f"from round {median} on"
        widths.setdefault(held, []).append(label.rpartition(" ")[2])
    words = ", ".join(f"{held} at β = {_and(each)}" for held, each in widths.items())
    return f"is held {words}".replace("is held never", "is never held", 1)


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


WILDLIFE_CHECKS = {check.__name__: check for check in (optimal_soon, ahead_of_baselines, ahead_of_gp_ucb, insensitive)}


def wildlife_table(evidence: WildlifeEvidence) -> pl.DataFrame:
    """Total reward, and the round from which the best patrol is held, with the published values."""
    known, results = published(), evidence.results
    rows = []
    for label in results.manifest.labels:
        (total,), (half,) = mean_interval(results.totals(label)[:, None])
        held, there = evidence.held(label), label in known.held_from
        rows.append(
            {
                "algorithm and β": label,
                "total reward": with_interval(total, half),
                "published total": f"{known.total_reward[label]:.2f}" if there and comparable(results) else "–",
                "held from": when(held, results.manifest.rounds),
                "published from": when(np.array(known.held_from[label]), 100) if there else "–",
                "never held": f"{100 * np.mean(held > results.manifest.rounds):.0f} %",
            }
        )
    return pl.DataFrame(rows)


def outside(evidence: WildlifeEvidence) -> str:
    """Return a sentence on published figures outside our 95 % intervals, if scales agree and intervals exist."""
    if not comparable(evidence.results) or evidence.results.seeds == 1:
        return ""
    known = published()
    ours = {label: evidence.results.totals(label) for label in evidence.results.manifest.labels}
    pairs = {label: (known.total_reward[label], runs) for label, runs in ours.items() if label in known.total_reward}
    pairs["Best-offline"] = known.references["Best-offline"], np.array(evidence.notes["best_offline"])
    listed = []
    for name, (theirs, runs) in pairs.items():
        (mean,), (half,) = mean_interval(runs[:, None])
        if abs(mean - theirs) > half:
            listed.append(f"{name} (published {theirs:.3g}, here {with_interval(mean, half)})")
    if not listed:
        return f" All {len(pairs)} published figures of rewards lie inside our 95 % intervals."
    return (
        f" Of {len(pairs)} published figures of rewards, themselves means over 10 runs, {len(listed)} lie outside our "
        f"95 % intervals: {', '.join(listed)}."
    )


def references_table(evidence: WildlifeEvidence) -> pl.DataFrame:
    """OPT, Max-Min and Best-offline, with the published values."""
    notes = evidence.notes
    (offline,), (half,) = mean_interval(np.array(notes["best_offline"])[:, None])
    ours = {
        "OPT": f"{notes['optimum']:.5f}",
        "Max-Min": f"{notes['max_min']:.5f}",
        "Best-offline": with_interval(offline, half),
    }
    return pl.DataFrame(
        [
            {"reward per round": name, "ours": mine, "published": f"{published().references[name]:.5f}"}
            for name, mine in ours.items()
        ]
    )
