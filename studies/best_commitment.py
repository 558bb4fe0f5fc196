"""The best mixture of all against poachers who see it, exactly."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.wildlife.opponents import Poachers


@dataclass(frozen=True)
class BestCommitment:
    """The best mixture, the cell that poachers attack, and its reward if ties go in the rangers' favour."""

    coverage: Vector
    cell: int
    reward: float


def best_commitment(poachers: Poachers) -> BestCommitment:
    """sup_x r(x, b(x)) over the whole simplex, exactly.

    Cell i is attacked only if no other cell has a larger utility, so the largest utility u = max_j a_j − w f(x[j]) is
    made as small as the total coverage allows: x[j] = f⁻¹((a_j − u)₊ / w) with Σ_j x[j] = 1. Every cell with a_j ≥ u
    then has utility u, none can be covered more while it is attacked, and the best is the one of largest reward.

    >>> from firstmover.games.wildlife.park import published_park
    >>> known = best_commitment(Poachers(published_park(1.0), coverage_sign=1, density_factor=10.0))
    >>> print(known.cell, round(known.reward, 5))
    8 0.14237
    """
    places, cells, gain = poachers.best_places
    deterrence = -poachers.coverage_sign * poachers.preferences[0]
    if deterrence <= 0:
        raise InvalidInput(
            "poachers seek rangers: no coverage deters them, so no level equalises; give coverage_sign=1."
        )
    delta, gamma = poachers.curve

    def coverage(level: float) -> Vector:
        return expit((logit(np.clip((gain - level) / deterrence, 0.0, 1.0)) - np.log(delta)) / gamma)

    level = brentq(lambda u: coverage(u).sum() - 1, gain.max() - deterrence, gain.max(), xtol=1e-15)
    x, density = coverage(level), poachers.park.density(places)
    rewards = np.where(gain >= level, x - (1 - x) * density, -np.inf)
    covered = np.zeros(poachers.park.n_cells)
    covered[cells] = x
    best = int(np.argmax(rewards))
    return BestCommitment(covered, int(cells[best]), float(rewards[best]))
