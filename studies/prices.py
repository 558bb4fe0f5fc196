"""A third domain: what posted prices earn beside the best fixed prices in hindsight, by chance and by malice."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from firstmover.runs import ExperimentSpec, plan_of
from firstmover.runs.task import Task
from firstmover.simulation.intervals import mean_interval

OURS = "StackelUCB"

FRESH_SEEDS = tuple(range(200, 220))
"""Seeds that nothing was chosen on: β was tried on seeds 0 to 19, an earlier kernel reported on seeds 100 to 119."""

REWARD_KERNELS = {
    "GP-MW": {
        "name": "product",
        "action": {"name": "rbf", "length_scale": 0.25, "variance": 0.0132},
        "opponent_type": {"name": "rbf", "length_scale": 0.6},
    },
    "GP-MW by demand": {"name": "demand", "length_scale": 1.52, "place_scale": 0.255, "variance": 0.0268},
}
"""Of largest marginal likelihood over 150 random rewards (249.3 and 275.9), each of its own kind."""

GP_MW = [
    {"name": "gp-mw", "label": f"{label} {w:g}", "strategy": "adahedge", "confidence_width": w, "kernel": kernel}
    for label, kernel in REWARD_KERNELS.items()
    for w in (0.5, 1.0, 2.0)
]

LEARNERS = [
    {"name": "stackelucb", "label": OURS, "strategy": "adahedge"},
    *GP_MW,
    {"name": "exp3", "label": "Exp3"},
    {"name": "hedge", "label": "Hedge with full information", "strategy": "adahedge"},
]
"""Those who see the demand of a round, and one who is told what all prices would have earned."""


def prices_tasks(arrival: str, seeds: Sequence[int] = FRESH_SEEDS, rounds: int = 300) -> list[Task]:
    """The runs against segments that arrive in one way of the OPPONENTS table."""
    fields = {"game": "prices", "opponent": arrival, "rounds": rounds, "seeds": tuple(seeds), "learners": LEARNERS}
    return list(plan_of(ExperimentSpec.read(fields)).tasks)


def summarise_prices(table: pl.DataFrame) -> pl.DataFrame:
    """One row a learner: its reward as a share of the optimum in hindsight, and by how much ours is ahead, paired.

    Means and 95 % half-widths over seeds; the optimum is that of the types which the learner itself met.
    """
    earned = pl.col("reward").sum()
    runs = table.group_by("learner", "seed", maintain_order=True).agg(
        share=earned / (earned + pl.col("cumulative_regret").last())
    )
    shares = {str(label): part["share"].to_numpy() for (label,), part in runs.group_by("learner", maintain_order=True)}
    rows = []
    for label, share in shares.items():
        mean, half = mean_interval(np.stack([share, shares[OURS] - share], axis=1))
        rows.append((label, len(share), mean[0], half[0], mean[1], half[1]))
    names = ["learner", "seeds", "share", "share_half_width", "ours_ahead", "ours_ahead_half_width"]
    return pl.DataFrame(rows, schema=names, orient="row")
