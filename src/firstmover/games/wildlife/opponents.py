"""Poachers who see the patrol and strike where their subjective utility is largest, Appendix F; a prior for them."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import expit, logit
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.core.arrays import Matrix, Vector, as_array, positive
from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Behaviour, Drift, true_rewards
from firstmover.games.wildlife.game import checked_patrols, guaranteed
from firstmover.games.wildlife.park import Indices, Park, published_park

KERNEL = ConstantKernel(3.4) * Matern(0.34, nu=2.5)

TIE = 1e-12
"""Utilities closer than this are equal: the first place on the grid is taken."""


@dataclass(frozen=True, eq=False)
class Poachers:
    """b(x) = argmax over the grid of SU(x, y) = Σ_i (−ω₁ f(x[i]) + ω₂ R(y) + ω₃ P_i) 1_i(y), ties to the first place.

    With f(p) = δ p^γ / (δ p^γ + (1 − p)^γ) and R(y) = κ φ(y) − ζ D(y) / max D, D the distance from the start, its
    maximum over the grid. In a cell SU depends on x through f(x[i]) alone, so the best place of each cell is fixed.

    Parameters
    ----------
    preferences, distance_weight, curve
        ω₁, ω₂ and ω₃; ζ; δ and γ, both above 0.
    coverage_sign
        −1 as printed, so that the printed ω₁ = −3 seeks rangers; +1 as in the authors' program, where it avoids them.
    density_factor
        κ: 1 as printed; 10 in the authors' program, on a park of `density_scale` 1.
    penalties, start
        P, one number for all cells or one for each; the poachers' camp, in the park.

    >>> shy = Poachers(published_park(), coverage_sign=1)
    >>> print(shy(np.eye(25)[[0, 8]], np.zeros(25)))
    [[1.5 3.3]
     [3.3 1.5]]
    """

    park: Park
    preferences: tuple[float, float, float] = (-3.0, 1.0, 1.0)
    coverage_sign: int = -1
    density_factor: float = 1.0
    distance_weight: float = 0.5
    curve: tuple[float, float] = (2.0, 3.0)
    penalties: float | Vector = -1.0
    start: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        as_array("preferences", self.preferences, ndim=1, length=3)
        if self.coverage_sign not in (-1, 1):
            raise InvalidInput(f"coverage_sign is {self.coverage_sign}: give -1, as printed, or 1.")
        for i, value in enumerate(as_array("curve", self.curve, ndim=1, length=2).tolist()):
            positive(f"curve[{i}]", value)
        as_array("density_factor and distance_weight", [self.density_factor, self.distance_weight], ndim=1)
        penalties = as_array("penalties", np.atleast_1d(self.penalties), ndim=1)
        if len(penalties) not in (1, self.park.n_cells):
            raise InvalidInput(
                f"penalties has {len(penalties)} numbers: give one, or one for each of {self.park.n_cells}."
            )
        start = as_array("start", self.start, ndim=1, length=2)
        if not np.array_equal(start, self.park.inside(start[None])[0]):
            raise InvalidInput(f"start is {self.start}: give a place in the park, from (0, 0) to {self.park.cells}.")

    @cached_property
    def utilities(self) -> Vector:
        """ω₂ R(y) + ω₃ P_i of each place of the grid: SU without the rangers."""
        grid = self.park.grid
        distance = np.hypot(*(grid - np.array(self.start)).T)
        gain = self.density_factor * self.park.density(grid) - self.distance_weight * distance / distance.max()
        penalty = np.broadcast_to(self.penalties, self.park.n_cells)[self.park.cell_of(grid)]
        return self.preferences[1] * gain + self.preferences[2] * penalty

    @cached_property
    def best_places(self) -> tuple[Matrix, Indices, Vector]:
        """The first best place of each cell (c, 2) in the grid's order, with its cell and utility."""
        cells = self.park.cell_of(self.park.grid)
        best = np.full(self.park.n_cells, -np.inf)
        np.maximum.at(best, cells, self.utilities)
        near = np.flatnonzero(self.utilities >= best[cells] - TIE)
        first = np.sort(near[np.unique(cells[near], return_index=True)[1]])
        return self.park.grid[first], cells[first], self.utilities[first]

    def __call__(self, actions: Matrix, _opponent_type: Vector, /) -> Matrix:
        """b(x) of each patrol (k, 2); these poachers are of one type."""
        utility = self.subjective(actions)
        return self.best_places[0][np.argmax(utility >= utility.max(axis=1, keepdims=True) - TIE, axis=1)]

    def subjective(self, actions: Matrix) -> Matrix:
        """SU of the best place of each cell, in the order of `best_places`, for each patrol (k, c)."""
        checked_patrols(actions, self.park.n_cells)
        _, cells, without_rangers = self.best_places
        delta, gamma = self.curve
        perceived = expit(np.log(delta) + gamma * logit(actions[:, cells]))  # f
        return self.coverage_sign * self.preferences[0] * perceived + without_rangers


@dataclass(frozen=True, eq=False)
class MovingCamp:
    """Poachers whose camp moves along a road of places at constant speed: b_t(x) is their response from there.

    The camp is at the first place in round 1 and reaches the last one `rounds` later, where it stays.
    """

    poachers: Poachers
    road: tuple[tuple[float, float], ...]
    rounds: float

    def __post_init__(self) -> None:
        positive("rounds", self.rounds)
        if as_array("road", self.road, ndim=2).shape[1] != 2 or len(self.road) < 2:
            raise InvalidInput(f"road is {self.road}: give two places or more, two numbers each.")

    def camp(self, t: float) -> tuple[float, float]:
        """The location of the camp in round t."""
        way = np.clip((t - 1) / self.rounds, 0, 1) * (len(self.road) - 1)
        legs, places = np.arange(len(self.road)), np.array(self.road)
        return float(np.interp(way, legs, places[:, 0])), float(np.interp(way, legs, places[:, 1]))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b_t(x) of each patrol (k, 2) in the round that the type names."""
        return _from(self.poachers, self.camp(float(opponent_type[0])))(actions, opponent_type)


@lru_cache(maxsize=1024)
def _from(poachers: Poachers, start: tuple[float, float]) -> Poachers:
    return replace(poachers, start=start)


def park_behaviour(_: Game) -> Behaviour:
    """Poachers of the published park; in a drift their camp moves from one corner to the opposite one."""
    poachers = _published_poachers()
    corners = ((0.0, 0.0), (float(poachers.park.cells[0]), float(poachers.park.cells[1])))
    drift = Drift(poachers.park.largest_in_cells, lambda rounds: MovingCamp(poachers, corners, rounds))
    return Behaviour(poachers, noise_std=0.1, drift=drift)


@lru_cache
def _published_poachers() -> Poachers:
    return Poachers(published_park(), coverage_sign=1)


def commitment_behaviour(_: Game) -> Behaviour:
    """Poachers who see the mixture that rangers commit to."""
    park = published_park(density_scale=1.0)
    respond = answering_commitments(Poachers(park, coverage_sign=1, density_factor=10.0))
    return Behaviour(respond, 0.1, lambda rng: rng.dirichlet(np.ones(park.n_cells)), sees_commitment=True)


def answering_commitments(poachers: Poachers) -> ResponseFunction:
    """b(x, θ) of poachers who see the commitment θ but not the cell x that is patrolled."""

    def respond(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        return np.repeat(poachers(opponent_type[None], opponent_type), len(actions), axis=0)

    return respond


@dataclass(frozen=True)
class References:
    """The rewards of rangers who know the poachers, and of those who play Max-Min."""

    optimal_action: int
    optimum: float
    max_min_action: int
    max_min_guaranteed: float
    max_min_obtained: float


def references(game: Game, poachers: Poachers) -> References:
    """OPT = max_x r(x, b(x)), and Max-Min: the reward that its patrol guarantees, and the reward it obtains.

    >>> from firstmover.games.wildlife.game import wildlife_game
    >>> park = published_park(density_scale=1.0)
    >>> known = references(wildlife_game(park), Poachers(park, coverage_sign=1, density_factor=10.0))
    >>> print(f"{known.optimum:.5f} {known.max_min_guaranteed:.5f} {known.max_min_obtained:.3f}")
    0.05004 -0.04262 0.017
    """
    obtained = true_rewards(game, poachers)(poachers.park.largest_in_cells)
    least = guaranteed(poachers.park, game.actions)
    best, safest = int(np.argmax(obtained)), int(np.argmax(least))
    return References(best, float(obtained[best]), safest, float(least[safest]), float(obtained[safest]))
