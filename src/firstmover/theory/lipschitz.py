"""An estimate of L_r, the Lipschitz constant of a reward in the response."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box

EVALUATIONS = 100_000
"""The number of pairs of an action and a response that are evaluated."""

STEPS = (1e-2, 1e-4)
"""Step sizes of slopes, as shares of the box: a discontinuous reward is steeper over the smaller one."""

ROUNDING = 4
"""The rounding error of equal rewards, in units in the last place."""


@dataclass(frozen=True)
class LipschitzEstimate:
    """The largest slope of a reward that was found: a lower bound of L_r.

    Parameters
    ----------
    value
        Over all steps.
    over_long_steps
        Over the longer steps alone.

    Examples
    --------
    >>> from firstmover.theory import LipschitzEstimate
    >>> LipschitzEstimate(value=50.0, over_long_steps=1.0).settled
    False
    """

    value: float
    over_long_steps: float

    @property
    def settled(self) -> bool:
        """False if shorter steps are far steeper: the reward seems to be discontinuous, without an L_r."""
        return self.value <= 2 * self.over_long_steps


def estimate_reward_lipschitz(game: Game, box: Box | None = None, seed: int = 0) -> LipschitzEstimate:
    """Return L_r ≈ max `|r(x, y + h e_i) − r(x, y)|` / h over actions x, sampled y of the box and outputs i.

    For ‖·‖₁ the constant is the largest slope along one output. Points are drawn more often near the ends of the box,
    where concave and convex rewards are steepest.

    Parameters
    ----------
    game
        X and r.
    box
        Where y is sampled; None: the response domain.
    seed
        Of the samples.

    Returns
    -------
    LipschitzEstimate
        The largest slope.

    Raises
    ------
    InvalidInput
        If the box is unbounded.

    Examples
    --------
    >>> from firstmover.theory import estimate_reward_lipschitz
    >>> from firstmover.games import GAMES
    >>> round(estimate_reward_lipschitz(GAMES["shore"].build()).value, 3)  # the largest catch
    1.0
    """
    box = game.response_domain if box is None else box
    width = box.upper - box.lower
    if not np.all(np.isfinite(width)):
        raise InvalidInput(
            f"game {game.name!r} has an unbounded response_domain: give a finite box, or state reward_lipschitz."
        )
    per_action = max(4, EVALUATIONS // (game.n_actions * (game.n_outputs + 1)))
    actions = np.repeat(game.actions, per_action, axis=0)
    shares = np.random.default_rng(seed).beta(0.5, 0.5, (len(actions), game.n_outputs))
    long, short = (_largest_slope(game, actions, box, shares, step) for step in STEPS)
    return LipschitzEstimate(max(long, short), long)


def _largest_slope(game: Game, actions: Matrix, box: Box, shares: Matrix, step: float) -> float:
    width = box.upper - box.lower
    start = box.lower + shares * (1 - step) * width  # start + step is inside the box
    before, largest = game.reward(actions, start), 0.0
    for output in np.flatnonzero(width > 0):
        ahead = start.copy()
        ahead[:, output] += step * width[output]
        after = game.reward(actions, ahead)
        beyond_rounding = np.maximum(np.abs(after - before) - ROUNDING * np.spacing(np.abs(after)), 0.0)
        slopes = beyond_rounding / (ahead - start)[:, output]
        largest = max(largest, float(slopes.max()))
    return largest
