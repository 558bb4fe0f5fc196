import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Blended
from firstmover.games.wildlife.opponents import MovingCamp, Poachers
from firstmover.games.wildlife.park import published_park

POACHERS = Poachers(published_park(), coverage_sign=1)
ROAD = ((0.0, 0.0), (4.0, 0.0), (4.0, 2.0))


def test_the_camp_moves_steadily_along_its_road_and_stays_at_the_end():
    moving = MovingCamp(POACHERS, ROAD, rounds=8)
    places = [moving.camp(t) for t in (1, 3, 5, 7, 9, 99)]
    assert places == [(0, 0), (2, 0), (4, 0), (4, 1), (4, 2), (4, 2)]


def test_each_round_is_answered_from_where_the_camp_is():
    moving, patrols = MovingCamp(POACHERS, ROAD, rounds=8), np.random.default_rng(0).dirichlet(np.ones(25), size=30)
    for t, start in ((1.0, (0.0, 0.0)), (3.0, (2.0, 0.0)), (9.0, (4.0, 2.0))):
        there = Poachers(published_park(), coverage_sign=1, start=start)
        np.testing.assert_array_equal(moving(patrols, np.array([t])), there(patrols, np.zeros(1)))


def test_one_response_turns_into_the_other():
    """b(2, θ) = θ² + 2: 11 of θ = 3 becomes 3 of θ = 1, half-way 7 and not the 6 of θ = 2."""
    blended = Blended(lambda x, theta: theta**2 + x, np.array([3.0]), np.array([1.0]), rounds=10)
    x = np.array([[2.0]])
    assert [blended(x, np.array([t]))[0, 0] for t in (1.0, 6.0, 11.0, 50.0)] == [11.0, 7.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: MovingCamp(POACHERS, ((0.0, 0.0),), 5), "road is"),
        (lambda: MovingCamp(POACHERS, ROAD, 0), "rounds is 0"),
        (lambda: Blended(lambda x, _: x, np.zeros(1), np.zeros(1), -1.0), "rounds is -1.0"),
        (lambda: MovingCamp(POACHERS, ((0.0, 0.0), (9.0, 9.0)), 5)(np.eye(25), np.array([6.0])), "start is"),
    ],
)
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make()
