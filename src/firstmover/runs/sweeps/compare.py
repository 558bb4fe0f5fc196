"""Which variant is better, where, and how sure that is: intervals, and paired comparisons on common seeds."""

from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.special import stdtr

from firstmover.core.records import Vector
from firstmover.runs.sweeps.collect import ARENA
from firstmover.simulation.intervals import mean_interval

LEVEL = 0.05
"""A difference counts when its corrected p-value is below."""

MEASURES = ("regret", "time_averaged_regret", "reward")


def summarise_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """One row for each variant in each arena: mean and 95 % half-width over the seeds that are done."""
    done = runs.filter(state="done").partition_by(*ARENA, "variant", maintain_order=True)
    return pl.DataFrame([_summary(part) for part in done], schema=_SUMMARY)


def _summary(part: pl.DataFrame) -> dict[str, object]:
    row: dict[str, object] = dict(zip((*ARENA, "variant"), part.select(*ARENA, "variant").row(0), strict=True))
    mean, half = mean_interval(part.select(MEASURES).to_numpy())
    row |= {"seeds": len(part)}
    for name, centre, width in zip(MEASURES, mean, half, strict=True):
        row |= {name: float(centre), f"{name}_half_width": float(width)}
    return row


_SUMMARY = {
    **{name: pl.Int64 if name == "horizon" else pl.String for name in (*ARENA, "variant")},
    "seeds": pl.Int64,
    **{f"{name}{part}": pl.Float64 for name in MEASURES for part in ("", "_half_width")},
}


def compare_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Every two variants of an arena on the seeds that both have done: how much more regret the first has.

    `p` is that of the paired t-test, null with fewer than two common seeds; `p_holm` is corrected by Holm's method
    for all comparisons of the arena.
    """
    rows: list[dict[str, object]] = []
    for part in runs.filter(state="done").partition_by(*ARENA, maintain_order=True):
        rows += _arena(part)
    return pl.DataFrame(rows, schema=_PAIRS)


_PAIRS = {
    **{name: pl.Int64 if name == "horizon" else pl.String for name in ARENA},
    "first": pl.String,
    "second": pl.String,
    "seeds": pl.Int64,
    "difference": pl.Float64,
    "half_width": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
}


def _arena(part: pl.DataFrame) -> list[dict[str, object]]:
    place = dict(zip(ARENA, part.select(ARENA).row(0), strict=True))
    named = part.select("variant", "regret", pl.col("seed").alias(""))  # a variant may be called seed, none is nameless
    wide = named.pivot(on="variant", index="", values="regret", maintain_order=True)
    rows: list[dict[str, object]] = []
    for first, second in combinations(wide.columns[1:], 2):
        both = wide.select(first, second).drop_nulls().to_numpy()
        gaps = both[:, 0] - both[:, 1]
        if len(gaps):
            mean, half = mean_interval(gaps[:, None])
            row = {"first": first, "second": second, "seeds": len(gaps), "difference": float(mean[0])}
            rows.append(place | row | {"half_width": float(half[0]), "p": paired_p(gaps)})
    known = [i for i, row in enumerate(rows) if row["p"] is not None]
    for i, value in zip(known, holm([rows[i]["p"] for i in known]).tolist(), strict=True):  # type: ignore[arg-type]
        rows[i]["p_holm"] = value
    return rows


def paired_p(gaps: Vector) -> float | None:
    """The two-sided p-value of Student's t-test that paired differences have mean zero; None for fewer than two.

    t = mean / (s / √n), with n − 1 degrees of freedom.

    >>> round(paired_p(np.array([1.0, 2.0, 6.0])), 4)
    0.1885
    """
    n = len(gaps)
    if n < 2:
        return None
    mean, error = gaps.mean(), gaps.std(ddof=1) / np.sqrt(n)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(n - 1, -abs(mean / error)))


def holm(p_values: ArrayLike) -> Vector:
    """Holm's correction (1979): the i-th smallest of m is multiplied by m − i + 1, kept in order, and at most 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def best_of_arenas(summary: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The variant of least mean regret in each arena, and those that cannot be told from it, least regret first."""
    rows = []
    for arena in summary.partition_by(*ARENA, maintain_order=True):
        part = arena.sort("regret", maintain_order=True)
        best = part.row(0, named=True)
        behind = {loser for winner, loser in _decided(pairs, best) if winner == best["variant"]}
        alike = [name for name in part["variant"] if name not in behind and name != best["variant"]]
        rows.append({name: best[name] for name in _SUMMARY} | {"variants": len(part), "not_told_apart": alike})
    return pl.DataFrame(rows, schema=_SUMMARY | {"variants": pl.Int64, "not_told_apart": pl.List(pl.String)})


def wins_of(summary: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """How often each variant had less regret than another, neither, or more, at the corrected level."""
    counts = {name: [0, 0, 0] for name in summary["variant"].unique(maintain_order=True)}
    for row in pairs.iter_rows(named=True):
        for name, sign in ((row["first"], 1), (row["second"], -1)):
            counts[name][_verdict(row) * sign + 1] += 1
    rows = [(name, *count) for name, count in counts.items()]
    schema = {"variant": pl.String, "wins": pl.Int64, "undecided": pl.Int64, "losses": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("wins", descending=True, maintain_order=True)


def _verdict(row: dict[str, object]) -> int:
    """−1 when the first has less regret, 1 when the second has, 0 when that is not decided."""
    p, difference = row["p_holm"], row["difference"]
    assert isinstance(difference, float)
    return 0 if not isinstance(p, float) or p >= LEVEL else int(np.sign(difference))


def _decided(pairs: pl.DataFrame, arena: dict[str, object]) -> list[tuple[str, str]]:
    """Winner and loser of every decided comparison of an arena."""
    here = pairs.filter(**{name: arena[name] for name in ARENA})
    verdicts = [(row["first"], row["second"], _verdict(row)) for row in here.iter_rows(named=True)]
    return [(a, b) if verdict < 0 else (b, a) for a, b, verdict in verdicts if verdict]
