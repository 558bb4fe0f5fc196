import numpy as np
import pytest
from scipy.optimize import check_grad

from firstmover.beliefs import logit_utilities
from firstmover.beliefs.logit_utilities import Deterrence, LinearUtilities, fit, log_choice
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.stackelberg.commitment import optimal_commitment


@pytest.mark.parametrize("kind", [Deterrence, LinearUtilities])
def test_the_gradient_is_that_of_the_objective(kind):
    rng = np.random.default_rng(0)
    model = kind(rng.random((3, 4)))
    features, reports = model.features(rng.dirichlet(np.ones(3), 5)), rng.normal(size=(5, 4))
    middle = model.centre / model.scale
    z = middle + 0.05 * rng.standard_normal(len(middle))

    def part(i):
        return lambda z: logit_utilities._objective(model, features, reports, z, middle)[i]

    assert check_grad(part(0), part(1), z) < 1e-4 * (1 + np.abs(part(1)(z)).max())


def test_the_objective_is_the_log_posterior_density_by_hand():
    model = LinearUtilities(np.zeros((1, 2)))
    value, _ = logit_utilities._objective(
        model, np.ones((1, 1)), np.log([[1.0, 0.5]]), np.array([1.0, 0.0]) / 30, np.zeros(2)
    )
    p = 1 / (1 + np.exp(-1.0))
    assert value == pytest.approx(-np.log(p + 0.5 * (1 - p)) + 0.5 / 900)


def test_utilities_fall_with_the_own_payoff_alone():
    model = Deterrence(np.eye(3))
    parameters = model.centre.copy()
    parameters[:3] = [5.0, 0.0, 0.0]
    at = model.utilities(parameters, model.features(np.array([[0.0, 0.5, 0.5], [0.2, 0.3, 0.5], [0.2, 0.5, 0.3]])))
    assert at[0, 0] == 5.0
    assert at[1, 0] == at[2, 0] < at[0, 0]
    assert at[1, 1] > at[0, 1]
    np.testing.assert_allclose(model.knots[[0, 1, -1]], [0.0, 1 / 6, 1.0])


@pytest.mark.parametrize("general", [False, True])
def test_the_best_commitment_equalises_all_but_the_place_of_the_lead(general):
    payoffs = np.eye(3)
    if general:
        payoffs = np.vstack([payoffs, np.zeros(3)])  # one more action that helps nowhere
    model = Deterrence(payoffs)
    parameters = model.centre.copy()
    parameters[:3] = [20.0, 10.0, 0.0]
    rewards = payoffs - 0.1
    p = model.best(parameters, rewards)
    u = model.utilities(parameters, model.features(p[None]))[0]
    chosen = int(np.argmax(p @ rewards))
    others = np.delete(u, chosen)
    assert p.sum() == pytest.approx(1)
    assert u[chosen] - others.max() == pytest.approx(2.0, abs=1e-3), "odds of e² to any other place"
    assert np.ptp(others) < 1e-3


def test_linear_utilities_give_the_strong_equilibrium_with_a_lead():
    rng = np.random.default_rng(5)
    leader, follower = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    best = optimal_commitment(BimatrixGame(leader, [follower]))
    model = LinearUtilities(leader)
    p = model.best(1e7 * follower.ravel(), leader)
    np.testing.assert_allclose(p, best.strategy, atol=1e-4)
    u = 10 * p @ follower
    near = model.best(10 * follower.ravel(), leader)
    lead = np.sort(10 * near @ follower)
    assert u.argmax() == best.responses[0] or np.ptp(np.sort(u)[-2:]) < 1e-3
    assert lead[-1] - lead[-2] >= 2.0 - 1e-6


def test_a_fit_explains_choices_and_leaves_an_unclear_report_to_the_others():
    points = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.85, 0.15]])
    reports = np.log([[1e-9, 1.0], [1e-9, 1.0], [1.0, 1e-9], [1.0, 1.0]])
    for model in (Deterrence(np.eye(2)), LinearUtilities(np.eye(2))):
        chances = np.exp(log_choice(model.utilities(fit(model, points, reports), model.features(points))))
        assert np.all(chances[[0, 1, 3], 1] > 0.9)
        assert chances[2, 0] > 0.9


def test_the_units_of_a_likelihood_change_no_fit():
    """Densities per km and per mm differ by a factor, which may be the larger part of the objective."""
    model, points = Deterrence(np.eye(2)), np.array([[0.9, 0.1], [0.3, 0.7], [0.5, 0.5]])
    reports = np.log([[0.2, 1.0], [1.0, 0.3], [0.4, 1.0]])
    np.testing.assert_allclose(fit(model, points, reports - 1e9), fit(model, points, reports), atol=1e-5)


def test_coverage_that_nothing_needs_is_spread_over_the_places():
    """Two places, at which actions 0 and 2 of three count; needs are scaled up to 1, and 1.1 is refused."""
    model = Deterrence(np.eye(3)[:, [0, 2]])
    assert model._covering(np.zeros(2)).tolist() == [0.5, 0.0, 0.5]
    assert model._covering(np.array([0.1, 0.3])) == pytest.approx(np.array([0.25, 0.0, 0.75]))
    assert model._covering(np.array([0.25, 0.75])).tolist() == [0.25, 0.0, 0.75]
    assert model._covering(np.array([0.3, 0.8])) is None
