"""
The paper's second experiment, made small
=========================================

Rangers patrol a park, and poachers who start in a corner choose where to strike. Section 4.2 of the paper learns the
poachers' response. ``firstmover reproduce`` plays all of it; here are its 525 patrols with four seeds and one β.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from firstmover.figures.style import SETTINGS
from firstmover.paper.experiments import Replay, play_all
from firstmover.paper.figures import draw_patrols, draw_sweep, patrol_record, sweep_record
from firstmover.paper.results import Results
from firstmover.paper.wildlife import WildlifePreset

plt.rcParams.update(SETTINGS)
preset = WildlifePreset.load("released")
preset = preset.model_copy(update={"widths": (preset.shown_width,), "reward_widths": (preset.reward_widths[0],)})
tasks, notes = preset.tasks(seeds=4)
with tempfile.TemporaryDirectory() as folder:
    replay = Replay.of("small", preset.game, "a small reproduction", preset.stored(), tasks, **notes)
    play_all([replay], Path(folder), workers=1)
    results = Results.read(Path(folder) / "small", preset.game)

# %%
# Figure 2 of the paper. The learner's reward (line) nears that of the best patrol (OPT) after about 60 rounds, as
# published (open marks), and passes a patrol for the worst case (Max-Min). Right: the animals, and the patrol that was
# found.

figure = plt.figure(figsize=(12, 4.2))
draw_patrols(patrol_record(results), figure)
plt.show()

# %%
# Figure 3 compares with GP-UCB, which models the reward of a patrol, not the place of the strike: it has to try patrols
# one by one.

figure = plt.figure(figsize=(10, 4))
draw_sweep(sweep_record(results), figure)
plt.show()
