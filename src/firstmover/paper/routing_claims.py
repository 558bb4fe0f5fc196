"""The claims and tables of Section 4.1."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from firstmover.core.records import Vector
from firstmover.learners import Exp3
from firstmover.paper.claims import Finding, Lead, percent
from firstmover.paper.published import published
from firstmover.paper.results import Results
from firstmover.paper.routing import routing_setup
from firstmover.paper.routing_figures import ROUTING_COLUMNS, STRATEGIES_SHOWN, Congestion, congestion_of
from firstmover.runs.comparison import with_interval
from firstmover.simulation.intervals import mean_interval

BASELINES = ("Exp3", "shortest", "none")

COMPARABLE = 0.95
"""The share of Hedge's reward from which a learner counts as comparable; the published share is 0.97."""

CLOSE = 0.015
"""The largest relative difference from a published total reward that counts as equal."""

CLOSE_CONGESTION = 0.05
"""The same for the average congestion."""


@dataclass(frozen=True)
class RoutingEvidence:
    """The runs of one reading and the congestion that they caused."""

    results: Results
    congestion: Congestion

    @classmethod
    def of(cls, folder: Path) -> "RoutingEvidence":
        """Read a folder."""
        results = Results.read(folder, "routing", ROUTING_COLUMNS)
        return cls(results, congestion_of(results))

    @property
    def ours(self) -> list[str]:
        """The labels of StackelUCB."""
        return [label for label in self.results.manifest.labels if label.startswith("StackelUCB")]

    def regret(self, label: str) -> Vector:
        """R(T) / T of each run."""
        return self.results.rounds_of(label, "time_averaged_regret")[:, -1]

    def reward(self, label: str) -> float:
        """The mean total reward."""
        return float(self.results.totals(label).mean())


def smaller_regret(evidence: RoutingEvidence) -> Finding:
    """StackelUCB against Exp3 and the two fixed plans."""
    pairs = [(ours, other) for ours in evidence.ours for other in BASELINES]
    leads = {(ours, other): Lead.of(evidence.regret(other), evidence.regret(ours)) for ours, other in pairs}
    ours, other = min(leads, key=lambda pair: leads[pair].mean)
    listed = ", ".join(f"{label} {evidence.regret(label).mean():.1f}" for label in (*evidence.ours, *BASELINES))
    return Finding(
        all(lead.certain for lead in leads.values()),
        f"R(T) / T is {listed}. The smallest lead is that of {ours} over {other}: {leads[ours, other].words(1)}.",
    )


def near_hedge(evidence: RoutingEvidence) -> Finding:
    """StackelUCB's share of Hedge's reward."""
    hedge = evidence.reward("Hedge")
    shares = {label: evidence.reward(label) / hedge for label in evidence.ours}
    listed = ", ".join(f"{percent(share)} ({label})" for label, share in shares.items())
    return Finding(
        min(shares.values()) >= COMPARABLE,
        f"StackelUCB earns {listed} of the {hedge:,.0f} that Hedge earns, and its R(T) / T is "
        f"{evidence.regret(evidence.ours[0]).mean():.1f} against {evidence.regret('Hedge').mean():.1f}; "
        f"{percent(COMPARABLE)} of the reward counts as comparable.",
    )


def table_rewards(evidence: RoutingEvidence) -> Finding:
    """The table's total rewards: equal if close, or if the printed one lies inside our interval."""
    equal, listed = [], []
    for name, label in zip(STRATEGIES_SHOWN, evidence.congestion.learners, strict=True):
        printed = published().printed_reward[name]
        (mean,), (half,) = mean_interval(evidence.results.totals(label)[:, None])
        close, inside = abs(_difference(mean, printed)) <= CLOSE, abs(mean - printed) <= half
        equal.append(close or inside)
        why = f"within {percent(CLOSE)}" if close else "inside our interval" if inside else "neither close nor inside"
        listed.append(f"{name} by {percent(_difference(mean, printed), '+')} ({why})")
    return Finding(
        all(equal),
        f"our mean total rewards differ from the printed ones: {', '.join(listed)}; a difference of at most "
        f"{percent(CLOSE)}, or a printed value inside our 95 % interval, counts as equal.",
    )


def _difference(ours: float, theirs: float) -> float:
    """The relative difference from a published value, which may be negative."""
    return (ours - theirs) / abs(theirs)


def table_congestion(evidence: RoutingEvidence) -> Finding:
    """The table's congestion, with users responding to each strategy."""
    printed = np.array([published().printed_congestion[name] for name in STRATEGIES_SHOWN])
    average, kept = evidence.congestion.average, evidence.congestion.users_kept
    return Finding(
        bool(np.all(np.abs(average / printed - 1) <= CLOSE_CONGESTION)),
        f"over all runs the links' average congestion is {_listed(average)}, printed are {_listed(printed)}. "
        f"If users keep their responses to StackelUCB's plans while the operator plays another plan, it is "
        f"{_listed(kept.mean(axis=1))}, and for the shortest route between {kept[0].min():.2f} and "
        f"{kept[0].max():.2f} from run to run; the authors' program computed the printed row so, from one run.",
    )


def better_than_fixed(evidence: RoutingEvidence) -> Finding:
    """The conclusions that the text draws from the table."""
    shortest, none, ours = evidence.congestion.average
    totals = [evidence.results.totals(label) for label in evidence.congestion.learners]
    leads = [Lead.of(totals[2], other) for other in totals[:2]]
    return Finding(
        bool(none < ours < shortest) and all(lead.certain for lead in leads),
        f"congestion is {none:.2f} with 0 % routed, {ours:.2f} with StackelUCB and {shortest:.2f} with all on the "
        f"shortest route; StackelUCB's total reward is ahead of the shortest route's by {leads[0].words(0)}.",
    )


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGIES_SHOWN, values, strict=True))


ROUTING_CHECKS = {
    check.__name__: check for check in (smaller_regret, near_hedge, better_than_fixed, table_rewards, table_congestion)
}


def exploration(evidence: RoutingEvidence) -> str:
    """Return a sentence on the share of rounds in which Exp3 explores, if it does."""
    preset = evidence.results.preset
    if preset.exp3 != "with exploration":
        return ""
    low, high = evidence.results.manifest.notes["reward_range"]
    game = replace(routing_setup(preset).game, reward_range=(low, high))
    share = Exp3.start(game, preset.rounds).exploration
    return (
        f" With K = {game.n_actions} plans and T = {preset.rounds} rounds, Exp3's exploration "
        f"γ = min(1, √(K log K / ((e − 1) T))) is {share:.2f}: it draws {100 * share:.0f} % of its plans uniformly."
    )


def routing_table(evidence: RoutingEvidence) -> pl.DataFrame:
    """Regret and reward of every learner, with the published values."""
    known = published()
    rows = []
    for label in evidence.results.manifest.labels:
        stacked = np.stack([evidence.regret(label), evidence.results.totals(label)], axis=1)
        (regret, reward), (regret_half, reward_half) = mean_interval(stacked)
        there = label in known.regret
        rows.append(
            {
                "learner": label,
                "R(T) / T": with_interval(regret, regret_half),
                "published R(T) / T": f"{known.regret[label][-1]:.1f}" if there else "–",
                "total reward": with_interval(reward, reward_half),
                "published total": f"{known.total_reward[label]:.1f}" if there else "–",
                "difference": percent(_difference(reward, known.total_reward[label]), "+") if there else "–",
            }
        )
    return pl.DataFrame(rows)


def congestion_table(evidence: RoutingEvidence) -> pl.DataFrame:
    """The table of Figure 1: ours, the printed one, and the computation that gives the printed congestion."""
    known, congestion = published(), evidence.congestion
    lines = {
        "average congestion, users respond": [f"{value:.2f}" for value in congestion.average],
        "… printed": [f"{known.printed_congestion[name]:.2f}" for name in STRATEGIES_SHOWN],
        "… users keep their responses to StackelUCB": [f"{v:.2f}" for v in congestion.users_kept.mean(axis=1)],
        "total reward": [f"{evidence.reward(label):,.1f}" for label in congestion.learners],
        "… printed ": [f"{known.printed_reward[name]:,.1f}" for name in STRATEGIES_SHOWN],
    }
    return pl.DataFrame(
        [{"": name.strip(), **dict(zip(STRATEGIES_SHOWN, cells, strict=True))} for name, cells in lines.items()]
    )
