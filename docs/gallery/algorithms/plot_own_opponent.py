"""
An opponent of your own
=======================

An opponent has a response function and a source of types. This source is offended: after a high toll the commuters of
the next day are impatient. It sees the past and the strategy, but not the action of the round.
"""

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
tolls = np.arange(0.0, 8.0)[:, None]
income = fm.increasing(lambda toll, cars: toll[:, 0] * cars[:, 0] / 100)
game = fm.Game("toll", tolls, income, fm.Box([0.0], [100.0]), types=[[2.0], [6.0]])


def commuters(tolls, patience):
    """Cars per hour; half of them stay away at a toll of `patience`."""
    return 100 / (1 + np.exp((tolls - patience) / 2))


class Offended:
    """Impatient after a toll of 5 or more."""

    def draw(self, strategy, past, rng):  # noqa: ARG002 - it looks at the past only
        """The patience of the day."""
        return np.array([2.0 if past and past[-1].action >= 5 else 6.0])


drivers = fm.Opponent(Offended(), commuters, noise_std=3.0)
run = fm.play_run(game, drivers, fm.auto(game), rounds=80, seed=0)

# %%
# A myopic learner asks too much: the best toll for the patient is the one that makes tomorrow's drivers impatient.
# Regret against one fixed toll does not see that, since it keeps the types that came.

paid = run.opponent_types[:, 0]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
for i, (patience, name) in enumerate([(6.0, "patient"), (2.0, "impatient")]):
    days = np.flatnonzero(paid == patience)
    left.plot(1 + days, tolls[run.actions[days], 0], label=f"{name} drivers", **look(i) | {"linestyle": "none"})
    right.plot(tolls[:, 0], fm.true_rewards(game, commuters)(np.array([patience])), label=f"{name} drivers", **look(i))
left.axhspan(4.5, 7.5, color="0.9", zorder=0)
left.set(xlabel="day", ylabel="toll", ylim=(-0.4, 7.4), title="grey: tolls that offend")
right.set(xlabel="toll", ylabel="income of the day")
right.legend()
plt.show()
