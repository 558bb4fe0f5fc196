from itertools import product
from math import ceil, comb, inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.games import grid_size, radius_for_horizon, radius_for_size, simplex_grid
from firstmover.games.stackelberg import simplex
from firstmover.games.stackelberg.simplex import grid_steps

RADII = st.floats(0.08, 3.0)


@given(n=st.integers(1, 5), radius=RADII, seed=st.integers(0, 2**32 - 1))
def test_no_mixed_strategy_is_further_from_the_grid_than_the_radius(n, radius, seed):
    rng = np.random.default_rng(seed)
    concentration = rng.choice([0.2, 1.0, 5.0])
    x = rng.dirichlet(np.full(n, concentration), size=20)
    nearest = np.abs(x[:, None] - simplex_grid(n, radius)).sum(axis=2).min(axis=1)
    assert nearest.max() <= radius + 1e-12


@given(n=st.integers(4, 9), radius=st.floats(1.0, 2.5), seed=st.integers(0, 2**32 - 1))
def test_coarse_grids_of_many_actions_keep_to_the_radius_too(n, radius, seed):
    rng = np.random.default_rng(seed)
    x = np.vstack([np.full(n, 1 / n), np.eye(n)[0], rng.dirichlet(np.ones(n), size=20)])
    nearest = np.abs(x[:, None] - simplex_grid(n, radius)).sum(axis=2).min(axis=1)
    assert nearest.max() <= radius + 1e-12


@given(n=st.integers(1, 5), radius=RADII)
def test_the_size_is_known_before_and_every_row_is_a_distribution(n, radius):
    grid = simplex_grid(n, radius)
    assert len(grid) == grid_size(n, radius)
    assert grid.min() >= 0
    np.testing.assert_allclose(grid.sum(axis=1), 1, rtol=1e-15)
    assert len(np.unique(grid, axis=0)) == len(grid)
    if radius < 2:
        assert {tuple(row) for row in np.eye(n)} <= {tuple(row) for row in grid}  # corners are not lost


@pytest.mark.parametrize(("n", "steps"), [(2, 5), (3, 4), (4, 3), (5, 2)])
def test_the_points_are_all_shares_of_the_steps(n, steps):
    radius = {2: 1.0, 3: 4 / 3, 4: 2.0, 5: 12 / 5}[n] / steps
    assert grid_steps(n, radius) == steps
    by_hand = [row for row in product(range(steps + 1), repeat=n) if sum(row) == steps]
    np.testing.assert_array_equal(simplex_grid(n, radius), np.array(by_hand) / steps)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_radius_is_reached_so_fewer_steps_would_not_do(n):
    """At N x = (m / n, …) plus whole numbers the distance is exactly c_n / N."""
    radius = 0.7
    steps = grid_steps(n, radius)
    hole = np.full(n, (n // 2) / n)
    hole[0] += steps - n // 2
    distance = np.abs(simplex_grid(n, radius) - hole / steps).sum(axis=1).min()
    assert distance == pytest.approx(2 * (n // 2) * ceil(n / 2) / n / steps)
    assert distance <= radius < 2 * (n // 2) * ceil(n / 2) / n / (steps - 1)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8])
def test_with_few_steps_the_centre_is_furthest_and_fewer_would_not_do(n):
    """N steps leave the centre at N (1/N − 1/n) + (n − N) / n = 2 (n − N) / n."""
    for steps in range(1, n // 2 + 1):
        radius = 2 * (n - steps) / n * (1 + 1e-12)
        grid = simplex_grid(n, radius)
        assert grid_steps(n, radius) == steps
        assert grid_steps(n, radius * (1 - 1e-9)) == steps + 1
        assert np.abs(grid - 1 / n).sum(axis=1).min() == pytest.approx(radius)


def test_a_radius_of_the_diameter_needs_one_point():
    assert (grid_size(20, 2.0), grid_size(20, 1.9999), grid_size(20, 1.8999)) == (1, 20, 210)
    np.testing.assert_array_equal(simplex_grid(50, 2.0), np.full((1, 50), 0.02))
    np.testing.assert_array_equal(simplex_grid(50, radius_for_horizon(50, 100, 0.0, 1.0)), np.full((1, 50), 0.02))


def test_one_leader_action_is_one_strategy():
    np.testing.assert_array_equal(simplex_grid(1, 0.001), [[1.0]])
    assert radius_for_size(1, 10) == 2.0


@pytest.mark.parametrize(
    ("n", "most"),
    [(2, 2), (2, 100), (3, 528), (3, 527), (5, 3000), (7, 7), (8, 300), (30, 500), (7, 1), (3, 3_000_000)],
)
def test_the_radius_of_a_size_is_the_smallest_that_keeps_to_it(n, most):
    radius = radius_for_size(n, most)
    assert grid_size(n, radius) <= most
    assert grid_size(n, radius * (1 - 1e-9)) > most


@given(n=st.integers(2, 60), steps=st.integers(1, 80))
def test_the_radius_of_every_size_has_that_size(n, steps):
    size = comb(steps + n - 1, n - 1)
    assert grid_size(n, radius_for_size(n, size)) == size


def test_equation_9_by_hand():
    """n_l = 3, T = 1600, L_r = 0.5, L_b = 1: √(3 / 1600) / (0.5 · 2) = 0.0433; ⌈(4/3) / 0.0433⌉ = 31 steps."""
    radius = radius_for_horizon(3, 1600, 0.5, 1.0)
    assert radius == pytest.approx(sqrt(3 / 1600))
    assert (grid_steps(3, radius), grid_size(3, radius)) == (31, 33 * 32 // 2)
    assert radius_for_horizon(3, 1600, 0.25, 3.0) == pytest.approx(radius)
    assert radius_for_horizon(3, 1600, 1.0, 1.0) == pytest.approx(radius / 2)
    assert radius_for_horizon(3, 6400, 0.5, 1.0) == pytest.approx(radius / 2)
    assert radius_for_horizon(12, 1600, 0.5, 1.0) == pytest.approx(radius * 2)
    assert radius_for_horizon(3, 1600, 0.5, 1.0, reward_width=0.4875) == pytest.approx(radius * 0.4875)


def test_a_constant_reward_asks_for_one_point_only():
    assert radius_for_horizon(3, 1600, 0.0, 1.0) == 2.0
    np.testing.assert_array_equal(simplex_grid(3, 2.0), np.full((1, 3), 1 / 3))


def test_a_grid_beyond_memory_is_refused_with_what_would_fit(monkeypatch):
    monkeypatch.setattr(simplex, "available_memory", lambda: 1e6)
    with pytest.raises(InvalidInput) as refused:
        simplex_grid(4, 0.01)
    said = str(refused.value)
    assert said.startswith("radius 0.01 asks for a grid of 1,373,701 mixed strategies of 4 leader actions, more than ")
    assert "StackelbergGame.on_menu" in said
    assert "optimal_commitment" in said
    fits = float(said.split("give radius ")[1].split(maxsplit=1)[0])
    assert len(simplex_grid(4, fits)) * 3 * 8 * 4 <= 1e6
    assert grid_size(4, fits * 0.98) * 3 * 8 * 4 > 1e6


@pytest.mark.parametrize("radius", [1e-9, 1e-300])
@pytest.mark.parametrize("known", [True, False])
def test_a_grid_beyond_all_measure_is_counted_and_refused(radius, known, monkeypatch):
    if not known:
        monkeypatch.setattr(simplex, "available_memory", lambda: np.inf)
    with pytest.raises(InvalidInput, match=r"asks for a grid of 10\^\d+ mixed strategies of 30 leader actions"):
        simplex_grid(30, radius)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: simplex_grid(0, 0.1), "n_leader_actions is 0: give 1 or more."),
        (lambda: simplex_grid(3, 0.0), "radius is 0.0: it must be a finite number above 0."),
        (lambda: radius_for_horizon(3, 0, 1.0, 1.0), "horizon is 0: give 1 or more."),
        (lambda: radius_for_size(3, inf), "most is inf: it must be a finite number above 0."),
        (lambda: radius_for_size(3, nan), "most is nan: it must be a finite number above 0."),
        (lambda: radius_for_size(3, 0.5), "most is 0.5: give 1 or more, as no grid is empty."),
        (
            lambda: radius_for_horizon(3, 9, 1.0, 1.0, reward_width=0.0),
            "reward_width is 0.0: it must be a finite number above 0.",
        ),
        (lambda: radius_for_horizon(3, 9, -1.0, 1.0), "reward_lipschitz is -1.0: give a finite number, 0 or more."),
    ],
)
def test_what_makes_no_grid_is_refused(call, said):
    with pytest.raises(InvalidInput) as refused:
        call()
    assert str(refused.value) == said
