"""The claims of the paper and their verdicts, computed from stored results.

A claim is an entry of `report.toml`: title, quotation, the name of its check, and the sentence that reports the numbers
which the check returns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.figures.html_page import Verdict
from firstmover.paper.menus import CLAIMED_ROUND
from firstmover.paper.preset import packaged
from firstmover.paper.results import LAST_ROUNDS, PUBLISHED, STRATEGIES_SHOWN, Results
from firstmover.paper.wildlife import GP_UCB, OURS, wildlife_setup
from firstmover.simulation.intervals import equivalent, mean_interval

BASELINES = ("Exp3", "shortest", "none")

COMPARABLE = 0.95  # share of Hedge's reward from which a learner counts as comparable; the published share is 0.97
CLOSE = 0.1  # the margin of equal rewards, as a share of the smallest difference between two printed ones
CLOSE_CONGESTION = 0.05  # the same for the average congestion
SMALL_WIDTH = 0.2  # largest β of the paper's Figure 3 that counts as "sufficiently small"

Checked = tuple[bool | None, dict[str, Any]]
"""The result of a check: whether the claim holds, None if runs do not settle it, and the values for its sentence."""


SETTLED = {True: "equivalent", False: "different", None: "not settled"}
"""The results of a test of equivalence."""


REPORT = packaged("report.toml")  # sentences of the report


class Finding(NamedTuple):
    """The result of a claim under one reading: whether it holds, None if not settled, and the numbers that show it."""

    holds: bool | None
    words: str


def verdict_of(title: str, quote: str, findings: Mapping[str, Finding], of_one_run: Sequence[str] = ()) -> Verdict:
    """Return the verdict on a claim from its findings by reading; `of_one_run` lists the readings with one run."""
    held = [reading for reading, found in findings.items() if found.holds]
    open_ = [reading for reading, found in findings.items() if found.holds is None]
    kind, words = ("partly", "reproduces only under a reading") if held else ("fails", "does not reproduce")
    if len(held) == len(findings):
        kind, words = "holds", "reproduces"
    if len(open_) == len(findings):
        kind, words, open_ = "partly", "is not settled by these runs", []
    scope = [", ".join(held)] if held and kind == "partly" else []
    scope += [f"not settled by these runs under {', '.join(open_)}"] if open_ else []
    if len(findings) == 1:
        scope.append(f"preset {next(iter(findings))}, the only one played")
    if of_one_run:
        scope.append("one run" if len(of_one_run) == len(findings) else f"one run of {of_one_run[0]}")
    words += f" ({'; '.join(scope)})" if scope else ""
    return Verdict(title, quote, kind, words, tuple((f"Preset {name}", said) for name, (_, said) in findings.items()))


def verdicts_on(game: str, by_reading: Mapping[str, Results]) -> list[Verdict]:
    """Check every claim about a game in the results of each reading."""
    once = [reading for reading, results in by_reading.items() if results.seeds == 1]
    return [
        verdict_of(
            claim["title"],
            claim["quote"],
            {reading: finding(claim["check"], results) for reading, results in by_reading.items()},
            once,
        )
        for claim in REPORT["claims"][game]
    ]


def finding(check: str, results: Results) -> Finding:
    """Check one claim, by the name of its check."""
    texts = {claim["check"]: claim["finding"] for claims in REPORT["claims"].values() for claim in claims}
    holds, values = CHECKS[check](results)
    return Finding(None if holds is None else bool(holds), texts[check].format(**values))


@dataclass(frozen=True)
class Lead:
    """The lead of one learner over another, paired by run: mean, 95 % half-width, number of runs ahead."""

    mean: float
    half_width: float
    runs_ahead: int
    runs: int

    @classmethod
    def of(cls, ahead: Vector, behind: Vector) -> "Lead":
        """Compare two learners' figures over the same seeds."""
        difference = np.asarray(ahead) - np.asarray(behind)
        mean, half_width = mean_interval(difference)
        return cls(float(mean), float(half_width), int(np.sum(difference > 0)), len(difference))

    @property
    def certain(self) -> bool:
        """True if the whole interval lies above 0; for one run, if the mean does."""
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


def difference(ours: float, theirs: float) -> float:
    """Return the relative difference from a published value, which may be negative."""
    return (ours - theirs) / abs(theirs)


def when(held: Vector, rounds: int) -> str:
    """Return the median of the rounds from which the best patrol is held, as text.

    >>> when(np.array([50.0, 61.0, 70.0, 101.0]), 100), when(np.array([101.0, 101.0, 3.0]), 100)
    ('65.5', 'never')
    """
    median = float(np.median(held))
    return "never" if median > rounds else f"{median:g}"


def smaller_regret(results: Results) -> Checked:
    """StackelUCB against Exp3 and the two fixed plans."""
    ours, regret = results.labels("StackelUCB"), results.regret
    leads = {(mine, other): Lead.of(regret(other), regret(mine)) for mine in ours for other in BASELINES}
    mine, other = min(leads, key=lambda pair: leads[pair].mean)
    listed = ", ".join(f"{label} {regret(label).mean():.1f}" for label in (*ours, *BASELINES))
    values = {"listed": listed, "ours": mine, "other": other, "lead": leads[mine, other].words(1)}
    return all(lead.certain for lead in leads.values()), values


def near_hedge(results: Results) -> Checked:
    """StackelUCB's share of Hedge's reward."""
    ours, hedge = results.labels("StackelUCB"), results.totals("Hedge").mean()
    shares = {label: results.totals(label).mean() / hedge for label in ours}
    return min(shares.values()) >= COMPARABLE, {
        "shares": ", ".join(f"{percent(share)} ({label})" for label, share in shares.items()),
        "hedge": hedge,
        "our_regret": results.regret(ours[0]).mean(),
        "hedge_regret": results.regret("Hedge").mean(),
        "comparable": percent(COMPARABLE),
    }


def better_than_fixed(results: Results) -> Checked:
    """The conclusions that the text draws from the table."""
    shortest, none, ours = results.congestion.average
    totals = [results.totals(label) for label in results.congestion.learners]
    leads = [Lead.of(totals[2], other) for other in totals[:2]]
    holds = none < ours < shortest and all(lead.certain for lead in leads)
    return holds, {"none": none, "ours": ours, "shortest": shortest, "lead": leads[0].words(0)}


def table_rewards(results: Results) -> Checked:
    """The table's total rewards: equivalent to ours within a margin, by two one-sided tests."""
    rewards = [PUBLISHED.printed_reward[name] for name in STRATEGIES_SHOWN]
    margin = CLOSE * float(np.diff(np.sort(rewards)).min())
    equal, listed = [], []
    for name, printed, label in zip(STRATEGIES_SHOWN, rewards, results.congestion.learners, strict=True):
        totals = results.totals(label)
        equal.append(equivalent(totals, printed, margin))
        listed.append(f"{name} by {totals.mean() - printed:+,.0f} ({SETTLED[equal[-1]]})")
    holds = all(equal) if all(equal) or False in equal else None
    return holds, {"listed": ", ".join(listed), "margin": margin, "runs": results.seeds}


def table_congestion(results: Results) -> Checked:
    """The table's congestion, with users responding to each strategy."""
    printed = np.array([PUBLISHED.printed_congestion[name] for name in STRATEGIES_SHOWN])
    average, kept = results.congestion.average, results.congestion.users_kept
    return bool(np.all(np.abs(average / printed - 1) <= CLOSE_CONGESTION)), {
        "ours": _by_strategy(average),
        "printed": _by_strategy(printed),
        "kept": _by_strategy(kept.mean(axis=1)),
        "least": kept[0].min(),
        "most": kept[0].max(),
    }


def _by_strategy(values: Iterable[float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGIES_SHOWN, values, strict=True))


def optimal_soon(results: Results) -> Checked:
    """OPT in about 60 rounds at the β shown."""
    held = results.held(results.preset.shown)
    return bool(np.median(held) <= CLAIMED_ROUND), {
        "width": results.preset.shown_width,
        "held": when(held, results.manifest.rounds),
        "never": int(np.sum(held > results.manifest.rounds)),
        "runs": len(held),
        "last_rounds": LAST_ROUNDS,
        "last": results.last(results.preset.shown).mean(),
        "optimum": results.notes["optimum"],
    }


def ahead_of_baselines(results: Results) -> Checked:
    """Our algorithm against Max-Min and Best-offline, at the end of the runs."""
    last, max_min = results.last(results.preset.shown), results.notes["max_min"]
    offline, known = np.array(results.notes["best_offline"]), wildlife_setup(results.preset).known
    leads = [Lead.of(last, np.full_like(last, max_min)), Lead.of(last, offline)]
    return all(lead.certain for lead in leads), {
        "last_rounds": LAST_ROUNDS,
        "last": last.mean(),
        "max_min": max_min,
        "offline": offline.mean(),
        "draws": len(offline),
        "mean": results.totals(results.preset.shown).mean() / results.manifest.rounds,
        "guaranteed": known.max_min_guaranteed,
        "obtained": known.max_min_obtained,
    }


def ahead_of_gp_ucb(results: Results) -> Checked:
    """Our algorithm at the β shown against GP-UCB at its best β."""
    totals = {label: results.totals(label) for label in results.labels(GP_UCB)}
    best = max(totals, key=lambda label: totals[label].mean())
    ours = results.totals(results.preset.shown)
    lead = Lead.of(ours, totals[best])
    return lead.certain, {
        "width": results.preset.shown_width,
        "ours": ours.mean(),
        "best_width": best.rpartition(" ")[2],
        "best": totals[best].mean(),
        "lead": lead.words(2),
        "held": when(results.held(best), results.manifest.rounds),
    }


def insensitive(results: Results) -> Checked:
    """The same result at every small β."""
    medians = {float(label.rpartition(" ")[2]): results.held(label) for label in results.labels(OURS)}
    rounds = {width: f"{when(held, results.manifest.rounds)} at β = {width:g}" for width, held in medians.items()}
    holds = all(np.median(held) <= CLAIMED_ROUND for width, held in medians.items() if width <= SMALL_WIDTH)
    return holds, {
        "small": ", ".join(words for width, words in rounds.items() if width <= SMALL_WIDTH),
        "large": ", ".join(words for width, words in rounds.items() if width > SMALL_WIDTH),
    }


CHECKS: dict[str, Callable[[Results], Checked]] = {
    check.__name__: check
    for check in (
        smaller_regret, near_hedge, better_than_fixed, table_rewards, table_congestion,
        optimal_soon, ahead_of_baselines, ahead_of_gp_ucb, insensitive,
    )
}  # fmt: skip
