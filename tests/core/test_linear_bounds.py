"""Linear bounds of rewards: they hold everywhere in a box, and a linear reward is its own bound."""

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.linear_bounds import Plane, linear_bounds, linear_plane
from firstmover.core.records import Box
from firstmover.games import GAMES
from firstmover.games.prices.game import Takings
from firstmover.games.rewards import Bilinear, Concave, Lattice, Monotone, decreasing, increasing
from firstmover.matches.rewards import LinearReward
from firstmover.runs.calibration import CalibrationSpec, Drawing

ACTIONS = np.array([[0.3, 0.6], [0.7, 0.2], [0.5, 0.5], [0.2, 0.2]])
LINEAR = LinearReward(
    ACTIONS, np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1.0, -2.0], [0.5, 0.0], [-1.0, 1.0], [2.0, 2.0]])
)
REWARDS = {
    "takings": Takings(np.array([0.4, 0.6]), 0.5),
    "bilinear": Bilinear(np.array([[1.0, -1.0], [0.5, 2.0]])),
    "concave": Concave(lambda x, y: -np.sum((y - x) ** 2, axis=1), lambda x, y: -2 * (y - x)),
    "monotone": Monotone(lambda x, y: x[:, 0] * y[:, 0] ** 3 - y[:, 1], (1, -1)),
    "declared": increasing(lambda x, y: 2 + np.sum(x * y, axis=1), 2, slopes=lambda x: x),
    "lattice": Lattice(lambda x, y: np.abs(y - x).sum(axis=1), 1.0),
    "linear": LINEAR,
    "centred": Drawing(CalibrationSpec(game="prices")).game.reward,
}
WIDE = {"centred": Drawing(CalibrationSpec(game="prices")).game.actions[[0, 50, 100, 200]]}


@pytest.mark.parametrize("name", REWARDS)
def test_bounds_hold_in_the_whole_box(name: str) -> None:
    rng, reward, actions = np.random.default_rng(0), REWARDS[name], WIDE.get(name, ACTIONS)
    m = 3 if name == "centred" else 2
    for width in (1.0, 0.1, 0.0):
        lower = rng.uniform(0, 1, (4, m))
        box = Box(lower, lower + width * rng.uniform(0, 1, (4, m)))
        upper, below = linear_bounds(reward, actions, box)
        for _ in range(200):
            y = rng.uniform(box.lower, box.upper)
            earned = reward(actions, y)
            assert np.all(below.at(y) <= earned + 1e-9)
            assert np.all(earned <= upper.at(y) + 1e-9)
        if not width and name != "lattice":
            np.testing.assert_allclose(upper.at(lower), below.at(lower), atol=1e-12)


def test_takings_touch_their_bounds() -> None:
    """Price 2, capacity 1, penalty 1, demand from 0 to 2: takings are 0 at 0, 2 at the peak and 2 − 1 = 1 at 2.

    The chord is y / 2, and the parallel line through (1, 2) is 1.5 + y / 2.
    """
    upper, lower = linear_bounds(Takings(np.array([1.0]), 1.0), np.array([[2.0]]), Box([[0.0]], [[2.0]]))
    assert (upper.value[0], upper.slope[0, 0]) == (1.5, 0.5)
    assert (lower.value[0], lower.slope[0, 0]) == (0.0, 0.5)


def test_a_tangent_by_hand() -> None:
    """−y² between 1 and 3 has the tangent 4 − 4 y in the middle and the minimum −9."""
    reward = Concave(lambda _, y: -(y[:, 0] ** 2), lambda _, y: -2 * y)
    upper, lower = linear_bounds(reward, np.zeros((1, 1)), Box([[1.0]], [[3.0]]))
    assert (upper.value[0], upper.slope[0, 0], lower.value[0], lower.slope[0, 0]) == (4.0, -4.0, -9.0, 0.0)


@pytest.mark.parametrize("name", ["bilinear", "declared", "linear"])
def test_a_linear_reward_is_a_plane(name: str) -> None:
    plane = linear_plane(REWARDS[name], ACTIONS)
    assert plane is not None
    y = np.random.default_rng(1).uniform(-5, 5, (4, 2))
    np.testing.assert_allclose(plane.at(y), REWARDS[name](ACTIONS, y), atol=1e-12)


@pytest.mark.parametrize("name", ["shore", "routing"])
def test_games_declare_linear_rewards(name: str) -> None:
    game = GAMES[name].build()
    plane = linear_plane(game.reward, game.actions)
    assert plane is not None
    y = np.linspace(0, 1, game.n_actions)[:, None]
    np.testing.assert_allclose(plane.at(y), game.reward(game.actions, y), rtol=1e-12)


def test_others_are_none() -> None:
    logarithmic = LinearReward(ACTIONS, np.zeros(4), np.ones((4, 2)), np.array([True, False]))
    others = [REWARDS[name] for name in ("takings", "concave", "monotone", "lattice", "centred")]
    assert all(linear_plane(reward, WIDE["centred"][:, :2]) is None for reward in [*others, logarithmic])


def test_wrong_slopes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="slopes gave shape"):
        linear_plane(decreasing(lambda _, y: -y[:, 0], slopes=lambda x: np.ones((len(x), 2))), ACTIONS)


def test_a_plane_by_hand() -> None:
    assert Plane(np.array([1.0]), np.array([[2.0, 3.0]])).at(np.array([[10.0, 100.0]])).tolist() == [321.0]
