"""StackelUCB on the last rounds: beside Algorithm 1 and Eq. (8) on the same rounds, and weights by hand."""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games import GAMES, increasing
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.learners.windowed import Windowed

SHORE = GAMES["shore"]
GAME = SHORE.build()
ONE = replace(GAME, types=GAME.types[:1])  # type: ignore[index]
SEEN = [Feedback(a, GAME.types[k], [y]) for a, k, y in [(3, 0, 0.9), (8, 1, 0.2), (3, 2, 0.5), (20, 1, 0.0)]]  # type: ignore[index]


def built(name: str, game: object = GAME, horizon: int = 50, **parameters: object) -> Learner:
    setup = Setup(game, SHORE.kernel, SHORE.regularization, ConstantWidth(1.0), horizon=horizon)  # type: ignore[arg-type]
    return LEARNERS[name].build(setup, parameters)


def after(learner: Learner, rounds: list[Feedback]) -> Learner:
    for seen in rounds:
        learner = learner.observe(seen)
    return learner


def test_a_window_of_all_rounds_is_algorithm_1_with_the_window_as_horizon() -> None:
    windowed, plain = built("windowed", window=30), built("stackelucb", horizon=30)
    for count in range(len(SEEN) + 1):
        found, expected = (after(each, SEEN[:count]).strategy for each in (windowed, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_rewards_of_older_rounds_leave_the_weights_by_hand() -> None:
    learner = after(built("windowed", window=2), SEEN)
    assert isinstance(learner, Windowed)
    totals = np.zeros(GAME.n_actions)
    for last in (2, 3):  # the two last rounds, each by the belief of the two rounds before it
        then = after(built("windowed", window=2), SEEN[:last])
        assert isinstance(then, Windowed)
        totals += optimistic_rewards(GAME, then.belief, then.confidence, SEEN[last].opponent_type)
    low, high = GAME.reward_range  # type: ignore[misc]
    eta = sqrt(8 * log(GAME.n_actions) / 2)
    raw = np.array([exp(eta * total / (high - low)) for total in totals])
    np.testing.assert_allclose(learner.strategy, raw / raw.sum(), rtol=1e-9)
    assert learner.belief.count == 2


def test_against_one_type_it_is_eq_8_on_the_last_observations() -> None:
    rounds = [replace(seen, opponent_type=ONE.types[0]) for seen in SEEN]  # type: ignore[index]
    for count in range(1, len(rounds) + 1):
        found = after(built("windowed", ONE, window=2), rounds[:count]).strategy
        expected = after(built("single-type", ONE), rounds[max(0, count - 2) : count]).strategy
        np.testing.assert_array_equal(found, expected)


def test_injected_noise_widens_the_box_of_an_old_observation() -> None:
    plain, injected = (built("windowed", ONE, window=9, injected=each) for each in (0.0, 0.5))
    seen = [replace(SEEN[0], opponent_type=ONE.types[0])] * 2  # type: ignore[index]
    stds = [after(each, seen).belief.predict(ONE.types[0]).std[3] for each in (plain, injected)]  # type: ignore[attr-defined, index]
    assert stds[0] < stds[1]


def test_closed_actions_are_credited_with_the_reward_of_the_others() -> None:
    mask = np.ones(GAME.n_actions, dtype=bool)
    mask[[3, 8]] = False
    learner = after(built("windowed"), [replace(seen, action=5, allowed=mask) for seen in SEEN])
    assert learner.strategy[3] == learner.strategy[8]


def rounds_until_switch(name: str, **parameters: object) -> int:
    """Rounds until action 0 is left, which earned 1 in 30 rounds and then earns 0; action 1 earns ½ throughout."""
    two = Game(
        "two", np.array([[0.0], [9.0]]), increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]), types=np.zeros((1, 1))
    )
    setup = Setup(two, RBF(1.0), 0.1, ConstantWidth(0.5))
    learner = LEARNERS[name].build(setup, parameters)
    for action in [0, 1] * 2 + [0] * 26:
        learner = learner.observe(Feedback(action, [0.0], [1.0 if action == 0 else 0.5]))
    for count in range(1, 99):
        learner = learner.observe(Feedback(0, [0.0], [0.0]))
        if learner.strategy.argmax() == 1:
            return count
    raise AssertionError("it never switched")


def test_a_window_leaves_an_action_that_became_worse_sooner_than_a_belief_that_keeps_everything() -> None:
    """Of c zeros after 28 ones all data have the mean 28 / (28.1 + c), which is above ½ up to c = 27.

    With the last 10 rounds action 1 is forgotten: μ = 0 and σ = 1, so ½ is to be beaten. μ + ½σ of action 0 is
    (10 − c) / 10.1 + ½ √(0.1 / 10.1), below ½ from c = 6 on.
    """
    assert rounds_until_switch("windowed", window=10) == 6
    assert rounds_until_switch("single-type") > 20


def test_bad_parameters_are_refused() -> None:
    for parameters in ({"window": 0}, {"window": 2.5}, {"injected": -0.1}):
        with pytest.raises(InvalidInput, match=next(iter(parameters))):
            built("windowed", **parameters)
