"""Ranks, intervals and verdicts of the arena, by hand."""

import numpy as np
import polars as pl
import pytest

from firstmover.runs.arena.contestants import AUTO
from firstmover.runs.arena.ranking import by_instance, changes, paired, summarise

T_1, T_2 = 12.706204736432095, 4.302652729696142
"""The 97.5 % points of Student's t with one and two degrees of freedom."""

Regrets = dict[tuple[str, int, str], list[float | None]]


def _runs(regrets: Regrets) -> pl.DataFrame:
    rows = [
        {"family": family, "instance": instance, "learner": learner, "seed": seed, "regret": value}
        | {"state": "missing" if value is None else "done", "cpu_ms": 1.0 + seed}
        for (family, instance, learner), values in regrets.items()
        for seed, value in enumerate(values)
    ]
    return pl.DataFrame(rows, schema_overrides={"regret": pl.Float64})


def _ranks(table: pl.DataFrame, instance: int) -> dict[str, float]:
    return dict(table.filter(instance=instance).select("learner", "rank").iter_rows())


TWO: Regrets = {
    ("park", 1, AUTO): [1.0, 3.0],
    ("park", 1, "a"): [4.0, 6.0],
    ("park", 1, "b"): [0.0, 4.0],
    ("park", 2, AUTO): [5.0, 5.0],
    ("park", 2, "a"): [1.0, 2.0],
}


def test_learners_that_are_absent_leave_no_gap_and_ties_share_ranks() -> None:
    table = by_instance(_runs(TWO))
    assert _ranks(table, 1) == {AUTO: 1.5, "b": 1.5, "a": 3.0}
    assert _ranks(table, 2) == {"a": 1.0, AUTO: 2.0}


def test_a_learner_with_a_missing_run_does_not_count_there() -> None:
    table = by_instance(_runs(TWO | {("park", 1, "b"): [0.0, None]}))
    assert _ranks(table, 1) == {AUTO: 1.0, "a": 2.0}
    without = by_instance(_runs(TWO | {("park", 2, AUTO): [None, None]}))
    row = without.row(by_predicate=(pl.col("instance") == 2) & (pl.col("learner") == "a"), named=True)
    assert (row["rank"], row["difference"], row["verdict"]) == (1.0, None, None)


def test_intervals_of_an_instance_are_over_seeds_and_paired() -> None:
    row = by_instance(_runs(TWO)).row(by_predicate=pl.col("learner") == "b", named=True)
    assert row["regret"] == 2.0
    assert row["regret_half_width"] == pytest.approx(T_1 * 2.0)  # s = √8, s / √2 = 2
    assert (row["difference"], row["verdict"]) == (0.0, "undecided")  # −1 and 1
    assert row["difference_half_width"] == pytest.approx(T_1 * 1.0)
    assert row["cpu_ms"] == 1.5
    first = by_instance(_runs(TWO)).filter(learner="a").row(0, named=True)
    assert (first["difference"], first["difference_half_width"], first["verdict"]) == (3.0, 0.0, "worse")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([2.0, 2.0, 2.0 + 1e-9], "undecided"),
        ([-1.0, -1.1, -0.9], "better"),
        ([1.0, 1.1, 0.9], "worse"),
        ([-1.0, -1.1, 0.9], "undecided"),
        ([-1.0], "undecided"),  # one seed has no interval
    ],
)
def test_verdicts(values: list[float], verdict: str) -> None:
    others = np.full(len(values), 2.0 if verdict == "undecided" and values[0] == 2.0 else 0.0)
    assert paired(np.array(values), others)["verdict"] == verdict


def test_summaries_are_over_instances() -> None:
    regrets = TWO | {("kiosk", 7, AUTO): [2.0, 2.0], ("kiosk", 7, "a"): [3.0, 3.2]}
    table = by_instance(_runs(regrets))
    overall = summarise(table)
    assert overall["learner"].to_list() == [AUTO, "b", "a"]  # ranks 1.5, 1.5 and 2
    rows = {row["learner"]: row for row in overall.to_dicts()}
    assert [rows[name]["instances"] for name in (AUTO, "a", "b")] == [3, 3, 1]
    assert rows[AUTO]["rank"] == pytest.approx(1.5)  # 1.5, 2, 1
    assert rows["a"]["rank"] == pytest.approx(2.0)  # 3, 1, 2
    assert rows["a"]["rank_half_width"] == pytest.approx(T_2 * 1.0 / np.sqrt(3))
    assert rows["a"]["difference"] == pytest.approx((3.0 - 3.5 + 1.1) / 3)
    assert [rows["a"][verdict] for verdict in ("better", "undecided", "worse")] == [0, 2, 1]  # 1.1 ± 1.27 on the kiosk
    assert rows["b"]["regret_half_width"] == pytest.approx(T_1 * 2.0)  # one instance: over seeds
    assert rows["b"]["difference_half_width"] == pytest.approx(T_1 * 1.0)
    assert np.isnan(rows["b"]["rank_half_width"])
    assert np.isnan(rows[AUTO]["difference"])
    assert rows["a"]["cpu_ms"] == 1.5
    families = summarise(table, "family")
    assert families.select("family", "learner").rows() == [
        ("park", "b"), ("park", AUTO), ("park", "a"), ("kiosk", AUTO), ("kiosk", "a"),
    ]  # fmt: skip


def test_changes_pair_what_both_have() -> None:
    after = {place: [value - 0.5 for value in values if value is not None] for place, values in TWO.items()}
    del after["park", 2, "a"]
    table = changes(_runs(TWO), _runs({**after, ("park", 3, AUTO): [1.0, 1.0]}))
    assert table.select("instance", "learner").rows() == [(1, AUTO), (1, "a"), (1, "b"), (2, AUTO)]
    assert table["difference"].to_list() == [-0.5] * 4
    assert table.select("before", "after").row(0) == (2.0, 1.5)
    assert set(table["verdict"]) == {"better"}
