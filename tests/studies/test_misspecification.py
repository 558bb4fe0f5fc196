"""Wrong assumptions and data: what is changed, by hand, and verdicts on runs made for them."""

import numpy as np
import polars as pl
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from studies.misspecification import (
    ASSUMED,
    FREE,
    PLAYED,
    RECORDED,
    SOUND,
    MisspecifiedTask,
    WithNoise,
    assumptions,
    misspecified_table,
    misspecified_tasks,
    record_of,
    stretched,
    summarise_misspecified,
)
from studies.report import misspecification_aims

from firstmover import GAMES, Feedback, opponent_for
from firstmover.kernels import bind, polynomial
from firstmover.kernels.domain_kernels import Demand


def test_stretched_kernels_have_larger_scales() -> None:
    points = np.random.default_rng(0).random((4, 6))
    pairs = [
        (2.0 * RBF(0.5), 2.0 * RBF(2.5)),
        (polynomial(3, 2.0, 0.5), polynomial(3, 2.0, 2.5)),
        (ConstantKernel(3.0) * Demand(1.0, 2.0), ConstantKernel(3.0) * Demand(5.0, 10.0)),
    ]
    for kernel, expected in pairs:
        assert stretched(kernel, 5.0)(points) == pytest.approx(expected(points))
        assert stretched(kernel, 5.0).diag(points) == pytest.approx(expected.diag(points))


def test_a_column_of_noise_multiplies_the_kernel() -> None:
    points = np.array([[0.0, 1.0], [0.0, 2.0]])
    assert WithNoise(4.0 * RBF(1.0))(points)[0, 1] == pytest.approx(4 * np.exp(-0.5))


def test_assumptions_are_those_of_the_game_but_for_the_row() -> None:
    point = np.array([[0.5, 0.3], [0.1, 0.3]])
    kernel, noise = assumptions("shore", SOUND)
    assert (noise, assumptions("shore", ASSUMED[4])[1], assumptions("shore", ASSUMED[5])[1]) == (0.01, 0.1, 0.001)
    assert kernel(point)[0, 1] == pytest.approx(np.exp(-0.16 / (2 * 0.0625)))
    assert assumptions("shore", ASSUMED[0])[0](point)[0, 1] == pytest.approx(np.exp(-0.16 / (2 * 1.5625)))
    assert assumptions("shore", ASSUMED[2])[0].diag(point) == pytest.approx(1 / 25)
    for name in PLAYED:
        straight, _ = assumptions(name, ASSUMED[3])
        game = GAMES[name].build()
        assert bind(straight, game.actions.shape[1]) is not None


def test_what_is_recorded() -> None:
    game = GAMES["flock"].build()
    opponent, seen = opponent_for("flock", game, "random"), Feedback(3, game.types[0], np.array([0.2, 0.6]))  # type: ignore[index]
    for row, most in ((RECORDED[1], 20 * 0.05), (RECORDED[2], 200 * 0.05)):
        record = record_of("flock", row, game, opponent, 1)
        records = np.array([record(t, seen).response for t in range(1, 401)])
        off = np.abs(records - seen.response).max(axis=1)
        assert set(off.round(6).tolist()) == {0.0, round(most, 6)}
        assert 8 <= np.count_nonzero(off) <= 34  # 5 % of 400, four standard errors
    swapped = record_of("flock", RECORDED[6], game, opponent, 0)
    assert swapped(30, seen).response.tolist() == [0.2, 0.6]
    assert swapped(31, seen).response.tolist() == [0.6, 0.2]
    assert len(record_of("flock", RECORDED[4], game, opponent, 0)(1, seen).opponent_type) == 3


def test_each_learner_plays_every_row_that_concerns_it() -> None:
    tasks = misspecified_tasks(seeds=2, automatic=1)
    assert len(tasks) == 4 * (2 * 15 + 9)
    assert len({task.label for task in tasks}) == 4 * (15 + 9)


def test_a_wrong_kernel_raises_an_alarm_and_the_right_one_none() -> None:
    wrong = MisspecifiedTask("prices", "StackelUCB", ASSUMED[0], 3, rounds=20).play()
    right = MisspecifiedTask("prices", "StackelUCB", SOUND, 3, rounds=20).play()
    assert wrong["alarm"].to_list() == ["assumptions"]
    assert wrong["first"][0] <= 20
    assert right["alarm"].to_list() == [None]


def test_verdicts_on_cells() -> None:
    """Ten runs each: the first works, the second has alarms, the third fails in two runs without one."""
    rows = [("g", "auto", row, seed, 1.0, None, None) for row in (SOUND, FREE) for seed in range(10)]
    rows += [("g", "auto", "works", seed, 1.4, None, None) for seed in range(10)]
    rows += [("g", "auto", "alarm", seed, 9.0, "drift", 20 + seed) for seed in range(10)]
    rows += [("g", "auto", "fails", seed, 9.0, *(("drift", 8) if seed > 1 else (None, None))) for seed in range(10)]
    table = pl.DataFrame(rows, ["game", "learner", "row", "seed", "regret", "alarm", "first"], orient="row")
    cells = {cell["row"]: cell for cell in summarise_misspecified(table).iter_rows(named=True)}
    assert {name: cell["silent"] for name, cell in cells.items()} == {
        SOUND: False,
        FREE: False,
        "works": False,
        "alarm": False,
        "fails": True,
    }
    assert (cells["alarm"]["first"], cells["fails"]["neither"]) == (24.5, 0.2)
    words = misspecified_table(table)
    assert words["g"].to_list() == [
        "works ×1.4",
        "×9, alarm in round 24 (drift), 100% of runs",
        "×9, alarm in round 8 (drift), 80% of runs, SILENT",
    ]
    assert misspecification_aims(table)[0].verdict == "missed"
