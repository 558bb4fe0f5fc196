"""What the paper claims of its algorithm, on the shore: 20 fixed seeds, horizons 100, 400 and 1600.

Section 3 and Theorem 1: StackelUCB has no regret against an adaptive adversary, R(T)/T falling as 1/√T, and this takes
randomisation: its optimistic rewards with a rule that can be predicted have linear regret. Section 4: it comes close to
Hedge, which sees the rewards of all actions, and beats those who ignore the two levels (GP-MW) or the opponent (Exp3).
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import t
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Vector
from firstmover.games import GAMES
from firstmover.kernels import on_action, on_type
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import opponent_for, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run

HORIZONS = (100, 400, 1600)
ROUGH = on_action(RBF(0.05)) * on_type(RBF(0.25))
"""Suits the reward, which changes from site to site faster than the response: GP-MW does better with it than with the
response's own kernel (R(1600) of 51 against 78)."""


@cache
def final_regrets(learner: str, opponent: str, horizon: int, strategy: str = "fixed-rate", seeds: int = 20) -> Vector:
    """R(T) for each seed."""
    entry = GAMES["shore"]
    game = entry.build()
    answers = opponent_for("shore", game, opponent)
    rewards = true_rewards(game, answers.respond)
    start = LEARNERS[learner].build(
        Setup(
            game=game,
            kernel=entry.kernel,
            regularization=entry.regularization,
            confidence=ConstantWidth(entry.confidence_width),
            strategy=strategy,
            horizon=horizon,
            reward_kernel=ROUGH,
            true_rewards=rewards,
        )
    )
    runs = (play_run(game, answers, start, horizon, seed) for seed in range(seeds))
    return np.array([regret(run, rewards).cumulative[-1] for run in runs])


def slope(strategy: str, seeds: int = 20) -> float:
    """Of log(mean R(T) / T) against log T, StackelUCB against the adaptive adversary."""
    averages = [final_regrets("stackelucb", "adversary", T, strategy, seeds).mean() / T for T in HORIZONS]
    return float(np.polyfit(np.log(HORIZONS), np.log(averages), 1)[0])


def margin(values: Vector) -> float:
    """Half of the 95 % interval of the mean."""
    return float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))


@pytest.mark.parametrize("strategy", ["fixed-rate", pytest.param("adahedge", marks=pytest.mark.slow)])
def test_against_an_adaptive_adversary_regret_vanishes(strategy: str) -> None:
    """Theorem 1 has the slope −½ but for logarithms; 20 seeds leave it uncertain by 0.05. Measured: −0.47 and −0.46."""
    assert slope(strategy) < -0.4


def test_without_randomisation_it_does_not() -> None:
    """The same optimistic rewards, followed by a rule that the adversary can predict: regret stays linear, slope 0.

    Five seeds are enough: only the noise of the responses differs, and R(1600) varies by one in a hundred.
    """
    assert slope("follow-the-leader", seeds=5) > -0.1
    ignorant = final_regrets("uniform", "adversary", 1600, seeds=5)
    predictable = final_regrets("stackelucb", "adversary", 1600, "follow-the-leader", seeds=5)
    assert predictable.mean() - ignorant.mean() > margin(predictable) + margin(ignorant)


@pytest.mark.slow
def test_full_information_is_worth_no_more_than_chance_against_random_types() -> None:
    """Hedge <= StackelUCB within error: seed by seed both meet the same types, so the difference is paired."""
    difference = final_regrets("stackelucb", "random", 1600) - final_regrets("hedge", "random", 1600)
    assert difference.mean() > -margin(difference)


@pytest.mark.slow
@pytest.mark.parametrize(("better", "worse"), [("stackelucb", "gp-mw"), ("gp-mw", "exp3")])
def test_knowing_more_of_the_game_costs_less_against_random_types(better: str, worse: str) -> None:
    """The gaps of the means exceed their 95 % intervals. Measured: 29 ± 4, 51 ± 5, 288 ± 10."""
    less, more = final_regrets(better, "random", 1600), final_regrets(worse, "random", 1600)
    assert more.mean() - less.mean() > margin(more) + margin(less)
