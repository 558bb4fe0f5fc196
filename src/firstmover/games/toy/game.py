"""Two small games for documentation and tests: a shore with a scalar response, a flock in the plane."""

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games.rewards import Concave, decreasing, lattice

SHORE_SITES = 24
SHORE_RAIDERS = np.array([[0.1], [0.3], [0.5], [0.7], [0.9]])
"""The home of raiders of each type on the shore."""

FLOCK_PEN = np.array([0.8, 0.6])
"""The pen to which the shepherd drives the flock."""

FLOCKS = np.array([[0.3, 0.3], [0.6, 0.2], [0.4, 0.7]])
"""The pasture of flocks of each type."""


def catch(sites: Matrix) -> Vector:
    """The known value of fishing at a site, 0.7 + 0.3 sin(40 x): rough from site to site, between 0.4 and 1."""
    return 0.7 + 0.3 * np.sin(40 * sites[:, 0])


def shore_game() -> Game:
    """Return the shore: choose where to fish on 24 sites; raiders take a share y of the catch that falls with distance.

    r(x, y) = catch(x) · (1 − y). The catch is known and rough; the share is unknown and smooth: learning the response
    is easier than learning the reward. Every site has raiders who take most of its catch, so a predictable learner
    suffers linear regret.

    Returns
    -------
    Game
        24 actions, 1 output, 5 types.

    Examples
    --------
    >>> from firstmover.games import shore_game
    >>> shore_game()
    Game('shore', 24 actions, 1 output, 5 types)
    """
    return Game(
        name="shore",
        actions=np.linspace(0, 1, SHORE_SITES)[:, None],
        reward=decreasing(lambda x, y: catch(x) * (1 - y[:, 0]), slopes=lambda x: -catch(x)[:, None]),
        response_domain=Box([0.0], [1.0]),
        reward_range=(0.0, 1.0),
        types=SHORE_RAIDERS,
    )


def flock_game() -> Game:
    """Return the flock: place a dog on a 7 × 7 grid of a unit field; the flock moves to y, best near the pen.

    r(x, y) = 1 − ‖y − pen‖², concave in the two-dimensional response.

    Returns
    -------
    Game
        49 actions, 2 outputs, 3 types.

    Examples
    --------
    >>> from firstmover.games import flock_game
    >>> flock_game()
    Game('flock', 49 actions, 2 outputs, 3 types)
    """
    axis = np.linspace(0, 1, 7)
    return Game(
        name="flock",
        actions=lattice([axis, axis]),
        reward=Concave(
            lambda _, y: 1 - np.sum((y - FLOCK_PEN) ** 2, axis=1),
            lambda _, y: -2 * (y - FLOCK_PEN),
        ),
        response_domain=Box([0.0, 0.0], [1.0, 1.0]),
        reward_range=(0.0, 1.0),
        types=FLOCKS,
    )
