from math import exp

import numpy as np
import pytest

from firstmover.games.toy.opponents import flock, raiders


def test_raiders_by_hand() -> None:
    """At distance 0.12 e^−½, at 0.24 e^−2, alike on both sides of home."""
    shares = raiders(np.array([[0.7], [0.82], [0.46]]), np.array([0.7]))
    np.testing.assert_allclose(shares, [[1.0], [exp(-0.5)], [exp(-2.0)]], rtol=1e-12)


def test_the_flock_runs_away_from_the_dog() -> None:
    """θ = (0.3, 0.3), dog at (0.1, 0.4): away = (0.2, −0.1), ‖·‖² = 0.05, y = θ + ½ e^−0.1 · away."""
    push = 0.5 * exp(-0.1)
    moved = flock(np.array([[0.1, 0.4]]), np.array([0.3, 0.3]))
    np.testing.assert_allclose(moved, [[0.3 + 0.2 * push, 0.3 - 0.1 * push]], rtol=1e-12)


def test_a_dog_among_the_flock_moves_nobody_and_the_field_has_an_edge() -> None:
    np.testing.assert_array_equal(flock(np.array([[0.3, 0.3]]), np.array([0.3, 0.3])), [[0.3, 0.3]])
    assert flock(np.array([[0.4, 0.5]]), np.array([0.05, 0.5]))[0, 0] == pytest.approx(0.0, abs=1e-12)
