"""Time-averaged regret, as in the paper's Figure 1."""

import polars as pl

from firstmover.plots.curves import Curves


def regret_curves(table: pl.DataFrame) -> Curves:
    """R(t) / t of each learner."""
    return Curves.of(table, "time_averaged_regret", "time-averaged regret R(t) / t\n(reward per round)")
