"""
Are the bands calibrated?
=========================

A predicted 90 % interval should contain nine of ten responses. This counts, at every level, how many responses of a run
lay inside the interval that was predicted just before each of them, for three assumptions about the noise.
"""

import matplotlib.pyplot as plt

import firstmover as fm
from firstmover.figures.coverage import draw_reliability
from firstmover.figures.style import SETTINGS
from firstmover.theory import Replay, reliability_curve, standard_errors

plt.rcParams.update(SETTINGS)
shore = fm.GAMES["shore"]
game = shore.build()
raiders = fm.opponent_for("shore", game, "random")
print(f"noise of the responses: {raiders.noise_std}, variance {raiders.noise_std**2:g}")

# %%
# λ is the variance of the noise that the belief assumes. With too small a λ predictions are overconfident, below the
# diagonal; with too large a one they are too cautious.

curves = {}
for factor in (0.1, 1.0, 10.0):
    variance = factor * raiders.noise_std**2
    learner = fm.StackelUCB.start(game, shore.kernel, variance, confidence_width=1.0, horizon=150)
    run = fm.play_run(game, raiders, learner, rounds=150, seed=0)
    errors = standard_errors(Replay.of(learner, run), run.responses, variance)
    curves[f"λ = {factor:g} × variance"] = reliability_curve(errors)
draw_reliability(curves, plt.figure(figsize=(7.2, 4.6)))
plt.show()

# %%
# ``auto`` needs no λ: it fits the noise, and widens its bands when responses fall outside of them. The belief of a
# learner after these rounds, at the type that was observed last:

learner = fm.auto(game)
for action, kind, response in zip(run.actions[:60], run.opponent_types, run.responses, strict=False):
    learner = learner.observe(fm.Feedback(action, kind, response))
learner.belief
