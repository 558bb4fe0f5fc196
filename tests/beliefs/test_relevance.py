"""Structures with automatic relevance: gradients, kernels and what a fit finds."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process.kernels import Matern

from firstmover.beliefs.relevance import Past, Side, Structure, correlation, softmax, structures
from firstmover.kernels import bind

SHAPES = [
    (("linear", "smooth"), ("linear", "smooth")),
    (("rough",), ("rough",)),
    (("linear", "quartic"), ("linear",)),
    (("links", "common"), ("linear",)),
]


def drawn(seed=0, t=12, d=2, p=1):
    rng = np.random.default_rng(seed)
    return rng.random((t, d)), rng.random((t, p)), rng.normal(size=t)


def theta_of(structure, seed=1):
    mean, std = structure.priors.T
    return mean + 0.3 * std * np.random.default_rng(seed).normal(size=len(mean))


@pytest.mark.parametrize("smoothness", [1.5, 2.5])
def test_the_correlation_is_matern_and_its_slope_is_right(smoothness):
    squared = np.array([[0.0, 0.3, 2.0]])
    value, slope = correlation(squared, smoothness)
    assert np.allclose(value[0], Matern(1.0, nu=smoothness)(np.zeros((1, 1)), np.sqrt(squared).T)[0], atol=1e-12)
    up, _ = correlation(squared[:, 1:] + 1e-6, smoothness)
    down, _ = correlation(squared[:, 1:] - 1e-6, smoothness)
    assert np.allclose((up - down) / 2e-6, slope[:, 1:], rtol=1e-5)


@pytest.mark.parametrize("components", SHAPES)
def test_the_misfit_is_the_negative_log_likelihood_and_its_gradient_is_right(components):
    u, v, y = drawn()
    structure = Structure(Side(2, components[0], 0.5), Side(1, components[1], 0.4))
    noise = np.linspace(1.0, 3.0, len(y))
    tables = structure.action.tables(u), structure.type.tables(v)
    theta = theta_of(structure)
    past = Past(u, v, y, noise)
    misfit, slope = structure._misfit(theta, tables, past)
    points = np.hstack([u, v])
    covariance = bind(structure.kernel(theta), 2)(points) + structure.noise_variance(theta) * np.diag(noise)
    _, log_determinant = np.linalg.slogdet(covariance)
    assert misfit == pytest.approx(0.5 * y @ np.linalg.solve(covariance, y) + 0.5 * log_determinant, rel=1e-9)
    numeric = approx_fprime(theta, lambda t: structure._misfit(t, tables, past)[0], 1e-6)
    assert np.allclose(slope, numeric, rtol=1e-3, atol=1e-4)


def test_shares_sum_to_one_so_that_the_amplitude_is_the_prior_variance():
    assert softmax(np.log([0.3, 1.0])).round(6) == pytest.approx([1 / 2.3, 0.3 / 2.3, 1 / 2.3], abs=1e-6)
    structure = structures(np.random.default_rng(0).random((9, 2)), np.empty((9, 0)))[0]
    theta = structure.priors[:, 0].copy()
    theta[0] = np.log(3.0)
    assert bind(structure.kernel(theta), 2).diag(np.ones((1, 2))) == pytest.approx([3.0])
    assert structure.noise_variance(theta) == pytest.approx(0.3)


def test_length_scales_are_relative_to_the_distances_of_the_rows():
    rows = np.random.default_rng(0).random((50, 3))
    near, far = (structures(scale * rows, np.empty((50, 0)))[1].priors[-1, 0] for scale in (1.0, 4.0))
    assert far - near == pytest.approx(np.log(4.0))


def test_a_fit_finds_the_feature_that_matters_and_the_noise():
    rng = np.random.default_rng(2)
    u = rng.random((80, 3))
    y = np.sin(6 * u[:, 1]) + 0.1 * rng.normal(size=80)
    structure = structures(u, np.empty((80, 0)))[1]
    found = structure.fit(Past(u, np.zeros((80, 1)), y, np.ones(80)), structure.priors[:, 0])
    lengths = found.theta[-3:]
    assert lengths[1] + 1 < min(lengths[0], lengths[2])
    assert np.sqrt(structure.noise_variance(found.theta)) == pytest.approx(0.1, rel=0.4)


def test_more_than_twenty_features_share_one_length_scale():
    wide = Side(21, ("smooth",))
    assert wide.lengths == 1
    rows = np.random.default_rng(0).random((5, 21))
    assert np.allclose(wide.tables(rows)[1][0], np.square(rows[:, None] - rows).sum(axis=2))
    assert Side(20, ("smooth",)).lengths == 20


def test_the_joint_share_is_that_of_the_posterior_covariance():
    _u, v, _ = drawn(t=6)
    menu, structure = (
        np.random.default_rng(5).random((4, 2)),
        Structure(Side(2, ("smooth",), 0.5), Side(1, ("smooth",), 0.4)),
    )
    theta, played, noise = theta_of(structure), [0, 1, 1, 3, 2, 0], np.linspace(1.0, 2.0, 6)
    kinds, shares = np.array([[0.1], [0.9]]), np.array([0.25, 0.75])
    kernel, points = bind(structure.kernel(theta), 2), np.hstack([menu[played], v])
    covariance = kernel(points) + structure.noise_variance(theta) * np.diag(noise)
    for action, share in enumerate(
        structure.joint_share(theta, menu, Past(menu[played], v, np.zeros(6), noise), kinds, shares)
    ):
        queries = np.hstack([np.tile(menu[action], (2, 1)), kinds])
        cross = kernel(points, queries)
        after = kernel(queries) - cross.T @ np.linalg.solve(covariance, cross)
        assert share == pytest.approx(np.sqrt(shares @ after @ shares) / (shares @ np.sqrt(np.diag(after))), rel=1e-6)


def test_repeated_observations_are_merged_without_a_change_of_the_likelihood():
    u, v, y = drawn(t=8)
    u[[3, 6]], v[[3, 6]] = u[0], v[0]
    past = Past(u, v, y, np.linspace(1.0, 3.0, 8))
    merged = past.merged(100)
    assert (len(merged.noise), merged.repeats) == (6, 2)
    structure = Structure(Side(2, ("smooth",), 0.5), Side(1, ("smooth",), 0.4))
    each = []
    for seed in (1, 2):
        theta = theta_of(structure, seed)
        one, two = (
            structure._misfit(theta, (structure.action.tables(p.actions), structure.type.tables(p.types)), p)
            for p in (past, merged)
        )
        assert one[1] == pytest.approx(two[1])
        each.append(one[0] - two[0])
    assert each[0] == pytest.approx(each[1])  # a constant
    kinds, shares = v[:2], np.array([0.5, 0.5])
    assert structure.joint_share(theta, u, past, kinds, shares) == pytest.approx(
        structure.joint_share(theta, u, merged, kinds, shares)
    )


def test_of_many_observations_the_latest_of_each_action_stay():
    actions, types = np.array([[3.0], [1.0], [1.0], [2.0], [1.0], [1.0]]), np.arange(6.0)[:, None]
    past = Past(actions, types, np.arange(6.0), np.ones(6))
    assert past.merged(4).types[:, 0].tolist() == [0.0, 3.0, 4.0, 5.0]  # each action once, then action 1 again
    assert past.merged(2).types[:, 0].tolist() == [3.0, 5.0]
    assert past.merged(6).types[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_merged_response_is_the_mean_weighted_by_precision():
    u, v = np.array([[0.0], [1.0], [0.0], [2.0]]), np.zeros((4, 1))
    merged = Past(u, v, np.array([1.0, 5.0, 4.0, 7.0]), np.array([1.0, 1.0, 0.5, 1.0])).merged(2)
    assert merged.actions.tolist() == [[0.0], [2.0]]  # action 1 was seen longest ago
    assert merged.responses.tolist() == [3.0, 7.0]  # (1 + 2 * 4) / 3
    assert merged.noise == pytest.approx([1 / 3, 1.0])
    assert (merged.repeats, merged.spread) == (1, pytest.approx(4 + 2 * 1))


def test_congestion_is_a_fourth_power_of_each_load_with_a_common_part_and_is_used_where_it_is_declared():
    menu, types = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]), np.array([[0.0], [1.0]])
    plain, declared = structures(menu, types), structures(menu, types, congestion=True)
    assert declared[:-1] == plain
    structure = declared[-1]
    assert structure.odds == 4.0
    theta = np.array([np.log(401.0), -2.0, np.log(100.0), np.log(300.0), -np.inf])  # types do not matter
    kernel = bind(structure.kernel(theta), 2)
    at = np.array([[0.0, 0.0, 0.3], [1.0, 0.0, 0.3], [0.5, 1.0, 0.9]])
    with_constant = 1 + 100 * (1 / 16) / 2 + 300 * (1 / 2) * (17 / 16 / 2)
    assert kernel(at[[1]], at[[2]])[0, 0] == pytest.approx(with_constant)
    assert kernel(at[[0]], at)[0] == pytest.approx([1.0, 1.0, 1.0])
    past = Past(menu[[1, 2]], types, np.array([1.0, 2.0]), np.ones(2))
    start = structure.priors[:, 0]
    without = Structure(structure.action, structure.type).fit(past, start).objective
    assert structure.fit(past, start).objective == pytest.approx(without - 4.0)


def test_a_structure_that_does_not_count_is_fitted_in_few_steps():
    u, v, y = drawn(t=60)
    structure = structures(u, v)[0]
    start, past = structure.priors[:, 0], Past(u, v, y, np.ones(60))
    tables = structure.action.tables(u), structure.type.tables(v)
    before = structure._misfit(start, tables, past)[0]
    few, many = (structure.fit(past, start, counts=counts).objective for counts in (False, True))
    assert many < few < before


def test_a_cautious_structure_is_wider_and_rougher_and_as_noisy() -> None:
    structure = Structure(Side(2, ("linear", "smooth")), Side(1, ("rough",)))
    theta = np.linspace(-0.5, 0.6, len(structure.priors))
    found = structure.cautious(theta, 1.5)
    assert structure.noise_variance(found) == pytest.approx(structure.noise_variance(theta))
    # log a and log ν; the shares of linear and smooth, two length scales; the share of rough, one length scale
    np.testing.assert_allclose(found - theta, np.log(1.5) * np.array([2.0, -2.0, 0.0, 0.0, -1.0, -1.0, 0.0, -1.0]))
