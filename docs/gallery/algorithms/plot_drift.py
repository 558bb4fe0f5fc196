"""
Opponents that drift
====================

Against the opponent ``drifting`` the response function changes while the type that is seen stays the same. One fixed action
is then a weak yardstick: dynamic regret compares with the best action of each round.
"""

import matplotlib.pyplot as plt
import numpy as np

from firstmover.figures.curves import Curves, draw_curves
from firstmover.figures.style import SETTINGS
from firstmover.runs import ExperimentSpec, as_markdown, run_experiment, summarise

plt.rcParams.update(SETTINGS)
learners = ["anytime", "exp3", "optimum"]
spec = ExperimentSpec.read(
    {"game": "shore", "opponent": "drifting:100", "rounds": 150, "seeds": 4, "learners": learners}
)
table = run_experiment(spec, workers=1)
print(as_markdown(summarise(table)))

# %%
# ``optimum`` is the best fixed action in hindsight, which only a simulation knows. Its regret is 0 and its dynamic regret is
# not: it cannot follow. A learner that moves can be better than it.

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.6))
draw_curves(Curves.of(table, "cumulative_regret", "regret R(t)"), left)
left.get_legend().remove()
draw_curves(Curves.of(table, "dynamic_regret", "dynamic regret"), right)
plt.show()

# %%
# The drift lasts 100 rounds. The actions that were played in the first seed follow it, late.

run = table.filter(learner="anytime", seed=0)
plt.figure(figsize=(7.6, 2.6))
plt.plot(run["t"], run["action"], "o", markersize=3)
plt.axvline(100, color="0.5", linestyle="--", linewidth=1)
plt.xlabel("round t")
plt.ylabel("action of anytime")
plt.yticks(np.arange(0, 24, 4))
plt.show()
