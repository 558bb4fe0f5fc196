from dataclasses import replace

import numpy as np
import pytest

from firstmover import GAMES, ConstantWidth, Run, Setup, SingleType, StackelUCB, opponent_for, play_run, true_rewards
from firstmover.beliefs import information_gain, posterior
from firstmover.core.errors import InvalidInput
from firstmover.kernels import bind
from firstmover.learners import LEARNERS, uniform
from firstmover.simulation.hindsight import regret, reward_table
from firstmover.theory import Replay, split_of

SHORE = GAMES["shore"]
GAME = SHORE.build()
OPPONENT = opponent_for("shore", GAME, "adversary")
EARNED = true_rewards(GAME, OPPONENT.respond)


def played(width: float, rounds: int = 40) -> tuple[Run, Replay]:
    learner = StackelUCB.start(GAME, SHORE.kernel, SHORE.regularization, width, horizon=rounds)
    run = play_run(GAME, OPPONENT, learner, rounds, seed=3)
    return run, Replay.of(learner, run)


def test_the_replay_says_what_the_plain_equations_say() -> None:
    run, replay = played(1.5)
    kernel, points = bind(SHORE.kernel, 1), np.hstack([GAME.actions[run.actions], run.opponent_types])
    for t in (1, 17, 39):
        said = posterior(kernel, SHORE.regularization, points[:t], run.responses[:t], points[t : t + 1])
        assert replay.means[t] == pytest.approx(said.mean[0], abs=1e-8)
        assert replay.stds[t] == pytest.approx(said.std[0], abs=1e-8)
        gain = information_gain(kernel(points[: t + 1]), SHORE.regularization)
        assert replay.information_gains[t] == pytest.approx(gain)
    assert replay.confidence_widths.tolist() == [1.5] * 40


def test_the_strategy_follows_from_the_optimistic_rewards_of_the_replay() -> None:
    """p_{t+1} ∝ exp(η Σ r̃): what is replayed is what the learner was moved by."""
    run, replay = played(1.5)
    weights = np.exp(np.sqrt(8 * np.log(24) / 40) * replay.optimistic_rewards[:39].sum(axis=0))
    assert run.strategies[39] == pytest.approx(weights / weights.sum())


def test_the_two_parts_exceed_the_regret_by_the_optimism_at_the_best_action() -> None:
    run, replay = played(1.0)
    table = reward_table(EARNED, run.opponent_types)
    loss = regret(run, EARNED)
    parts = split_of(run, replay, loss)
    for t in (1, 10, 40):
        best = loss.best_action[t - 1]
        optimism = np.sum(replay.optimistic_rewards[:t, best] - table[:t, best])
        assert parts.total[t - 1] - loss.cumulative[t - 1] == pytest.approx(optimism)
    assert parts.regret == pytest.approx(loss.cumulative)


def test_while_boxes_hold_b_the_split_bounds_the_regret() -> None:
    run, replay = played(50.0)
    parts = split_of(run, replay, regret(run, EARNED))
    assert np.all(parts.total >= parts.regret - 1e-12)
    assert np.all(parts.optimism >= 0)


def test_against_one_type_the_weights_lose_nothing() -> None:
    """Corollary 2: x_t has the largest optimistic reward, so R_1 ≤ 0."""
    opponent = opponent_for("shore", GAME, "single")
    setup = Setup(replace(GAME, types=GAME.types[:1]), SHORE.kernel, SHORE.regularization, ConstantWidth(2.0))
    learner = LEARNERS["single-type"].build(setup)
    assert isinstance(learner, SingleType)
    run = play_run(setup.game, opponent, learner, 20, seed=0)
    parts = split_of(run, Replay.of(learner, run), regret(run, EARNED))
    assert np.all(parts.weights <= 1e-12)


def test_one_action_loses_nothing() -> None:
    game = replace(GAME, actions=GAME.actions[:1])
    learner = StackelUCB.start(game, SHORE.kernel, SHORE.regularization, 1.0, horizon=5)
    run = play_run(game, opponent_for("shore", game, "cyclic"), learner, 5, seed=0)
    parts = split_of(run, Replay.of(learner, run), regret(run, true_rewards(game, OPPONENT.respond)))
    assert parts.regret.tolist() == [0] * 5
    assert parts.weights.tolist() == [0] * 5


def test_a_learner_without_a_belief_is_refused() -> None:
    learner = uniform(24)
    run = play_run(GAME, OPPONENT, learner, 3, seed=0)
    with pytest.raises(InvalidInput, match="Fixed has no belief about responses"):
        Replay.of(learner, run)  # type: ignore[arg-type]
    run, replay = played(1.0, rounds=5)
    with pytest.raises(InvalidInput, match="loss has 40 rounds: the replay has 5"):
        split_of(run, replay, regret(played(1.0)[0], EARNED))
