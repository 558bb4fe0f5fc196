"""Means over runs with 95 % intervals."""

from collections.abc import Sequence

import polars as pl

from firstmover.simulation.intervals import mean_interval


def means(table: pl.DataFrame, by: Sequence[str], measures: Sequence[str]) -> pl.DataFrame:
    """Return one row per group: the number of its rows, and mean and 95 % half-width of each measure.

    >>> runs = pl.DataFrame({"learner": ["a", "a"], "reward": [1.0, 3.0]})
    >>> means(runs, ["learner"], ["reward"]).row(0)
    ('a', 2, 2.0, 12.706...)
    """
    rows = []
    for key, part in table.group_by(*by, maintain_order=True):
        mean, half_width = mean_interval(part.select(measures).to_numpy().astype(float))
        rows.append((*key, len(part), *(number for pair in zip(mean, half_width, strict=True) for number in pair)))
    names = [name for measure in measures for name in (measure, f"{measure}_half_width")]
    return pl.DataFrame(rows, schema=[*by, "runs", *names], orient="row")
