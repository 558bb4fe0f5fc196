"""
Read a match's journal with polars
==================================

A match stores every event: who asked, what was drawn with which probability, what was told and when. ``history`` has
the rounds as records; a data frame of them answers most questions.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import firstmover as fm
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
config = {
    "menu": {"rows": [{"label": f"{price:.2f}", "price": price} for price in (1.0, 2.0, 3.0, 4.0)]},
    "reward": {"responses": {"sold": "price"}},
    "responses": [{"name": "sold", "lower": 0.0, "upper": 60.0}],
    "types": [{"name": "day", "levels": ["weekday", "weekend"], "known": "before"}],
}
folder, rng = tempfile.TemporaryDirectory(), np.random.default_rng(0)
match = fm.Match.create(Path(folder.name) / "kiosk.db", "kiosk", config)
for number in range(40):
    day = "weekend" if number % 7 >= 5 else "weekday"
    decision = match.ask(context={"day": day})
    sold = 30 * np.exp(-decision.features["price"] / (1.5 if day == "weekday" else 4.0)) + rng.normal()
    match.tell(decision.round_id, {}, max(0.0, sold))
match

# %%
# One row per round; types and responses have columns of their own.

rounds = pl.DataFrame([each.row() for each in match.history()])
rounds.select("round_id", "label", "probability", "type day", "response sold", "reward").tail(3)

# %%
# What each price earned, by day:

rounds.group_by("type day", "label").agg(pl.len(), pl.col("reward").mean()).sort("type day", "label")

# %%
# The match settles on a low price on weekdays and on a high one at weekends.

figure, ax = plt.subplots(figsize=(7.6, 3.4))
for i, day in enumerate(("weekday", "weekend")):
    mine = rounds.with_row_index("t", 1).filter(pl.col("type day") == day)
    ax.plot(mine["t"], mine["label"].cast(float), label=day, **look(i) | {"linestyle": "none"})
ax.set(xlabel="round", ylabel="price", yticks=[1, 2, 3, 4], ylim=(0.7, 4.3))
ax.legend()
match.close()
folder.cleanup()
plt.show()
