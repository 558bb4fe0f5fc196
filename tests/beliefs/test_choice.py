import numpy as np
import pytest

from firstmover.beliefs import ChoiceBelief
from firstmover.beliefs.choice import FIRST, LENGTHS, MISREAD, choice_kernels, radius
from firstmover.beliefs.exact import posterior
from firstmover.kernels import bind, pairs

ACTIONS, TYPES = np.random.default_rng(0).dirichlet(np.ones(4), size=30), np.array([[0.0], [1.0]])


def place(x):
    """The least covered of the first three cells."""
    return np.eye(3)[np.argmin(x[:3])]


def told(count, answers=place):
    belief = ChoiceBelief.prior(ACTIONS, TYPES, 3)
    for action in range(count):
        belief = belief.condition(action, TYPES[action % 2], answers(ACTIONS[action]))
    return belief


def test_means_sum_to_one_at_every_action():
    for count in (0, 1, 12):
        assert told(count).predict(TYPES[0]).mean.sum(axis=1) == pytest.approx(np.ones(30))


def test_the_likeliest_is_that_of_the_marginal_likelihood():
    """The likelihoods are compared too: their largest alone may be that of a wrong formula as well."""
    t, c = 20, 3
    z = np.hstack([ACTIONS[:t], TYPES[np.arange(t) % 2]])
    e = np.array([place(x) for x in ACTIONS[:t]]) - 1 / c
    scores = []
    for kernel in choice_kernels(ACTIONS, TYPES):
        gram = bind(kernel, 4)(z) + MISREAD * np.eye(t)
        scale = np.trace(e.T @ np.linalg.solve(gram, e)) / (t * c)
        scores.append(-0.5 * c * np.linalg.slogdet(scale * gram)[1])
    belief = told(t)
    assert belief.likeliest == int(np.argmax(scores))
    found = belief.log_likelihoods
    assert found - found[0] == pytest.approx(np.array(scores) - scores[0], rel=1e-6)


def test_one_report_in_a_thousand_is_misread():
    """k(z, z) = 2 and λ = 1/1000: after one report of place 1 of 3 its mean there is 1/3 + (2/3) · 2 / 2.001."""
    mean = told(1, lambda _: np.eye(3)[1]).predict(TYPES[0]).mean[0]
    assert mean == pytest.approx(1 / 3 + 2 / 2.001 * np.array([-1 / 3, 2 / 3, -1 / 3]), rel=1e-9)


def test_the_answer_is_the_posterior_of_the_likeliest_kernel():
    belief, t = told(15), 15
    kernel = bind(choice_kernels(ACTIONS, TYPES)[belief.likeliest], 4)
    z = np.hstack([ACTIONS[:t], TYPES[np.arange(t) % 2]])
    e = np.array([place(x) for x in ACTIONS[:t]]) - 1 / 3
    exact = posterior(kernel, MISREAD, z, e, pairs(ACTIONS, TYPES[1:]))
    found = belief.predict(TYPES[1])
    assert found.mean == pytest.approx(exact.mean + 1 / 3, abs=1e-9)
    assert found.std == pytest.approx(exact.std, abs=1e-9)


def test_while_all_reports_are_of_one_place_the_middle_length_answers():
    belief = told(10, lambda _: np.eye(3)[1])
    assert belief.likeliest == FIRST
    assert LENGTHS[FIRST] == 1.0
    assert belief.condition(11, TYPES[0], np.eye(3)[2]).varied


def test_far_from_all_data_the_mean_is_what_was_seen_not_one_in_c():
    far = np.vstack([np.random.default_rng(1).normal(size=(12, 2)) * 0.01, [[50.0, 50.0]]])
    belief = ChoiceBelief.prior(far, TYPES[:1], 3)
    for action in range(12):
        belief = belief.condition(action, TYPES[0], np.eye(3)[2])
    assert belief.predict(TYPES[0]).mean[-1, 2] > 0.7


def test_the_radius_of_equal_rows_is_one():
    assert radius(np.zeros((3, 2))) == 1.0
    assert radius(np.array([[0.0, 0.0], [6.0, 8.0]])) == 5.0


def test_the_kernels_by_hand():
    """1 + M(|x − x'| / (l r_x)) M(|θ − θ'| / (l r_θ)) with M(s) = (1 + √5 s + 5 s² / 3) exp(−√5 s)."""
    actions, types = np.array([[0.0], [4.0]]), np.array([[0.0], [1.0]])  # radii 2 and ½
    z = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 1.0], [4.0, 1.0]])
    for length, kernel in zip(LENGTHS, choice_kernels(actions, types), strict=True):
        d = np.sqrt(5) * 2 / length  # both distances are two radii
        once = (1 + d + d**2 / 3) * np.exp(-d)
        assert bind(kernel, 1)(z)[0] == pytest.approx(1 + np.array([1.0, once, once, once**2]))
        alone = choice_kernels(actions, types[:1])[LENGTHS.index(length)]
        assert bind(alone, 1)(z)[0] == pytest.approx(1 + np.array([1.0, once, 1.0, once]))
