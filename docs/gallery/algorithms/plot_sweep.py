"""
A sweep
=======

A sweep plays every combination of games, opponents, learners and their parameters. One document describes it, and one folder
holds the results; an interrupted sweep continues where it stopped.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from firstmover.figures.sensitivity import draw_sensitivity, sensitivity
from firstmover.figures.style import SETTINGS
from firstmover.runs import ExperimentSpec, plan_of, run_sweep
from firstmover.runs.comparison import Collected

plt.rcParams.update(SETTINGS)
document = {
    "title": "the influence of β",
    "games": ["shore", "flock"],
    "opponents": ["random"],
    "horizons": [80],
    "seeds": 4,
    "learners": [{"name": "stackelucb", "confidence_width": [0.1, 0.3, 1.0, 3.0]}],
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
# β is the half-width of the confidence box in standard deviations. Too small, and the learner stops trying before it knows;
# too large, and it is optimistic about everything. Bars are 95 % intervals over seeds.

draw_sensitivity(sensitivity(runs, "confidence_width"), plt.figure(figsize=(9, 3.6)))
plt.show()
