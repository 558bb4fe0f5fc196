import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.rewards import Bilinear, Concave, Lattice, Monotone, decreasing, increasing


def refused(sentence):
    return pytest.raises(InvalidInput, match=re.escape(sentence))


@st.composite
def boxes(draw, most_outputs=3, fewest_outputs=1):
    """Actions (n, 2), boxes (n, m), some of zero width, and random numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 6)), draw(st.integers(fewest_outputs, most_outputs))
    lower = rng.uniform(-2, 2, (n, m))
    width = rng.uniform(0, 2, (n, m)) * rng.choice([0.0, 1.0], (n, m), p=[0.2, 0.8])
    return rng.uniform(-1, 1, (n, 2)), Box(lower, lower + width), rng


def brute_force(reward, actions, box, points):
    """The largest of r on a lattice of each box."""
    n, m = box.lower.shape
    shares = np.stack(np.meshgrid(*[np.linspace(0, 1, points)] * m), axis=-1).reshape(-1, m)
    y = box.lower[:, None] + shares * (box.upper - box.lower)[:, None]
    return reward(np.repeat(actions, len(shares), axis=0), y.reshape(-1, m)).reshape(n, -1).max(axis=1)


def sampled(box, rng):
    return rng.uniform(box.lower, box.upper)


class TestMonotone:
    @staticmethod
    def reward(directions):
        signs = np.array(directions)
        return Monotone(lambda x, y: x[:, 0] + np.sum(signs * (y + 0.1 * y**3), axis=1), tuple(directions))

    def test_hand_worked(self):
        """r = x y₁ − y₂ rises in y₁ and falls in y₂: for [1, 3] x [5, 6] and x = 2 the best is 2·3 − 5 = 1."""
        profit = Monotone(lambda x, y: x[:, 0] * y[:, 0] - y[:, 1], (1, -1))
        assert profit.best_in_box(np.array([[2.0]]), Box([[1.0, 5.0]], [[3.0, 6.0]])).tolist() == [1.0]

    def test_increasing_and_decreasing(self):
        total, box = lambda _, y: y.sum(axis=1), Box([[1.0, 2.0]], [[10.0, 20.0]])
        assert increasing(total, 2).best_in_box(np.zeros((1, 1)), box).tolist() == [30.0]
        assert decreasing(lambda x, y: -total(x, y), 2).best_in_box(np.zeros((1, 1)), box).tolist() == [-3.0]

    @given(boxes(), st.lists(st.sampled_from([-1, 1]), min_size=3, max_size=3))
    def test_is_the_maximum(self, drawn, directions):
        actions, box, rng = drawn
        reward = self.reward(directions[: box.lower.shape[1]])
        best = reward.best_in_box(actions, box)
        for _ in range(20):
            assert np.all(best >= reward(actions, sampled(box, rng)) - 1e-12)
        np.testing.assert_allclose(best, brute_force(reward, actions, box, points=2), atol=1e-12)

    @given(boxes())
    def test_zero_width_is_the_reward_itself(self, drawn):
        actions, box, _ = drawn
        reward = self.reward([1, -1, 1][: box.lower.shape[1]])
        np.testing.assert_array_equal(
            reward.best_in_box(actions, Box(box.lower, box.lower)), reward(actions, box.lower)
        )

    @pytest.mark.parametrize("directions", [(), (0,), (1, 2), (0.5,)])
    def test_refuses_directions(self, directions):
        with refused(f"directions is {directions}: give +1 or -1 for each output of the response."):
            Monotone(lambda _, y: y[:, 0], directions)

    def test_refuses_a_box_of_other_outputs(self):
        with refused("directions has 1 sign(s): give one for each of 2 outputs."):
            increasing(lambda _, y: y[:, 0]).best_in_box(np.zeros((1, 1)), Box([[0.0, 0.0]], [[1.0, 1.0]]))


class TestBilinear:
    def test_hand_worked(self):
        """c = (1.5, 3, −1): y₂ takes its 0.5, then y₁ what is left but for the 0.1 that y₃ has at least."""
        reward = Bilinear(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, -2.0]]))
        box = Box([[0.0, 0.0, 0.1]], [[1.0, 0.5, 1.0]])
        assert reward.best_in_box(np.array([[0.5, 0.5]]), box) == pytest.approx([1.5 + 0.4 * 1.5 - 0.1])

    @given(st.integers(0, 10**6), st.sampled_from([-256.0, 0.0, 1024.0]))
    def test_no_distribution_in_the_box_pays_more_and_a_constant_is_only_added(self, seed, constant):
        rng = np.random.default_rng(seed)
        x, payoffs, y = rng.dirichlet(np.ones(2), 5), rng.uniform(-1, 1, (2, 3)), rng.dirichlet(np.ones(3), 5)
        box = Box(y - rng.uniform(0, 0.5, (5, 3)), y + rng.uniform(0, 0.5, (5, 3)))
        best = Bilinear(payoffs + constant).best_in_box(x, box)
        assert np.all(best >= Bilinear(payoffs + constant)(x, y) - 1e-9)
        np.testing.assert_allclose(best, Bilinear(payoffs).best_in_box(x, box) + constant, atol=1e-9)


class TestConcave:
    @staticmethod
    def quadratic(steep, centre):
        """−Σ a (y − c)², whose maximum over a box stands at c clipped to it."""
        return Concave(lambda _, y: -np.sum(steep * (y - centre) ** 2, axis=1), lambda _, y: -2 * steep * (y - centre))

    def test_hand_worked(self):
        """−2 (y₁ − 1)² − 3 (y₂ + 1)² on [2, 4] x [−2, 0]: the corner y₁ = 2 and the inner y₂ = −1 give −2."""
        reward = self.quadratic(np.array([[2.0, 3.0]]), np.array([[1.0, -1.0]]))
        assert reward.best_in_box(np.zeros((1, 1)), Box([[2.0, -2.0]], [[4.0, 0.0]])) == pytest.approx([-2.0], abs=1e-6)

    @given(boxes(), st.floats(0.01, 100))
    def test_never_below_and_hardly_above_the_maximum(self, drawn, size):
        actions, box, rng = drawn
        steep, centre = size * rng.uniform(0.1, 1, box.lower.shape), rng.uniform(-3, 3, box.lower.shape)
        reward = self.quadratic(steep, centre)
        excess = reward.best_in_box(actions, box) - reward(actions, np.clip(centre, box.lower, box.upper))
        assert np.all(excess >= -1e-9 * size)
        assert np.all(excess <= 1e-4 * size)

    @given(boxes(most_outputs=2, fewest_outputs=2))
    def test_outputs_that_pull_on_each_other(self, drawn):
        """−(y − x)ᵀ A (y − x): above every point of a fine lattice, and by no more than its mesh allows."""
        actions, box, rng = drawn
        form = np.array([[2.0, 1.5], [1.5, 2.0]])
        reward = Concave(lambda x, y: -np.einsum("ki,ij,kj->k", y - x, form, y - x), lambda x, y: -2 * (y - x) @ form)
        best, lattice = reward.best_in_box(actions, box), brute_force(reward, actions, box, points=41)
        for _ in range(20):
            assert np.all(best >= reward(actions, sampled(box, rng)) - 1e-12)
        steepest = 2 * 3.5 * np.max(np.abs(np.concatenate([box.lower - actions, box.upper - actions], axis=1)), axis=1)
        assert np.all(best <= lattice + steepest * np.sum(box.upper - box.lower, axis=1) / 80 + 1e-5)

    @given(boxes())
    def test_zero_width_is_the_reward_itself(self, drawn):
        actions, box, _ = drawn
        reward = self.quadratic(np.ones(box.lower.shape), np.zeros(box.lower.shape))
        np.testing.assert_array_equal(
            reward.best_in_box(actions, Box(box.lower, box.lower)), reward(actions, box.lower)
        )

    def test_where_the_search_stops_early_the_tangent_lifts_the_value(self):
        """r = −e (y − 8)² is too flat for L-BFGS-B to leave y = 5: r = −9 e there, and the tangent adds 6 e · 5."""
        e = 1e-13
        reward = self.quadratic(np.array([[e]]), np.array([[8.0]]))
        best = reward.best_in_box(np.zeros((1, 1)), Box([[0.0]], [[10.0]]))
        assert best == pytest.approx([21 * e], rel=1e-9, abs=0)


class TestLattice:
    @staticmethod
    def wave(points=9):
        """Σ sin(3 y + x), Lipschitz with 3 in ‖·‖₁."""
        return Lattice(lambda x, y: np.sum(np.sin(3 * y + x[:, :1]), axis=1), reward_lipschitz=3.0, points=points)

    def test_hand_worked(self):
        """|y − 0.3| on [0, 1] with three points: values 0.3, 0.2, 0.7; error 1 · 1 / (2·2) = 0.25; together 0.95."""
        reward = Lattice(lambda _, y: np.abs(y[:, 0] - 0.3), reward_lipschitz=1.0, points=3)
        assert reward.best_in_box(np.zeros((1, 1)), Box([[0.0]], [[1.0]])) == pytest.approx([0.95])

    def test_two_outputs_by_hand(self):
        """2 y₁ − y₂ on [0, 4] x [0, 2], corners only: best 8; error 2 · (4 + 2) / 2 = 6."""
        reward = Lattice(lambda _, y: 2 * y[:, 0] - y[:, 1], reward_lipschitz=2.0, points=2)
        assert reward.best_in_box(np.zeros((1, 1)), Box([[0.0, 0.0]], [[4.0, 2.0]])) == pytest.approx([14.0])

    @given(boxes(), st.sampled_from([2, 3, 9]))
    def test_never_below_and_at_most_its_error_above_the_maximum(self, drawn, points):
        actions, box, rng = drawn
        reward = self.wave(points)
        best, error = reward.best_in_box(actions, box), 3.0 * np.sum(box.upper - box.lower, axis=1) / (2 * (points - 1))
        for _ in range(20):
            assert np.all(best >= reward(actions, sampled(box, rng)))
        assert np.all(best <= brute_force(reward, actions, box, points=2 * points - 1) + error + 1e-12)

    @given(boxes())
    def test_zero_width_is_the_reward_itself(self, drawn):
        actions, box, _ = drawn
        reward = self.wave()
        np.testing.assert_array_equal(
            reward.best_in_box(actions, Box(box.lower, box.lower)), reward(actions, box.lower)
        )

    @pytest.mark.parametrize(("lower", "upper"), [(-0.11, 0.09), (0.3, 0.88), (-1.77, -0.42), (0.0, 1.0), (5.0, 5.0)])
    def test_never_asks_outside_the_box(self, lower, upper):
        """In floating point −0.11 + (0.09 − −0.11) lies above 0.09, where a logarithm may end."""
        box = Box([[lower]], [[upper]])

        def watched(_, y):
            assert np.all((box.lower[0, 0] <= y) & (y <= box.upper[0, 0]))
            return y[:, 0]

        Lattice(watched, 1.0, points=7).best_in_box(np.zeros((1, 1)), box)

    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("reward_lipschitz", -1.0, "reward_lipschitz is -1.0: give a finite number, 0 or more."),
            ("reward_lipschitz", np.inf, "reward_lipschitz is inf: give a finite number, 0 or more."),
            ("points", 1, "points is 1: give 2 or more."),
        ],
    )
    def test_refuses(self, field, value, sentence):
        with refused(sentence):
            Lattice(**{"function": lambda _, y: y[:, 0], "reward_lipschitz": 1.0, "points": 3, field: value})

    def test_refuses_more_points_than_memory_holds(self):
        with refused(
            "points is 33: 3 boxes of 9 outputs would need more than 10_000_000 in all; give fewer points, or a"
        ):
            self.wave(33).best_in_box(np.zeros((3, 1)), Box(np.zeros((3, 9)), np.ones((3, 9))))
        with refused("points is 100: 11 boxes of 3 outputs would need more than 10_000_000 in all; give fewer points"):
            self.wave(100).best_in_box(np.zeros((11, 1)), Box(np.zeros((11, 3)), np.ones((11, 3))))


@pytest.mark.parametrize("reward", [TestLattice.wave(), TestConcave.quadratic(np.ones((1, 1)), np.zeros((1, 1)))])
@pytest.mark.parametrize(("lower", "upper"), [(-np.inf, 0.0), (0.0, np.inf)])
def test_an_unbounded_box_is_refused(reward, lower, upper):
    with refused("box is unbounded: give the game a finite response_domain, or a finite confidence_width."):
        reward.best_in_box(np.zeros((1, 1)), Box([[lower]], [[upper]]))
