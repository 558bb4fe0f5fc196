"""The opponents of the toy games."""

import numpy as np

from firstmover.core.contracts import Game
from firstmover.core.records import Matrix, Vector
from firstmover.games.opponent import Behaviour


def raiders(sites: Matrix, home: Vector) -> Matrix:
    """The share that raiders take at each site: y = exp(−(x − θ)² / (2 · 0.12²)).

    >>> raiders(np.array([[0.1], [0.22]]), np.array([0.1])).round(4)
    array([[1.    ],
           [0.6065]])
    """
    return np.exp(-((sites - home) ** 2) / (2 * 0.12**2))


def flock(dogs: Matrix, grazing: Vector) -> Matrix:
    """The place of the flock, which moves away from a near dog: y = θ + 0.5 (θ − x) exp(−2 ‖θ − x‖²).

    >>> flock(np.array([[0.3, 0.8]]), np.array([0.3, 0.3])).round(4)
    array([[0.3   , 0.1484]])
    """
    away = grazing - dogs
    distance = np.sum(away**2, axis=1, keepdims=True)
    return np.clip(grazing + 0.5 * away * np.exp(-2 * distance), 0, 1)


def shore_raiders(_: Game) -> Behaviour:
    """Raiders on the shore."""
    return Behaviour(raiders, noise_std=0.1)


def grazing_flocks(_: Game) -> Behaviour:
    """Flocks in the field."""
    return Behaviour(flock, noise_std=0.05)
