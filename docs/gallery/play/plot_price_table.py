"""
Prices from a table
===================

Most people have a table of what they did so far. A proposal guesses from its columns what is decided, what is known
before and what is observed; the match then begins with the table as its history.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import firstmover as fm
from firstmover.figures.live.map_drawing import draw_map
from firstmover.figures.live.maps import map_of
from firstmover.figures.live.trace import Trace
from firstmover.figures.style import SETTINGS
from firstmover.matches import propose_file

plt.rcParams.update(SETTINGS)
rng = np.random.default_rng(3)
price = rng.choice([1.0, 1.5, 2.0, 2.5, 3.0], 40)
day = np.where(np.arange(40) % 7 >= 5, "weekend", "weekday")
sold = (60 - 14 * price) * np.where(day == "weekend", 1.6, 1.0) + rng.normal(0, 3, 40)
folder = tempfile.TemporaryDirectory()
table = Path(folder.name) / "sales.csv"
pl.DataFrame({"price": price, "day": day, "sold": sold.round()}).write_csv(table)
proposal, _ = propose_file(table, roles={"day": "before"}, reward="(price - 0.4) * sold")
print(*proposal.lines(), sep="\n")

# %%
# The match imports the table and advises the price of today. Nobody had to state a model of demand.

match = fm.Match.create(Path(folder.name) / "kiosk.db", "kiosk", proposal.config())
match.import_history(table)
decision = match.ask("today", context={"day": "weekend"})
decision

# %%
# The map shows what the match believes about sales at each price, on weekdays and at weekends: the mean, a band for the
# sales of a day, and the sales in the table.

match.tell("today", {}, 30.0)
figure = plt.figure(figsize=(9, 4.2))
draw_map(map_of(Trace(match.journal), reveal=True), figure)
match.close()
folder.cleanup()
plt.show()
