"""Adaptive conformal bands: hand-worked widths, and their share outside whatever the errors are."""

import numpy as np
import pytest

from firstmover.beliefs.conformal import EXPECTED, adaptive_widths


def test_before_any_error_a_band_is_that_of_normal_errors() -> None:
    assert adaptive_widths(np.empty(0), 0.1).tolist() == [EXPECTED[9]]
    assert adaptive_widths(np.empty(0), 0.2).tolist() == [EXPECTED[8]]
    assert EXPECTED[9] == pytest.approx(1.95996, abs=1e-5)  # the quantile 0.95 of |N(0, 1)|, the last of ten


def test_a_share_of_almost_all_leaves_the_smallest_score() -> None:
    """Ranks ⌈11 · 0.05⌉ = 1 and ⌈11 · 0⌉ = 0: no band is narrower than the smallest score."""
    assert adaptive_widths(np.empty(0), 0.95).tolist() == [EXPECTED[0]]
    assert adaptive_widths(np.empty(0), 1.0).tolist() == [EXPECTED[0]]
    assert adaptive_widths(np.empty(0), 0.85).tolist() == [EXPECTED[1]]


def test_by_hand() -> None:
    """Ten normal scores and 1.0: of 11, the rank ⌈12 (1 − 0.105)⌉ = 11 is the largest, since the first was inside."""
    widths = adaptive_widths(np.array([1.0, 5.0]), 0.1)
    assert widths[:2] == pytest.approx([EXPECTED[9], EXPECTED[9]])
    # after 5.0 outside the share is 0.105 − 0.045 = 0.06: rank ⌈13 · 0.94⌉ = 13 of 12 scores, so half more than 5
    assert widths[2] == pytest.approx(7.5)


def test_the_step_of_the_share_by_hand() -> None:
    """After k small scores the share is 0.1 + 0.005 k: of 10 + k scores the rank is ⌈(11 + k) (0.9 − 0.005 k)⌉."""
    scores = np.linspace(1e-3, 2e-3, 28)
    widths = adaptive_widths(scores, 0.1)
    for k in (0, 5, 13, 20, 27):
        rank = int(np.ceil(round((11 + k) * (0.9 - 0.005 * k), 9)))
        assert widths[k] == pytest.approx(np.sort(np.append(EXPECTED, scores[:k]))[rank - 1])


@pytest.mark.parametrize("outside", [0.1, 0.2])
@pytest.mark.parametrize("freedom", [2, 5, 50])
def test_the_share_outside_is_kept_for_any_errors(outside: float, freedom: int) -> None:
    """|share − outside| ≤ (1 + step) / (step T), by the sum of the steps: 0.04 for 500 errors that double in size."""
    rng = np.random.default_rng(freedom)
    scores = np.abs(rng.standard_t(freedom, size=500)) * np.linspace(1, 2, 500)
    widths = adaptive_widths(scores, outside)
    assert np.mean(scores > widths[:-1]) == pytest.approx(outside, abs=1.05 / (0.05 * 500))


def test_a_band_uses_only_the_errors_before_it() -> None:
    scores = np.abs(np.random.default_rng(3).standard_normal(40))
    whole = adaptive_widths(scores, 0.1)
    changed = scores.copy()
    changed[20] = 50.0
    assert np.array_equal(adaptive_widths(changed, 0.1)[:21], whole[:21])
    assert adaptive_widths(changed, 0.1)[21] > whole[21]
