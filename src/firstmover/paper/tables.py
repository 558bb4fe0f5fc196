"""The tables of the report, every cell as text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from firstmover.core.arrays import Vector
from firstmover.learners import Exp3
from firstmover.paper.claims import REPORT, difference, percent, when
from firstmover.paper.experiments import EXPERIMENTS, PARK_STEPS
from firstmover.paper.menus import CLAIMED_ROUND, summarise_menus
from firstmover.paper.preset import READINGS
from firstmover.paper.results import LAST_ROUNDS, PUBLISHED, STRATEGIES_SHOWN, Results
from firstmover.paper.routing import routing_setup
from firstmover.runs.comparison import with_interval
from firstmover.simulation.intervals import mean_interval

NOTHING = "–"  # cell where there is no value


def shown(values: Vector) -> str:
    """Return the mean over runs with its 95 % interval."""
    return with_interval(*map(float, mean_interval(values)))


def routing_table(results: Results) -> pl.DataFrame:
    """Regret and reward of every learner, with the published values."""
    known, rows = PUBLISHED, []
    for label in results.manifest.labels:
        total, theirs = results.totals(label), known.total_reward.get(label)
        rows.append(
            {
                "learner": label,
                "R(T) / T": shown(results.regret(label)),
                "published R(T) / T": NOTHING if theirs is None else f"{known.regret[label][-1]:.1f}",
                "total reward": shown(total),
                "published total": NOTHING if theirs is None else f"{theirs:.1f}",
                "difference": NOTHING if theirs is None else percent(difference(total.mean(), theirs), "+"),
            }
        )
    return pl.DataFrame(rows)


def congestion_table(results: Results) -> pl.DataFrame:
    """The table of Figure 1: ours, the printed one, and the computation that gives the printed congestion."""
    known, congestion = PUBLISHED, results.congestion
    rows: list[tuple[str, str, Sequence[float]]] = [
        ("average congestion, users respond", ".2f", list(congestion.average)),
        ("… printed", ".2f", [known.printed_congestion[name] for name in STRATEGIES_SHOWN]),
        ("… users keep their responses to StackelUCB", ".2f", list(congestion.users_kept.mean(axis=1))),
        ("total reward", ",.1f", [results.totals(label).mean() for label in congestion.learners]),
        ("… printed", ",.1f", [known.printed_reward[name] for name in STRATEGIES_SHOWN]),
    ]
    cells = [(name, *(format(value, decimals) for value in values)) for name, decimals, values in rows]
    return pl.DataFrame(cells, schema=["quantity", *STRATEGIES_SHOWN], orient="row")


def exploration(results: Results) -> str:
    """Return a sentence on the share of rounds in which Exp3 explores, if it does."""
    preset = results.preset
    if preset.exp3 != "with exploration":
        return ""
    low, high = results.notes["reward_range"]
    game = replace(routing_setup(preset).game, reward_range=(low, high))
    share = Exp3.start(game, preset.rounds).exploration
    return (
        f" With K = {game.n_actions} plans and T = {preset.rounds} rounds, Exp3's exploration "
        f"γ = min(1, √(K log K / ((e − 1) T))) is {share:.2f}: it draws {100 * share:.0f} % of its plans uniformly."
    )


def wildlife_table(results: Results) -> pl.DataFrame:
    """Total reward, and the round from which the best patrol is held, with the published values."""
    known, rounds, rows = PUBLISHED, results.manifest.rounds, []
    for label in results.manifest.labels:
        held, there = results.held(label), label in known.held_from
        rows.append(
            {
                "algorithm and β": label,
                "total reward": shown(results.totals(label)),
                "published total": f"{known.total_reward[label]:.2f}" if there and results.comparable else NOTHING,
                "held from": when(held, rounds),
                "published from": when(np.array(known.held_from[label]), 100) if there else NOTHING,
                "never held": f"{100 * np.mean(held > rounds):.0f} %",
            }
        )
    return pl.DataFrame(rows)


def references_table(results: Results) -> pl.DataFrame:
    """OPT, Max-Min and Best-offline, with the published values."""
    ours = {
        "OPT": f"{results.notes['optimum']:.5f}",
        "Max-Min": f"{results.notes['max_min']:.5f}",
        "Best-offline": shown(np.array(results.notes["best_offline"])),
    }
    theirs = [f"{PUBLISHED.references[name]:.5f}" for name in ours]
    return pl.DataFrame({"reward per round": list(ours), "ours": list(ours.values()), "published": theirs})


def outside(results: Results) -> str:
    """Return a sentence on published figures outside our 95 % intervals, if intervals exist."""
    if not results.comparable:
        return str(REPORT["texts"]["other_scale"])
    if results.seeds == 1:
        return ""
    known = PUBLISHED
    labels = [label for label in results.manifest.labels if label in known.total_reward]
    pairs = {label: (known.total_reward[label], results.totals(label)) for label in labels}
    pairs["Best-offline"] = known.references["Best-offline"], np.array(results.notes["best_offline"])
    listed = []
    for name, (theirs, runs) in pairs.items():
        mean, half = mean_interval(runs)
        if abs(mean - theirs) > half:
            listed.append(f"{name} (published {theirs:.3g}, here {shown(runs)})")
    if not listed:
        return f" All {len(pairs)} published figures of rewards lie inside our 95 % intervals."
    return (
        f" Of {len(pairs)} published figures of rewards, themselves means over 10 runs, {len(listed)} lie outside our "
        f"95 % intervals: {', '.join(listed)}."
    )


def menus_table(by_reading: Mapping[str, Results]) -> pl.DataFrame:
    """Ours and GP-UCB on other menus of the park."""
    return pl.DataFrame(
        {
            "preset": name,
            "learner": row["learner"],
            "best patrol held in time": f"{row['held_in_time']} of {row['menus']}",
            "games that never hold it": f"{100 * row['never_held']:.0f} %",
            "ahead": f"{row['ahead']} of {row['menus']}",
        }
        for name, results in by_reading.items()
        for row in summarise_menus(results.table).iter_rows(named=True)
    )


def switch_table(game: str) -> pl.DataFrame:
    """Return every field in which the two presets of a game differ, with an explanation."""
    text, program = (EXPERIMENTS[game].load(reading).stored() for reading in READINGS)
    return pl.DataFrame(
        [
            {"switch": name, "paper": _setting(text[name]), "released": _setting(program[name]), "what it changes": why}
            for name, why in REPORT["switches"].items()
            if name in text and text[name] != program[name]
        ]
    )


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value == "Infinity" else str(value)


def steps_table(park: Mapping[str, Results], steps: Mapping[str, Results]) -> pl.DataFrame:
    """The park from the released program to the text: when the best patrol is held at the β of Figure 2."""
    readings = {
        "the released program": park["released"],
        **{PARK_STEPS[name][0]: results for name, results in steps.items()},
        "then the poachers' density for the rangers too: the text": park["paper"],
    }
    rows = []
    for words, results in readings.items():
        label = results.preset.shown
        held = results.held(label)
        rows.append(
            {
                "reading": words,
                "OPT": f"{results.notes['optimum']:.3f}",
                f"last {LAST_ROUNDS} rounds": f"{results.last(label).mean():.3f}",
                "held from (median)": when(held, results.manifest.rounds),
                "runs that hold it": f"{np.sum(held <= results.manifest.rounds)} of {len(held)}",
                "optimal in about 60 rounds": "reproduces"
                if np.median(held) <= CLAIMED_ROUND
                else "does not reproduce",
            }
        )
    return pl.DataFrame(rows)
