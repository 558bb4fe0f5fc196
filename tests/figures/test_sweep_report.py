from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from firstmover.figures.sensitivity import sensitivity
from firstmover.figures.sweep_report import sweep_report
from firstmover.runs import Collected
from tests.runs.small import playing, run

LEARNERS = [{"name": "stackelucb", "confidence_width": [0.5, 2.0], "rate_factor": [1.0, 2.0]}, "hedge"]


def test_the_page_has_every_part_and_needs_nothing_else(tmp_path: Path) -> None:
    run(tmp_path, {"learners": LEARNERS, "horizons": [12], "title": "β & η"})
    page = sweep_report(tmp_path)
    for heading in ("Best of each game", "Table of wins", "Regret curves", "Sensitivity to β and η", "Every variant"):
        assert f">{heading}</h2>" in page
    assert "<h1>β &amp; η</h1>" in page
    assert "10 of 10 runs are done, 0 failed." in page
    assert page.count("data:image/png;base64,") == 3
    assert "://" not in page
    assert "What became of each claim" not in page


def test_a_sweep_that_only_keeps_the_summary_has_no_curves(tmp_path: Path) -> None:
    run(tmp_path, {"keep": "summary", "learners": ["hedge", "exp3"]})
    page = sweep_report(tmp_path)
    assert "Regret curves" not in page
    assert "Sensitivity" not in page


def test_a_sweep_of_which_nothing_is_done_has_a_page(tmp_path: Path) -> None:
    with patch("firstmover.runs.sweep.carry_out", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert "0 of 12 runs are done, 0 failed." in sweep_report(tmp_path)


def test_a_sweep_that_is_half_done_has_all_parts(tmp_path: Path) -> None:
    run(tmp_path, {"seeds": 1})
    with patch("firstmover.runs.sweep.carry_out", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        run(tmp_path, {"seeds": 40})
    page = sweep_report(tmp_path)
    assert "6 of 240 runs are done" in page
    assert "Regret curves" in page


def test_lines_of_sensitivity_by_hand() -> None:
    rows = [("ours", 0.5, 1.0, [1.0, 3.0]), ("ours", 2.0, 1.0, [4.0, 8.0]), ("ours", 2.0, 2.0, [9.0, 9.0])]
    runs = pl.DataFrame(
        [
            {
                "game": "shore",
                "opponent": "random",
                "horizon": 9,
                "learner": learner,
                "kernel": None,
                "strategy": "fixed-rate",
                "confidence_width": width,
                "rate_factor": factor,
                "regularization": 0.1,
                "state": "done",
                "regret": value,
            }
            for learner, width, factor, values in rows
            for value in values
        ]
    )
    (line,) = sensitivity(runs, "confidence_width").panels["shore, random, 9 rounds"]
    assert (line.label, line.values.tolist(), line.mean.tolist()) == ("ours", [0.5, 2.0], [2.0, 6.0])
    np.testing.assert_allclose(line.half_width, [12.7062047, 25.4124095])
    (line,) = sensitivity(runs, "rate_factor").panels["shore, random, 9 rounds"]
    assert (line.values.tolist(), line.mean.tolist()) == ([1.0, 2.0], [6.0, 9.0])


def test_the_page_counts_what_failed(tmp_path: Path) -> None:
    with playing(failing="shore"):
        run(tmp_path)
    page = sweep_report(tmp_path)
    assert "ZeroDivisionError: hedged" in page
    assert "failed 12 times" in page
    assert Collected.of(tmp_path).runs["state"].unique().to_list() == ["failed"]
