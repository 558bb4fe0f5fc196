"""Followers of Stackelberg games, who maximise a utility over a box of responses."""

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_array, as_count
from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.choice_rules import Choosing, first_best, logit
from firstmover.games.opponent import Behaviour
from firstmover.games.rewards import MOST_POINTS, lattice_in
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.stackelberg.game import FollowerUtility, StackelbergGame
from firstmover.games.stackelberg.harbour_game import harbour


def follower(game: StackelbergGame) -> ResponseFunction:
    """b(x, θ) = argmax_y U_θ(x, y): in closed form where the game has one, else numerically.

    Parameters
    ----------
    game
        With a best response in closed form, or a utility.

    Returns
    -------
    ResponseFunction
        b: mixed strategies (k, n) and a type (p,) to responses (k, m).

    Raises
    ------
    InvalidInput
        If b is computed numerically and the response domain is unbounded.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import follower
    >>> from firstmover.games import harbour
    >>> follower(harbour())(np.array([[0.6, 0.4, 0.0]]), harbour().types[0]).round(3)
    array([[0.2, 0.3, 0.5]])
    """
    if game.best_response is not None:
        return game.best_response
    assert game.follower_utility is not None  # one of the two is there
    return BestInBox(game.follower_utility, game.response_domain)


@dataclass(frozen=True)
class BestInBox:
    """b(x, θ) = argmax_y U_θ(x, y) over a box: the best point of a lattice, then of finer ones around it.

    Every lattice spans two steps of the last to either side of its best point, down to 10⁻⁸ of the box's width, below
    which U is rounded. Ties of the first lattice, within 10⁻¹² of the best, go to the first point, smallest in the
    first output. If U has several maxima, the first lattice must resolve the highest; for ridges oblique to the axes
    give the closed form, or more `points`.
    """

    utility: FollowerUtility
    domain: Box
    points: int = 17
    precision: float = 1e-8

    def __post_init__(self) -> None:
        as_count("points", self.points, least=6)
        if not (np.isfinite(self.domain.lower).all() and np.isfinite(self.domain.upper).all()):
            raise InvalidInput("response_domain is unbounded: a numeric best response needs two finite corners.")

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """The best response to each mixed strategy (k, m)."""
        shape = (len(actions), len(self.domain.lower))
        box = Box(*(np.broadcast_to(corner, shape) for corner in (self.domain.lower, self.domain.upper)))
        if len(actions) * self.points ** shape[1] > MOST_POINTS:
            raise InvalidInput(
                f"points is {self.points}: {shape[0]} mixed strategies with {shape[1]} outputs need more than "
                f"{MOST_POINTS:_} lattice points in all; give fewer, or the followers' best_response in closed form."
            )
        finer = 4 / (self.points - 1)
        best = self._best(actions, opponent_type, box, tolerance=1e-12)
        for _ in range(ceil(log(self.precision) / log(finer))):
            reach = finer * (box.upper - box.lower) / 2
            box = Box(best - reach, best + reach).within(self.domain)
            best = self._best(actions, opponent_type, box, tolerance=0.0)
        return best

    def _best(self, actions: Matrix, opponent_type: Vector, box: Box, tolerance: float) -> Matrix:
        """The first point of a lattice in each box whose utility is the largest, up to the tolerance."""
        y = lattice_in(box, self.points)
        n, count = y.shape[:2]
        rows = self.utility(np.repeat(actions, count, axis=0), y.reshape(n * count, -1), opponent_type)
        utility = as_array("follower_utility", rows, ndim=1, length=n * count).reshape(n, count)
        return y[np.arange(n), first_best(utility, tolerance)]


def harbour_behaviour(_: Game) -> Behaviour:
    """The crews of the harbour."""
    return Behaviour(follower(harbour()), noise_std=0.05)


def table_behaviour(tables: BimatrixGame) -> Behaviour:
    """Followers of payoff tables, who play a best response, or choose by logit and reveal one action."""

    def by_logit(_: Game, rationality: float) -> Behaviour:
        return Behaviour(Choosing(tables.utilities, logit(rationality)), noise_std=0.0, sampled=True)

    return Behaviour(tables.best_response, noise_std=0.0, logit=by_logit)
