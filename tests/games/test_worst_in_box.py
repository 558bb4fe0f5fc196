"""The minimum over a box of rewards outside of the conformance suite: by hand, and below every sampled point."""

import numpy as np
import pytest

from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import BoundedReward, worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import increasing
from firstmover.games.prices.game import Takings
from firstmover.games.rewards import Bilinear, Concave
from firstmover.games.wildlife.game import RangersReward
from firstmover.games.wildlife.park import published_park
from firstmover.matches.rewards import LinearReward
from firstmover.runs.arena.families import Directed, Tracking
from firstmover.runs.calibration import Centred

TWO = np.array([[0.0], [1.0]])
LINEAR = LinearReward(TWO, np.array([5.0, 7.0]), np.array([[-1.0, 2.0], [3.0, 0.0]]))
CORNERS = Box([[1.0, 10.0], [2.0, 20.0]], [[4.0, 11.0], [3.0, 30.0]])


def test_by_hand() -> None:
    assert LINEAR.worst_in_box(TWO, CORNERS).tolist() == [5 - 4 + 20, 7 + 6]
    takings = Takings(np.array([0.3, 0.5]), 2.0)
    worst = takings.worst_in_box(np.array([[1.0, 1.0]]), Box([[0.1, 0.2]], [[0.6, 0.4]]))
    assert worst == pytest.approx([min(0.1, 0.3 - 2 * 0.3) + 0.2])
    table = Bilinear(np.array([[2.0, -1.0]]))
    assert table.worst_in_box(np.ones((1, 1)), Box([[0.0, 0.25]], [[0.5, 0.9]])) == pytest.approx([0.2 - 0.9 + 0.1 * 0])
    near = Concave(lambda x, y: -((y[:, 0] - x[:, 0]) ** 2), lambda x, y: -2 * (y - x))
    assert near.worst_in_box(np.array([[2.0], [9.0]]), Box([[1.0], [1.0]], [[3.5], [3.0]])) == pytest.approx(
        [-2.25, -64]
    )
    centred = Centred(increasing(lambda _, y: y[:, 0]), np.array([5.0]), np.array([2.0]))
    assert centred.worst_in_box(TWO[:1], Box([[-1.0]], [[2.0]])).tolist() == [3.0]


def rewards() -> dict[str, tuple[BoundedReward, np.ndarray, Box]]:
    rng = np.random.default_rng(0)
    x, ends = rng.normal(size=(20, 2)), np.sort(rng.normal(size=(2, 20, 2)), axis=0)
    box, park = Box(*ends), published_park(density_scale=1.0)
    shares = rng.dirichlet(np.ones(25), 20)
    inside = Box(*np.sort(rng.uniform(0, 5, (2, 20, 2)), axis=0))
    slim = Box(inside.lower, np.minimum(inside.lower + 0.01 * rng.random((20, 2)), 5.0))
    return {
        "tracking": (Tracking(np.array([1.0, 2.0]), lambda z: z @ np.array([[1.0, -1.0], [0.5, 2.0]])), x, box),
        "directed": (Directed(np.array([1.0, -2.0]), np.array([1.5, -0.5])), x, box),
        "rangers": (RangersReward(park), shares, inside),
        "rangers, small": (RangersReward(park), shares, slim),
        "linear": (LINEAR, TWO, CORNERS),
    }


@pytest.mark.parametrize("name", rewards())
def test_no_sampled_point_earns_less(name: str) -> None:
    reward, actions, box = rewards()[name]
    worst, rng = worst_in_box(reward, actions, box), np.random.default_rng(1)
    lowest = np.full(len(actions), np.inf)
    for draw in range(400):
        y = rng.uniform(box.lower, box.upper)
        y = np.where(y > (box.lower + box.upper) / 2, box.upper, box.lower) if draw % 2 else y
        lowest = np.minimum(lowest, reward(actions, y))
    assert np.all(worst <= lowest + 1e-12)
    slack = {"rangers": 0.1, "rangers, small": 0.01}.get(name, 1e-9)  # the largest density of a cell, not of its part
    assert np.all(worst >= lowest - slack)
    np.testing.assert_allclose(worst_in_box(reward, actions, Box(box.upper, box.upper)), reward(actions, box.upper))


def test_shares_of_places_lie_in_the_simplex() -> None:
    reward = ChoiceReward(increasing(lambda x, y: x[:, 0] * y[:, 0]), np.array([[1.0], [4.0]]))
    box = Box([[0.1, 0.0]], [[0.6, 1.0]])
    assert reward.worst_in_box(np.array([[2.0]]), box) == pytest.approx([0.6 * 2 + 0.4 * 8])


def test_a_reward_without_it_is_refused_in_one_sentence() -> None:
    class Half:
        def __call__(self, actions: np.ndarray, responses: np.ndarray) -> np.ndarray:
            return responses[:, 0] + 0 * actions[:, 0]

        def best_in_box(self, actions: np.ndarray, box: Box) -> np.ndarray:
            return self(actions, box.upper)

    with pytest.raises(
        InvalidInput, match=r"^reward .*Half.* has no method worst_in_box, which a floor needs: add it, or"
    ):
        worst_in_box(Half(), TWO, Box(TWO, TWO))
