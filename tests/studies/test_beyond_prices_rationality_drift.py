from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, logit
from studies.arenas import ARENAS, POACHERS, TYPE, UNITS, bimatrix_arena, park_arena, roads_arena
from studies.drift import MEMORIES, DriftTask, drift_tasks, drifting_park, summarise_drift
from studies.growing import (
    CAMPS,
    GrowingTask,
    attacked_cells,
    first_menu,
    growing_tasks,
    summarise_growing,
)
from studies.growing import LEARNERS as CAMP_LEARNERS
from studies.prices import OURS, prices_tasks, summarise_prices
from studies.rationality import (
    LEARNERS,
    RationalityTask,
    rationality_tasks,
    summarise_rationality,
)

from firstmover.games.routing.opponents import RoadUsers, sioux_falls_users
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.stackelberg.commitment import optimal_commitment
from firstmover.games.wildlife.game import wildlife_game
from firstmover.games.wildlife.opponents import references
from firstmover.simulation import true_rewards


def test_shares_of_the_optimum_worked_by_hand() -> None:
    """Ours earns 3 of 4 and 4 of 4, the other 2 of 4 twice: ahead by ¼ and ½, ⅜ on average."""
    table = pl.DataFrame(
        {
            "learner": [OURS] * 4 + ["other"] * 4,
            "seed": [0, 0, 1, 1] * 2,
            "reward": [1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 2.0, 0.0],
            "cumulative_regret": [0.5, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0],
        }
    )
    summary = summarise_prices(table)
    assert summary["share"].to_list() == [0.875, 0.5]
    assert summary["ours_ahead"].to_list() == [0.0, 0.375]
    assert summary["share_half_width"][1] == 0


def test_every_learner_of_prices_meets_both_arrivals() -> None:
    for arrival in ("random", "adversary"):
        tasks = prices_tasks(arrival, seeds=(7, 8), rounds=5)
        assert len(tasks) == 18
        assert len(tasks[0].play()) == 5


def test_rational_poachers_of_the_choice_park_are_those_of_the_park() -> None:
    rewards = true_rewards(park_arena().game, park_arena().behaviours["best response"])(TYPE)
    known = references(wildlife_game(POACHERS.park), POACHERS)
    assert rewards.max() == pytest.approx(known.optimum)
    assert int(np.argmax(rewards)) == known.optimal_action


@pytest.mark.parametrize("name", ARENAS)
@pytest.mark.parametrize("behaviour", park_arena().behaviours)
def test_every_behaviour_gives_chances(name: str, behaviour: str) -> None:
    arena = ARENAS[name]()
    if behaviour not in arena.behaviours:
        assert name != "park"
        assert behaviour == "SUQR"  # which is about coverage
        return
    chances = arena.behaviours[behaviour](arena.game.actions, TYPE)
    assert chances.shape == {"park": (525, 25), "bimatrix": (286, 6), "roads": (41, 2)}[name]
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


def test_less_rational_poachers_spread_over_more_cells() -> None:
    spread = [
        np.exp(-np.sum(q * np.log(np.maximum(q, 1e-300)), axis=1)).mean()
        for q in (
            park_arena().behaviours[name](park_arena().game.actions, TYPE)
            for name in ("best response", "logit 30", "logit 10")
        )
    ]
    assert spread == sorted(spread)


def test_the_finite_game_is_close_to_its_best_commitment() -> None:
    """The grid's best, 0.947, is below the optimum over all mixed strategies, 0.954, which no pure one reaches."""
    leader, follower = np.random.default_rng(4).random((2, 4, 6))
    known = optimal_commitment(BimatrixGame(leader, follower[None]))
    arena = bimatrix_arena()
    earned = true_rewards(arena.game, arena.behaviours["best response"])(TYPE)
    assert known.value - 0.01 < earned.max() <= known.value
    pure = arena.game.actions.max(axis=1) == 1
    assert earned[pure].max() < earned.max()


def test_the_road_users_of_the_table_are_those_of_the_game() -> None:
    """The pair from 10 to 16 answers as in the routing game, and r is that of its congestion, when nobody errs."""
    arena, users = roads_arena(), sioux_falls_users()
    network = users.network
    pair = int(np.flatnonzero((network.origins == network.row(10)) & (network.destinations == network.row(16)))[0])
    plans = UNITS * arena.game.actions
    chances = arena.behaviours["best response"](arena.game.actions, TYPE)
    np.testing.assert_array_equal(chances[:, 1], users.detours(plans)[:, pair])
    shares = RoadUsers(network, rationality=1e-3).detours(plans)[:, pair]
    saved = logit(shares) / 1e-3  # how much quicker the second route is
    logit_10 = arena.behaviours["logit 10"](arena.game.actions, TYPE)[:, 1]
    np.testing.assert_allclose(logit_10, expit(saved / np.median(np.abs(saved))), atol=1e-9)


def test_the_reward_of_the_roads_is_that_of_all_users_together() -> None:
    arena, users = roads_arena(), sioux_falls_users()
    network = users.network
    pair = (network.origins == network.row(10)) & (network.destinations == network.row(16))
    demand = np.where(pair, network.demand, network.demand / 2)
    nothing = arena.game.actions[[0]]
    first = np.array([[1.0, 0.0]])
    assert arena.game.reward(nothing, first)[0] == pytest.approx(-10 * users(UNITS * nothing, demand)[0, 0])


def test_a_menu_that_grows_is_played_and_summarised() -> None:
    tables = [GrowingTask(learner, "in turn", seed, rounds=8).play() for learner in CAMP_LEARNERS for seed in (0, 1)]
    summary = summarise_growing(pl.concat(tables))
    assert summary["learner"].to_list() == ["525 patrols", "growing from 26"]
    assert summary["members"][0] == 525
    assert 26 < summary["members"][1] <= 26 + 8
    assert len(growing_tasks(range(3))) == 2 * 2 * 3
    for camp in CAMPS:
        there = replace(POACHERS, start=tuple(camp))
        struck = POACHERS.park.cell_of(there(first_menu(), camp))
        np.testing.assert_array_equal(attacked_cells(first_menu(), camp).argmax(axis=1), struck)


def test_a_run_counts_expected_rewards() -> None:
    table = RationalityTask("park", "logit 10", "choice, noise fitted", seed=0, rounds=4).play()
    expected = true_rewards(park_arena().game, park_arena().behaviours["logit 10"])(TYPE)
    np.testing.assert_allclose(table["reward"].to_numpy(), expected[table["action"].to_numpy()])
    summary = summarise_rationality(table)
    assert summary["optimum"][0] == pytest.approx(expected.max())
    assert len(rationality_tasks("park", range(3))) == 3 * 8 * len(LEARNERS)


def test_the_drift_is_played_and_summarised() -> None:
    tables = [DriftTask(label, menu, rounds=12).play() for label in MEMORIES for menu in (0, 1)]
    summary = summarise_drift(pl.concat(tables))
    assert summary["learner"].to_list() == list(MEMORIES)
    assert summary["share"].to_list()[::2] == [1.0, 1.0]
    assert np.all(pl.concat(tables)["dynamic_regret"].to_numpy() >= pl.concat(tables)["regret"].to_numpy() - 1e-9)
    assert drifting_park(0).n_actions == 525
    assert len(drift_tasks(range(5))) == 20


def test_who_forgets_is_compared_with_who_assumes_the_same_by_hand() -> None:
    """Dynamic regret 4 of 10 and 5 of 10 on one menu, 4 of 20 and 3 of 10 on the other."""
    ends = {
        "remembers all": [10.0, 20.0],
        "forgets": [4.0, 4.0],
        "remembers all, deterred": [10.0, 10.0],
        "forgets, deterred": [5.0, 3.0],
    }
    rows = [
        {"learner": label, "menu": menu, "t": 9, "regret": 0.0, "dynamic_regret": value}
        for label, values in ends.items()
        for menu, value in enumerate(values)
    ]
    assert summarise_drift(pl.DataFrame(rows))["share"].to_list() == pytest.approx([1.0, 0.3, 1.0, 0.4])
