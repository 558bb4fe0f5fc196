"""The suites bite: each deliberately broken object fails, and for the reason that it was broken for."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

from firstmover.beliefs import belief_over
from firstmover.core.records import Box
from firstmover.games.rewards import Lattice, Monotone
from tests.contracts import broken as b
from tests.contracts.checks_belief import check_belief
from tests.contracts.checks_kernel import check_kernel
from tests.contracts.checks_reward import check_reward
from tests.contracts.checks_weights import check_weights

RNG = np.random.default_rng(0)
ACTIONS, TYPES = RNG.uniform(0, 1, (6, 1)), RNG.uniform(0, 1, (2, 1))


def bites(reason):
    return pytest.raises(AssertionError, match=reason)


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (Monotone(b.total, (1, -1)), "dominates"),
        (Lattice(lambda _, y: np.sin(9 * y[:, 0]), reward_lipschitz=0.0, points=3), "dominates"),
        (b.Shifted(b.total, (1, 1)), "attained"),
        (b.AlwaysShifted(b.total, (1, 1)), "attained|zero width"),
        (b.Blended(b.total, (1, 1)), "boxes are separate"),
        (Monotone(lambda _, y: y[:, 0] - y[:, 0].mean(), (1, 1)), "rows are separate"),
        (b.TooHigh(b.total, (1, 1)), "every point dominates"),
        (b.TooLow(b.total, (1, 1)), "worst_in_box is attained"),
        (b.AlwaysLow(b.total, (1, 1)), "zero width"),
        (b.Lowest(b.total, (1, 1)), "rows are separate|zero width"),
        (b.Column(b.total, (1, 1)), "one number a row"),
        (Monotone(lambda _, y: np.full(len(y), np.inf), (1, 1)), "finite"),
        (b.Scribbling(b.total, (1, 1)), "not written to"),
    ],
)
def test_broken_rewards(thing, reason):
    with bites(reason):
        check_reward(thing, ACTIONS, Box([-1.0, 0.0], [2.0, 1.0]), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (b.Lopsided(0.5), "symmetric"),
        (b.Swollen(0.5), "positive semidefinite"),
        (b.Thick(0.5), "diag is the diagonal"),
        (RBF(0.5) + WhiteKernel(0.1), "k of equal rows"),
        (b.Uphill(0.5), "gradient is the slope"),
        (b.Deaf(0.5), "theta is read"),
    ],
)
def test_broken_kernels(thing, reason):
    with bites(reason):
        check_kernel(thing, np.random.default_rng(0).uniform(0, 1, (8, 2)))


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (b.Overconfident, "mean moves|gain is ½ log det"),
        (b.Stubborn, "mean moves"),
        (b.Contrary, "mean moves"),
        (b.Boastful, "gain is ½ log det"),
        (b.Doubting, "never grows"),
        (b.Mutable, "old belief"),
        (b.Exposed, "old belief"),
        (b.Recent, "mean moves|order"),
        (b.Credulous, "response with NaN"),
        (b.Wrapping, "action below the menu"),
    ],
)
def test_broken_beliefs(thing, reason):
    with bites(reason):
        check_belief(thing(belief_over(RBF(0.5), 1.0, ACTIONS, 2, TYPES)), TYPES, 1.0, np.random.default_rng(0))


def test_a_faithful_belief_passes():
    check_belief(b.Faithful(belief_over(RBF(0.5), 1.0, ACTIONS, 2, TYPES)), TYPES, 1.0, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (b.Unnormalised.start(3), "sum to 1"),
        (b.Backwards.start(3), "best action leads"),
        (b.Partial.start(3), "treated alike"),
        (b.InPlace.start(3), "old weights"),
        (b.Careless(np.zeros(3)), "NaN is refused"),
    ],
)
def test_broken_weights(thing, reason):
    with bites(reason):
        check_weights(thing, (0.0, 1.0), np.random.default_rng(0))
