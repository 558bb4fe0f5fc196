"""Linear bandits over utility vectors: OFUL as a linear Gaussian process, and unbiased estimates of Exp2."""

from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import DotProduct

from firstmover.beliefs import ConstantWidth, posterior
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games import GAMES, increasing
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.utility_space import UtilityExp2, UtilityOFUL, known_types, optimal_design, utility_vectors
from firstmover.simulation import RandomTypes, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run
from firstmover.simulation.opponents import Opponent

TABLE = {0.0: [1.0, 3.0, 5.0], 1.0: [5.0, 2.0, 1.0]}
"""The reward of three actions against two types; the range is (1, 5)."""

GAME = Game(
    "two types",
    np.array([[0.0], [0.5], [1.0]]),
    increasing(lambda _, y: y[:, 0]),
    Box([0.0], [9.0]),
    reward_range=(1.0, 5.0),
    types=np.array([[0.0], [1.0]]),
)
VECTORS = np.array([[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]])


def truth(opponent_type: Any) -> Any:
    return np.array(TABLE[float(opponent_type[0])])


def built(name: str, game: Game = GAME, rewards: Any = truth, horizon: int = 100, **parameters: Any) -> Any:
    setup = Setup(game, DotProduct(), 1.0, ConstantWidth(1.0), horizon=horizon, true_rewards=rewards)
    return LEARNERS[name].build(setup, parameters)


def test_a_utility_vector_has_the_scaled_reward_against_each_type() -> None:
    np.testing.assert_allclose(utility_vectors(GAME, truth), VECTORS[None])


def test_oful_is_a_gaussian_process_with_a_linear_kernel_and_the_width_of_the_theorem() -> None:
    learner = built("utility-oful", failure_probability=0.1)
    seen = [(0, 5.0), (2, 1.0), (0, 4.0)]
    for action, reward in seen:
        learner = learner.observe(Feedback(action, [0.0], [reward]))
    points = VECTORS[[action for action, _ in seen]]
    gains = np.array([[(reward - 1) / 4] for _, reward in seen])
    found = posterior(DotProduct(sigma_0=0.0), 1.0, points, gains, VECTORS)
    gram = np.eye(2) + points.T @ points
    width = 0.5 * sqrt(2 * log(1 / 0.1) + log(np.linalg.det(gram))) + 1.0
    np.testing.assert_allclose(learner.upper_bounds(), found.mean[:, 0] + width * found.std, rtol=1e-9)
    np.testing.assert_allclose(learner.gram.reshape(2, 2), gram)


def test_oful_plays_the_largest_upper_bound_of_the_allowed_actions() -> None:
    learner = built("utility-oful")
    assert learner.strategy.tolist() == [1.0, 0.0, 0.0]  # two vectors of length 1: the first
    assert learner.decide(allowed=np.array([False, True, True])).tolist() == [0.0, 0.0, 1.0]


def test_the_type_that_is_told_is_not_used() -> None:
    for name in ("utility-oful", "utility-exp2"):
        one, other = (built(name).observe(Feedback(1, kind, [2.0])) for kind in ([0.0], [1.0]))
        np.testing.assert_array_equal(one.strategy, other.strategy)


def test_the_vectors_of_a_context_are_those_of_its_types() -> None:
    types = np.array([[rest, context] for context in (7.0, 8.0) for rest in (0.0, 1.0)])
    game = replace(GAME, types=types, context=(1,))

    def by_context(opponent_type: Any) -> Any:
        rewards = truth(opponent_type)
        return rewards if opponent_type[1] == 7.0 else rewards[::-1]

    vectors = utility_vectors(game, by_context)
    np.testing.assert_allclose(vectors[0], VECTORS)
    np.testing.assert_allclose(vectors[1], VECTORS[::-1])
    learner = built("utility-oful", game, by_context)
    for _ in range(40):  # always the first type: action 2 earns 5 at context 7
        learner = learner.observe(Feedback(2, [0.0, 7.0], [5.0])).observe(Feedback(0, [0.0, 7.0], [1.0]))
    assert learner.decide(np.array([7.0])).argmax() == 2
    assert learner.decide(np.array([8.0])).argmax() == 0
    np.testing.assert_allclose(learner.total, [40.0, 0.0])
    with pytest.raises(InvalidInput, match="game 'two types' has a context"):
        built("utility-exp2", game, by_context)


def test_games_that_it_suits() -> None:
    suits = {
        name: [LEARNERS[each].suits(GAMES[name].build()) for each in ("utility-oful", "utility-exp2")]
        for name in ("shore", "harbour", "patrols")
    }
    assert suits == {"shore": [True, True], "harbour": [True, True], "patrols": [False, False]}
    uneven = replace(GAME, types=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), context=(0,))
    assert known_types(uneven) is None
    with pytest.raises(InvalidInput, match="utility vectors need these"):
        utility_vectors(uneven, truth)
    assert known_types(replace(GAME, reward_range=None)) is None


def test_estimates_of_exp2_are_unbiased_against_each_type() -> None:
    """Σ_x p[x] ĝ[· | x drawn] = the scaled rewards of all actions against the type of the round."""
    rng = np.random.default_rng(3)
    rewards = {float(kind): rng.uniform(1, 5, 6) for kind in range(3)}
    game = replace(GAME, actions=np.arange(6.0)[:, None], types=np.arange(3.0)[:, None])
    learner: UtilityExp2 = built("utility-exp2", game, lambda kind: rewards[float(kind[0])])
    for kind, column in rewards.items():
        p, estimate = learner.strategy, np.zeros(6)
        for action in range(6):
            after = learner.observe(Feedback(action, [kind], [column[action]]))
            estimate += p[action] * (after.totals - learner.totals)
        np.testing.assert_allclose(estimate, (column - 1) / 4, rtol=1e-9)
        learner = replace(learner, totals=rng.normal(size=6))  # and by other weights
    assert built("utility-exp2", game, lambda kind: rewards[float(kind[0])], horizon=1).exploration == 1.0


def test_the_rate_and_the_exploration_of_exp2_by_hand() -> None:
    """Vectors e₂, (½, ¼), e₁: leverage G = 2.1 at most, η = √(log 3 / ((2G + 2) T)), γ = η G."""
    learner = built("utility-exp2", horizon=100)
    design, leverage = optimal_design(learner.coordinates)
    assert 2 <= leverage <= 2.1
    assert learner.learning_rate == pytest.approx(sqrt(log(3) / ((2 * leverage + 2) * 100)), rel=1e-12)
    assert learner.exploration == pytest.approx(learner.learning_rate * leverage, rel=1e-12)
    np.testing.assert_allclose(learner.strategy, (1 - learner.exploration) / 3 + learner.exploration * design)
    later = replace(learner, totals=np.array([10.0, 0.0, 0.0]))
    odds = np.exp(10 * learner.learning_rate)
    share = np.array([odds, 1, 1]) / (odds + 2)
    np.testing.assert_allclose(later.strategy, (1 - learner.exploration) * share + learner.exploration * design)


def test_a_round_with_another_action_than_the_drawn_one_teaches_exp2_nothing() -> None:
    learner = built("utility-exp2")
    assert learner.observe(Feedback(1, [0.0], [2.0], advised=0)) is learner


def test_a_design_is_nearly_g_optimal() -> None:
    vectors = np.random.default_rng(0).normal(size=(30, 4))
    design, leverage = optimal_design(vectors)
    gram = vectors.T @ (design[:, None] * vectors)
    found = np.einsum("nd,dk,nk->n", vectors, np.linalg.inv(gram), vectors)
    assert found.max() == pytest.approx(leverage, rel=1e-9)
    assert 4 <= leverage <= 1.05 * 4
    assert design.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(optimal_design(np.eye(3))[0], np.full(3, 1 / 3))


def test_equal_rewards_against_all_types_leave_one_dimension() -> None:
    flat = built("utility-exp2", rewards=lambda _: np.array([1.0, 3.0, 5.0]))
    assert flat.coordinates.shape == (3, 1)
    nothing = built("utility-exp2", rewards=lambda _: np.array([1.0, 1.0, 1.0]))
    assert nothing.strategy.sum() == pytest.approx(1.0)


def test_oful_learns_the_shares_of_types_in_payoff_tables() -> None:
    """4 types, 4 actions each, 200 rounds, seeds 0 and 1: at most 0.4 of the regret of uniform play.

    The measured ratio of the sums is 15.5 / 58.9 = 0.26; the bound is about half again as large.
    """
    lost = dict.fromkeys(("utility-oful", "uniform"), 0.0)
    for seed in range(2):
        rng = np.random.default_rng([seed, 4])
        finite = BimatrixGame(rng.random((4, 4)), rng.random((4, 4, 4)))
        game = finite.on_small_grid()
        opponent = Opponent(RandomTypes(game.types, rng.dirichlet(np.ones(4))), finite.best_response)  # type: ignore[arg-type]
        rewards = true_rewards(game, opponent.respond)
        for name in lost:
            run = play_run(game, opponent, built(name, game, rewards), 200, seed)
            lost[name] += regret(run, rewards).cumulative[-1]
    assert lost["utility-oful"] < 0.4 * lost["uniform"]


def test_oful_is_a_value() -> None:
    learner: UtilityOFUL = built("utility-oful")
    learner.observe(Feedback(0, [0.0], [5.0]))
    np.testing.assert_array_equal(learner.total, np.zeros(2))
