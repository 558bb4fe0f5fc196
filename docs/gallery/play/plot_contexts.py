"""
Decide by what is known before
==============================

A kiosk knows whether it is a weekend before it sets the price; the temperature is measured at noon. The first feature
of a type is the context: the learner sees it before it moves, and keeps one strategy for each.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
prices = np.arange(1.0, 9.0)[:, None]
revenue = fm.increasing(lambda price, sold: price[:, 0] * sold[:, 0])
game = fm.Game("kiosk", prices, revenue, fm.Box([0.0], [20.0]), context=(0,))


def sold(price, day):
    """Sales: guests of weekends pay more. The learner does not know this function."""
    weekend, temperature = day
    return np.clip(6 + 8 * weekend + 0.2 * temperature - (1.6 - 0.8 * weekend) * price, 0, 20)


def weather(rng):
    """A day: a weekend or not, and its temperature."""
    return np.array([float(rng.random() < 2 / 7), rng.uniform(10, 30)])


opponent = fm.Opponent(fm.Sampled(weather), sold, noise_std=0.3)
run = fm.play_run(game, opponent, fm.auto(game), rounds=60, seed=0)
without = replace(game, context=())
blind = fm.play_run(without, opponent, fm.auto(without), rounds=60, seed=0)

# %%
# With the context the price is low on weekdays and high at weekends. Without it one price must serve both, and since
# what is good on one day is bad on the next, the learner keeps mixing.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, played, title in zip(axes, (run, blind), ("weekend known before", "weekend not known"), strict=True):
    for i, name in enumerate(("weekday", "weekend")):
        mine = played.opponent_types[:, 0] == i
        ax.plot(
            1 + np.flatnonzero(mine), prices[played.actions[mine], 0], label=name, **look(i) | {"linestyle": "none"}
        )
    ax.set_title(f"{title}: {played.rewards[20:].mean():.1f} per day from day 21", fontsize="medium")
    ax.set_xlabel("day")
axes[0].set_ylabel("price")
axes[1].legend(loc="lower right")
plt.show()
