"""
At most how much was lost?
==========================

A certificate bounds the regret of the rounds that were played, from what the learner itself has seen: nobody has to
know the opponent. Here a simulation compares it with the truth.
"""

from dataclasses import replace
from itertools import islice

import matplotlib.pyplot as plt
import numpy as np

import firstmover as fm
from firstmover.beliefs import belief_over
from firstmover.figures.style import SETTINGS, look, round_axis
from firstmover.theory import random_response, run_certificate

plt.rcParams.update(SETTINGS)
shore = fm.GAMES["shore"]
game = replace(shore.build(), response_domain=fm.Box([-2.0], [2.0]), reward_range=None)
b = random_response(shore.kernel, game.actions, game.types, norm=2.0, n_outputs=1, rng=np.random.default_rng(7))
belief = belief_over(shore.kernel, 0.01, game.actions, 1, game.types)
width = fm.LemmaWidth(rkhs_norm_bound=2.0, noise_std=0.1, regularization=0.01, failure_probability=0.1)
learner = fm.StackelUCB.anytime(game, belief, width)
opponent = fm.Opponent(fm.RandomTypes(game.types), b, noise_std=0.1)
rounds = list(islice(fm.play(game, opponent, learner, seed=0), 400))

# %%
# The certificate after 25, 50, 100, … rounds. It is proved: if the norm of the response function and the noise are as
# stated, it holds with 90 % probability. From round 100 on it is about three times the regret.

t = np.array([25, 50, 100, 200, 300, 400])
bounds = [run_certificate(learner, fm.Run.of(rounds[:count])) for count in t]
lost = fm.regret(fm.Run.of(rounds), fm.true_rewards(game, b)).cumulative
figure, ax = plt.subplots(figsize=(7.6, 3.8))
ax.plot(t, [bound.loss for bound in bounds], label="certificate, 90 % confidence", **look(1))
ax.plot(np.arange(1, 401), lost, label="regret R(t), known in simulation", **look(0) | {"marker": "none"})
round_axis(ax, np.arange(1, 401))
ax.set(ylabel="lost up to round t", ylim=(0, None))
ax.legend()
plt.show()

# %%
# A match says it in a sentence: ``match.certificate()``, and ``match.status()`` has it too.

fm.regret(fm.Run.of(rounds), fm.true_rewards(game, b))
