"""
A city with drivers in equilibrium
==================================

Sioux Falls has 24 nodes and 76 roads. The leader asks tolls on the three roads that lose most time; drivers then choose
routes so that nobody has a quicker one. How much demand there will be is not known before.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import firstmover as fm
from firstmover.figures.style import SETTINGS, colour_map, plot_lines, round_axis
from firstmover.games.routing.city_game import city_game
from firstmover.learners import uniform

plt.rcParams.update(SETTINGS)
game = city_game(levels=(0.5, 1.0))
game

# %%
# With tolls the mean time of a trip is what counts, and what drivers pay is a transfer. ``auto`` tries some of the tolls and
# settles on those with the shortest trips over both levels of demand.

drivers = fm.opponent_for("city", game, "random")
rewards = fm.true_rewards(game, drivers.respond)
run = fm.play_run(game, drivers, fm.auto(game), rounds=40, seed=0)
labels = game.users.controls.labels
chosen = int(np.bincount(run.actions).argmax())
print("played most often:", labels[chosen])

# %%
# Left: how much longer each road takes than when it is empty, at full demand and with these tolls. Right: what is lost
# against the best tolls in hindsight, in minutes of a mean trip, beside tolls that are drawn without learning.

network = game.users.network
traffic = game.users.traffic(np.array([chosen]), game.users.demands(np.array([[1.0]])))
ends = network.positions[np.stack([network.tails, network.heads], axis=1)]
across = np.stack([ends[:, 1, 1] - ends[:, 0, 1], ends[:, 0, 0] - ends[:, 1, 0]], axis=1)
ends = ends + 0.015 * np.ptp(network.positions) * (across / np.hypot(*across.T)[:, None])[:, None]  # two directions
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.4), width_ratios=(1, 1.3))
roads = LineCollection(ends, array=traffic.congestion()[0], cmap=colour_map("congestion"), linewidths=3)
left.add_collection(roads)
left.plot(*network.positions.T, "o", color="0.2", markersize=3)
left.set(aspect="equal")
left.axis("off")
figure.colorbar(roads, ax=left, label="time lost, as a share of the empty road", shrink=0.7)
others = fm.play_run(game, drivers, uniform(game.n_actions), rounds=40, seed=0)
t, runs = np.arange(1, 41), {"auto": run, "tolls by chance": others}
plot_lines(right, t, {name: fm.regret(each, rewards).cumulative for name, each in runs.items()})
round_axis(right, t)
right.set_ylabel("regret R(t)")
right.legend()
plt.show()
