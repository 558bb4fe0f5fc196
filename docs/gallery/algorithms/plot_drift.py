"""
Opponents that drift
====================

Guests get richer: the price at which half of them still buy rises for 150 days, while the learner sees the same type.
With ``drifts=True`` the response function gets the number of the round.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look, plot_lines, round_axis

plt.rcParams.update(SETTINGS)
prices, rounds, t = np.linspace(0.1, 1.0, 19)[:, None], 150, np.arange(1, 151)
reward = fm.increasing(lambda price, share: price[:, 0] * share[:, 0])
game = fm.Game("kiosk", prices, reward, fm.Box([0.0], [1.0]), reward_range=(0.0, 1.0), types=[[0.0]])


def demand(prices, day):
    """The share of guests who buy on this day."""
    return 1 / (1 + np.exp(15 * (prices - 0.35 - 0.45 * day / rounds)))


@dataclass(frozen=True, eq=False)
class Restarting:
    """A learner that begins again after every 30 rounds."""

    learner: object
    rounds: int = 0
    strategy = property(lambda self: self.learner.strategy)

    def observe(self, feedback):
        """Forget all rounds if it is time."""
        return Restarting(fm.auto(game) if self.rounds % 30 == 29 else self.learner.observe(feedback), self.rounds + 1)


guests = fm.Opponent(fm.single([0.0]), demand, noise_std=0.05, drifts=True)
learners = {"auto": fm.auto(game), "auto, restarted": Restarting(fm.auto(game))}
runs = {name: fm.play_run(game, guests, learner, rounds, seed=0) for name, learner in learners.items()}

# %%
# ``auto`` believes that the opponent stays as it is, and plays what was best at first. Dynamic regret, against the best
# price of each day, grows ever faster. Restarted every 30 days it follows, and pays for trying each time.

table = np.array([reward(prices, demand(prices, day)) for day in t])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
for i, (name, run) in enumerate(runs.items()):
    left.plot(t, prices[run.actions, 0], label=name, **look(i) | {"linestyle": "none", "markersize": 3})
left.plot(t, prices[table.argmax(axis=1), 0], label="best of the day", color="black")
plot_lines(right, t, {name: np.cumsum(table.max(axis=1) - run.rewards) for name, run in runs.items()})
for ax, label in ((left, "price"), (right, "dynamic regret")):
    round_axis(ax, t)
    ax.set_ylabel(label)
    ax.legend(frameon=True)
plt.show()
