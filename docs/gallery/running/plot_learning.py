"""
Is a match learning?
====================

The trace of a journal replays a match. Its learning curves show what the page of a match shows: rewards, the
probabilities of actions, the entropy of the strategy, whether forecasts held, and what is still unknown.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import firstmover as fm
from firstmover.figures.live.learning import draw_learning, learning_curves
from firstmover.figures.live.trace import Trace
from firstmover.figures.style import SETTINGS

plt.rcParams.update(SETTINGS)
shore = fm.GAMES["shore"].build()
opponent = fm.opponent_for("shore", shore, "cyclic")
folder = tempfile.TemporaryDirectory()
match = fm.Match.create(Path(folder.name) / "shore.db", "shore", {"menu": {"game": "shore"}, "horizon": 60})
for played in range(60):
    decision = match.ask()
    kind = played % len(shore.types)
    response = opponent.respond(shore.actions[[decision.action]], shore.types[kind])[0]
    match.tell(decision.round_id, str(kind + 1), float(response[0]))
print(*match.status().lines()[:6], sep="\n")

# %%
# Six panels, of which the last is known in simulations only. Rewards rise and the entropy falls: the match
# concentrates. The curve of calibration is near the diagonal, or above it if forecasts are too cautious. In the fifth
# panel actions at the right that were never played are the ones that it may still try.

figure = plt.figure(figsize=(10.5, 6.2))
trace = Trace(match.journal, truth=fm.true_rewards(shore, opponent.respond))
draw_learning(learning_curves(trace), figure)
plt.show()

# %%
# The card of the match, and the learner that it has become:

match

# %%

learner = match.learner()
match.close()
folder.cleanup()
learner
