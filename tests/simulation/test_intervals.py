import numpy as np
import pytest

from firstmover.simulation.intervals import mean_interval


def test_the_half_width_agrees_with_the_table_of_student() -> None:
    # Four seeds: t_{0.975, 3} = 3.182; values 1, 3, 3, 5 have s² = 8/3.
    mean, half_width = mean_interval(np.array([[1.0, 0.0], [3.0, 0.0], [3.0, 0.0], [5.0, 0.0]]))
    assert mean.tolist() == [3.0, 0.0]
    assert half_width[0] == pytest.approx(3.182 * np.sqrt(8 / 3) / 2, rel=1e-3)
    assert half_width[1] == 0


def test_one_seed_has_no_interval() -> None:
    mean, half_width = mean_interval(np.array([[2.0, 4.0]]))
    assert mean.tolist() == [2.0, 4.0]
    assert np.all(np.isnan(half_width))


def test_the_interval_holds_the_mean_in_95_of_100_samples() -> None:
    samples = np.random.default_rng(1).normal(2.0, 3.0, size=(6, 4000))
    mean, half_width = mean_interval(samples)
    held = np.mean(np.abs(mean - 2.0) <= half_width)
    assert abs(held - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4000)  # four standard errors
