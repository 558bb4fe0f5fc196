from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover import (
    GAMES,
    Game,
    InvalidInput,
    LemmaWidth,
    Setup,
    StackelUCB,
    opponent_for,
    play_run,
    regret,
    true_rewards,
)
from firstmover.beliefs.noisy import WithNoise
from firstmover.theory import RunAnalysis, greedy_gain
from firstmover.theory import analysis as module
from firstmover.theory.coverage import reliability_curve, standard_errors

SHORE = GAMES["shore"]
GAME = SHORE.build()
OPPONENT = opponent_for("shore", GAME, "random")


def analysed(learner: StackelUCB, rounds: int = 10, **choices: float) -> RunAnalysis:
    run = play_run(GAME, OPPONENT, learner, rounds, seed=0)
    return RunAnalysis(learner, run, regret(run, true_rewards(GAME, OPPONENT.respond)), **choices)


def learner_on(game: Game = GAME, horizon: int | None = 10) -> StackelUCB:
    return StackelUCB.start(game, SHORE.kernel, SHORE.regularization, 1.0, horizon)


def test_a_stated_constant_is_taken_as_it_is_and_delta_reaches_the_bound() -> None:
    stated = analysed(learner_on(), reward_lipschitz=7.0, failure_probability=0.01)
    assert stated.premises.reward_lipschitz == 7
    assert stated.bound.holds_with == pytest.approx(0.98)
    assert stated.bound.chance[-1] == pytest.approx(np.sqrt(5 * np.log(100)))
    assert not stated.premises.as_in_the_paper


def test_a_game_that_runs_is_judged_by_its_horizon() -> None:
    half = analysed(learner_on(horizon=20))
    assert half.bound.weights[-1] == pytest.approx(np.sqrt(20 / 8 * np.log(24)) * 1.5)


def test_the_bound_takes_beta_of_what_was_learnt() -> None:
    width = LemmaWidth(2.0, 0.1, SHORE.regularization, 0.1)
    setup = Setup(GAME, SHORE.kernel, SHORE.regularization, width, horizon=10)
    mine = analysed(StackelUCB(GAME, setup.belief(), width, setup.weights()))
    gains = mine.replay.information_gains
    assert np.all(np.diff(gains) > 0)
    assert mine.replay.confidence_widths == pytest.approx([width(gain) for gain in gains])


def test_a_belief_that_counts_the_noise_already_predicts_without_adding_it_again() -> None:
    """With so much noise that counting it twice moves every tenth response to another level."""
    noise_std = 0.3
    plain = StackelUCB.start(GAME, SHORE.kernel, noise_std**2, 1.0, 40)
    noisy = replace(plain, belief=WithNoise(plain.belief, noise_std**2))
    opponent = replace(OPPONENT, noise_std=noise_std)
    run = play_run(GAME, opponent, plain, 40, seed=0)
    loss = regret(run, true_rewards(GAME, OPPONENT.respond))
    one, other = (RunAnalysis(learner, run, loss) for learner in (plain, noisy))
    assert one.reliability.observed == pytest.approx(other.reliability.observed)
    twice = reliability_curve(standard_errors(one.replay, run.responses, 2 * noise_std**2))
    assert np.max(twice.observed - one.reliability.observed) >= 0.1


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    unbounded = replace(learner_on(), game=replace(GAME, reward_range=None))
    with pytest.raises(InvalidInput, match="game 'shore' states no reward_range: the bounds need it"):
        _ = analysed(unbounded).premises
    monkeypatch.setattr(module, "MOST_NUMBERS", 600)
    with pytest.raises(InvalidInput, match=r"120 points in 10 rounds are too many .* take at most 5 rounds"):
        _ = analysed(learner_on()).greedy


def test_a_lambda_that_floating_point_cannot_carry_is_refused() -> None:
    points = np.random.default_rng(0).uniform(size=(30, 1))
    assert np.all(np.isfinite(greedy_gain(RBF(2.0), points, 1.1e-9, 60).gains))
    with pytest.raises(InvalidInput, match="regularization 1e-18 is below 1e-09 of the largest"):
        greedy_gain(RBF(2.0), points, 1e-18, 60)
