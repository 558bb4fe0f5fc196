"""
A kernel of your own
====================

The kernel says which responses are alike. Any kernel of scikit-learn works, also inside ``on_action`` and ``on_type``,
and sums and products of them. Demand by hour of the day is periodic; the kernel can say so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, ExpSineSquared

import firstmover as fm
from firstmover.beliefs import belief_over
from firstmover.figures.style import SETTINGS, look

plt.rcParams.update(SETTINGS)
hours = np.arange(0.0, 24.0, 0.5)[:, None]
kernels = {
    "RBF over the hour": fm.on_action(RBF(2.0)),
    "periodic: 24 hours": fm.on_action(ExpSineSquared(length_scale=1.0, periodicity=24.0)),
    "constant + periodic": fm.on_action(ConstantKernel(0.5) + ExpSineSquared(length_scale=0.7, periodicity=24.0)),
}


def visitors(hours):
    """Hundreds of visitors; unknown to the belief."""
    return 0.5 + np.cos(2 * np.pi * (hours - 23) / 24)


# %%
# Six observations between 14 and 23 o'clock. The RBF kernel knows nothing of the early morning; the periodic ones know
# that 1 o'clock follows 24.

rng, seen = np.random.default_rng(1), [28, 32, 36, 40, 43, 46]
figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.3), sharey=True)
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    belief = belief_over(kernel, 0.01, hours, 1, types=np.zeros((1, 1)))
    for hour in seen:
        belief = belief.condition(hour, np.zeros(1), visitors(hours[hour]) + rng.normal(0, 0.05, 1))
    mean, std = belief.predict(np.zeros(1))
    ax.fill_between(
        hours[:, 0], mean[:, 0] - 2 * std, mean[:, 0] + 2 * std, color=look(6)["color"], alpha=0.3, linewidth=0
    )
    ax.plot(hours[:, 0], mean[:, 0], label="mean ± 2 std", **look(0) | {"marker": "none"})
    ax.plot(hours[:, 0], visitors(hours[:, 0]), label="truth", **look(1) | {"marker": "none"})
    ax.plot(hours[seen, 0], visitors(hours[seen, 0]), "k.", label="observed")
    ax.set(title=name, xlabel="hour", xticks=range(0, 25, 6))
axes[0].set_ylabel("visitors (hundreds)")
axes[0].legend(loc="upper left", fontsize="small")
plt.show()

# %%
# In a notebook a belief shows itself as the same band:

belief
