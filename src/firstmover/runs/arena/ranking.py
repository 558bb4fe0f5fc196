"""Ranks, regrets, and comparisons with `auto` of the learners of an arena.

A learner counts on an instance if all its runs there are done. Ranks are those among the learners that count there, so
that one that is left out leaves no gap; equal regrets share the mean of their ranks.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from scipy.stats import rankdata

from firstmover.core.arrays import Vector
from firstmover.runs.arena.contestants import AUTO
from firstmover.simulation.intervals import mean_interval

PLACE = ("family", "instance")
MEASURES = ("rank", "regret", "difference")
VERDICTS = ("better", "undecided", "worse")
"""Of a learner against another on one instance: by the 95 % interval of the mean difference of paired runs."""


def by_instance(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each learner that counts on an instance, given all runs.

    `regret` is the mean over seeds of R(T) / T in percent of the range of rewards, with the half-width of its 95 %
    interval; `difference` is that of regret less the regret of `auto` with the same seed, `verdict` what it says.
    """
    rows = []
    for place, regrets, costs in _complete(runs):
        ranks = rankdata([values.mean() for values in regrets.values()])
        for (learner, values), rank in zip(regrets.items(), ranks.tolist(), strict=True):
            mean, half_width = _interval(values)
            row = place | {"learner": learner, "rank": rank, "regret": mean, "regret_half_width": half_width}
            row |= {"difference": None, "difference_half_width": None, "verdict": None, "cpu_ms": costs[learner]}
            if learner != AUTO and AUTO in regrets:
                row |= paired(values, regrets[AUTO])
            rows.append(row)
    numbers = ("rank", "regret", "regret_half_width", "difference", "difference_half_width", "cpu_ms")
    schema: dict[str, Any] = {"family": pl.String, "instance": pl.Int64, "learner": pl.String}
    return pl.DataFrame(rows, schema | dict.fromkeys(numbers, pl.Float64) | {"verdict": pl.String})


def summarise(table: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return one row per learner, of each family if `names` has "family", least mean rank first.

    Means over instances of rank, regret and difference, with 95 % half-widths over instances; of one instance, that of
    regret and difference is over its seeds. The number of instances of each verdict; the mean processor time in ms.
    """
    rows = []
    for part in table.partition_by(*names, "learner", maintain_order=True):
        row = part.select(*names, "learner").row(0, named=True) | {"instances": len(part)}
        for measure in MEASURES:
            mean, half_width = _interval(part[measure].drop_nulls().to_numpy())
            row |= {measure: mean, f"{measure}_half_width": half_width}
        if len(part) == 1:
            row |= part.select("regret_half_width", "difference_half_width").row(0, named=True)
        row |= {verdict: int((part["verdict"] == verdict).sum()) for verdict in VERDICTS}
        rows.append(row | {"cpu_ms": float(part["cpu_ms"].mean())})  # type: ignore[arg-type]
    order = {name: i for i, name in enumerate(table["family"].unique(maintain_order=True))}
    return pl.DataFrame(sorted(rows, key=lambda row: (order.get(row.get("family"), 0), row["rank"], row["learner"])))


def changes(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each learner that counts on an instance in two sets of runs with the same seeds."""
    old = {tuple(place.values()): regrets for place, regrets, _ in _complete(before)}
    rows = []
    for place, regrets, _ in _complete(after):
        for learner, values in regrets.items():
            earlier = old.get(tuple(place.values()), {}).get(learner)
            if earlier is not None:
                means = {"before": float(earlier.mean()), "after": float(values.mean())}
                rows.append(place | {"learner": learner} | means | paired(values, earlier))
    return pl.DataFrame(rows)


def paired(values: Vector, others: Vector) -> dict[str, Any]:
    """Return the mean of values − others, its 95 % half-width, and the verdict; smaller values are better.

    >>> import numpy as np
    >>> paired(np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.1, 4.9]))["verdict"]
    'better'
    """
    mean, half_width = _interval(values - others)
    verdict = "better" if mean + half_width < 0 else "worse" if mean - half_width > 0 else "undecided"
    return {"difference": mean, "difference_half_width": half_width, "verdict": verdict}


def _complete(runs: pl.DataFrame) -> Iterator[tuple[dict[str, Any], dict[str, Vector], Mapping[str, float]]]:
    """The instances, with the regrets of every seed and the mean cost of all learners that count there."""
    for part in runs.partition_by(*PLACE, maintain_order=True):
        learners = part.partition_by("learner", maintain_order=True)
        whole = {each["learner"][0]: each.sort("seed") for each in learners if (each["state"] == "done").all()}
        regrets = {name: each["regret"].to_numpy() for name, each in whole.items()}
        costs = {name: float(each["cpu_ms"].mean()) for name, each in whole.items()}  # type: ignore[arg-type]
        yield part.select(PLACE).row(0, named=True), regrets, costs


def _interval(values: Vector) -> tuple[float, float]:
    """The mean and the half-width of its 95 % interval; NaN for both without values."""
    if not len(values):
        return float("nan"), float("nan")
    mean, half_width = mean_interval(values[:, None])
    return float(mean[0]), float(half_width[0])
