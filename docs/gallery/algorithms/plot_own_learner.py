"""
A learner of your own
=====================

A learner is a value with ``strategy``, the probabilities of the next action, and ``observe``, which returns the learner
of the next round. This one is greedy in the average reward, and explores less and less.
"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures import draw_curves, regret_curves
from firstmover.figures.style import SETTINGS

plt.rcParams.update(SETTINGS)


@dataclass(frozen=True, eq=False)
class Averages:
    """Greedy in the average observed reward, with 1/√t of uniform exploration."""

    game: fm.Game
    totals: np.ndarray
    counts: np.ndarray

    @property
    def strategy(self):
        """The probabilities of the actions."""
        n, t = self.game.n_actions, 1 + self.counts.sum()
        greedy = np.eye(n)[np.argmax(self.totals / np.maximum(self.counts, 1))]
        return (1 - t**-0.5) * greedy + t**-0.5 / n

    def observe(self, feedback):
        """Add the reward of the round to that of its action."""
        seen = self.game.check(feedback)
        reward = self.game.reward(self.game.actions[[seen.action]], seen.response[None])[0]
        played = np.eye(self.game.n_actions)[seen.action]
        return replace(self, totals=self.totals + reward * played, counts=self.counts + played)


# %%
# It plays beside three others, against the same opponents. The table has means over seeds with 95 % intervals.

game = fm.GAMES["shore"].build()
mine = Averages(game, np.zeros(game.n_actions), np.zeros(game.n_actions))
found = fm.compare(
    "shore", "random", {"averages": mine, "Exp3": "exp3", "Hedge": "hedge", "auto": "auto"}, 150, seeds=4
)
found

# %%
# It learns faster than Exp3, and slower than ``auto``, which has a model of the response: one response says something
# about neighbouring actions too. Hedge is told the rewards of all actions.

draw_curves(regret_curves(found.rounds), plt.figure(figsize=(8, 4)).add_subplot())
plt.show()
