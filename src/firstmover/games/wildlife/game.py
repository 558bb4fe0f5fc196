"""The wildlife park of Section 4.2: rangers commit to a patrol, poachers see it and choose where to strike."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places
from firstmover.core.records import Box, Matrix, Vector, as_array
from firstmover.games.wildlife.box_cells import Pieces, cells_met, ends_within
from firstmover.games.wildlife.density_minimum import SmallestDensity
from firstmover.games.wildlife.park import Park, published_park

REPORT_NOISE = 0.1
"""How far a reported location lies from the true one: 2 % of the park's width."""

CORNER_MARGIN = 1e-3
"""How far inside the park the authors' program keeps the corner of a box."""

KERNEL = ConstantKernel(3.4) * Matern(0.34, nu=2.5)


@dataclass(frozen=True, eq=False)
class RangersReward:
    """r(x, y) = Σ_i (x[i] R_i + (1 − x[i]) P_i) 1_i(y) with R_i = 1 and P_i = −φ(y), the animals lost.

    Within a cell the best place of a box has the smallest density, which is found from below: `best_in_box` is never
    less than the supremum, never more than `box_error` above it, and r itself where the box is a point.

    Parameters
    ----------
    park
        Its cells and φ.
    corner
        True: `best_in_box` is r at the upper corner of the box alone, as in the authors' program.
    per_cell
        Steps to a cell of the lattice on which the density is searched; the error falls with it.

    >>> reward = RangersReward(published_park())
    >>> x, y = np.full((1, 25), 0.04), np.array([[1.5, 3.5]])
    >>> best = reward.best_in_box(x, Box(y - 0.75, y + 0.75))
    >>> print(f"{reward(x, y)[0]:.3f}, at best {best[0]:.3f}, at most {reward.box_error:.4f} too high")
    -0.537, at best -0.095, at most 0.0034 too high
    """

    park: Park
    corner: bool = False
    per_cell: int = 100

    @cached_property
    def smallest_density(self) -> SmallestDensity:
        """The search for the smallest density, prepared once for all menus of a park."""
        return _search(self.park, self.per_cell)

    @property
    def box_error(self) -> float:
        """How far `best_in_box` can exceed the supremum; with `corner` it is no bound at all."""
        return self.smallest_density.error

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row; a response outside the park counts as its nearest place."""
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
        if np.count_nonzero(met) > 2 * len(actions):  # below that, searching all is as quick as choosing
            met = self._contending(actions, met)
        pieces = Pieces.of(ends, met, self.park.cells)
        covered = actions[pieces.boxes, pieces.cells]
        return pieces.largest(covered - (1 - covered) * self.smallest_density.at_least(pieces), len(actions))

    def _contending(self, actions: Matrix, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The cells (c₁ c₂, n) that can hold the best of their box: no other cell is sure to beat them."""
        lowest, highest = (bound[:, None] for bound in self.smallest_density.range_in_cells)
        covered = np.ascontiguousarray(actions.T)
        sure = np.where(met, covered - (1 - covered) * highest, -np.inf).max(axis=0)
        return met & (covered - (1 - covered) * lowest >= sure)


@lru_cache(maxsize=8)
def _search(park: Park, per_cell: int) -> SmallestDensity:
    return SmallestDensity(park, per_cell)


def patrol_menu(n_cells: int, n_mixed: int = 500, menu_seed: int = 3, *, pure: bool = True) -> Matrix:
    """Patrols drawn uniformly from the simplex, then, if `pure`, those that cover a single cell.

    The draw is that of the published menu: n − 1 numbers of NumPy's legacy generator, sorted, and their gaps.

    >>> print(patrol_menu(3, n_mixed=1).round(4))
    [[0.5508 0.1573 0.2919]
     [1.     0.     0.    ]
     [0.     1.     0.    ]
     [0.     0.     1.    ]]
    """
    if n_mixed < 0 or n_mixed + pure < 1:
        raise InvalidInput(f"n_mixed is {n_mixed} with pure={pure}: a menu needs at least one patrol.")
    if not 0 <= menu_seed < 2**32:
        raise InvalidInput(f"menu_seed is {menu_seed}: give a whole number from 0 to 2**32 - 1.")
    draws = np.random.RandomState(menu_seed).rand(n_mixed, n_cells - 1)
    mixed = np.diff(np.sort(draws, axis=1), axis=1, prepend=0.0, append=1.0)
    return np.vstack([mixed, np.eye(n_cells)]) if pure else mixed


def wildlife_game(
    park: Park | None = None, actions: Matrix | None = None, *, corner: bool = False, per_cell: int = 100
) -> Game:
    """The game on a park (None: the published one) with a menu of patrols (None: the published 525).

    Its one type is θ̄, the largest density on the grid of each cell; its reward range holds the optimistic rewards too.

    >>> game = wildlife_game()
    >>> print(game.n_actions, game.n_outputs, game.types.shape, np.round(game.reward_range, 3))
    525 2 (1, 25) [-0.67  1.  ]
    """
    park = published_park() if park is None else park
    actions = (
        patrol_menu(park.n_cells)
        if actions is None
        else checked_patrols(as_array("actions", actions, ndim=2), park.n_cells)
    )
    reward = RangersReward(park, corner, per_cell)
    lowest, highest = reward.smallest_density.range_in_cells
    return Game(
        name="wildlife",
        actions=actions,
        reward=reward,
        response_domain=Box(np.zeros(2), np.array(park.cells, dtype=float)),
        reward_range=(
            float(np.min(actions - (1 - actions) * highest)),
            float(np.max(actions - (1 - actions) * lowest)),
        ),
        types=park.largest_in_cells[None],
        places=cells_of(park),
    )


def cells_of(park: Park) -> Places:
    """The cells as places that poachers choose among, in the park's order."""
    first, second = np.divmod(np.arange(park.n_cells), park.cells[1])
    corners = np.stack([first, second], axis=1).astype(float)
    return Places(Box(corners, corners + 1), REPORT_NOISE)


def patrols_game(park: Park | None = None) -> Game:
    """The game on a park (None: rangers see the plain mixture) in which rangers commit to any mixture of its cells.

    The actions cover one cell each; a mixture p of them covers cell i with probability p[i] and earns, on average,
    Σ_i p[i] r(e_i, y) = r(p, y). Its types are the commitments themselves, which poachers see.

    >>> game = patrols_game()
    >>> print(game.n_actions, game.places.count, np.round(game.reward_range, 3))
    25 25 [-0.067  1.   ]
    """
    park = published_park(density_scale=1.0) if park is None else park
    return replace(wildlife_game(park, np.eye(park.n_cells)), name="patrols", types=None)


def checked_patrols(actions: Matrix, n_cells: int) -> Matrix:
    """The patrols themselves, when each row holds a coverage probability for every cell."""
    if actions.ndim != 2 or actions.shape[1] != n_cells or len(actions) == 0:
        raise InvalidInput(
            f"actions has shape {actions.shape}: give one row or more of {n_cells} coverage probabilities."
        )
    if not np.all((actions >= 0) & (actions <= 1)):
        raise InvalidInput(f"actions reach from {actions.min()} to {actions.max()}: give probabilities, from 0 to 1.")
    return actions


def guaranteed(park: Park, actions: Matrix) -> Vector:
    """min_y r(x, y) of each patrol (n,), over the grid where poachers can strike: Max-Min plays its largest.

    >>> print(guaranteed(published_park(density_scale=1.0), patrol_menu(25)).max().round(5))
    -0.04262
    """
    return np.min(actions - (1 - actions) * park.largest_in_cells, axis=1)
