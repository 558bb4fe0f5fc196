"""The opponents of the toy games, and priors for them."""

import numpy as np
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.games.opponent import Behaviour

SHORE_KERNEL = RBF(0.25)
FLOCK_KERNEL = ConstantKernel(0.25) * RBF(1.0)


def raiders(sites: Matrix, home: Vector) -> Matrix:
    """The share that raiders take at each site: y = exp(−(x − θ)² / (2 · 0.12²))."""
    return np.exp(-((sites - home) ** 2) / (2 * 0.12**2))


def flock(dogs: Matrix, grazing: Vector) -> Matrix:
    """The location of the flock, which avoids a near dog: y = θ + 0.5 (θ − x) exp(−2 ‖θ − x‖²), cut to the field."""
    away = grazing - dogs
    distance = np.sum(away**2, axis=1, keepdims=True)
    return np.clip(grazing + 0.5 * away * np.exp(-2 * distance), 0, 1)


def shore_raiders(_: Game) -> Behaviour:
    """Raiders on the shore."""
    return Behaviour(raiders, noise_std=0.1)


def grazing_flocks(_: Game) -> Behaviour:
    """Flocks in the field."""
    return Behaviour(flock, noise_std=0.05)
