import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF
from studies.forgetting import Forgetting

from firstmover.beliefs import information_gain
from firstmover.core.errors import InvalidInput

X = np.array([[0.0], [0.4], [1.0]])
PLAYED, ANSWERS = [0, 2, 0, 1], np.array([[1.0, 0.0], [0.5, 2.0], [3.0, 1.0], [-1.0, 0.3]])


def told(lifetime: float) -> Forgetting:
    belief = Forgetting.prior(RBF(0.5), 0.1, X, 2, lifetime)
    for action, answer in zip(PLAYED, ANSWERS, strict=True):
        belief = belief.condition(action, np.zeros(1), answer)
    return belief


@pytest.mark.parametrize("lifetime", [2.0, 50.0])
def test_it_is_the_plain_regression_with_a_kernel_of_time(lifetime):
    t, rows = np.arange(1, 5), X[PLAYED]
    gram = RBF(0.5)(rows) * np.exp(-np.abs(t[:, None] - t) / lifetime)
    cross = RBF(0.5)(rows, X) * np.exp(-(5 - t) / lifetime)[:, None]
    solved = np.linalg.solve(gram + 0.1 * np.eye(4), np.hstack([ANSWERS, cross]))
    prediction = told(lifetime).predict(np.zeros(1))
    np.testing.assert_allclose(prediction.mean, cross.T @ solved[:, :2], rtol=1e-10)
    np.testing.assert_allclose(prediction.std**2, 1 - np.sum(cross * solved[:, 2:], axis=0), rtol=1e-10)
    assert told(lifetime).information_gain == pytest.approx(information_gain(gram, 0.1))


def test_the_shorter_the_lifetime_the_less_is_known():
    spreads = np.array([told(lifetime).predict(np.zeros(1)).std for lifetime in (1.0, 10.0, 100.0, 1e9)])
    assert np.all(np.diff(spreads, axis=0) < 0)


def test_what_was_seen_fades_while_other_actions_are_played():
    belief = Forgetting.prior(RBF(0.1), 0.1, X, 1, lifetime=5.0).condition(0, np.zeros(1), np.array([4.0]))
    spreads = []
    for _ in range(6):
        spreads.append(belief.predict(np.zeros(1)).std[0])
        belief = belief.condition(2, np.zeros(1), np.array([0.0]))
    assert np.all(np.diff(spreads) > 0)


def test_the_old_belief_stays_usable():
    old = told(3.0)
    before = old.predict(np.zeros(1)).mean
    old.condition(1, np.zeros(1), np.array([9.0, 9.0]))
    np.testing.assert_array_equal(old.predict(np.zeros(1)).mean, before)


def test_a_lifetime_of_zero_is_refused():
    with pytest.raises(InvalidInput, match="lifetime is 0"):
        Forgetting.prior(RBF(), 0.1, X, 1, lifetime=0)
