"""Time-averaged reward: what a learner earns a round, up to each round."""

import polars as pl

from firstmover.plots.curves import Curves


def reward_curves(table: pl.DataFrame) -> Curves:
    """Σ_{s≤t} r(x_s, b(x_s, θ_s)) / t of each learner."""
    averaged = pl.col("reward").cum_sum().over("learner", "seed") / pl.col("t")
    return Curves.of(table.with_columns(averaged=averaged), "averaged", "time-averaged reward\n(reward per round)")
