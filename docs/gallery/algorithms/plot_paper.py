"""
The paper's wildlife game, made small
=====================================

Rangers patrol a park and poachers answer the patrols; where they strike is observed. Section 4.2 of the paper compares
StackelUCB for one type with a learner that models the reward directly (GP-UCB), and with a patrol for the worst case.
The whole reproduction is ``firstmover reproduce``; here are 60 rounds and 3 seeds.
"""

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures import draw_curves, reward_curves
from firstmover.figures.style import SETTINGS, colour_map

plt.rcParams.update(SETTINGS)
learners = {
    "StackelUCB, one type": {"name": "single-type", "confidence_width": 0.1},
    "GP-UCB": "gp-ucb",
    "max-min": "max-min",
    "optimum": "optimum",
}
found = fm.compare("wildlife", "single", learners, rounds=60, seeds=3)
found

# %%
# As in the paper, the learner that models *where poachers strike* needs few rounds; that of the reward has to try patrols one by
# one. The horizontal line is the best patrol in hindsight.

draw_curves(reward_curves(found.rounds), plt.figure(figsize=(8, 4)).add_subplot())
plt.show()

# %%
# The patrol of the last round, as the share of time in each of the 25 cells, beside the animals.

game = fm.GAMES["wildlife"].build()
last = found.rounds.filter(learner="StackelUCB, one type", seed=0)["action"][-1]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4))
for ax, values, name, title in [
    (left, game.types[0], "density", "animals"),
    (right, game.actions[last], "coverage", "patrol"),
]:
    picture = ax.imshow(np.reshape(values, (5, 5)), origin="lower", cmap=colour_map(name))
    ax.set(title=title, xticks=[], yticks=[])
    ax.grid(visible=False)
    figure.colorbar(picture, ax=ax, shrink=0.8)
plt.show()
