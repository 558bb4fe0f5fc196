from dataclasses import replace

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places, Readings
from firstmover.core.records import Box
from firstmover.games.wildlife.game import wildlife_game

SQUARES = Places(Box([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [2.0, 1.0]]), noise_std=0.1)
ALIKE = np.full(2, 0.5)


def after(reports, places=SQUARES):
    readings = Readings.start(places)
    for report in reports:
        readings = readings.read(np.array(report), ALIKE)[1]
    return readings


def test_likelihoods_integrate_to_one_over_reports():
    axis = np.arange(-1, 3, 0.02)
    grid = np.stack([a.ravel() for a in np.meshgrid(axis, axis, indexing="ij")], axis=1)
    total = sum(SQUARES.likelihood(y) for y in grid) * 0.02**2
    assert total == pytest.approx([1.0, 1.0], abs=1e-3)


def test_a_point_is_a_place_with_the_density_of_the_noise():
    points = Places(Box([[0.0], [1.0]], [[0.0], [1.0]]), noise_std=0.5)
    assert points.likelihood(np.array([1.5]))[1] == pytest.approx(np.exp(-0.5) / (np.sqrt(2 * np.pi) * 0.5))
    assert np.array_equal(Readings.start(points).locations, [[0.0], [1.0]])


def test_a_report_inside_is_read_as_its_place_and_one_far_away_as_the_nearest():
    start = Readings.start(SQUARES)
    assert np.array_equal(start.read(np.array([1.4, 0.5]), ALIKE)[0], [0.0, 1.0])
    assert np.array_equal(start.read(np.array([-90.0, 0.5]), ALIKE)[0], [1.0, 0.0])


def test_an_outlier_counts_for_where_the_opponent_was_met():
    met = after([[0.8, 0.5], [0.82, 0.5], [0.79, 0.5]])
    outlier = np.array([1.02, 0.5])
    assert np.array_equal(Readings.start(SQUARES).read(outlier, ALIKE)[0], [0.0, 1.0])
    assert np.array_equal(met.read(outlier, ALIKE)[0], [1.0, 0.0])


def test_a_report_on_the_border_far_from_the_known_location_is_of_the_other_place():
    met = after([[0.2, 0.5]] * 5)
    assert np.array_equal(met.read(np.array([0.98, 0.5]), ALIKE)[0], [0.0, 1.0])


def test_reports_that_two_places_explain_move_no_location():
    start = Readings.start(SQUARES)
    _, again = start.read(np.array([1.0, 0.5]), ALIKE)
    assert again is start


def test_locations_start_at_the_centre_follow_the_reports_and_stay_inside():
    assert np.array_equal(Readings.start(SQUARES).locations, [[0.5, 0.5], [1.5, 0.5]])
    # the uniform location has variance 1/12, a report 0.01: the mean has weight (1/12) / (1/12 + 0.01)
    share = (1 / 12) / (1 / 12 + 0.01)
    assert after([[0.2, 0.5]]).locations[0] == pytest.approx([share * 0.2 + (1 - share) * 0.5, 0.5])
    assert after([[-0.3, 0.5]] * 50).locations[0, 0] == 0.0


def test_reading_leaves_the_old_readings_as_they_were():
    start = Readings.start(SQUARES)
    start.read(np.array([0.5, 0.5]), ALIKE)
    assert start.counts.sum() == 0


def test_bad_places_are_refused():
    with pytest.raises(InvalidInput, match="give one row"):
        Places(Box([0.0], [1.0]), 0.1)
    with pytest.raises(InvalidInput, match="unbounded"):
        Places(Box([[0.0]], [[np.inf]]), 0.1)
    with pytest.raises(InvalidInput, match="noise_std is 0"):
        Places(Box([[0.0]], [[1.0]]), 0)
    with pytest.raises(InvalidInput, match=r"places have 1 coordinate\(s\): responses of game 'wildlife' have 2"):
        replace(wildlife_game(), places=Places(Box([[0.0]], [[1.0]]), 0.1))


def test_the_cells_of_the_park_are_its_places_in_its_order():
    game = wildlife_game()
    centres = game.places.centres
    assert np.array_equal(game.reward.park.cell_of(centres), np.arange(25))
