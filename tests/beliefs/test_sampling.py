"""Joint covariance and joint draws of every belief, against the equations written out."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ChoiceBelief, FiniteBelief, FreshBelief, LargeBelief, choice
from firstmover.beliefs.noisy import WithNoise
from firstmover.beliefs.sampling import joint_draws
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Belief
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.kernels import bind, on_action, on_type, pairs

KERNEL = on_action(RBF(0.7)) * on_type(RBF(1.5))
ACTIONS = np.random.default_rng(0).uniform(-1, 1, (6, 2))
TYPES = np.array([[0.0], [1.0]])
REGULARIZATION = 0.05
NOISE = 0.3
PRIORS = {
    "finite": FiniteBelief.prior(KERNEL, REGULARIZATION, ACTIONS, TYPES, 2),
    "fresh": FreshBelief.prior(KERNEL, REGULARIZATION, ACTIONS, 2),
    "large": LargeBelief.prior(KERNEL, REGULARIZATION, ACTIONS, TYPES, 2),
    "noisy": WithNoise(FreshBelief.prior(KERNEL, REGULARIZATION, ACTIONS, 2), NOISE),
}


def expected(kernel, points: Matrix, queries: Matrix, regularization: float) -> Matrix:
    """k(q, q') − k(q)ᵀ (K + λI)⁻¹ k(q')."""
    gram = kernel(points) + regularization * np.eye(len(points))
    across = kernel(points, queries)
    return kernel(queries) - across.T @ np.linalg.solve(gram, across)


def observed(prior: Belief, rounds: int, outputs: int = 2) -> tuple[Belief, Matrix]:
    rng, points, belief = np.random.default_rng(1), [], prior
    for _ in range(rounds):
        action, kind = int(rng.integers(6)), TYPES[rng.integers(2)]
        belief = belief.condition(action, kind, rng.normal(size=outputs))
        points.append(np.append(ACTIONS[action], kind))
    return belief, np.array(points)


@pytest.mark.parametrize("chosen", [None, [4], [5, 0, 2]])
@pytest.mark.parametrize("rounds", [0, 2, 30, 70])
@pytest.mark.parametrize("name", PRIORS)
def test_covariance_is_that_of_the_equations(name, rounds, chosen):
    belief, points = observed(PRIORS[name], rounds)
    menu = ACTIONS if chosen is None else ACTIONS[chosen]
    queries, kernel = pairs(menu, TYPES[1:]), bind(KERNEL, 2)
    wanted = expected(kernel, points, queries, REGULARIZATION) if rounds else kernel(queries)
    if name == "noisy":
        wanted = wanted + NOISE * np.eye(len(menu))
    covariance = belief.covariance(TYPES[1], actions=chosen)
    np.testing.assert_allclose(covariance, wanted, atol=1e-12)
    std = belief.predict(TYPES[1]).std
    np.testing.assert_allclose(np.sqrt(covariance.diagonal()), std if chosen is None else std[chosen], rtol=1e-10)


@pytest.mark.parametrize("name", PRIORS)
def test_an_older_belief_keeps_its_covariance(name):
    belief, _ = observed(PRIORS[name], 9)
    before = belief.covariance(TYPES[0]).copy()
    belief.condition(0, TYPES[0], np.zeros(2)).condition(1, TYPES[1], np.ones(2))
    np.testing.assert_allclose(belief.covariance(TYPES[0]), before, atol=1e-13)


@pytest.mark.parametrize("name", PRIORS)
def test_draws_have_the_mean_and_covariance_of_the_posterior(name):
    """Bounds: five standard errors of 20,000 draws, σ² ≤ 1.3."""
    belief, _ = observed(PRIORS[name], 5)
    draws = belief.sample(20_000, np.random.default_rng(2), TYPES[0], actions=[3, 1])
    assert draws.shape == (20_000, 2, 2)
    np.testing.assert_allclose(draws.mean(axis=0), belief.predict(TYPES[0]).mean[[3, 1]], atol=0.041)
    for output in range(2):
        np.testing.assert_allclose(np.cov(draws[..., output].T), belief.covariance(TYPES[0], [3, 1]), atol=0.066)
    between = np.cov(draws[:, 0].T)[0, 1]
    assert abs(between) < 0.066  # outputs are independent


def test_equal_generators_give_equal_draws():
    belief, _ = observed(PRIORS["fresh"], 5)
    one, other = (belief.sample(3, np.random.default_rng(7), TYPES[0]) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert one.shape == (3, 6, 2)


def test_choices_are_drawn_by_the_kernel_that_predicts():
    belief = ChoiceBelief.prior(ACTIONS, TYPES, 3)
    for action, place in ((0, 0), (1, 2), (4, 0)):
        belief = belief.condition(action, TYPES[0], np.eye(3)[place])
    kernel = bind(choice.choice_kernels(ACTIONS, TYPES)[belief.likeliest], 2)
    wanted = expected(kernel, pairs(ACTIONS[[0, 1, 4]], TYPES[:1]), pairs(ACTIONS, TYPES[1:]), choice.MISREAD)
    np.testing.assert_allclose(belief.covariance(TYPES[1]), wanted, atol=1e-11)
    assert belief.sample(2, np.random.default_rng(0), TYPES[1]).shape == (2, 6, 3)


def test_what_cannot_be_drawn_is_refused():
    belief = PRIORS["fresh"]
    with pytest.raises(InvalidInput, match="n is 0: give 1 or more"):
        belief.sample(0, np.random.default_rng(0), TYPES[0])
    for prior in PRIORS.values():
        with pytest.raises(InvalidInput, match="action is 6: give an index from 0 to 5"):
            prior.covariance(TYPES[0], actions=[6])
    with pytest.raises(PrecisionLost, match="joint covariance of 2 points has the eigenvalue -1"):
        joint_draws(np.zeros((2, 1)), np.diag([1.0, -1.0]), 1, np.random.default_rng(0))
