import numpy as np
import pytest
from scipy.special import ndtr

from firstmover.beliefs.utilities import COMMON, INCREMENT, TREMBLE, UtilityBelief, _margins, ramps

ACTIONS = np.vstack([np.random.default_rng(0).dirichlet(np.ones(4), size=60), np.eye(4)])
UTILITIES = np.array([1.0, 0.9, 0.2, -1.0])


def chosen(actions, sign=-1):
    return np.argmax(UTILITIES + sign * 2 * actions, axis=1)


def told(count, sign=-1, truth=-1):
    belief = UtilityBelief.prior(ACTIONS, sign)
    for k in range(1, count + 1):
        belief = belief.given(tuple(range(k)), np.eye(4)[chosen(ACTIONS[:k], truth)])
    return belief


def test_the_basis_is_invariant_and_sums_up_to_a_straight_rise_between_knots():
    basis = ramps(ACTIONS)
    assert basis == pytest.approx(ramps(7 * ACTIONS - 3), abs=1e-9)
    assert np.array_equal(basis[np.unravel_index(ACTIONS.argmin(), ACTIONS.shape)], np.zeros(basis.shape[2]))
    assert np.array_equal(basis[np.unravel_index(ACTIONS.argmax(), ACTIONS.shape)], np.ones(basis.shape[2]))
    assert np.all(np.diff(basis.sum(axis=2).ravel()[np.argsort(ACTIONS, axis=None)]) >= 0)
    assert ramps(np.ones((3, 2))).shape == (3, 2, 1)


def test_before_the_first_choice_all_places_are_alike_but_for_their_feature():
    belief = UtilityBelief.prior(ACTIONS, -1)
    assert belief.mean[:4] == pytest.approx(np.zeros(4))
    assert np.all(belief.mean[4:] > 0)  # h increases
    pure = belief.chances[-4:]
    assert np.all(np.diag(pure) < 0.25)  # coverage deters
    assert np.all(np.diag(UtilityBelief.prior(ACTIONS, 1).chances[-4:]) > 0.5)


def test_one_comparison_has_the_moments_of_a_truncated_normal():
    """Two places with equal features: a_0 − a_1 ~ N(0, 2), and after a choice of 0 its mean is 2 √(2/π) / √(2 + τ²)."""
    belief = UtilityBelief.prior(np.ones((3, 2)), -1).given((0,), np.array([[1.0, 0.0]]))
    total = 2 + TREMBLE**2
    assert belief.mean[0] - belief.mean[1] == pytest.approx(2 * np.sqrt(2 / np.pi) / np.sqrt(total), rel=1e-3)
    contrast = np.array([1.0, -1.0, 0.0])
    assert contrast @ belief.covariance @ contrast == pytest.approx(2 - 4 * (2 / np.pi) / total, rel=1e-2)


def test_the_slope_is_positive_with_the_moments_of_a_half_normal():
    belief = UtilityBelief.prior(np.ones((3, 2)), -1)  # a single increment
    assert belief.mean[2] == pytest.approx(INCREMENT**2 * np.sqrt(2 / np.pi) / np.hypot(INCREMENT, TREMBLE), rel=1e-3)
    assert UtilityBelief.prior(ACTIONS, -1)._precision[5, 4] == pytest.approx(
        np.linalg.inv(INCREMENT**2 * (COMMON + (1 - COMMON) * np.eye(ramps(ACTIONS).shape[2])))[1, 0]
    )


def test_choices_of_ten_actions_predict_most_others():
    belief = told(12)
    assert np.mean(belief.chances.argmax(axis=1) == chosen(ACTIONS)) > 0.85
    attracted = told(12, sign=1, truth=1)
    assert np.mean(attracted.chances.argmax(axis=1) == chosen(ACTIONS, 1)) > 0.75


def test_an_observed_choice_is_nearly_certain_afterwards():
    belief = told(8)
    assert np.all(belief.chances[np.arange(8), chosen(ACTIONS[:8])] > 0.7)
    assert belief.chances_at(3) == pytest.approx(belief.chances[3])
    assert belief.chances.sum(axis=1) == pytest.approx(np.ones(len(ACTIONS)))


def test_an_unclear_choice_is_shared_by_likelihood_and_by_what_the_others_say():
    """Places 0 and 1 at equal features: shares are the likelihoods; after choices of 0 they favour 0."""
    equal = np.full((4, 3), 0.2) + np.array([0.0, 0.0, 0.1])
    unclear = np.array([[1.0, 0.5, 0.0]])
    alone = UtilityBelief.prior(equal, -1).given((0,), unclear)
    assert alone.readings[0] == pytest.approx([2 / 3, 1 / 3, 0.0], abs=0.06)
    backed = UtilityBelief.prior(equal, -1).given((0, 1), np.vstack([unclear, [1.0, 0.0, 0.0]]))
    margin = np.array([1.0, -1.0, 0.0] + [0.0] * (len(backed.mean) - 3))
    other = UtilityBelief.prior(equal, -1).given((1,), np.array([[1.0, 0.0, 0.0]]))
    z = margin @ other.mean / np.sqrt(margin @ other.covariance @ margin + TREMBLE**2)
    expected = ndtr(z) / (ndtr(z) + 0.5 * ndtr(-z))
    assert backed.readings[0, 0] == pytest.approx(expected, rel=0.1)
    assert backed.readings[0, 0] > 0.8


def test_likelihoods_that_hardly_change_keep_the_belief():
    belief = told(5)
    assert belief.given(belief.played, belief.likelihoods + 0.009) is belief
    assert belief.given(belief.played, np.maximum(belief.likelihoods, 0.02)) is not belief


def test_the_posterior_is_that_of_all_comparisons_one_by_one():
    rng, played, (c, b) = np.random.default_rng(1), (3, 7), UtilityBelief.prior(ACTIONS, -1).features.shape[1:]
    belief = UtilityBelief.prior(ACTIONS, -1)
    messages, bounds = rng.uniform(0.1, 2.0, (2, 2, c, c)), rng.uniform(0.1, 1.0, (2, b))
    precision, shift = belief._precision + np.diag(np.append(np.zeros(c), bounds[0])), np.append(np.zeros(c), bounds[1])
    utilities = [np.hstack([np.eye(c), -belief.features[action]]) for action in played]
    for k, rows in enumerate(utilities):
        for i in range(c):
            for j in range(c):
                margin = rows[i] - rows[j]
                precision = precision + messages[0, k, i, j] * np.outer(margin, margin)
                shift = shift + messages[1, k, i, j] * margin
    basis = -belief.features[list(played)]
    mean, covariance = belief._posterior(basis, messages, bounds)
    assert covariance == pytest.approx(np.linalg.inv(precision), abs=1e-10)
    assert mean == pytest.approx(np.linalg.solve(precision, shift), abs=1e-9)
    centre, variance = _margins(basis, mean, covariance, np.array([1]), np.array([2]))
    margins = utilities[1][2] - utilities[1]
    assert centre[0] == pytest.approx(margins @ mean, abs=1e-9)
    assert variance[0] == pytest.approx(np.einsum("jp,pq,jq->j", margins, covariance, margins), abs=1e-9)


def test_messages_follow_their_action_and_vanish_with_an_excluded_reading():
    belief = UtilityBelief.prior(ACTIONS, -1).given((0, 1), np.array([[1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]))
    kept = belief._messages((1, 5, 0), np.array([[False, False, True, False]] + [[True, False, False, False]] * 2))
    assert np.array_equal(kept[:, 0], belief.messages[:, 1])
    assert np.array_equal(kept[:, 2, 0], belief.messages[:, 0, 0])
    assert np.any(kept[:, 2, 0] > 0)
    assert np.any(belief.messages[:, 0, 1] != 0)
    assert not np.any(kept[:, 1])
    assert not np.any(kept[:, 2, 1])
