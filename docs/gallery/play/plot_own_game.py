"""
A game of your own
==================

A kiosk sets the price of ice cream each morning. Children stop buying at a low price, adults at a higher one, and
nobody knows who comes. A game says what is known: the prices, and how a price and the share of buyers make a reward.
"""

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
half_buy = np.array([[0.5], [0.7]])  # the price at which half of the children, and of the adults, still buy
game = fm.Game(
    name="ice cream",
    actions=np.linspace(0.1, 1.0, 19)[:, None],
    reward=fm.increasing(lambda price, share: price[:, 0] * share[:, 0]),
    response_domain=fm.Box([0.0], [1.0]),
    reward_range=(0.0, 1.0),
    types=half_buy,
)
game

# %%
# Here the opponent is simulated: its response function is known to the program, and unknown to the learner.


def demand(price, half_buy):
    """The share of guests who buy."""
    return 1 / (1 + np.exp(12 * (price - half_buy)))


guests = fm.Opponent(fm.RandomTypes(half_buy), demand, noise_std=0.05)
run = fm.play_run(game, guests, fm.auto(game), rounds=120, seed=0)
run

# %%
# The left panel shows the prices that were played: after a few days of trying, the learner stays near the price that is
# best on average. The right panel shows what each price earns with children and with adults; the line is the best one.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
left.plot(np.arange(1, 121), game.actions[run.actions, 0], "o", markersize=3, color=look(0)["color"])
left.set(xlabel="day", ylabel="price played", ylim=(0, 1.05))
rewards = np.array([fm.true_rewards(game, demand)(kind) for kind in half_buy])
lines = {"children": rewards[0], "adults": rewards[1], "on average": rewards.mean(axis=0)}
for i, (name, row) in enumerate(lines.items()):
    right.plot(game.actions[:, 0], row, label=name, **look(i))
right.axvline(game.actions[rewards.mean(axis=0).argmax(), 0], color="0.5", linewidth=1)
right.set(xlabel="price", ylabel="reward", ylim=(0, None))
right.legend()
plt.show()
