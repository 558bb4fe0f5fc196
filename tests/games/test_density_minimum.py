"""The best of a box against a plain search of each of its cells, on parks with and without valleys and basins."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from firstmover.core.records import Box
from firstmover.games.wildlife.density_minimum import Pieces, SmallestDensity, cells_met, ends_within
from firstmover.games.wildlife.game import RangersReward
from firstmover.games.wildlife.park import Park, published_park

WIDTHS = [0.0, 1e-9, 1e-4, 3e-3, 9e-3, 0.011, 0.04, 0.1, 0.4, 1.0, 2.5, 12.0]


def ring():
    """Eight herds around a hollow: a basin inside cell 0, and valleys between the herds."""
    angles = np.arange(8) * np.pi / 4
    means = 0.7 + 0.6 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Park(np.full(8, 1 / 8), means, np.tile(0.08 * np.eye(2), (8, 1, 1)), cells=(2, 2))


def slanted():
    """Two long herds across the axes of a park that is not square, with a slanted valley between them."""
    long_ = [[0.4, 0.3], [0.3, 0.4]]
    return Park([0.6, 0.4], [[0.4, 1.6], [2.1, 0.5]], [long_, long_], cells=(3, 2))


def random_boxes(park, n, seed):
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-0.2, np.array(park.cells) + 0.2, (n, 2))
    centre[::7] = np.round(centre[::7])  # on the borders of cells and on the park's edges
    width = rng.choice(WIDTHS, (n, 2))
    width[::2] = width[::2, :1]
    return rng.dirichlet(np.full(park.n_cells, 0.3), n), Box(centre - width / 2, centre + width / 2)


def searched(park, lower, upper):
    """The smallest density of a closed rectangle: a lattice, then finer ones about its lowest point."""
    low, high = lower, upper
    for points in (41, 21, 21):
        axes = [np.linspace(a, b, points) for a, b in zip(low, high, strict=True)]
        values = park.density_at(axes[0][:, None], axes[1][None, :])
        at = np.array([axis[i] for axis, i in zip(axes, np.unravel_index(values.argmin(), values.shape), strict=True)])
        step = (high - low) / (points - 1)
        low, high = np.maximum(at - step, lower), np.minimum(at + step, upper)
    return values.min()


def plain_best(park, x, lower, upper):
    """The supremum of the reward over a box, cell by cell, from the definition."""
    size = np.array(park.cells)
    lower, upper = np.clip(lower, 0, size), np.clip(upper, 0, size)
    first, last = np.minimum(np.floor(lower), size - 1), np.minimum(np.floor(upper), size - 1)
    best = -np.inf
    for i in range(int(first[0]), int(last[0]) + 1):
        for j in range(int(first[1]), int(last[1]) + 1):
            corner = np.array([i, j])
            density = searched(park, np.maximum(lower, corner), np.minimum(upper, corner + 1))
            covered = x[i * park.cells[1] + j]
            best = max(best, covered - (1 - covered) * density)
    return best


@pytest.mark.parametrize(
    ("park", "n", "usual"),
    [(published_park(density_scale=1.0), 1000, 4e-5), (ring(), 300, 2e-3), (slanted(), 300, 4.5e-4)],
    ids=["published", "ring", "slanted"],
)
def test_the_best_of_a_box_is_never_too_low_and_within_its_error(park, n, usual):
    reward = RangersReward(park)
    actions, box = random_boxes(park, n, seed=5)
    best = reward.best_in_box(actions, box)
    plain = np.array([plain_best(park, *case) for case in zip(actions, box.lower, box.upper, strict=True)])
    assert np.all(best >= plain - 1e-15)
    assert np.all(best <= plain + reward.box_error)
    assert np.all(best <= plain + usual)  # the stated error is for the worst park; here it is far smaller


def test_the_parks_of_these_tests_have_what_they_are_named_for():
    assert RangersReward(ring()).smallest_density.basins.values.shape[0] == 1
    assert RangersReward(slanted()).smallest_density.valleys.values.shape[0] >= 1
    assert RangersReward(slanted()).smallest_density.basins.values.shape[0] == 0


def test_a_basin_counts_only_in_boxes_that_hold_it():
    park = ring()
    reward, x = RangersReward(park), np.zeros((3, 4))
    box = Box([[0.5, 0.5], [0.85, 0.5], [0.0, 0.0]], [[0.9, 0.9], [0.9, 0.9], [0.95, 0.95]])
    expected = [-park.density_at(0.7, 0.7), -park.density_at(0.85, 0.7), -park.density_at(0.0, 0.0)]
    np.testing.assert_allclose(reward.best_in_box(x, box), expected, atol=2e-3)
    assert park.density_at(0.7, 0.7) + 2e-3 < park.density_at(0.85, 0.7)


@pytest.mark.parametrize("park", [published_park(), ring(), slanted()], ids=["published", "ring", "slanted"])
def test_a_box_without_width_has_the_reward_of_its_point(park):
    reward = RangersReward(park)
    actions, box = random_boxes(park, 500, seed=6)
    np.testing.assert_allclose(
        reward.best_in_box(actions, Box(box.lower, box.lower)), reward(actions, box.lower), rtol=1e-14
    )


def test_the_best_of_a_box_dominates_its_points():
    park = ring()
    reward = RangersReward(park)
    actions, box = random_boxes(park, 400, seed=7)
    best = reward.best_in_box(actions, box)
    rng = np.random.default_rng(8)
    for _ in range(50):
        inside = box.lower + rng.uniform(size=box.lower.shape) * (box.upper - box.lower)
        assert np.all(reward(actions, inside) <= best + 1e-15)


def test_the_best_of_a_box_has_no_jumps_within_a_cell():
    park = ring()
    reward = RangersReward(park)
    rng = np.random.default_rng(9)
    corners = np.sort(rng.uniform(0.001, 0.999, (2, 300, 2)), axis=0)
    corners[1, ::3] = corners[0, ::3] + 0.005 * rng.uniform(size=(100, 2))  # about the size of a lattice step
    moves = corners + 1e-7 * rng.uniform(-1, 1, corners.shape)
    moves[1] = np.maximum(moves[0], moves[1])
    x = np.zeros((300, 4))
    steepest = reward.smallest_density.slope + reward.box_error * reward.per_cell
    before, after = (reward.best_in_box(x, Box(*c)) for c in (corners, moves))
    assert np.max(np.abs(before - after)) <= 8 * steepest * 1e-7


def test_passing_over_cells_that_cannot_win_changes_nothing():
    park = published_park()
    reward = RangersReward(park)
    actions, box = random_boxes(park, 300, seed=10)
    together = reward.best_in_box(actions, Box(np.zeros((300, 2)), np.full((300, 2), 5.0)))
    lowest = np.array([searched(park, c, c + 1) for c in np.indices((5, 5)).reshape(2, -1).T.astype(float)])
    np.testing.assert_allclose(together, np.max(actions - (1 - actions) * lowest, axis=1), atol=4e-4)
    assert np.all(np.isfinite(reward.best_in_box(actions, Box(np.full((300, 2), -np.inf), box.upper))))


def test_a_finer_lattice_has_a_smaller_error():
    errors = [RangersReward(published_park(), per_cell=n).box_error for n in (10, 50, 200)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.0018


def one_herd():
    """φ = exp(−(d₁² + 2 d₂²) / 2) around the middle of a cell."""
    return Park([1.0], [[0.5, 0.5]], [[[1.0, 0.0], [0.0, 0.5]]], cells=(1, 1), density_scale=2 * np.pi * np.sqrt(0.5))


def test_the_error_is_as_worked_by_hand():
    search = SmallestDensity(one_herd(), per_cell=4)
    # second derivatives at most c A: M₁ = 1, M₂ = 2, M = 3; below: (3/4 + 3/8) / 16
    np.testing.assert_allclose(search.bends[0], [1.0, 2.0])
    assert search.bends[1] == pytest.approx(3.0)
    assert search.below == pytest.approx(1.125 / 16)
    # the steepest of four steps a side, along the second axis in the middle, 4 (e^−1/16 − e^−1/4), plus M / 4
    assert search.slope == pytest.approx(4 * (np.exp(-1 / 16) - np.exp(-1 / 4)) + 3 / 4)
    assert search.error == pytest.approx(1.125 / 16 + search.slope / 8 + 2 / 128)


@pytest.mark.parametrize("park", [one_herd(), published_park(), ring(), slanted()])
@pytest.mark.parametrize("per_cell", [2, 100])
def test_no_slope_or_bend_exceeds_its_bound(park, per_cell):
    search, step = SmallestDensity(park, per_cell), 1e-4
    y = np.random.default_rng(11).uniform(step, np.array(park.cells) - step, (20_000, 2))
    here = park.density(y)
    for axis, move in enumerate(step * np.eye(2)):
        ahead, behind = park.density(y + move), park.density(y - move)
        assert np.max(np.abs(ahead - behind)) / (2 * step) <= search.slope
        assert np.max(np.abs(ahead + behind - 2 * here)) / step**2 <= search.bends[0][axis]
    for move in (np.array([step, step]), np.array([step, -step])):
        bend = park.density(y + move) + park.density(y - move) - 2 * here
        assert np.max(np.abs(bend)) / step**2 <= search.bends[1]


@pytest.mark.parametrize("park", [published_park(density_scale=1.0), ring(), slanted()])
@pytest.mark.parametrize("per_cell", [2, 3, 5])
def test_the_bound_is_below_the_interpolated_lattice_on_all_four_edges(park, per_cell):
    """On an edge the interpolated density is lowest at an end or where it crosses a line of the lattice."""
    search, cells = SmallestDensity(park, per_cell), park.cells
    rng = np.random.default_rng(12)
    corners = np.sort(rng.uniform(0, np.array(cells), (2, 300, 2)), axis=0)
    ends = ends_within(Box(*corners), cells)
    pieces = Pieces.of(ends, cells_met(ends, cells), cells)
    bounds = search.at_least(pieces)
    interpolated = RegularGridInterpolator([np.arange(size) for size in search.values.shape], search.values)
    for k in np.flatnonzero((pieces.ends[:, 1] - pieces.ends[:, 0]).sum(axis=0) * per_cell >= 1):
        low, high = pieces.ends[:, :, k].T * per_cell
        lines = [np.r_[a, np.arange(np.ceil(a), b), b] for a, b in zip(low, high, strict=True)]
        edges = [(x, t) for x in (low[0], high[0]) for t in lines[1]] + [
            (t, y) for t in lines[0] for y in (low[1], high[1])
        ]
        assert bounds[k] <= max(interpolated(edges).min() - search.below, 0.0) + 1e-12


def test_valleys_lie_midway_between_two_herds():
    park = Park([0.5, 0.5], [[0.1, 0.5], [0.7, 0.5]], np.tile(0.01 * np.eye(2), (2, 1, 1)), cells=(1, 1))
    valleys = SmallestDensity(park, per_cell=50).valleys
    along_first = valleys.places[0, 0, 51:]  # of the 51 lines across the second axis, after those across the first
    np.testing.assert_array_equal(along_first, np.full(51, 20.0))
    assert np.all(np.isnan(valleys.places[0, 0, :51]))
