import numpy as np
import pytest

from firstmover.core.places import GroupedReadings, Places
from firstmover.core.records import Box, Feedback

SQUARES = Places(Box([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [2.0, 1.0]]), noise_std=0.1)
ALIKE = np.full(2, 0.5)
THETA = np.zeros(1)


def told(reports, seen=None):
    """Reports (action, location), one after the other, and whether each changed what was read before."""
    seen, changes = seen or GroupedReadings.start(SQUARES), []
    for action, location in reports:
        seen, changed = seen.read(Feedback(action, THETA, np.array(location)), ALIKE)
        changes.append(changed)
    return seen, changes


def places(seen):
    return [int(np.argmax(report.response)) for report in seen.reports()]


def test_the_mean_of_two_reports_is_read_with_less_noise():
    """Each place alone explains a mean 0.05 beyond its border by Φ(−½), or with four reports by Φ(−1)."""
    likelihood = SQUARES.likelihood(np.array([1.05, 0.5]))
    assert likelihood == pytest.approx([0.3085375, 0.6914625], rel=1e-6)
    assert SQUARES.likelihood(np.array([1.05, 0.5]), reports=4) == pytest.approx([0.1586553, 0.8413447], rel=1e-6)


def test_a_report_across_the_border_is_corrected_and_all_of_its_action_with_it():
    seen, changes = told([(7, [1.03, 0.5]), (7, [0.9, 0.5]), (7, [0.88, 0.5])])
    assert changes == [False, True, False]
    assert places(seen) == [0, 0, 0]


def test_a_place_misread_once_does_not_confirm_itself():
    """The true location 0.9 is in the left square, the right one was met at 1.4: ninety reports settle it."""
    rng = np.random.default_rng(0)
    seen, _ = told([(1, [1.4, 0.5])] * 3 + [(7, [1.06, 0.5])])
    assert places(seen)[-1] == 1
    seen, changes = told([(7, [0.9, 0.5] + 0.1 * rng.standard_normal(2)) for _ in range(90)], seen)
    assert sum(changes) == 1
    assert set(places(seen)[3:]) == {0}
    assert seen.locations[0] == pytest.approx([0.9, 0.5], abs=0.03)
    assert seen.locations[1] == pytest.approx([1.4, 0.5], abs=0.01)


def test_actions_and_types_are_occasions_of_their_own():
    seen, _ = told([(7, [0.5, 0.5])])
    for other in (Feedback(8, THETA, np.array([1.5, 0.5])), Feedback(7, np.ones(1), np.array([1.5, 0.5]))):
        again, changed = seen.read(other, ALIKE)
        assert not changed
        assert places(again) == [0, 1]


def test_chances_count_for_what_was_never_seen():
    border = Feedback(0, THETA, np.array([0.99, 0.5]))
    for chances, place in (([0.9, 0.1], 0), ([0.1, 0.9], 1)):
        assert places(GroupedReadings.start(SQUARES).read(border, np.array(chances))[0]) == [place]


def test_reading_leaves_the_old_readings_as_they_were():
    start = GroupedReadings.start(SQUARES)
    told([(0, [0.2, 0.2])], start)
    assert start.reports() == []
    assert np.array_equal(start.locations, SQUARES.centres)
