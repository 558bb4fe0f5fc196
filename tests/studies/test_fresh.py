"""Fresh games: parks, the simplex, prices, the template, outliers and cost."""

import numpy as np
import polars as pl
import pytest
from studies.fresh import (
    COST_LABELS,
    OUTLIER_LABELS,
    CostTask,
    Mistyped,
    OutlierTask,
    ParkTask,
    PricesTask,
    SimplexTask,
    TemplateTask,
    earned_by,
    fresh_park,
    outlier_tasks,
    park_tasks,
    prices_tasks,
    shares_of_optimum,
    simplex_tasks,
    summarise_cost,
    summarise_outliers,
    summarise_parks,
    summarise_simplex,
    template_tasks,
    warm_template,
)
from studies.report import (
    fresh_cost_aims,
    fresh_outliers_aims,
    fresh_parks_aims,
    fresh_prices_aims,
    fresh_simplex_aims,
    fresh_template_aims,
)

from firstmover.games.wildlife.opponents import Poachers
from firstmover.learners.fixed import uniform
from firstmover.runs.arena.families import REPORT
from firstmover.runs.arena.instances import instance_of
from firstmover.simulation import true_rewards
from firstmover.simulation.loop import play_run


def test_sizes_are_those_that_were_announced() -> None:
    assert len(park_tasks()) == 30
    assert len({task.label for task in simplex_tasks()}) == 20
    assert len({task.label for task in prices_tasks()}) == 8
    assert len(template_tasks()) == 20
    assert {task.seed in REPORT for task in [*park_tasks(), *template_tasks()]} == {True}
    assert [fresh_park(seed).family for seed in (0, 1, 2)] == ["park", "park", "near park"]


def test_games_on_a_park_have_gaps_to_its_best_patrol() -> None:
    table = ParkTask(2, games=1).play()
    instance = fresh_park(2)
    assert instance.game.types is not None
    earned = true_rewards(instance.game, instance.opponent.respond)(instance.game.types[0])
    assert len(table) == 100
    assert table["gap"].min() >= 0  # type: ignore[operator]
    assert np.isin(table["gap"].round(9), np.round(earned.max() - earned, 9)).all()


def test_parks_are_judged_from_round_40_on() -> None:
    gaps = {0: [0.5] * 39 + [0.009] * 61, 1: [0.0] * 99 + [1.0]}
    table = pl.concat(
        [pl.DataFrame({"park": 7, "game": game, "t": range(1, 101), "gap": gap}) for game, gap in gaps.items()]
        + [pl.DataFrame({"park": 8, "game": 0, "t": range(1, 101), "gap": 0.011})]
    )
    found = summarise_parks(table)
    assert (found["games"], found["share"]) == (3, pytest.approx(1 / 3))
    assert found["final"] == pytest.approx(((0.009 + 1.0) / 2 + 0.011) / 2)
    assert [aim.verdict for aim in fresh_parks_aims(table)] == ["missed", "missed"]
    good = table.with_columns(gap=pl.col("gap") / 1000)
    assert next(aim.verdict for aim in fresh_parks_aims(good)) == "met"


def test_commitments_lie_between_uniform_and_best() -> None:
    table = SimplexTask(2, seed=0, rounds=4).play()
    assert (table["reward"] <= table["best"]).all()
    assert (table["uniform"] < table["best"]).all()
    poachers = fresh_park(2).opponent.respond
    assert isinstance(poachers, Poachers)
    mixtures, place = np.eye(25)[[0, 8]] / 2, np.array([[3.3, 1.5], [3.3, 1.5]])
    density = poachers.park.density(place)
    attacked = poachers.park.cell_of(place)[0]
    covered = mixtures[:, attacked]
    assert earned_by(poachers, mixtures, place) == pytest.approx(covered - (1 - covered) * density)


def test_the_share_of_the_gap_counts_the_last_rounds() -> None:
    t = np.arange(1, 201)
    table = pl.DataFrame(
        {"park": 1, "seed": 0, "t": t, "uniform": 1.0, "best": 3.0, "reward": np.where(t > 180, 2.8, 9)}
    )
    assert summarise_simplex(table)["closed"].to_list() == pytest.approx([0.9])
    below = table.with_columns(park=pl.lit(2, pl.Int32), reward=pl.lit(0.5))
    both = pl.concat([table.cast({"park": pl.Int32}), below])
    assert [aim.verdict for aim in fresh_simplex_aims(both)] == ["missed", "missed"]


def test_the_share_of_the_optimum_is_that_of_each_run() -> None:
    table = PricesTask(1, seed=0, rounds=5).play()
    row = shares_of_optimum(table, ["game", "words"]).row(0, named=True)
    total = table["reward"].sum()
    assert row["share"] == pytest.approx(total / (total + table["cumulative_regret"][-1]))
    made = pl.DataFrame(
        {"game": 1, "words": "w", "seed": [0, 1], "reward": [9.0, 5.0], "cumulative_regret": [1.0, 5.0]}
    )
    assert shares_of_optimum(made, ["game", "words"]).row(0)[2:] == pytest.approx((0.7, 12.706 * 0.2, 0.5), rel=1e-3)
    assert [aim.verdict for aim in fresh_prices_aims(made)] == ["missed"]
    assert [aim.verdict for aim in fresh_template_aims(made)] == ["missed"]


def test_the_template_has_an_inner_best_price_on_warm_and_cold_days() -> None:
    instance = warm_template()
    assert instance.game.types is None
    assert len(TemplateTask(0, rounds=3).play()) == 3
    for customer in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        warm, cold = (true_rewards(instance.game, instance.opponent.respond)(np.r_[customer, t]) for t in (25.0, 5.0))
        assert warm.max() > cold.max()
        assert 0 < warm.argmax() < 6
        assert warm[-1] < 0.1 * warm.max()


def test_one_response_in_a_hundred_is_mistyped_and_the_others_are_unchanged() -> None:
    instance = instance_of("prices", 1)
    opponent = instance.opponent
    wrong = Mistyped(opponent.types, opponent.respond, opponent=opponent)
    learner = uniform(instance.game.n_actions)
    runs = [play_run(instance.game, who, learner, 1000, 0).responses for who in (opponent, wrong)]
    same = np.all(runs[0] == runs[1], axis=1)
    assert 4 <= np.sum(~same) <= 18
    assert runs[1][~same] == pytest.approx(1e6 * runs[0][~same])


def test_outliers_are_compared_with_and_without() -> None:
    table = OutlierTask("kiosk", 0, OUTLIER_LABELS[1], 0, 4).play()
    assert table["responses"].unique().to_list() == [OUTLIER_LABELS[1]]
    assert len({task.label for task in outlier_tasks()}) == 24
    ends = dict(zip(OUTLIER_LABELS, (2.0, 2.2, 1.6), strict=True))
    made = pl.concat(
        [
            pl.DataFrame({"family": "f", "instance": 1, "responses": label, "seed": 0, "cumulative_regret": [0.0, end]})
            for label, end in ends.items()
        ]
    )
    row = summarise_outliers(made).row(0, named=True)
    assert (row["with_mistakes"], row["robustness"]) == pytest.approx((1.1, 1.25))
    assert [aim.verdict for aim in fresh_outliers_aims(made)] == ["met", "missed"]


def test_the_cost_of_a_round_is_measured() -> None:
    table = CostTask(COST_LABELS[2], rounds=5).play()
    assert len(table) == 5
    assert (table["seconds"] > 0).all()
    made = pl.DataFrame({"game": "g", "t": [1, 500, 501], "seconds": [0.001, 0.02, 0.6]})
    assert summarise_cost(made).row(0) == ("g", pytest.approx(207.0), 0.02)
    assert [aim.verdict for aim in fresh_cost_aims(made)] == ["missed", "met"]
