import numpy as np
import polars as pl
import pytest

from firstmover.runs import as_markdown, summarise

TABLE = pl.DataFrame(
    {
        "learner": ["b"] * 6 + ["a"] * 2,
        "seed": [0, 0, 1, 1, 2, 2, 0, 0],
        "t": [1, 2] * 4,
        "reward": [1.0, 2.0, 2.0, 3.0, 0.0, 1.0, 5.0, 6.0],
        "cumulative_regret": [9.0, 1.0, 9.0, 2.0, 9.0, 6.0, 9.0, 4.0],
    }
)


def test_means_and_intervals_worked_by_hand() -> None:
    # R(T) of b: 1, 2, 6, mean 3, s² = 7, t_{0.975, 2} = 4.3027; its rewards: 3, 5, 1.
    summary = summarise(TABLE)
    assert summary["learner"].to_list() == ["b", "a"]
    assert summary["seeds"].to_list() == [3, 1]
    assert summary["regret"].to_list() == [3.0, 4.0]
    assert summary["time_averaged_regret"].to_list() == [1.5, 2.0]
    assert summary["reward"].to_list() == [3.0, 11.0]
    half = 4.3027 * np.sqrt(7 / 3)
    assert summary["regret_half_width"][0] == pytest.approx(half, rel=1e-4)
    assert summary["time_averaged_regret_half_width"][0] == pytest.approx(half / 2, rel=1e-4)
    assert summary["reward_half_width"][0] == pytest.approx(4.3027 * 2 / np.sqrt(3), rel=1e-4)
    assert np.isnan(summary["regret_half_width"][1])


def test_the_table_is_markdown_and_one_seed_shows_no_interval() -> None:
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in as_markdown(summarise(TABLE)).splitlines()
    ]
    assert lines[0] == ["learner", "seeds", "regret R(T)", "R(T) / T", "total reward"]
    assert lines[2] == ["b", "3", "3.0 ± 6.6", "1.5 ± 3.3", "3.0 ± 5.0"]
    assert lines[3] == ["a", "1", "4", "2", "11"]
