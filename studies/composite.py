"""Expected improvement of a composite function beside that of its value: the pollutant spill of Astudillo and Frazier.

`python -m studies.composite` prints the evaluations until the best of 500 settings is found, and the loss before.
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.beliefs import ConstantWidth
from firstmover.beliefs.fitting import fit_kernel
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games.rewards import Lattice
from firstmover.kernels import on_action
from firstmover.learners import LEARNERS, Setup
from firstmover.runs.comparison import markdown

LOWER, UPPER = np.array([7.0, 0.02, 0.01, 30.01]), np.array([13.0, 0.12, 3.0, 30.295])
"""Mass of each spill, diffusion rate, place and time of the second spill (Bliznyuk et al. 2008)."""

TRUTH = np.array([10.0, 0.07, 1.505, 30.1525])

MENU, FIRST, ROUNDS, REFIT, PRECISION = 500, 10, 40, 10, 1e-6
"""Settings to choose from, evaluations at random before the first decision, decisions, decisions between fits of the
kernel, and the noise variance of standardised responses."""

KIND = np.zeros(1)


def concentrations(settings: Matrix) -> Matrix:
    """Return the concentration at 3 places and 4 times (k, 12).

    c(s, t) = M / √(4πDt) exp(−s² / (4Dt)) + 1{t > τ} M / √(4πD(t − τ)) exp(−(s − L)² / (4D(t − τ)))
    """
    mass, rate, place, time = (column[:, None] for column in settings.T)
    s, t = (axis.ravel() for axis in np.meshgrid([0.0, 1.0, 2.5], [15.0, 30.0, 45.0, 60.0], indexing="ij"))
    since = np.where(t > time, t - time, 1.0)
    first = mass / np.sqrt(4 * np.pi * rate * t) * np.exp(-(s**2) / (4 * rate * t))
    second = mass / np.sqrt(4 * np.pi * rate * since) * np.exp(-((s - place) ** 2) / (4 * rate * since))
    return np.asarray(first + (t > time) * second)


def composite_problem(settings: Matrix) -> tuple[Matrix, Callable[[Matrix], Vector]]:
    """Return h, the concentrations of all settings, and g, minus the squared distance from those of the truth."""
    observed = concentrations(TRUTH[None])
    return concentrations(settings), lambda y: -np.sum((y - observed) ** 2, axis=1)


def plain_problem(settings: Matrix) -> tuple[Matrix, Callable[[Matrix], Vector]]:
    """Return the value itself as the only response, so that the composite learner is expected improvement."""
    responses, value = composite_problem(settings)
    return value(responses)[:, None], lambda y: y[:, 0]


PROBLEMS = {"composite EI": composite_problem, "EI of the value": plain_problem}


def search(label: str, seed: int) -> Vector:
    """Return the loss against the best setting after each evaluation (50,); the first 10 are the same for both."""
    rng = np.random.default_rng([seed, 9])
    settings = LOWER + (UPPER - LOWER) * rng.random((MENU, 4))
    responses, value = PROBLEMS[label](settings)
    chosen = rng.permutation(MENU)[:FIRST].tolist()
    unit = (settings - LOWER) / (UPPER - LOWER)
    for number in range(ROUNDS):
        if number % REFIT == 0:
            middle, scale = responses[chosen].mean(axis=0), responses[chosen].std(axis=0)
            scaled = (responses - middle) / scale
            kernel = ConstantKernel(1.0, (0.1, 100.0)) * RBF(np.ones(4), (0.05, 20.0))
            fitted = fit_kernel(kernel, unit[chosen], scaled[chosen], PRECISION).kernel
            # Bounds over boxes, which need a Lipschitz constant, are not used; the values are those since this fit.
            reward = Lattice(lambda _, y: value(middle + scale * y), reward_lipschitz=0.0)  # noqa: B023
            domain = Box(np.full(responses.shape[1], -np.inf), np.full(responses.shape[1], np.inf))
            game = Game(label, unit, reward, domain, types=KIND[None])
            setup = Setup(game, on_action(fitted), PRECISION, ConstantWidth(1.0))
            learner = LEARNERS["composite-ei"].build(setup)
            for action in chosen:
                learner = learner.observe(Feedback(action, KIND, scaled[action]))
        action = int(np.argmax(learner.strategy))
        chosen.append(action)
        learner = learner.observe(Feedback(action, KIND, scaled[action]))
    values = value(responses)
    return np.asarray(values.max() - np.maximum.accumulate(values[chosen]))


def table(seeds: range = range(5)) -> pl.DataFrame:
    """Return one row per method and seed."""
    rows = []
    for label in PROBLEMS:
        for seed in seeds:
            loss = search(label, seed)
            found = np.flatnonzero(loss == 0)
            rows.append((label, seed, loss[9], loss[19], loss[-1], int(found[0]) + 1 if len(found) else None))
    names = ["method", "seed", "loss after 10", "loss after 20", "loss after 50", "best found after"]
    return pl.DataFrame(rows, schema=names, orient="row")


if __name__ == "__main__":
    print(markdown(table()))
