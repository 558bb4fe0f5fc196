"""Weights with revised totals: the rate, revision, and the regret against an adversary."""

import numpy as np
import pytest

from firstmover.strategies import RevisedWeights


def test_the_first_strategy_is_uniform_over_the_best_bounds():
    assert RevisedWeights.opened(np.array([2.0, 5.0, 5.0])).strategy == pytest.approx([0, 0.5, 0.5])


def test_the_rate_is_log_n_over_the_regret():
    weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]))
    assert weights.regret == pytest.approx(3.0 - 2.0)
    assert weights.learning_rate == pytest.approx(np.log(2))
    assert weights.strategy == pytest.approx([1 / (1 + 2**-2.0), 2**-2.0 / (1 + 2**-2.0)])


def test_without_regret_all_weight_is_on_the_leaders():
    weights = RevisedWeights.opened(np.array([1.0, 1.0, 0.0])).update(np.array([1.0, 1.0, 0.0]))
    assert weights.learning_rate == np.inf
    assert weights.strategy == pytest.approx([0.5, 0.5, 0.0])


def test_the_scale_and_the_origin_of_rewards_change_nothing():
    rng = np.random.default_rng(0)
    one = two = RevisedWeights.opened(np.zeros(4))
    for _ in range(20):
        rewards = rng.normal(size=4)
        one, two = one.update(rewards), two.update(1000 * rewards + 7)
    assert two.strategy == pytest.approx(one.strategy, rel=1e-9)


def test_revised_totals_are_those_of_the_play_by_the_new_rewards():
    weights = RevisedWeights.opened(np.zeros(3), types=2)
    rewards, played = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]), np.zeros((2, 3))
    for kind in (0, 1, 1, 0, 1):
        played[kind] += weights.strategy
        weights = weights.after(kind).revised(rewards)
    assert weights.cumulative == pytest.approx(2 * rewards[0] + 3 * rewards[1])
    assert weights.earned == pytest.approx(np.sum(played * rewards))
    assert played.sum() == pytest.approx(5)


@pytest.mark.parametrize("n", [2, 20])
def test_the_regret_against_the_worst_rewards_stays_below_the_bound(n):
    rounds, weights = 2000, RevisedWeights.opened(np.zeros(n))
    for _ in range(rounds):  # the action of the largest weight earns 0, all others 1
        weights = weights.update((np.arange(n) != np.argmax(weights.strategy)).astype(float))
    assert weights.regret <= np.sqrt(rounds * np.log(n)) + 2


def test_where_one_action_is_always_better_the_regret_stays_bounded():
    weights = RevisedWeights.opened(np.zeros(5))
    for _ in range(500):
        weights = weights.update(np.array([1.0, 0.8, 0.5, 0.2, 0.0]))
    assert weights.regret < 3
    assert weights.strategy[0] > 0.999
