"""Estimators of the values of policies: by hand, against direct sums, and over many simulated records."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import belief_over, joint
from firstmover.beliefs.joint import joint_posterior
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games.rewards import increasing
from firstmover.kernels import bind, on_action, on_type
from firstmover.theory import off_policy
from firstmover.theory.off_policy import (
    Definitions,
    Record,
    Responses,
    RewardModel,
    doubly_robust,
    effective_sample_size,
    evaluate,
    inverse_propensity,
    reward_model,
    self_normalised,
)

WEIGHTS, REWARDS = np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), np.array([3.0, 7.0, 6.0])


def test_inverse_propensity_by_hand() -> None:
    """The terms are 6, 0 and 6: the mean is 4, and their variance 12."""
    found = inverse_propensity(WEIGHTS, REWARDS)
    assert found.value.tolist() == [4.0, 0.0]
    assert found.error == pytest.approx([2.0, 0.0])
    assert found.lower[0] == pytest.approx(4 - 2 * 1.959964)
    assert found.upper[0] == pytest.approx(4 + 2 * 1.959964)


def test_self_normalised_by_hand() -> None:
    """(2·3 + 1·6) / 3 = 4; residuals −1 and 2: √((2·1)² + (1·2)²) / 3."""
    found = self_normalised(WEIGHTS, REWARDS)
    assert found.value[0] == pytest.approx(4.0)
    assert found.error[0] == pytest.approx(np.sqrt(8) / 3)
    assert np.isnan(found.value[1])
    assert self_normalised(WEIGHTS, REWARDS + 5).value[0] == pytest.approx(9.0)


def test_doubly_robust_by_hand() -> None:
    """Terms: 1 + 2 (3 − 2) = 3, 2 + 0 = 2 and 3 + 1 (6 − 5) = 4."""
    found = doubly_robust(WEIGHTS[:1], REWARDS, np.array([2.0, 2.0, 5.0]), np.array([[1.0, 2.0, 3.0]]))
    assert found.value == pytest.approx([3.0])
    assert found.error == pytest.approx([1 / np.sqrt(3)])


def test_effective_sample_sizes_by_hand() -> None:
    assert effective_sample_size(WEIGHTS) == pytest.approx([9 / 5, 0.0])


@pytest.mark.parametrize("rounds", [0, 1])
def test_too_few_rounds_have_no_error(rounds: int) -> None:
    weights, rewards = WEIGHTS[:, :rounds], REWARDS[:rounds]
    for estimate in (inverse_propensity(weights, rewards), doubly_robust(weights, rewards, rewards, weights)):
        assert np.isnan(estimate.error).all()
        assert np.isnan(estimate.value).all() == (rounds == 0)
    assert effective_sample_size(weights).tolist() == ([0.0, 0.0] if rounds == 0 else [1.0, 0.0])


def test_rounds_without_a_propensity_are_left_out() -> None:
    strategies = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    record = Record(strategies, np.array([1, 1, 0]), REWARDS, np.array([True, False, True]))
    policies = np.array([[[0.0, 1.0], [0.0, 1.0], [0.5, 0.5]]])
    assert record.weights(policies).tolist() == [[2.0, 2.5]]
    assert record.uncovered(policies).tolist() == [0.0]
    drawn = Record(strategies, np.array([1, 0, 0]), REWARDS, np.ones(3, dtype=bool))
    assert drawn.uncovered(policies) == pytest.approx([1 / 3])


def test_estimates_by_propensities_are_unbiased() -> None:
    """Mean over 2,000 records of 30 rounds, with a wrong model; three standard errors of that mean are allowed."""
    rng = np.random.default_rng(11)
    truth, model = rng.normal(size=(30, 4)), rng.normal(size=(30, 4))
    strategies, policy = rng.dirichlet(np.full(4, 2.0), 30), rng.dirichlet(np.ones(4), 30)
    found = []
    for _ in range(2000):
        actions = np.array([rng.choice(4, p=p) for p in strategies])
        rewards = truth[np.arange(30), actions] + rng.normal(0, 0.5, 30)
        record = Record(strategies, actions, rewards, np.ones(30, dtype=bool))
        weights = record.weights(policy[None])
        played, expected = model[np.arange(30), actions], np.sum(policy * model, axis=1)[None]
        estimates = inverse_propensity(weights, rewards), doubly_robust(weights, rewards, played, expected)
        found.append([each.value[0] for each in estimates])
    errors = np.array(found) - np.sum(policy * truth) / 30
    assert np.all(np.abs(errors.mean(axis=0)) < 3 * errors.std(axis=0) / np.sqrt(2000))


MENU, TYPES, KERNEL = np.array([[0.0], [0.5], [1.0]]), np.array([[0.0], [1.0]]), on_action(RBF(0.5)) * on_type(RBF(1.0))
COSTS = np.array([1.0, -2.0, 0.5])


def shop() -> Game:
    """r = c(x) y, for costs of each action."""
    reward = increasing(lambda x, y: COSTS[np.searchsorted(MENU[:, 0], x[:, 0])] * y[:, 0])
    return Game("shop", MENU, reward, Box([-50.0], [50.0]), types=TYPES)


def model_of(rounds: int, draws: int) -> tuple[RewardModel, list[Feedback], np.ndarray]:
    rng = np.random.default_rng(3)
    places = rng.integers(2, size=rounds)
    seen = [Feedback(int(rng.integers(2)), TYPES[i], rng.normal(1.0, 0.5, 1)) for i in places]
    belief = belief_over(KERNEL, 0.25, MENU, 1, TYPES)
    for each in seen:
        belief = belief.condition(each.action, each.opponent_type, each.response)
    game = shop()
    responses = Responses(joint_posterior(belief, game, seen, TYPES), places, np.arange(rounds))
    definitions = Definitions([game.reward], np.zeros(rounds, dtype=int))
    return reward_model(game, responses, definitions, np.random.default_rng(4), draws), seen, places


def test_a_linear_reward_has_the_variance_of_its_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """wᵀ C w by a direct solve with the joint covariance over rounds and actions; and the error in common by hand."""
    monkeypatch.setattr(joint, "CAUTION", 1.0)
    rounds = 6
    model, seen, places = model_of(rounds, 40_000)
    policy = np.random.default_rng(5).dirichlet(np.ones(3), rounds)
    bound = bind(KERNEL, 1)
    z = np.array([[MENU[each.action, 0], each.opponent_type[0]] for each in seen])
    grid = np.array([[x, TYPES[place, 0]] for place in places for x in MENU[:, 0]])
    inverse = np.linalg.inv(bound(z) + 0.25 * np.eye(rounds))
    across = bound(grid, z)
    y = np.array([each.response for each in seen])
    weights = (policy * COSTS).ravel() / rounds
    mean = float(weights @ across @ inverse @ y[:, 0])
    data = y[:, 0]
    factor = np.linalg.cholesky(bound(z) + 0.25 * np.eye(rounds))  # c² from predictions in turn
    turn = np.diag(factor) * np.linalg.solve(factor, data)
    variance = np.diag(factor) ** 2
    share = 1 - 0.25 / variance
    c2 = (4 + np.sum(share * turn**2 / variance)) / (4 + share.sum())
    covariance = c2 * (bound(grid) - across @ inverse @ across.T)
    joint_variance = weights @ covariance @ weights
    common = float(np.sum(np.abs(weights) * np.sqrt(np.diag(covariance))))
    found = model.values(policy[None])
    assert found.value[0] == pytest.approx(mean, abs=1e-9)
    # 20,000 independent pairs: the relative standard error of a deviation is 0.5 %
    assert found.error[0] == pytest.approx(np.sqrt(joint_variance + off_policy.COMMON**2 * common**2), rel=0.02)
    assert joint_variance < common**2  # errors partly cancel


def test_rounds_of_one_type_share_a_cell_unless_their_rewards_differ() -> None:
    model, seen, places = model_of(6, 200)
    game = shop()
    twice = increasing(lambda x, y: 2 * game.reward(x, y))
    belief = belief_over(KERNEL, 0.25, MENU, 1, TYPES)
    for each in seen:
        belief = belief.condition(each.action, each.opponent_type, each.response)
    responses = Responses(joint_posterior(belief, game, seen, TYPES), places, np.arange(6))
    number = np.array([0, 0, 0, 1, 1, 1])
    other = reward_model(game, responses, Definitions([game.reward, twice], number), np.random.default_rng(4), 200)
    policy = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    late = np.where(number[:, None] == 1, policy, 0.0)
    expected = model.values((policy + late)[None]).value  # late rounds count twice
    assert other.values(policy[None]).value == pytest.approx(expected)
    np.testing.assert_allclose(other.without[number == 1], 2 * model.without[number == 1])
    np.testing.assert_allclose(other.without[number == 0], model.without[number == 0])


def test_policies_are_evaluated_alike_in_any_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    model, seen, _ = model_of(6, 100)
    rng = np.random.default_rng(6)
    record = Record(
        np.full((6, 3), 1 / 3), np.array([each.action for each in seen]), rng.normal(size=6), np.ones(6, dtype=bool)
    )
    policies = [rng.dirichlet(np.ones(3), 6) for _ in range(7)]
    whole = evaluate(record, model, policies)
    monkeypatch.setattr(off_policy, "POLICIES", 2)
    parts = evaluate(record, model, iter(policies))
    np.testing.assert_allclose(parts.model.value, whole.model.value)
    np.testing.assert_allclose(parts.doubly_robust.error, whole.doubly_robust.error)
    assert len(parts.effective_sample_size) == 7
    played = model.without[np.arange(6), record.actions]
    weights = 3 * np.array([p[np.arange(6), record.actions] for p in policies])
    expected = np.array([np.sum(p * model.without, axis=1) for p in policies])
    np.testing.assert_allclose(
        whole.doubly_robust.value, doubly_robust(weights, record.rewards, played, expected).value
    )
    with pytest.raises(InvalidInput, match="policies is empty"):
        evaluate(record, model, [])
