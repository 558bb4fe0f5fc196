import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process.kernels import RBF, Matern
from studies.per_output import PerOutput

from firstmover.beliefs import ConstantWidth, FiniteBelief, confidence_box, information_gain, posterior
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Prediction
from firstmover.games import GAMES
from firstmover.learners.optimistic import optimistic_rewards

KERNELS, NOISES = [RBF(0.4), Matern(1.5, nu=2.5)], (0.01, 0.3, 2.0)
ACTIONS = np.random.default_rng(0).uniform(0, 2, (12, 2))
TYPES = np.array([[0.0], [0.7]])
MEAN = 0.25


def learnt(rounds: int = 25) -> tuple[PerOutput, np.ndarray, np.ndarray]:
    """Three outputs: a quiet one, a noisy one, and one of noise alone."""
    rng = np.random.default_rng(5)
    belief = PerOutput.prior(KERNELS, NOISES, ACTIONS, TYPES, 3, MEAN)
    points, responses = [], []
    for t in range(rounds):
        action, kind = int(rng.integers(12)), TYPES[t % 2]
        z = np.append(ACTIONS[action], kind)
        smooth = np.array([np.sin(3 * z[0]) + z[2], np.cos(2 * z[1]), 0.0])
        y = smooth + np.array([0.02, 0.6, 1.5]) * rng.standard_normal(3)
        belief = belief.condition(action, kind, y)
        points.append(z)
        responses.append(y)
    return belief, np.array(points), np.array(responses)


def test_likelihoods_are_those_of_the_joint_normal_distribution():
    belief, points, responses = learnt()
    constant = len(points) / 2 * np.log(2 * np.pi)
    for k, kernel in enumerate(KERNELS):
        for i, noise in enumerate(NOISES):
            spread = kernel(points) + noise * np.eye(len(points))
            plain = [multivariate_normal.logpdf(y, cov=spread) + constant for y in (responses - MEAN).T]
            np.testing.assert_allclose(belief.log_likelihood[k, i], plain, rtol=1e-8)


@pytest.mark.parametrize("rounds", [3, 25])
def test_each_output_is_answered_as_by_a_direct_solve_of_its_own(rounds):
    belief, points, responses = learnt(rounds)
    kernel, noises = belief.likeliest
    for kind in TYPES:
        said = belief.predict(kind)
        assert said.mean.shape == said.std.shape == (12, 3)
        queries = np.hstack([ACTIONS, np.tile(kind, (12, 1))])
        for j, noise in enumerate(noises):
            alone = posterior(KERNELS[kernel], NOISES[noise], points, responses[:, [j]] - MEAN, queries)
            np.testing.assert_allclose(said.mean[:, j], alone.mean[:, 0] + MEAN, atol=1e-9)
            np.testing.assert_allclose(said.std[:, j], alone.std, atol=1e-9)
    gains = [information_gain(KERNELS[kernel](points), NOISES[noise]) for noise in noises]
    assert belief.information_gain == pytest.approx(max(gains))


def test_noisier_outputs_have_more_noise_and_wider_boxes():
    belief, *_ = learnt()
    assert belief.noise_variances.tolist() == [0.01, 0.3, 2.0]
    box = confidence_box(belief.predict(TYPES[0]), 2.0, Box(np.full(3, -np.inf), np.full(3, np.inf)))
    widths = (box.upper - box.lower).mean(axis=0)
    assert widths[0] < widths[1] < widths[2]


def test_a_box_takes_one_deviation_for_all_outputs_or_one_for_each():
    mean, domain = np.array([[1.0, 2.0]]), Box([0.0, 0.0], [9.0, 2.5])
    each = confidence_box(Prediction(mean, np.array([[0.1, 0.4]])), 2.0, domain)
    np.testing.assert_allclose([each.lower[0], each.upper[0]], [[0.8, 1.2], [1.2, 2.5]])
    same = confidence_box(Prediction(mean, np.array([0.1])), 2.0, domain)
    np.testing.assert_allclose([same.lower[0], same.upper[0]], [[0.8, 1.8], [1.2, 2.2]])


def test_with_one_kernel_and_noise_it_is_the_belief_over_known_types():
    entry = GAMES["prices"]
    game = entry.build()
    one = FiniteBelief.prior(entry.kernel, entry.regularization, game.actions, game.types, 3)
    same = PerOutput.prior([entry.kernel], [entry.regularization], game.actions, game.types, 3)
    for action in (5, 100, 200):
        y = np.array([0.3, 0.2, 0.1])
        one, same = one.condition(action, game.types[1], y), same.condition(action, game.types[1], y)
    width = ConstantWidth(0.4)
    np.testing.assert_allclose(
        optimistic_rewards(game, same, width, game.types[1]), optimistic_rewards(game, one, width, game.types[1])
    )
    assert same.information_gain == pytest.approx(one.information_gain)


def test_a_belief_stays_as_it_was_when_it_learns():
    belief, *_ = learnt(4)
    before = belief.predict(TYPES[0]).mean.copy()
    belief.condition(0, TYPES[0], np.ones(3))
    np.testing.assert_array_equal(belief.predict(TYPES[0]).mean, before)


@pytest.mark.parametrize("response", [[1.0, 2.0], [1.0, np.nan, 2.0]])
def test_bad_responses_are_refused(response):
    with pytest.raises(InvalidInput, match="response has"):
        learnt(2)[0].condition(0, TYPES[0], response)


def test_draws_have_the_mean_and_the_spread_of_each_output():
    belief, _, _ = learnt()
    rows, kind = [2, 7, 9], TYPES[1]
    draws = belief.sample(20_000, np.random.default_rng(3), kind, actions=rows)
    said = belief.predict(kind)
    assert draws.shape == (20_000, 3, 3)
    # Mean and standard deviation of 20,000 draws are within 5 standard errors.
    np.testing.assert_allclose(draws.mean(axis=0), said.mean[rows], atol=5 * said.std.max() / np.sqrt(20_000))
    np.testing.assert_allclose(draws.std(axis=0), said.std[rows], rtol=5 / np.sqrt(2 * 20_000))
    largest = np.sqrt(np.diag(belief.covariance(kind, actions=rows)))
    np.testing.assert_allclose(largest, said.std[rows].max(axis=1))
