import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.places import CONTENDING, DECLARED, Places, Reports
from firstmover.core.records import Box

SQUARES = Places(Box([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [2.0, 1.0]]), noise_std=0.1)
OPEN = np.zeros((1, 2))


def told(*reports, places=SQUARES):
    """Reports (action, location), one after the other."""
    seen = Reports.start(places)
    for action, location in reports:
        seen = seen.add(action, np.array(location))
    return seen


def test_a_report_beyond_a_border_has_the_density_of_its_distance_from_the_place():
    """0.05 beyond the border: exp(−½ (0.05 / 0.1)²) for the left square, 1 for the right one."""
    assert told((7, [1.05, 0.5])).likelihoods(OPEN)[0] == pytest.approx([np.exp(-0.125), 1.0])


def test_the_mean_of_four_reports_has_half_the_noise():
    assert told(*[(7, [1.05, 0.5])] * 4, places=SQUARES).noise_std < 0.1
    four = Reports(SQUARES, (7,), np.array([4.0]), np.array([[4.2, 2.0]]), np.array([4 * (1.05**2 + 0.25)]))
    spread = DECLARED * 0.01 / (DECLARED + 6)  # three differences of two coordinates, all of them 0
    assert four.noise_std**2 == pytest.approx(spread)
    assert four.likelihoods(OPEN)[0, 0] == pytest.approx(np.exp(-0.5 * 4 * 0.05**2 / spread))


def test_a_known_location_excludes_its_place_but_never_favours_it():
    """The left square was met at 0.2: a report of 0.98 is of the right one; met at 0.95, both stay open."""
    far = told((1, [0.2, 0.5]), (7, [0.98, 0.5])).likelihoods(np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert np.array_equal(far[1], [0.0, 1.0])
    near = told((1, [0.95, 0.5]), (7, [1.02, 0.5])).likelihoods(np.array([[1.0, 0.0], [0.0, 0.0]]))
    common = (0.95 + 1.02) / 2
    expected = np.exp(-0.5 * ((1.02 - common) ** 2 + (0.95 - common) ** 2) / 0.01)
    assert near[1] == pytest.approx([expected, 1.0])


def test_the_reports_of_an_action_do_not_confirm_their_own_reading():
    """Action 1 was met at 0.2 for certain: where 7 was met is judged by that, however 7 itself is read."""
    seen = told((1, [0.2, 0.5]), (7, [0.7, 0.5]))
    left, unread = (seen.likelihoods(np.array([[1.0, 0.0], [share, 0.0]]))[1] for share in (1.0, 0.0))
    assert 0 < unread[0] < 1
    assert left == pytest.approx(unread, rel=1e-12)


def test_a_place_much_less_likely_than_another_is_excluded():
    distance = 0.1 * np.sqrt(2 * np.log(CONTENDING))
    assert told((7, [1 + 0.99 * distance, 0.5])).likelihoods(OPEN)[0, 0] > 0
    assert told((7, [1 + 1.01 * distance, 0.5])).likelihoods(OPEN)[0, 0] == 0


def test_noise_is_the_declared_one_until_reports_of_one_action_differ():
    assert told((0, [0.2, 0.5]), (1, [0.9, 0.1])).noise_std == pytest.approx(0.1)
    twice = told((0, [0.2, 0.5]), (0, [0.8, 0.5]))  # 0.18 within, two degrees of freedom
    assert twice.noise_std**2 == pytest.approx((DECLARED * 0.01 + 0.18) / (DECLARED + 2))


def test_noise_that_was_declared_wrong_is_found():
    rng = np.random.default_rng(0)
    for factor in (1 / 3, 3.0):
        seen = told(*[(0, [0.5, 0.5] + factor * 0.1 * rng.standard_normal(2)) for _ in range(100)])
        assert seen.noise_std == pytest.approx(factor * 0.1, rel=0.15)


def test_locations_start_at_the_centre_and_follow_the_share_of_the_reports():
    assert np.array_equal(Reports.start(SQUARES).locations(np.empty((0, 2))), SQUARES.centres)
    share = (1 / 12) / (1 / 12 + 0.01)  # the variance of a uniform location and that of a report
    seen = told((0, [0.2, 0.5]))
    assert seen.locations(np.array([[1.0, 0.0]]))[0] == pytest.approx([share * 0.2 + (1 - share) * 0.5, 0.5])
    half = (0.5 / 12) / (0.5 / 12 + 0.01)
    assert seen.locations(np.array([[0.5, 0.5]]))[0, 0] == pytest.approx(half * 0.2 + (1 - half) * 0.5)
    outside = told(*[(0, [-0.3, 0.5])] * 50)
    assert outside.locations(np.array([[1.0, 0.0]]))[0, 0] == 0.0


def test_shifting_and_rescaling_the_coordinates_changes_no_likelihood():
    places = Places(Box(SQUARES.box.lower * 1000 - 5, SQUARES.box.upper * 1000 - 5), noise_std=100.0)
    reports = [(1, [0.95, 0.5]), (7, [1.02, 0.4]), (7, [1.1, 0.6])]
    moved = told(*[(a, 1000 * np.array(y) - 5) for a, y in reports], places=places)
    read = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert moved.likelihoods(read) == pytest.approx(told(*reports).likelihoods(read))


def test_adding_leaves_the_old_reports_as_they_were():
    start = told((0, [0.2, 0.2]))
    start.add(0, np.array([0.4, 0.4]))
    start.add(1, np.array([0.4, 0.4]))
    assert start.actions == (0,)
    assert start.counts.sum() == 1
    assert repr(start) == "Reports(1 reports of 1 actions)"
    with pytest.raises(InvalidInput, match="response"):
        start.add(0, np.zeros(3))
