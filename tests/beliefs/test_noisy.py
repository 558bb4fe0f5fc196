import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

from firstmover.beliefs import FiniteBelief
from firstmover.beliefs.noisy import WithNoise

ACTIONS, TYPE = np.linspace(0, 1, 6)[:, None], np.array([0.5])
PLAIN = FiniteBelief.prior(RBF(0.3), 0.04, ACTIONS, TYPE[None], 2)


def test_the_mean_stays_and_the_noise_variance_is_added_worked_by_hand() -> None:
    """At first σ² = 1: with noise √1.04. After one response at the point itself σ² = 0.04 / 1.04 there."""
    noisy = WithNoise(PLAIN, 0.04)
    assert noisy.predict(TYPE).std == pytest.approx(np.full(6, np.sqrt(1.04)), rel=1e-14)
    after = noisy.condition(2, TYPE, np.array([1.0, -2.0]))
    assert after.predict(TYPE).std[2] == pytest.approx(np.sqrt(0.04 / 1.04 + 0.04), rel=1e-12)
    plain = PLAIN.condition(2, TYPE, np.array([1.0, -2.0]))
    np.testing.assert_array_equal(after.predict(TYPE).mean, plain.predict(TYPE).mean)
    assert after.information_gain == plain.information_gain > 0
    assert noisy.predict(TYPE).std == pytest.approx(np.full(6, np.sqrt(1.04)), rel=1e-14)  # the old one is untouched


def test_it_is_what_scikit_learn_predicts_of_a_noisy_response() -> None:
    """There a white kernel stands for the noise, and the deviation is that of a new observation."""
    belief, seen, values = WithNoise(PLAIN, 0.04), [0, 3, 3, 5], np.array([0.3, -1.0, -0.7, 2.0])
    for action, value in zip(seen, values, strict=True):
        belief = belief.condition(action, TYPE, np.array([value, 0.0]))
    model = GaussianProcessRegressor(RBF(0.3) + WhiteKernel(0.04), alpha=0.0, optimizer=None)
    mean, std = model.fit(ACTIONS[seen], values).predict(ACTIONS, return_std=True)
    assert belief.predict(TYPE).mean[:, 0] == pytest.approx(mean, rel=1e-9)
    assert belief.predict(TYPE).std == pytest.approx(std, rel=1e-9)
