"""The claims and tables of Section 4.1."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from firstmover.experiments.congestion import STRATEGIES_SHOWN, Congestion, congestion_of
from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.experiments.routing import routing_scene
from firstmover.experiments.summary import with_interval
from firstmover.intervals import mean_interval
from firstmover.learners import Exp3
from firstmover.records import Vector
from firstmover.report.claims import Finding, Lead, Question, percent

BASELINES = ("Exp3", "shortest", "none")

COMPARABLE = 0.95
"""From which share of Hedge's reward on we call a learner comparable; the published share is 0.97."""

CLOSE = 0.015
"""How far a total reward may lie from the published one, as a share of it."""

CLOSE_CONGESTION = 0.05
"""The same for the average congestion."""


@dataclass(frozen=True)
class RoutingEvidence:
    """What the runs of one reading came to."""

    results: Results
    congestion: Congestion

    @classmethod
    def of(cls, folder: Path) -> "RoutingEvidence":
        """Of a folder."""
        return cls(Results.read(folder, "routing"), congestion_of(folder))

    @property
    def ours(self) -> list[str]:
        """The labels of StackelUCB."""
        return [label for label in self.results.manifest.labels if label.startswith("StackelUCB")]

    def regret(self, label: str) -> Vector:
        """R(T) / T of each run."""
        return self.results.rounds_of(label, "time_averaged_regret")[:, -1]


def smaller_regret(evidence: RoutingEvidence) -> Finding:
    """StackelUCB against Exp3 and the two fixed plans."""
    leads = {
        (ours, other): Lead.of(evidence.regret(other), evidence.regret(ours))
        for ours in evidence.ours
        for other in BASELINES
    }
    ours, other = min(leads, key=lambda pair: leads[pair].mean)
    listed = ", ".join(f"{label} {evidence.regret(label).mean():.1f}" for label in (*evidence.ours, *BASELINES))
    return Finding(
        all(lead.certain for lead in leads.values()),
        f"R(T) / T is {listed}. The smallest lead is that of {ours} over {other}: {leads[ours, other].words(1)}.",
    )


def near_hedge(evidence: RoutingEvidence) -> Finding:
    """StackelUCB's share of Hedge's reward."""
    hedge = evidence.results.totals("Hedge").mean()
    shares = {label: evidence.results.totals(label).mean() / hedge for label in evidence.ours}
    listed = ", ".join(f"{percent(share)} ({label})" for label, share in shares.items())
    return Finding(
        min(shares.values()) >= COMPARABLE,
        f"StackelUCB earns {listed} of the {hedge:,.0f} that Hedge earns, and its R(T) / T is "
        f"{evidence.regret(evidence.ours[0]).mean():.1f} against {evidence.regret('Hedge').mean():.1f}; "
        f"we call {percent(COMPARABLE)} of the reward comparable.",
    )


def table_rewards(evidence: RoutingEvidence) -> Finding:
    """The table's total rewards: equal if close, or if the printed one lies inside our interval."""
    equal, listed = [], []
    for name, label in zip(STRATEGIES_SHOWN, evidence.congestion.learners, strict=True):
        printed = published().printed_reward[name]
        (mean,), (half,) = mean_interval(evidence.results.totals(label)[:, None])
        close, inside = abs(_off(mean, printed)) <= CLOSE, abs(mean - printed) <= half
        equal.append(close or inside)
        why = f"within {percent(CLOSE)}" if close else "inside our interval" if inside else "neither close nor inside"
        listed.append(f"{name} by {percent(_off(mean, printed), '+')} ({why})")
    return Finding(
        all(equal),
        f"our mean total rewards differ from the printed ones: {', '.join(listed)}; {percent(CLOSE)} either way, or a "
        "printed value inside our 95 % interval, counts as equal.",
    )


def _off(ours: float, theirs: float) -> float:
    """By how much ours is larger, as a share of theirs, which may be negative."""
    return (ours - theirs) / abs(theirs)


def table_congestion(evidence: RoutingEvidence) -> Finding:
    """The table's congestion, each strategy with the users' own answers."""
    printed = np.array([published().printed_congestion[name] for name in STRATEGIES_SHOWN])
    average, kept = evidence.congestion.average, evidence.congestion.users_kept
    return Finding(
        bool(np.all(np.abs(average / printed - 1) <= CLOSE_CONGESTION)),
        f"over all runs the links' average congestion is {_listed(average)}, printed are {_listed(printed)}. "
        f"If users are kept at their answers to StackelUCB's plans while the operator does something else, it is "
        f"{_listed(kept.mean(axis=1))}, and for the shortest route between {kept[0].min():.2f} and "
        f"{kept[0].max():.2f} from run to run; the authors' program computed the printed row so, from one run.",
    )


def better_than_fixed(evidence: RoutingEvidence) -> Finding:
    """What the text reads off the table."""
    shortest, none, ours = evidence.congestion.average
    totals = [evidence.results.totals(label) for label in evidence.congestion.learners]
    leads = [Lead.of(totals[2], other) for other in totals[:2]]
    return Finding(
        bool(none < ours < shortest) and all(lead.certain for lead in leads),
        f"congestion is {none:.2f} with 0 % routed, {ours:.2f} with StackelUCB and {shortest:.2f} with all on the "
        f"shortest route; StackelUCB's total reward is ahead of the shortest route's by {leads[0].words(0)}.",
    )


def _listed(values: Vector) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGIES_SHOWN, values, strict=True))


ROUTING_QUESTIONS: list[Question[RoutingEvidence]] = [
    Question(
        "StackelUCB's regret is smaller than that of the baselines",
        "StackelUCB leads to a significantly smaller regret compared to the considered baselines",
        smaller_regret,
    ),
    Question(
        "StackelUCB is comparable to Hedge",
        "its performance is comparable to the full-information Hedge algorithm",
        near_hedge,
    ),
    Question(
        "Alternative routes: less congestion than the shortest route, and more reward",
        "select alternative routes depending on the users' demands, leading to improved congestion and a larger "
        "cumulative reward compared to the baselines",
        better_than_fixed,
    ),
    Question(
        "The table's cumulative rewards",
        "Cumul. reward: 21'645.4 (shortest route), -813.5 (0 % routed), 25'330.5 (StackelUCB)",
        table_rewards,
    ),
    Question(
        "The table's congestion",
        "Avg. congestion: 15.97 (shortest route), 1.03 (0 % routed), 3.51 (StackelUCB)",
        table_congestion,
    ),
]


def exploration(evidence: RoutingEvidence) -> str:
    """How much of its time Exp3 explores, where it does."""
    preset = evidence.results.preset
    if preset.exp3 != "with exploration":
        return ""
    low, high = evidence.results.manifest.notes["reward_range"]
    game = replace(routing_scene(preset).game, reward_range=(low, high))
    share = Exp3.start(game, preset.rounds).exploration
    return (
        f" With K = {game.n_actions} plans and T = {preset.rounds} rounds, Exp3's exploration "
        f"γ = min(1, √(K log K / ((e − 1) T))) is {share:.2f}: it draws {100 * share:.0f} % of its plans uniformly, "
        "whatever it has learned."
    )


def routing_table(evidence: RoutingEvidence) -> pl.DataFrame:
    """Regret and reward of every learner, beside the published ones."""
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
                "difference": percent(_off(reward, known.total_reward[label]), "+") if there else "–",
            }
        )
    return pl.DataFrame(rows)


def congestion_table(evidence: RoutingEvidence) -> pl.DataFrame:
    """The table of Figure 1: ours, the printed one, and how the printed congestion comes about."""
    known, congestion = published(), evidence.congestion
    rewards = [evidence.results.totals(label).mean() for label in congestion.learners]
    lines = {
        "average congestion, own answers": [f"{value:.2f}" for value in congestion.average],
        "… printed": [f"{known.printed_congestion[name]:.2f}" for name in STRATEGIES_SHOWN],
        "… users kept at their answers to StackelUCB": [f"{value:.2f}" for value in congestion.users_kept.mean(axis=1)],
        "total reward": [f"{value:,.1f}" for value in rewards],
        "… printed ": [f"{known.printed_reward[name]:,.1f}" for name in STRATEGIES_SHOWN],
    }
    return pl.DataFrame(
        [{"": name.strip(), **dict(zip(STRATEGIES_SHOWN, cells, strict=True))} for name, cells in lines.items()]
    )
