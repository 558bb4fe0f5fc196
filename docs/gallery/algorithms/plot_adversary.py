"""
An adversary
============

The adversary knows the game, sees the strategy of the round, and sends the type with the least expected reward. It does
not see the action that is drawn. Against it a predictable learner is exploited; a random one is not.
"""

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look, plot_lines, round_axis

plt.rcParams.update(SETTINGS)
shore = fm.GAMES["shore"]
game = shore.build()
raiders = fm.opponent_for("shore", game, "adversary")
rounds, runs = 200, {}
for strategy in ("follow-the-leader", "fixed-rate", "adahedge"):
    setup = fm.Setup(game, shore.kernel, shore.regularization, fm.ConstantWidth(1.0), strategy, horizon=rounds)
    runs[strategy] = fm.play_run(game, raiders, fm.LEARNERS["stackelucb"].build(setup), rounds, seed=0)

# %%
# The same belief with three kinds of weights. *Follow the leader* always plays the action with the largest optimistic
# total, so that the adversary knows it. The others draw from weights, and earn several times as much. Right: how often
# each site was guarded.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
t = np.arange(1, rounds + 1)
plot_lines(left, t, {name: np.cumsum(run.rewards) / t for name, run in runs.items()})
round_axis(left, t)
left.set_ylabel("mean reward up to round t")
left.legend()
for i, (name, run) in enumerate(runs.items()):
    counts = np.bincount(run.actions, minlength=game.n_actions)
    right.bar(np.arange(game.n_actions) + 0.28 * (i - 1), counts, 0.28, color=look(i)["color"], label=name)
right.set(xlabel="action", ylabel="rounds in which it was played")
plt.show()
