"""Weights with revised totals: the rate, revision, and the regret against an adversary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.strategies import RevisedWeights


def test_the_first_strategy_is_uniform_over_the_best_bounds():
    assert RevisedWeights.opened(np.array([2.0, 5.0, 5.0])).strategy == pytest.approx([0, 0.5, 0.5])


def test_the_rate_is_log_n_over_what_the_order_cost():
    weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]), action=1)
    assert weights.largest == 0.0  # one round has no order
    weights = weights.update(np.array([1.0, 4.0]), action=0)
    # Both actions were played once: in random order they earn (4 + 5) / 2, in this order 1 + 1.
    assert weights.largest == pytest.approx(4.5 - 2.0)
    assert weights.learning_rate == pytest.approx(np.log(2) / 2.5)
    assert weights.strategy == pytest.approx(np.array([1, 2 ** (1 / 2.5)]) / (1 + 2 ** (1 / 2.5)))


@given(
    st.lists(st.tuples(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.integers(0, 2)), min_size=1, max_size=12)
)
def test_the_order_costs_at_most_the_regret(rounds):
    weights, regret = RevisedWeights.opened(np.zeros(3)), 0.0
    for rewards, action in rounds:
        weights = weights.update(np.array(rewards), action)
        regret = max(regret, float(weights.cumulative.max()) - weights.earned)
    assert weights.largest <= regret + 1e-9


def test_while_the_order_cost_nothing_all_weight_is_on_the_leaders():
    weights = RevisedWeights.opened(np.array([1.0, 1.0, 0.0])).update(np.array([1.0, 1.0, 0.0]), action=0)
    assert weights.learning_rate == np.inf
    assert weights.strategy == pytest.approx([0.5, 0.5, 0.0])


def test_the_scale_and_the_origin_of_rewards_change_nothing():
    rng = np.random.default_rng(0)
    one = two = RevisedWeights.opened(np.zeros(4))
    for _ in range(20):
        rewards, action = rng.normal(size=4), int(rng.integers(4))
        one, two = one.update(rewards, action), two.update(1000 * rewards + 7, action)
    assert two.strategy == pytest.approx(one.strategy, rel=1e-9)


def test_revised_weights_are_those_of_the_same_rounds_with_other_rewards():
    rng = np.random.default_rng(1)
    table, kinds, actions = rng.normal(size=(3, 4)), rng.integers(3, size=30), rng.integers(1, 4, size=30)
    weights = RevisedWeights.opened(np.zeros(4))
    for kind, action in zip(kinds, actions.tolist(), strict=True):
        weights = weights.update(table[kind], action)
    again = RevisedWeights.opened(np.zeros(4)).revised(table, kinds, actions)
    assert again.largest > 0
    assert again.played.tolist() == weights.played.tolist()
    assert again.strategy == pytest.approx(weights.strategy)
    assert (again.earned, again.largest) == pytest.approx((weights.earned, weights.largest))


def test_the_rate_never_rises_again():
    weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]), 1).update(np.array([1.0, 4.0]), 0)
    assert weights.update(np.array([0.0, 5.0]), action=1).learning_rate == weights.learning_rate


def test_actions_that_fall_behind_and_catch_up_one_at_a_time_cause_no_linear_regret():
    rounds, n, rng = 4000, 5, np.random.default_rng(0)
    weights, lost = RevisedWeights.opened(np.zeros(n)), 0.0
    for t in range(rounds):
        rewards, phase = np.zeros(n), t % 100
        if phase < 20:
            rewards[1:] = -1.0
        else:
            rewards[1 + (phase - 20) // 20] = 1.0
        action = int(rng.choice(n, p=weights.strategy))
        weights = weights.update(rewards, action)
        lost = float(weights.cumulative.max()) - weights.earned
    assert lost < 3 * np.sqrt(rounds * np.log(n))


@pytest.mark.parametrize("n", [2, 20])
def test_the_regret_against_the_worst_rewards_stays_below_the_bound(n):
    rounds, weights, rng = 2000, RevisedWeights.opened(np.zeros(n)), np.random.default_rng(0)
    for _ in range(rounds):  # the action of the largest weight earns 0, all others 1
        strategy = weights.strategy
        weights = weights.update((np.arange(n) != np.argmax(strategy)).astype(float), int(rng.choice(n, p=strategy)))
    regret = float(weights.cumulative.max()) - weights.earned
    assert regret <= np.sqrt(rounds * np.log(n)) + 2 * np.sqrt(rounds)  # the second for the draws


def test_where_one_action_is_always_better_the_regret_stays_bounded():
    weights, rng = RevisedWeights.opened(np.zeros(5)), np.random.default_rng(0)
    for _ in range(500):
        weights = weights.update(np.array([1.0, 0.8, 0.5, 0.2, 0.0]), int(rng.choice(5, p=weights.strategy)))
    assert weights.largest < 10
    assert weights.strategy[0] > 0.99
