import numpy as np
import pytest
from scipy.stats import multivariate_normal

from firstmover.core.errors import InvalidInput
from firstmover.games.wildlife.park import Park, published_park


def test_the_published_park_has_25_cells_and_2500_places_to_strike():
    park = published_park()
    assert park.n_cells == 25
    assert park.grid.shape == (2500, 2)
    assert park.grid.max() == 4.9
    np.testing.assert_allclose(park.grid[:3], [[0, 0], [0, 0.1], [0, 0.2]])
    assert np.array_equal(np.bincount(park.cell_of(park.grid)), np.full(25, 100))


def test_the_density_is_that_of_scipy():
    park = published_park(density_scale=3.0)
    y = np.random.default_rng(0).uniform(-1, 6, (50, 2))
    expected = sum(
        3.0 * w * multivariate_normal(m, c).pdf(y)
        for w, m, c in zip(park.weights, park.means, park.covariances, strict=True)
    )
    np.testing.assert_allclose(park.density(y), expected, rtol=1e-12)


def test_cells_are_half_open_and_the_far_edges_belong_to_the_last():
    park = Park([1.0], [[0.0, 0.0]], [np.eye(2)], cells=(2, 3))
    y = np.array([[0.0, 0.0], [0.0, 1.0], [np.nextafter(1.0, 0), 2.5], [1.0, 0.5], [2.0, 3.0], [-4.0, 1.5], [9.0, 9.0]])
    assert park.cell_of(y).tolist() == [0, 1, 2, 3, 5, 1, 5]


def test_the_largest_density_of_each_cell_is_found_on_the_grid():
    park = Park([1.0], [[1.3, 0.2]], [[[0.3, 0.1], [0.1, 0.2]]], cells=(2, 1), grid_step=0.25)
    density = park.density(park.grid)
    expected = [density[park.grid[:, 0] < 1].max(), density[park.grid[:, 0] >= 1].max()]
    np.testing.assert_array_equal(park.largest_in_cells, expected)


@pytest.mark.parametrize("step", [0.1, 0.01, 1 / 3, 0.07, 1.0])
def test_every_cell_has_places_whatever_the_step(step):
    park = Park([1.0], [[0.0, 0.0]], [np.eye(2)], cells=(30, 2), grid_step=step)
    counts = np.bincount(park.cell_of(park.grid), minlength=park.n_cells)
    assert counts.min() >= np.floor(1 / step + 1e-9) ** 2


EYE = [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"weights": [0.5, 0.4]}, r"weights are \[0.5, 0.4\]: give shares, 0 or more, that sum to 1."),
        ({"weights": [1.5, -0.5]}, r"weights are \[1.5, -0.5\]"),
        ({"weights": []}, r"do not fit: give \(k,\), \(k, 2\) and \(k, 2, 2\)"),
        ({"means": [[0.0, 0.0]]}, r"means \(1, 2\) and covariances \(2, 2, 2\) do not fit"),
        ({"means": [[0.0, np.nan], [1.0, 1.0]]}, "means has the value nan at position 0, 1"),
        ({"covariances": [EYE, [[1.0, 2.0], [2.0, 1.0]]]}, r"covariances\[1\] is .* eigenvalues above 0"),
        ({"covariances": [[[1.0, 0.5], [0.0, 1.0]], EYE]}, r"covariances\[0\] is .* give symmetric matrices"),
        ({"cells": (0, 5)}, r"cells is \(0, 5\): give two whole numbers, 1 or more."),
        ({"cells": (2.5, 5)}, r"cells is \(2.5, 5\)"),
        ({"cells": (5,)}, r"cells is \(5,\)"),
        ({"grid_step": 0.0}, "grid_step is 0.0: give a step above 0, and at most 1"),
        ({"grid_step": 1.5}, "grid_step is 1.5"),
        ({"grid_step": 1.0, "cells": (1, 1)}, "grid_step 1.0 leaves one place in a park of one cell"),
        ({"density_scale": -1.0}, "density_scale is -1.0: it must be a finite number above 0."),
    ],
)
def test_a_park_that_makes_no_sense_is_refused_in_one_sentence(change, sentence):
    good = {"weights": [0.5, 0.5], "means": [[0.0, 0.0], [1.0, 1.0]], "covariances": [EYE, EYE]}
    with pytest.raises(InvalidInput, match=sentence):
        Park(**(good | change))
