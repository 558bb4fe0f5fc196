"""
What would another policy have earned?
======================================

A journal has the probability with which each action was drawn. From these, and from the fitted model, ``evaluate``
estimates what other policies would have earned in the same rounds.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
prices = (1.0, 2.0, 3.0, 4.0)
config = {
    "menu": {"rows": [{"label": f"{price:.2f}", "price": price} for price in prices]},
    "reward": {"responses": {"sold": "price"}},
    "responses": [{"name": "sold", "lower": 0.0, "upper": 60.0}],
    "types": [{"name": "day", "levels": ["weekday", "weekend"], "known": "before"}],
}


def demand(price, day):
    """Mean sales, known in this simulation."""
    return 30 * np.exp(-price / (1.5 if day == "weekday" else 4.0))


folder, rng = tempfile.TemporaryDirectory(), np.random.default_rng(0)
match = fm.Match.create(Path(folder.name) / "kiosk.db", "kiosk", config)
days = ["weekend" if number % 3 == 0 else "weekday" for number in range(45)]
for day in days:
    decision = match.ask(context={"day": day})
    match.tell(decision.round_id, {}, max(0.0, demand(decision.features["price"], day) + rng.normal()))
policies = {f"always {price:.0f}": f"{price:.2f}" for price in prices}
policies |= {"played": "played", "by day: 2 or 4": {"day": {"weekday": "2.00", "weekend": "4.00"}}}
found = match.evaluate(policies)
print(*found.lines())

# %%
# Marks are the model's estimates with 95 % bands, crosses the truth that only this simulation has. Prices that were
# hardly played have wide bands: the journal says little about them. A policy by day beats every fixed price.

truth = [np.mean([price * demand(price, day) for day in days]) for price in prices]
truth += [found.earned, np.mean([demand(2, day) * 2 if day == "weekday" else demand(4, day) * 4 for day in days])]
figure, ax = plt.subplots(figsize=(7.6, 3.4))
for i, each in enumerate(found.policies):
    ends, label = [[each.value - each.lower], [each.upper - each.value]], None if i else "by the model"
    ax.errorbar(each.value, i, xerr=ends, capsize=3, label=label, **look(0) | {"linestyle": "none"})
ax.plot(truth, range(len(truth)), "x", color="black", label="truth")
ax.set(yticks=range(len(truth)), yticklabels=[each.policy for each in found.policies], xlabel="reward per round")
ax.legend()
match.close()
folder.cleanup()
plt.show()
