"""
A security game
===============

Three gates are guarded, one at a time, and intruders watch how often. The leader commits to a mixture of the gates, and
the intruders attack where it pays most for them. Only the leader's own payoffs are known.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process.kernels import RBF, Matern

import firstmover as fm
from firstmover.figures.style import COLOURS, SETTINGS

plt.rcParams.update(SETTINGS)
ours = [[0, -3, -2], [-5, 0, -2], [-5, -3, 0]]  # row: the gate that is guarded, column: the gate that is attacked
thieves = [[-4, 3, 1], [5, -4, 1], [5, 3, -4]]
tables = fm.BimatrixGame(np.array(ours, dtype=float), np.array([thieves], dtype=float))
best = fm.optimal_commitment(tables)
print("if the thieves' payoffs were known:", best.strategy.round(2), "loses", round(-best.value, 2))

# %%
# The learner plays mixtures on a grid. It sees which gate was attacked, and finds mixtures near the best one.

game = tables.stackelberg().on_grid(radius=0.1)
kernel = fm.on_action(Matern(0.3, nu=1.5)) * fm.on_type(RBF(0.5))
intruders = fm.Opponent(fm.single(tables.types[0]), tables.best_response)
learner = fm.StackelUCB.start(game, kernel, regularization=0.01, confidence_width=0.5)
run = fm.play_run(game, intruders, learner, rounds=150, seed=0)

# %%
# Each point of the triangle is a mixture, and its colour is the gate that is attacked. Larger rings were played more
# often. The star is the best commitment: it lies on a border, where thieves are just made to attack the cheapest gate.

corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.87]])
attacked = tables.best_response(game.actions, tables.types[0]).argmax(axis=1)
places, counts = game.actions @ corners, np.bincount(run.actions, minlength=game.n_actions)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=(1, 1.1))
for gate, name in enumerate(("north", "east", "south")):
    left.scatter(*places[attacked == gate].T, s=14, color=COLOURS[gate], label=f"attacks {name}")
    left.annotate(name, corners[gate], (0, -14 if gate < 2 else 6), textcoords="offset points", ha="center")
left.scatter(*places.T, s=9 * counts, facecolors="none", edgecolors="0.3", linewidths=0.8)
left.plot(*(best.strategy @ corners), "*", color="black", markersize=11)
left.set(aspect="equal", xlim=(-0.1, 1.1), ylim=(-0.15, 1.0))
left.axis("off")
left.legend(loc="upper left", fontsize="small", handletextpad=0.2)
t = np.arange(1, 151)
right.plot(t, np.cumsum(run.rewards) / t, color=COLOURS[0], label="learner, mean so far")
right.axhline(best.value, color="black", linestyle="--", label="best commitment")
right.set(xlabel="round t", ylabel="reward")
right.legend()
plt.show()
