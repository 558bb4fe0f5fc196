"""Menus that change, and their summaries by hand."""

import numpy as np
import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES
from studies.menus import (
    ALWAYS,
    CHANGE,
    CHANGED,
    FAMILIES,
    FRESH,
    LABELS,
    ROUNDS,
    MenuTask,
    change_of,
    kept_share,
    masks,
    mean_rewards,
    played,
    regret_ratio,
    runs_of,
    summarise_menus,
)
from studies.report import fresh_menus_aims

from firstmover.runs.arena.families import DEVELOPMENT, REPORT


def test_sizes_are_those_that_were_announced() -> None:
    assert "fresh-menus" in ON_FAMILIES
    tasks = STUDIES["fresh-menus"].tasks()
    assert len(tasks) == len(FAMILIES) * len(LABELS) * 20
    assert len({(task.label, task.seed) for task in tasks}) == len(tasks)
    assert all(task.seed in REPORT for task in tasks)
    assert all(task.seed in DEVELOPMENT for task in STUDIES["fresh-menus"].tasks(develop=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_menu_gains_its_best_action_and_loses_the_best_of_the_others(family: str) -> None:
    for seed in (1, 2):
        change = change_of(family, seed)
        mean, before, after = mean_rewards(change.instance), change.before, change.after
        assert (np.sum(~before), np.sum(~after)) == (5, 3)
        assert not np.any(~before & ~after)
        best, former = int(mean.argmax()), int(np.where(before, mean, -np.inf).argmax())
        assert after[best]
        assert not before[best]
        assert not after[former]
        assert change.good[best]
        assert not np.any(change.good & ~after)
        assert np.all(mean[best] - mean[change.good] <= 0.01 * np.ptp(mean[after]) + 1e-12)


def test_a_mask_changes_once() -> None:
    before, after = np.array([True, False]), np.array([False, True])
    allowed, rng = masks(before, after), np.random.default_rng(0)
    past = [None] * CHANGE
    assert np.array_equal(allowed(past[:-1], rng), before)  # type: ignore[arg-type]
    assert np.array_equal(allowed(past, rng), after)  # type: ignore[arg-type]


def test_all_learners_meet_the_same_types_on_the_new_menu() -> None:
    change = change_of("response", 4)
    runs = {menu: played(change, menu, 4) for menu in LABELS}
    for menu, (run, good) in runs.items():
        assert len(run.rewards) == ROUNDS - CHANGE
        assert np.array_equal(run.opponent_types, runs[CHANGED][0].opponent_types)
        assert good.sum() == change.good.sum()
        assert len(good) == (change.after.sum() if menu == FRESH else len(change.after))
    assert change.after[runs[CHANGED][0].actions].all()
    table = MenuTask("response", CHANGED, 4).play()
    assert table["t"].to_list() == list(range(CHANGE + 1, ROUNDS + 1))
    assert table["likeliest"].to_list() == change.good[runs[CHANGED][0].strategies.argmax(axis=1)].tolist()
    assert table["played"].to_list() == change.good[runs[CHANGED][0].actions].tolist()
    assert table["cumulative_regret"][-1] >= -1e-9


def rows(menu: str, seed: int, likeliest: list[int], played: list[int], regret: float) -> pl.DataFrame:
    t = np.arange(CHANGE + 1, ROUNDS + 1)
    columns = {"family": "kiosk", "menu": menu, "seed": seed, "t": t}
    marks = {"likeliest": np.isin(t, likeliest), "played": np.isin(t, played)}
    return pl.DataFrame({**columns, **marks, "reward": 1.0, "cumulative_regret": regret, "range": 2.0})


def test_summaries_by_hand() -> None:
    late, most = list(range(121, 201)), list(range(150, 201))
    table = pl.concat(
        [
            rows(CHANGED, 1, [120], [120, *range(160, 201)], 2.0),  # 42 of 81 rounds
            rows(CHANGED, 2, [120], list(range(161, 201)), 4.0),  # 40 of 81
            rows(CHANGED, 3, late, late, 6.0),  # too late
            rows(CHANGED, 4, [101], most, 4.0),  # 51 of 100
            *(rows(FRESH, seed, [], [], 8.0) for seed in (1, 2, 3, 4)),
            *(rows(ALWAYS, seed, [110], list(range(110, 201)), 4.0) for seed in (1, 2, 3, 4)),
        ]
    )
    assert runs_of(table).filter(menu=CHANGED).select("found", "kept", "regret").rows() == [
        (True, True, 1.0),
        (True, False, 2.0),
        (False, False, 3.0),
        (True, True, 2.0),
    ]
    assert kept_share(table)[0] == 0.5
    assert regret_ratio(table, FRESH)[0] == 0.5
    ratio, half_width = regret_ratio(table, ALWAYS)
    assert ratio == 1.0
    assert half_width == pytest.approx(3.182446 * np.std([-0.5, 0.0, 0.5, 0.0], ddof=1) / 2, rel=1e-5)
    assert summarise_menus(table).filter(family="all", menu=CHANGED)["kept"].to_list() == [0.5]
    aims = fresh_menus_aims(table)
    assert aims[0].found == "2 of 4; 100% if it was there all along"
    assert [aim.verdict for aim in aims] == ["missed", "met", "met on average"]
