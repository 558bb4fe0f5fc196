"""What an experiment came to: regret and reward of each learner, with 95 % intervals over the seeds."""

import numpy as np
import polars as pl

from firstmover.simulation.intervals import mean_interval

COLUMNS = ["learner", "seed", "t", "reward", "cumulative_regret"]
"""What a summary reads of the results."""

_MEASURES = {
    "regret": "regret R(T)",
    "time_averaged_regret": "R(T) / T",
    "dynamic_regret": "dynamic regret",
    "reward": "total reward",
}
"""Dynamic regret is there where the opponent drifts."""


def summarise(table: pl.DataFrame) -> pl.DataFrame:
    """One row a learner: mean and 95 % half-width over seeds of R(T), R(T) / T, the total reward, and dynamic regret.

    The last where the table has it.
    """
    dynamic = [pl.col("dynamic_regret").last()] if "dynamic_regret" in table.columns else []
    totals = table.group_by("learner", "seed", maintain_order=True).agg(
        *dynamic,
        regret=pl.col("cumulative_regret").last(),
        time_averaged_regret=pl.col("cumulative_regret").last() / pl.col("t").last(),
        reward=pl.col("reward").sum(),
    )
    return pl.DataFrame([_row(runs) for runs in totals.partition_by("learner", maintain_order=True)])


def _row(runs: pl.DataFrame) -> dict[str, object]:
    row: dict[str, object] = {"learner": runs["learner"][0], "seeds": len(runs)}
    measures = [measure for measure in _MEASURES if measure in runs.columns]
    mean, half_width = mean_interval(runs.select(measures).to_numpy())
    for measure, centre, half in zip(measures, mean, half_width, strict=True):
        row |= {measure: float(centre), f"{measure}_half_width": float(half)}
    return row


def as_markdown(summary: pl.DataFrame) -> str:
    """The summary as a table that reads well in a terminal and in a report."""
    shown = {
        title: [with_interval(row[measure], row[f"{measure}_half_width"]) for row in summary.iter_rows(named=True)]
        for measure, title in _MEASURES.items()
        if measure in summary.columns
    }
    return markdown(pl.DataFrame({"learner": summary["learner"], "seeds": summary["seeds"], **shown}))


def markdown(table: pl.DataFrame) -> str:
    """A table as text, all of it."""
    with pl.Config(
        tbl_formatting="ASCII_MARKDOWN",
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=1000,
        fmt_str_lengths=100,
    ):
        return str(table)


def with_interval(mean: float, half_width: float) -> str:
    """Two digits of the interval, and as many decimals of the mean.

    >>> with_interval(12.3456, 0.0789), with_interval(123.456, 78.9), with_interval(0.5, float("nan"))
    ('12.346 ± 0.079', '123 ± 79', '0.5')

    An interval that is nothing but rounding is shown as 0.

    >>> with_interval(271.2591799, 2.7e-14)
    '271.3 ± 0'
    """
    if not half_width > 1e-12 * abs(mean):
        return f"{mean:.4g}" if np.isnan(half_width) else f"{mean:.4g} ± 0"
    decimals = max(0, 1 - int(np.floor(np.log10(half_width))))
    return f"{mean:.{decimals}f} ± {half_width:.{decimals}f}"
