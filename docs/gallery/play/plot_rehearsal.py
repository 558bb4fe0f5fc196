"""
Rehearse before you play
========================

A rehearsal fits a model of the opponent to a table of the past, draws opponents from it, and plays whole seasons
against them. It answers what the match would have earned, and how often it would have been behind what is done now.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

from firstmover.figures.rehearsal import draw_earnings, draw_total_gains, earnings, total_gains
from firstmover.figures.style import SETTINGS
from firstmover.matches import propose_file, rehearse

plt.rcParams.update(SETTINGS)
rng = np.random.default_rng(0)
price = rng.choice([2.0, 2.4, 2.8, 3.2], 60, p=[0.1, 0.2, 0.3, 0.4])
crowd = rng.choice(["small", "large"], 60)
sold = np.where(crowd == "large", 120, 80) - 25 * price + rng.normal(0, 3, 60)
with tempfile.TemporaryDirectory() as folder:
    table = Path(folder) / "sales.csv"
    pl.DataFrame({"price": price, "crowd": crowd, "sold": sold.round()}).write_csv(table)
    proposal, _ = propose_file(table, reward="(price - 0.9) * sold", roles={"crowd": "before"})
    rehearsal = rehearse(proposal.config(), table, seasons=4, rounds=15)
print(*rehearsal.lines()[:6], sep="\n")

# %%
# Left: how far the match is ahead, summed over the rounds, in the middle of the seasons and their range, with and
# without a floor that keeps near what is done now. Right: what a round earns. Four short seasons keep this page quick;
# a hundred are usual.

figure = plt.figure(figsize=(9.6, 3.6))
left, right = figure.subfigures(1, 2)
draw_total_gains(total_gains(rehearsal), left)
draw_earnings(earnings(rehearsal), right)
plt.show()
