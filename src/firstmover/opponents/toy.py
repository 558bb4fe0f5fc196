"""Who answers in the toy games."""

import numpy as np

from firstmover.records import Matrix, Vector


def raiders(sites: Matrix, home: Vector) -> Matrix:
    """The share that raiders take at each site: y = exp(−(x − θ)² / (2 · 0.12²)).

    >>> raiders(np.array([[0.1], [0.22]]), np.array([0.1])).round(4)
    array([[1.    ],
           [0.6065]])
    """
    return np.exp(-((sites - home) ** 2) / (2 * 0.12**2))


def flock(dogs: Matrix, grazing: Vector) -> Matrix:
    """Where the flock goes: away from the dog, the further the nearer it is: y = θ + 0.5 (θ − x) exp(−2 ‖θ − x‖²).

    >>> flock(np.array([[0.3, 0.8]]), np.array([0.3, 0.3])).round(4)
    array([[0.3   , 0.1484]])
    """
    away = grazing - dogs
    distance = np.sum(away**2, axis=1, keepdims=True)
    return np.clip(grazing + 0.5 * away * np.exp(-2 * distance), 0, 1)
