"""
A city with drivers in equilibrium
==================================

Sioux Falls has 24 nodes and 76 roads. The leader sends a fleet of 10,000 vehicles from node 13 to node 8 and decides
how many, on which routes. All other drivers then choose routes such that nobody has a quicker one.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import firstmover as fm
from firstmover.figures.style import SETTINGS, colour_map, plot_lines, round_axis
from firstmover.games.routing.city_game import city_game
from firstmover.learners import uniform

plt.rcParams.update(SETTINGS)
fleet = {"kind": "fleet", "origin": 13, "destination": 8, "units": 10_000.0}
game = city_game(leader=fleet, trade_off=10_000.0, levels=(0.5, 0.75, 1.0))
game

# %%
# The reward is the vehicles that arrive, less 10,000 times the mean congestion of all roads, which is measured. The
# demand of the others, one of three levels, is known afterwards. ``auto`` needs about ten rounds.

drivers = fm.opponent_for("city", game, "random")
rewards, t = fm.true_rewards(game, drivers.respond), np.arange(1, 51)
learners = {"auto": fm.auto(game), "plans by chance": uniform(game.n_actions)}
runs = {name: fm.play_run(game, drivers, learner, rounds=50, seed=0) for name, learner in learners.items()}
chosen = int(np.bincount(runs["auto"].actions).argmax())
print("played most often:", game.users.controls.labels[chosen])

# %%
# Left: how much longer each road takes than when it is empty, with this plan at full demand; the wide roads carry the
# fleet. Right: what was lost against the best plan in hindsight.

network = game.users.network
traffic = game.users.traffic(np.array([chosen]), game.users.demands(np.array([[1.0]])))
ends = network.positions[np.stack([network.tails, network.heads], axis=1)]
across = np.stack([ends[:, 1, 1] - ends[:, 0, 1], ends[:, 0, 0] - ends[:, 1, 0]], axis=1)
ends = ends + 0.015 * np.ptp(network.positions) * (across / np.hypot(*across.T)[:, None])[:, None]  # both directions
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.4), width_ratios=(1, 1.3))
widths = np.where(game.users.controls.fleet[chosen] > 0, 6.0, 2.5)
roads = LineCollection(ends, array=traffic.congestion()[0], cmap=colour_map("congestion"), linewidths=widths)
left.add_collection(roads)
left.plot(*network.positions.T, "o", color="0.2", markersize=3)
left.set(aspect="equal")
left.axis("off")
figure.colorbar(roads, ax=left, label="time lost, as a share of the empty road", shrink=0.7)
plot_lines(right, t, {name: fm.regret(run, rewards).cumulative / 1000 for name, run in runs.items()})
round_axis(right, t)
right.set_ylabel("regret R(t), thousands")
right.legend()
plt.show()
