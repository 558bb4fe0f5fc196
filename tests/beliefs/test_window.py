"""The belief of the last observations: against the exact posterior of these, and ages by hand."""

from math import log, sqrt

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import posterior
from firstmover.beliefs.window import WindowBelief
from firstmover.core.errors import FirstmoverError, InvalidInput
from firstmover.kernels import on_action, on_type, pairs

ACTIONS = np.array([[0.0], [0.4], [1.0], [2.0]])
KERNEL = on_action(RBF(0.7)) * on_type(RBF(1.5))
ROUNDS = [(0, 0.0, 1.0), (2, 1.0, -0.5), (1, 0.5, 2.0), (3, 0.0, 0.3), (1, 1.0, -1.0)]


def told(window: int, injected: float = 0.0) -> WindowBelief:
    belief = WindowBelief.prior(KERNEL, 0.2, ACTIONS, 2, window, injected)
    for action, kind, response in ROUNDS:
        belief = belief.condition(action, np.array([kind]), np.array([response, response**2]))
    return belief


@pytest.mark.parametrize("window", [1, 3, 5, 9])
def test_a_window_is_the_exact_posterior_of_its_last_observations(window: int) -> None:
    belief, last = told(window), ROUNDS[-window:]
    points = np.array([[ACTIONS[action, 0], kind] for action, kind, _ in last])
    responses = np.array([[response, response**2] for _, _, response in last])
    queries = pairs(ACTIONS, np.array([[0.3]]))
    expected = posterior(belief.kernel, 0.2, points, responses, queries)
    found = belief.predict(np.array([0.3]))
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(found.std, expected.std, rtol=1e-12)
    assert belief.count == min(window, len(ROUNDS))
    gram = belief.kernel(points)
    gain = 0.5 * np.linalg.slogdet(np.eye(len(last)) + gram / 0.2)[1]
    assert belief.information_gain == pytest.approx(gain, rel=1e-12)


def test_noise_grows_with_age_by_hand() -> None:
    """k = 1, λ = ½, ι = ¼: the older response 4 has noise ½ + ½, the newer one 2 has ½ + ¼."""
    belief = WindowBelief.prior(RBF(), 0.5, np.zeros((1, 1)), 1, window=2, injected=0.25)
    for response in (9.0, 4.0, 2.0):  # the first leaves the window
        belief = belief.condition(0, np.zeros(1), np.array([response]))
    np.testing.assert_allclose(belief.noise, [1.0, 0.75])
    precision = 1 + 1 / 1.0 + 1 / 0.75  # that of the prior, and of both observations of the same number
    found = belief.predict(np.zeros(1))
    assert found.mean[0, 0] == pytest.approx((4 / 1.0 + 2 / 0.75) / precision, rel=1e-12)
    assert found.std[0] == pytest.approx(sqrt(1 / precision), rel=1e-12)
    assert belief.information_gain == pytest.approx(0.5 * log(precision), rel=1e-12)


def test_the_joint_covariance_has_the_variances_on_its_diagonal() -> None:
    belief, kind = told(3, 0.1), np.array([0.3])
    whole = belief.covariance(kind)
    np.testing.assert_allclose(np.diag(whole), belief.predict(kind).std ** 2, rtol=1e-12)
    np.testing.assert_allclose(belief.covariance(kind, actions=[3, 1]), whole[np.ix_([3, 1], [3, 1])], rtol=1e-12)
    assert belief.sample(6, np.random.default_rng(0), kind).shape == (6, 4, 2)


def test_conditioning_leaves_the_old_belief_as_it_was() -> None:
    belief, kind = told(2), np.array([0.3])
    before = belief.predict(kind)
    belief.condition(0, kind, np.zeros(2))
    np.testing.assert_array_equal(belief.predict(kind).mean, before.mean)
    prior = WindowBelief.prior(KERNEL, 0.2, ACTIONS, 2, 2)
    assert prior.information_gain == 0.0
    np.testing.assert_array_equal(prior.predict(kind).std, np.ones(4))
    np.testing.assert_array_equal(prior.predict(kind).mean, np.zeros((4, 2)))


def test_bad_values_are_refused() -> None:
    for fields in ({"window": 0}, {"window": 1.5}, {"injected": -1.0}):
        with pytest.raises(InvalidInput, match=next(iter(fields))):
            WindowBelief.prior(KERNEL, 0.2, ACTIONS, 2, **({"window": 3} | fields))  # type: ignore[arg-type]
    belief = told(3)
    with pytest.raises(InvalidInput, match="response"):
        belief.condition(0, np.zeros(1), np.zeros(3))
    with pytest.raises(InvalidInput, match="opponent_type"):
        belief.condition(0, np.zeros(2), np.zeros(2))
    with pytest.raises(InvalidInput, match="action"):
        belief.condition(4, np.zeros(1), np.zeros(2))
    narrow = WindowBelief.prior(RBF([1.0, 1.0, 1.0]), 0.2, ACTIONS, 1, 3)
    with pytest.raises(FirstmoverError, match="kernel does not fit z with 2 columns"):
        narrow.predict(np.zeros(1))
