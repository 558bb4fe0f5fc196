"""
Where regret comes from
=======================

The proof of Theorem 1 splits regret in two: the regret of the weights in the optimistic game, and the excess of
optimistic over true rewards. A simulation knows both.
"""

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, legend_beside, plot_lines, round_axis
from firstmover.theory.analysis import RunAnalysis

plt.rcParams.update(SETTINGS)
shore = fm.GAMES["shore"]
game = shore.build()
raiders = fm.opponent_for("shore", game, "adversary")
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True)
t = np.arange(1.0, 201.0)
for ax, width in zip(axes, (0.5, 2.0), strict=True):
    learner = fm.StackelUCB.start(game, shore.kernel, shore.regularization, width, horizon=200)
    run = fm.play_run(game, raiders, learner, rounds=200, seed=1)
    split = RunAnalysis(learner, run, fm.regret(run, fm.true_rewards(game, raiders.respond))).split
    lines = {"R₁: of the weights": split.weights, "R₂: of optimism": split.optimism, "R(t): regret": split.regret}
    plot_lines(ax, t, lines)
    round_axis(ax, t)
    ax.set_title(f"β = {width:g}")
axes[0].set_ylabel("up to round t")
legend_beside(axes[1])
plt.show()

# %%
# With a wide box (right) rewards are overestimated for longer: R₂ is larger. With a narrow one (left) optimism costs
# less, and the guarantee is lost if the box misses the response. Regret is below R₁ + R₂ while boxes contain it.
#
# The strategy at the end:

for each in zip(run.actions, run.opponent_types, run.responses, strict=True):
    learner = learner.observe(fm.Feedback(*each))
learner
