"""
A sweep
=======

A sweep plays every combination of games, opponents, learners and their parameters. One document describes it, and one
folder holds the results; an interrupted sweep continues where it stopped.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from firstmover.figures.sensitivity import draw_sensitivity, sensitivity
from firstmover.figures.style import SETTINGS
from firstmover.runs import Collected, ExperimentSpec, plan_of, run_sweep

plt.rcParams.update(SETTINGS)
document = {
    "title": "the influence of β",
    "games": ["harbour", "routing"],
    "opponents": ["random"],
    "horizons": [100],
    "seeds": 4,
    "learners": [{"name": "anytime", "confidence_width": [0.03, 0.3, 3.0, 30.0]}],
}
plan = plan_of(ExperimentSpec.read(document))
print(len(plan.tasks), "tasks")

# %%
# The results are a table with one row per run.

with tempfile.TemporaryDirectory() as folder:
    run_sweep(plan, Path(folder), workers=1)
    runs = Collected.of(Path(folder)).runs
runs.select("game", "confidence_width", "seed", "regret").head()

# %%
# β is the half-width of the confidence box in standard deviations. With a large one the learner is optimistic about
# every action and learns slowly: in both games regret is several times larger. Below 0.3 it hardly matters here. Bars
# are 95 % intervals over seeds.

draw_sensitivity(sensitivity(runs, "confidence_width"), plt.figure(figsize=(9, 3.6)))
plt.show()
