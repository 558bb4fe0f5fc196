"""The parts of the routing experiment, each against a plain version of itself."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal

from firstmover.beliefs import FreshBelief
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.records import Feedback
from firstmover.learners import Exp3, Hedge, StackelUCB
from firstmover.paper.routing import (
    Prepared,
    RoutingPreset,
    RoutingTask,
    drawn_users,
    fit_polynomial,
    routing_setup,
    shortest_plan,
)
from firstmover.simulation import Opponent, Scripted, single, true_rewards

SHORT = {"rounds": 15, "offline_points": 40, "range_pairs": 500}
TEXT, RELEASED = (RoutingPreset.load(r).model_copy(update=SHORT) for r in ("paper", "released"))


@cache
def prepared(preset: RoutingPreset) -> Prepared:
    return Prepared.of(preset)


def task(preset: RoutingPreset, label: str, seed: int = 0) -> RoutingTask:
    return RoutingTask(preset, label, seed, prepared(preset))


def someone(preset: RoutingPreset) -> Opponent:
    users = routing_setup(preset).users
    return Opponent(single(users.network.demand), users)


def demands(table: pl.DataFrame) -> list[list[float]]:
    return table["opponent_type"].to_list()


def test_the_setup_has_the_facts_of_the_paper() -> None:
    setup = routing_setup(TEXT)
    assert setup.game.actions.shape == (41, 76)
    assert setup.users.network.n_pairs == 552
    assert routing_setup(RELEASED).users.network.n_pairs == 528
    assert len(setup.history) == 40
    assert setup.plans.labels[shortest_plan(setup.plans)] == "100 % routed: 3 groups on route 1"


@pytest.mark.parametrize("preset", [TEXT, RELEASED], ids=["paper", "released"])
def test_rewards_of_all_rounds_and_plans_are_those_of_a_slow_loop(preset: RoutingPreset) -> None:
    setup, drawn = routing_setup(preset), drawn_users(preset, 1)
    assert isinstance(drawn.types, Scripted)
    for demand in drawn.types.types[:3]:
        rewards = true_rewards(setup.game, drawn.respond)(demand)
        for plan, occupancy in enumerate(setup.game.actions):
            congestion = setup.users(occupancy[None], demand)
            slow = setup.game.reward(occupancy[None], congestion)[0]
            assert rewards[plan] == pytest.approx(slow, rel=1e-12)


def test_a_run_is_compared_with_every_plan_at_every_demand() -> None:
    table, setup = task(TEXT, "Exp3").play(), routing_setup(TEXT)
    totals = np.zeros(41)
    for row in table.iter_rows(named=True):
        every = setup.plans.units - 10 * setup.users(setup.game.actions, np.array(row["opponent_type"]))[:, 0]
        totals += every
        assert row["reward"] == pytest.approx(every[row["action"]], rel=1e-12)
        assert row["best_action"] == np.argmax(totals)
    assert table["cumulative_regret"][-1] == pytest.approx(totals.max() - table["reward"].sum(), rel=1e-12)


@pytest.mark.parametrize("degree", [3, 4, 5])
def test_the_kernel_on_plain_features_is_the_one_fitted_on_scaled_ones(degree: int) -> None:
    """Its likelihood, computed from the equation on plain features, is the one that the fit reports."""
    setup = routing_setup(RELEASED)
    fit = fit_polynomial(RELEASED, degree)
    points = np.array([np.concatenate([setup.game.actions[f.action], f.opponent_type]) for f in setup.history])
    values = np.array([f.response[0] for f in setup.history])
    normal = multivariate_normal(np.zeros(40), fit.kernel(points) + 25 * np.eye(40))
    assert fit.log_likelihood == pytest.approx(normal.logpdf(values), rel=1e-6)


def test_range_and_fits_are_recorded() -> None:
    tasks, notes = TEXT.tasks(2)
    assert [(t.label, t.seed) for t in tasks] == [(label, seed) for label in TEXT.labels for seed in (0, 1)]
    assert list(notes["fits"]) == ["StackelUCB poly3", "StackelUCB poly4"]
    assert all("DotProduct" in fit["kernel"] and fit["log_likelihood"] < 0 for fit in notes["fits"].values())
    low, high = notes["reward_range"]
    assert -113 < low < 0 < high < 298  # within what full and no demand give


def test_paired_learners_meet_the_same_demands_and_noise() -> None:
    hedge, ours = (task(TEXT, label).play() for label in ("Hedge", "StackelUCB poly3"))
    assert demands(hedge) == demands(ours)
    noise = [(t["response_0"] - t["true_response_0"]).to_numpy() for t in (hedge, ours)]
    assert noise[0] == pytest.approx(noise[1], abs=1e-9)
    assert demands(hedge) != demands(task(TEXT, "Hedge", 1).play())


def test_no_two_runs_of_unpaired_learners_share_a_stream() -> None:
    every = [task(RELEASED, label, seed).stream for label in RELEASED.labels for seed in range(1000)]
    assert len(set(every)) == len(every)
    assert {task(TEXT, label, 7).stream for label in TEXT.labels} == {7}


def test_unpaired_learners_do_not() -> None:
    tables = [task(RELEASED, label).play() for label in RELEASED.labels]
    assert len({str(demands(table)) for table in tables}) == len(tables)


def test_equal_tasks_give_equal_tables() -> None:
    assert task(TEXT, "StackelUCB poly4", 3).play().equals(task(TEXT, "StackelUCB poly4", 3).play())


@pytest.mark.parametrize(("preset", "noise"), [(TEXT, 5.0), (RELEASED, 0.0)], ids=["paper", "released"])
def test_the_noise_that_exp3_observes(preset: RoutingPreset, noise: float) -> None:
    table = task(preset, "Exp3").play()
    observed = (table["response_0"] - table["true_response_0"]).to_numpy()
    assert (observed.std() > 1) == (noise > 0)
    ours = task(preset, "StackelUCB poly3").play()
    assert (ours["response_0"] - ours["true_response_0"]).to_numpy().std() > 1


def test_hedge_learns_from_rewards_cut_to_the_sampled_range() -> None:
    setup, low, high = routing_setup(TEXT), *prepared(TEXT).reward_range
    learner = task(TEXT, "Hedge").learner(someone(TEXT))
    assert isinstance(learner, Hedge)
    demand = setup.users.network.demand
    rewards = learner.true_rewards(demand)
    plain = setup.plans.units - 10 * setup.users(setup.game.actions, demand)[:, 0]
    assert plain.min() < low  # full demand leaves the range
    np.testing.assert_allclose(rewards, np.clip(plain, low, high), rtol=1e-12)


def test_exp3_with_and_without_exploration() -> None:
    with_it, without = (task(p, "Exp3").learner(someone(p)) for p in (TEXT, RELEASED))
    assert isinstance(with_it, Exp3)
    assert isinstance(without, Exp3)
    assert with_it.exploration > 0
    assert (without.exploration, without.bonus) == (0.0, 0.0)
    assert without.learning_rate == pytest.approx(np.sqrt(np.log(41) / (15 * 41)))


def test_the_belief_of_the_released_program_has_seen_a_point_and_counts_the_noise() -> None:
    first, second = (task(p, "StackelUCB poly3").learner(someone(p)) for p in (TEXT, RELEASED))
    assert isinstance(first, StackelUCB)
    assert isinstance(second, StackelUCB)
    assert isinstance(first.belief, FreshBelief)
    assert isinstance(second.belief, WithNoise)
    assert first.belief.information_gain == 0 < second.belief.information_gain
    seen: Feedback = routing_setup(RELEASED).history[0]
    assert second.belief.predict(seen.opponent_type).std.min() > 5
