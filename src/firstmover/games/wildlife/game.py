"""The wildlife park of Section 4.2: rangers commit to a patrol, poachers see it and choose where to strike."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places
from firstmover.core.records import Box
from firstmover.games.wildlife.density_minimum import (
    Mask,
    Pieces,
    SmallestDensity,
    cells_inside,
    cells_met,
    ends_within,
)
from firstmover.games.wildlife.park import Park, published_park

REPORT_NOISE = 0.1
"""The standard deviation of a reported location: 2 % of the park's width."""

CORNER_MARGIN = 1e-3
"""The distance from the park's edges at which the authors' program keeps the corner of a box."""


@dataclass(frozen=True, eq=False)
class RangersReward:
    """r(x, y) = Σ_i (x[i] R_i + (1 − x[i]) P_i) 1_i(y) with R_i = 1 and P_i = −φ(y), the animals lost.

    Within a cell the best location of a box has the smallest density, of which a lower bound is used: `best_in_box` is
    at least the supremum, at most `box_error` above it, and equal to r where the box is a point.

    With `corner`, `best_in_box` is r at the upper corner of the box alone, as in the authors' program. `per_cell` is
    the number of lattice steps per cell of the density search; the error falls with it.
    """

    park: Park
    corner: bool = False
    per_cell: int = 100

    @cached_property
    def smallest_density(self) -> SmallestDensity:
        """The search for the smallest density, shared by all menus of a park."""
        return _search(self.park, self.per_cell)

    @property
    def box_error(self) -> float:
        """The largest excess of `best_in_box` over the supremum; with `corner` there is no bound."""
        return self.smallest_density.error

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row; a response outside the park counts as the nearest location in it."""
        inside = self.park.inside(responses)
        covered = actions[np.arange(len(actions)), self.park.cell_of(inside)]
        return covered - (1 - covered) * self.park.density(inside)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Eq. (6): in each cell that a box meets, x[i] − (1 − x[i]) min φ; then the best of its cells."""
        if self.corner:
            size = np.array(self.park.cells, dtype=float)
            return self(actions, np.clip(box.upper, CORNER_MARGIN, size - CORNER_MARGIN))
        ends = ends_within(box, self.park.cells)
        met = cells_met(ends, self.park.cells)
        values = np.full(met.shape, -np.inf)
        if np.count_nonzero(met) > 2 * len(actions):  # below that, searching all is as quick as choosing
            values, met = self._contending(actions, met, cells_inside(ends, self.park.cells))
        pieces = Pieces.of(ends, met, self.park.cells)
        covered = actions[pieces.boxes, pieces.cells]
        values[pieces.cells, pieces.boxes] = covered - (1 - covered) * self.smallest_density.at_least(pieces)
        return values.max(axis=0)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """A lower bound of the minimum: in each cell that a box meets, x[i] − (1 − x[i]) max φ; then the worst.

        max φ is at most the largest density of the cell, and φ in the centre plus the steepest slope times the way to
        the ends. Where the box is a point, r itself.
        """
        ends = ends_within(box, self.park.cells)
        pieces = Pieces.of(ends, cells_met(ends, self.park.cells), self.park.cells)
        centre, half = pieces.ends.mean(axis=1), (pieces.ends[:, 1] - pieces.ends[:, 0]).sum(axis=0) / 2
        near = self.park.density_at(*centre) + self.smallest_density.slope * half
        largest = np.minimum(near, self.smallest_density.range_in_cells[1][pieces.cells])
        covered = actions[pieces.boxes, pieces.cells]
        worst = np.full(len(actions), np.inf)
        np.minimum.at(worst, pieces.boxes, covered - (1 - covered) * largest)
        return worst

    def _contending(self, actions: Matrix, met: Mask, inside: Mask) -> tuple[Matrix, Mask]:
        """The value of each cell inside its box, else −∞, and the cells met (c₁ c₂, n) that can exceed all of these."""
        search, covered = self.smallest_density, np.ascontiguousarray(actions.T)
        (lowest, highest), missed = search.range_in_cells, 1 - covered
        values = np.where(inside, covered - missed * search.in_whole_cells[:, None], -np.inf)
        sure = np.where(met, np.maximum(covered - missed * highest[:, None], values), -np.inf).max(axis=0)
        return values, met & ~inside & (covered - missed * lowest[:, None] >= sure)


@lru_cache(maxsize=8)
def _search(park: Park, per_cell: int) -> SmallestDensity:
    return SmallestDensity(park, per_cell)


def patrol_menu(n_cells: int, n_mixed: int = 500, menu_seed: int = 3, *, pure: bool = True) -> Matrix:
    """Patrols drawn uniformly from the simplex, then, if `pure`, those that cover a single cell.

    The draw is that of the published menu: n − 1 numbers of NumPy's legacy generator, sorted, and their gaps.
    """
    if n_mixed < 0 or n_mixed + pure < 1:
        raise InvalidInput(f"n_mixed is {n_mixed} with pure={pure}: a menu needs at least one patrol.")
    if not 0 <= menu_seed < 2**32:
        raise InvalidInput(f"menu_seed is {menu_seed}: give a whole number from 0 to 2**32 - 1.")
    draws = np.random.RandomState(menu_seed).rand(n_mixed, n_cells - 1)
    mixed = np.diff(np.sort(draws, axis=1), axis=1, prepend=0.0, append=1.0)
    return np.vstack([mixed, np.eye(n_cells)]) if pure else mixed


def wildlife_game(
    park: Park | None = None,
    actions: Matrix | None = None,
    *,
    corner: bool = False,
    per_cell: int = 100,
    noise_std: float = REPORT_NOISE,
) -> Game:
    """The game on a park (None: the published one) with a menu of patrols (None: the published 525).

    `noise_std` is the standard deviation of a reported location, as far as it is known.

    Its one type is θ̄, the largest density on the grid of each cell; its reward range holds the optimistic rewards too.

    >>> game = wildlife_game()
    >>> print(game.n_actions, game.n_outputs, game.types.shape, np.round(game.reward_range, 3))
    525 2 (1, 25) [-0.67  1.  ]
    """
    park = published_park() if park is None else park
    menu = patrol_menu(park.n_cells) if actions is None else as_array("actions", actions, ndim=2)
    actions = checked_patrols(menu, park.n_cells)
    reward = RangersReward(park, corner, per_cell)
    lowest, highest = reward.smallest_density.range_in_cells
    corners = np.indices(park.cells).reshape(2, -1).T.astype(float)
    span = (np.min(actions - (1 - actions) * highest), np.max(actions - (1 - actions) * lowest))
    return Game(
        name="wildlife",
        actions=actions,
        reward=reward,
        response_domain=Box(np.zeros(2), np.array(park.cells, dtype=float)),
        reward_range=(float(span[0]), float(span[1])),
        types=park.largest_in_cells[None],
        places=Places(Box(corners, corners + 1), noise_std),
    )


def patrols_game(park: Park | None = None) -> Game:
    """The game on a park (None: the published one, unscaled) in which rangers commit to any mixture of its cells.

    The actions cover one cell each; a mixture p of them covers cell i with probability p[i] and earns, on average,
    Σ_i p[i] r(e_i, y) = r(p, y). Its types are the commitments themselves, which poachers see.

    >>> game = patrols_game()
    >>> print(game.n_actions, game.places.count, np.round(game.reward_range, 3))
    25 25 [-0.067  1.   ]
    """
    park = published_park(density_scale=1.0) if park is None else park
    return replace(wildlife_game(park, np.eye(park.n_cells)), name="patrols", types=None)


def checked_patrols(actions: Matrix, n_cells: int) -> Matrix:
    """Return the patrols, or raise an error for a row without a coverage probability for every cell."""
    if actions.ndim != 2 or actions.shape[1] != n_cells or len(actions) == 0:
        raise InvalidInput(
            f"actions has shape {actions.shape}: give one row or more of {n_cells} coverage probabilities."
        )
    if not np.all((actions >= 0) & (actions <= 1)):
        raise InvalidInput(f"actions reach from {actions.min()} to {actions.max()}: give probabilities, from 0 to 1.")
    return actions


def guaranteed(park: Park, actions: Matrix) -> Vector:
    """min_y r(x, y) of each patrol (n,) over the grid of the park; Max-Min plays the largest."""
    return np.min(actions - (1 - actions) * park.largest_in_cells, axis=1)
