"""A game of your own: set the price of ice cream for guests of two kinds whose demand you do not know.

Children stop buying soon, adults later; which kind comes tomorrow is not known. After 200 days this prints:

Regret a day: 0.0346
"""

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from firstmover import (
    LEARNERS,
    Box,
    ConstantWidth,
    Game,
    Opponent,
    RandomTypes,
    Setup,
    increasing,
    play_run,
    regret,
    true_rewards,
)
from firstmover.core.arrays import Matrix, Vector

PATIENCE = np.array([[0.4], [0.8]])  # the price at which half of the guests of each kind still buy


def demand(prices: Matrix, patience: Vector) -> Matrix:
    """Share of guests who buy: what the learner has to find out."""
    return 1 / (1 + np.exp(12 * (prices - patience)))


game = Game(
    name="ice cream",
    actions=np.linspace(0.1, 1.0, 19)[:, None],
    reward=increasing(lambda price, share: price[:, 0] * share[:, 0]),
    response_domain=Box([0.0], [1.0]),
    reward_range=(0.0, 1.0),
    types=PATIENCE,
)
guests = Opponent(RandomTypes(PATIENCE), demand, noise_std=0.05)

setup = Setup(game, kernel=RBF(0.3), regularization=0.01, confidence=ConstantWidth(1.0), horizon=200)
run = play_run(game, guests, LEARNERS["stackelucb"].build(setup), rounds=200, seed=0)
cost = regret(run, true_rewards(game, demand))

for day in (1, 20, 200):
    print(
        f"Day {day:3}: price {game.actions[run.actions[day - 1], 0]:.2f}, regret so far {cost.cumulative[day - 1]:.2f}"
    )
print(f"Regret a day: {cost.time_averaged[-1]:.4f}")
