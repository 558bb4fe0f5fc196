"""A third domain: rewards of posted prices relative to the best fixed prices in hindsight, for two kinds of arrival.

`prices.toml` is the experiment.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from firstmover.runs import ExperimentSpec, Task, plan_of
from studies.summary import means

OURS = "StackelUCB"


def prices_tasks(arrival: str, seeds: Sequence[int] | None = None, rounds: int | None = None) -> list[Task]:
    """Return the runs against segments that arrive as an opponent of the table OPPONENTS."""
    document = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    gp_mw = document.pop("gp_mw")
    document["learners"][1:1] = [
        {"name": "gp-mw", "label": f"{label} {w:g}", "strategy": "adahedge", "confidence_width": w, "kernel": kernel}
        for label, kernel in gp_mw["kernels"].items()
        for w in gp_mw["widths"]
    ]
    document |= {
        "opponent": arrival,
        "seeds": tuple(seeds or document["seeds"]),
        "rounds": rounds or document["rounds"],
    }
    return list(plan_of(ExperimentSpec.read(document)).tasks)


def summarise_prices(table: pl.DataFrame) -> pl.DataFrame:
    """One row per learner: its reward as a share of the optimum in hindsight, and our lead over it, paired by seed.

    The optimum is that of the types which the learner itself met.
    """
    earned = pl.col("reward").sum()
    runs = table.group_by("learner", "seed", maintain_order=True).agg(
        share=earned / (earned + pl.col("cumulative_regret").last())
    )
    ours = runs.filter(learner=OURS).select("seed", ours="share")
    paired = runs.join(ours, on="seed", maintain_order="left").with_columns(ours_ahead=pl.col("ours") - pl.col("share"))
    return means(paired, ["learner"], ["share", "ours_ahead"])
