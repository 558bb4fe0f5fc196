from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from firstmover.figures.sweep_report import best_table
from firstmover.runs import Collected, best_of_arenas, compare_runs, summarise_runs, wins_of
from firstmover.runs.comparison import holm, paired_p
from tests.runs.small import run


def table(**regrets: list[float | None]) -> pl.DataFrame:
    """Runs of one arena, by variant and seed; None has not been played."""
    rows = [
        {"game": "shore", "opponent": "random", "horizon": 9, "variant": name, "seed": seed, "regret": value}
        for name, values in regrets.items()
        for seed, value in enumerate(values)
    ]
    state = pl.when(pl.col("regret").is_null()).then(pl.lit("missing")).otherwise(pl.lit("done"))
    average = pl.col("regret") / 9
    return pl.DataFrame(rows, schema_overrides={"regret": pl.Float64}).with_columns(
        state=state, time_averaged_regret=average, reward=-pl.col("regret")
    )


def test_holm_by_hand() -> None:
    """Four p-values: 4 × 0.005 = 0.02, 3 × 0.01 = 0.03, 2 × 0.03 = 0.06, then 0.04 is not below what went before."""
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.6, 0.7]), [1.0, 1.0])
    assert holm([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_no_correction_and_bonferroni_s(p: list[float]) -> None:
    corrected = holm(p)
    assert np.all(corrected >= np.array(p))
    assert np.all(corrected <= np.minimum(1, len(p) * np.array(p)) + 1e-12)
    order = np.argsort(p, kind="stable")
    assert np.all(np.diff(corrected[order]) >= 0)


def test_the_paired_test_is_scipy_s() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=12), rng.normal(0.4, 1, size=12)
    assert paired_p(first - second) == pytest.approx(ttest_rel(first, second).pvalue, rel=1e-12)
    assert paired_p(np.array([2.0])) is None
    assert paired_p(np.array([0.0, 0.0])) == 1.0
    assert paired_p(np.array([2.0, 2.0])) == 0.0


def test_only_common_seeds_are_compared() -> None:
    pairs = compare_runs(table(a=[1.0, 2.0, 6.0, None], b=[0.0, 0.0, 0.0, 5.0], c=[None, None, None, 7.0]))
    rows = {(row["first"], row["second"]): row for row in pairs.iter_rows(named=True)}
    assert set(rows) == {("a", "b"), ("b", "c")}
    ab, bc = rows["a", "b"], rows["b", "c"]
    assert (ab["seeds"], ab["difference"]) == (3, 3.0)
    assert ab["half_width"] == pytest.approx(6.57241061)
    assert ab["p"] == ab["p_holm"] == pytest.approx(0.18850, abs=1e-5)
    assert (bc["seeds"], bc["difference"], bc["p"], bc["p_holm"]) == (1, -2.0, None, None)


def test_the_best_and_those_not_significantly_different() -> None:
    """a is below c by 5 on every seed but for a trembling, and below b by as much as b trembles."""
    runs = table(
        c=[6.0, 6.1, 5.9, 6.0, 6.2],
        b=[1.5, 0.6, 1.4, 0.7, 1.3],
        a=[1.0, 1.1, 0.9, 1.0, 1.1],
    )
    summary, pairs = summarise_runs(runs), compare_runs(runs)
    best = best_of_arenas(summary, pairs).row(0, named=True)
    assert (best["variant"], best["variants"], best["not_different"]) == ("a", 3, ["b"])
    assert best["regret"] == pytest.approx(1.02)
    assert wins_of(summary, pairs).rows() == [("b", 1, 1, 0), ("a", 1, 1, 0), ("c", 0, 0, 2)]


def test_arenas_are_corrected_by_themselves() -> None:
    one = table(a=[1.0, 2.0, 6.0], b=[0.0, 0.0, 0.0])
    both = compare_runs(pl.concat([one, one.with_columns(game=pl.lit("flock"))]))
    assert both["p"].to_list() == both["p_holm"].to_list()


def test_a_summary_by_hand() -> None:
    row = summarise_runs(table(a=[1.0, 2.0, 6.0, None])).row(0, named=True)
    assert (row["variant"], row["seeds"], row["regret"], row["reward"]) == ("a", 3, 3.0, -3.0)
    assert row["regret_half_width"] == pytest.approx(6.57241061)
    assert row["time_averaged_regret"] == pytest.approx(1 / 3)


def test_nothing_done_gives_empty_tables() -> None:
    nothing = table(a=[None], b=[None])
    summary, pairs = summarise_runs(nothing), compare_runs(nothing)
    assert summary.is_empty()
    assert best_of_arenas(summary, pairs).is_empty()
    assert wins_of(summary, pairs).is_empty()


def test_the_tidy_table_is_read_lazily_and_agrees_with_the_curves(tmp_path: Path) -> None:
    run(tmp_path, {"games": [{"name": "shore", "noise_std": [0.0, 0.2]}]})
    found = Collected.of(tmp_path)
    files = found.write(tmp_path)
    assert [path.name for path in files] == ["runs.parquet", "curves.parquet"]
    runs, curves = map(pl.scan_parquet, files)
    assert runs.filter(pl.col("game_noise_std") == 0.2).select(pl.len()).collect().item() == 12
    ends = curves.filter(pl.col("t") == pl.col("horizon")).select("key", "cumulative_regret", "cumulative_reward")
    both = runs.join(ends, on="key").collect()
    assert both.height == 24
    assert both["regret"].to_list() == both["cumulative_regret"].to_list()
    assert both["reward"].to_list() == both["cumulative_reward"].to_list()
    assert both["time_averaged_regret"].to_list() == (both["regret"] / both["horizon"]).to_list()


def test_a_variant_may_be_called_as_a_column(tmp_path: Path) -> None:
    learners = [{"name": "hedge", "label": "seed"}, {"name": "exp3", "label": "regret"}, "uniform"]
    run(tmp_path, {"learners": learners, "horizons": [5]})
    found = Collected.of(tmp_path)
    pairs = compare_runs(found.runs)
    assert pairs["first"].to_list() == ["seed", "seed", "regret"]
    best = best_table(best_of_arenas(summarise_runs(found.runs), pairs))
    assert "more" not in best["not significantly different"][0]


def test_the_one_with_less_regret_wins_by_however_little() -> None:
    pairs = pl.DataFrame({"first": ["a"], "second": ["b"], "difference": [0.5], "p_holm": [0.01]})
    assert wins_of(pl.DataFrame({"variant": ["a", "b"]}), pairs).rows() == [("b", 1, 0, 0), ("a", 0, 0, 1)]


@pytest.mark.parametrize(("p", "wins"), [(0.0499, 1), (0.0501, 0), (0.055, 0), (0.045, 1)])
def test_a_difference_is_significant_at_5_percent(p: float, wins: int) -> None:
    pairs = pl.DataFrame({"first": ["a"], "second": ["b"], "difference": [-1.0], "p_holm": [p]})
    found = wins_of(pl.DataFrame({"variant": ["a", "b"]}), pairs)
    assert found.filter(variant="a").row(0) == ("a", wins, 1 - wins, 0)
    assert found.filter(variant="b").row(0) == ("b", 0, 1 - wins, wins)
