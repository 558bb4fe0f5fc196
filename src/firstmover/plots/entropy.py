"""The entropy of p_t: how undecided a learner is."""

import polars as pl

from firstmover.plots.curves import Curves


def entropy_curves(table: pl.DataFrame) -> Curves:
    """−Σ_x p_t[x] log p_t[x] of each learner."""
    return Curves.of(table, "entropy", "entropy of $p_t$ (nats)")
