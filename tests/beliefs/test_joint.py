"""The joint posterior over actions and types: against a direct solve, against the beliefs, and by hand."""

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

from firstmover.beliefs import belief_over, joint
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.joint import GaussianPosterior, Observed, cautious, joint_posterior, tables
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games.rewards import increasing
from firstmover.kernels import bind, on_action, on_type

MENU = np.array([[0.0], [0.4], [1.0]])
TYPES = np.array([[0.0], [0.7]])
PRODUCT = on_action(RBF(0.5)) * on_type(RBF(1.0))
SUM = on_action(RBF(0.5)) + on_type(RBF(1.0))
KERNELS = pytest.mark.parametrize("kernel", [PRODUCT, SUM, RBF(0.6)], ids=["product", "sum", "one"])


def shop(types: Any = TYPES, outputs: int = 1) -> Game:
    domain = Box(np.full(outputs, -9.0), np.full(outputs, 9.0))
    return Game("shop", MENU, increasing(lambda _, y: y.sum(axis=1)), domain, types=types)


def seen(count: int, outputs: int = 1) -> list[Feedback]:
    rng = np.random.default_rng(5)
    return [
        Feedback(int(rng.integers(3)), TYPES[rng.integers(2)], np.sin(i) + rng.normal(0, 0.3, outputs))
        for i in range(count)
    ]


def observed(rows: list[Feedback], variance: float) -> Observed:
    actions, types = MENU[[row.action for row in rows]], np.array([row.opponent_type for row in rows])
    return Observed(actions, types, np.array([row.response for row in rows]), np.full(len(rows), variance))


def direct(kernel: Any, rows: list[Feedback], variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of all pairs, action by action, by the textbook formula."""
    bound, data = bind(kernel, 1), observed(rows, variance)
    grid = np.array([[*action, *kind] for action in MENU for kind in TYPES])
    points = np.hstack([data.actions, data.types])
    inverse = np.linalg.inv(bound(points) + variance * np.eye(len(points)))
    across = bound(grid, points)
    return across @ inverse @ data.responses, bound(grid) - across @ inverse @ across.T


@KERNELS
def test_mean_and_covariance_are_those_of_a_direct_solve(kernel: Any) -> None:
    rows = seen(9)
    data = observed(rows, 0.2)
    found = GaussianPosterior(tables(kernel, MENU, TYPES, data), data)
    mean, covariance = direct(kernel, rows, 0.2)
    np.testing.assert_allclose(found.mean.reshape(6, 1), mean, atol=1e-12)
    draws = found.deviations(40_000, np.random.default_rng(0)).reshape(-1, 6)
    # an entry of a sample covariance has a standard error of at most √2 max(C) / √40,000; four of them are allowed
    np.testing.assert_allclose(draws.T @ draws / len(draws), covariance, atol=0.03 * covariance.max())
    assert np.abs(draws.mean(axis=0)).max() < 4 * np.sqrt(covariance.max() / len(draws))


@KERNELS
@pytest.mark.parametrize("known", [True, False])
def test_it_is_the_posterior_of_the_belief(kernel: Any, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "CAUTION", 1.0)
    rows, game = seen(7, outputs=2), shop(outputs=2)
    belief = belief_over(kernel, 0.3, MENU, 2, TYPES if known else None)
    for row in rows:
        belief = belief.condition(row.action, row.opponent_type, row.response)
    found = joint_posterior(belief, game, rows, TYPES)
    draws = np.concatenate(list(found.draws(20_000, np.random.default_rng(1))))
    for place, kind in enumerate(TYPES):
        mean, std = belief.predict(kind)
        np.testing.assert_allclose(found.mean[:, place], mean, atol=1e-10)
        # of 10,000 independent pairs; the relative standard error of a deviation is 0.7 %
        np.testing.assert_allclose(draws[:, :, place].std(axis=0), found.calibration * std[:, None], rtol=0.03)
    np.testing.assert_allclose(draws.mean(axis=0), found.mean, atol=1e-12)  # pairs are symmetric


@KERNELS
def test_without_one_observation_is_conditioning_on_the_others(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "CAUTION", 1.0)
    rows = seen(8, outputs=2)
    belief = belief_over(kernel, 0.3, MENU, 2, TYPES)
    for row in rows:
        belief = belief.condition(row.action, row.opponent_type, row.response)
    found = joint_posterior(belief, shop(outputs=2), rows, TYPES)
    places, numbers = np.array([0, 1, 1]), np.array([2, 0, 7])
    for place, number, mean in zip(places, numbers, found.without(places, numbers), strict=True):
        other = belief_over(kernel, 0.3, MENU, 2, TYPES)
        for i, row in enumerate(rows):
            if i != number:
                other = other.condition(row.action, row.opponent_type, row.response)
        np.testing.assert_allclose(mean, other.predict(TYPES[place]).mean, atol=1e-10)


def test_the_calibration_of_two_responses_by_hand() -> None:
    """k = 1 everywhere and λ = 1: 3 is predicted as 0 with variance 1, then 1 as 1.5 with variance ½; noise adds 1.

    w = ½ and ⅓; z² = 9/2 and 0.25/1.5; c² = (4 + ½·4.5 + ⅓/6) / (4 + ½ + ⅓).
    """
    data = Observed(np.zeros((2, 1)), np.zeros((2, 1)), np.array([[3.0], [1.0]]), np.ones(2))
    found = GaussianPosterior(tables(ConstantKernel(1.0), np.zeros((1, 1)), np.zeros((1, 1)), data), data)
    expected = (4 + 2.25 + 1 / 18) / (4 + 0.5 + 1 / 3)
    assert found.calibration**2 == pytest.approx([expected])


def test_a_cautious_kernel_is_wider_and_rougher() -> None:
    kernel, z = (
        cautious(bind(on_action(RBF(3.0)) * on_type(RBF([1.5, 3.0])), 1)),
        np.array([[0.0] * 3, [2.0, 1.0, 2.0]]),
    )
    assert kernel(z)[0, 0] == pytest.approx(2.25)
    assert kernel(z)[0, 1] == pytest.approx(
        2.25 * np.exp(-0.5) ** 3
    )  # one length scale apart in each of three features


def test_a_fitted_belief_has_its_own_mean_and_calibrated_deviations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "CAUTION", 1.0)
    game = shop(outputs=2)
    belief = FittedBelief.prior(game)
    for row in seen(30, outputs=2):
        belief = belief.condition(row.action, row.opponent_type, row.response)
    belief = belief.fitted(belief.fit())
    found = joint_posterior(belief, game, [], TYPES)
    assert len(found.parts) > 1
    draws = np.concatenate(list(found.draws(20_000, np.random.default_rng(2))))
    for place, kind in enumerate(TYPES):
        mean, std = belief.predict(kind)
        np.testing.assert_allclose(found.mean[:, place], mean, atol=1e-9)
        np.testing.assert_allclose(draws[:, :, place].std(axis=0), std, rtol=0.04)
    assert np.abs(draws.mean(axis=0) - found.mean).max() < 1e-3  # shares of members are rounded


def test_caution_widens_the_draws_of_a_fitted_belief() -> None:
    game, kind = shop(), TYPES[[1]]
    belief = FittedBelief.prior(game)
    for row in seen(12):
        belief = belief.condition(0, TYPES[0], row.response)
    belief = belief.fitted(belief.fit())
    draws = np.concatenate(list(joint_posterior(belief, game, [], kind).draws(2000, np.random.default_rng(3))))
    assert np.all(draws[:, 1:, 0].std(axis=0) > 1.2 * belief.predict(kind[0]).std[1:])


def test_what_cannot_be_drawn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = shop()
    with pytest.raises(InvalidInput, match="has no fit yet"):
        joint_posterior(FittedBelief.prior(shop(types=None)), shop(types=None), [], TYPES)
    with pytest.raises(InvalidInput, match="has no kernel"):
        joint_posterior(object(), game, [], TYPES)  # type: ignore[arg-type]
    monkeypatch.setattr(joint, "MOST_POINTS", 5)
    belief = belief_over(DotProduct(), 0.3, MENU, 1, TYPES)
    with pytest.raises(InvalidInput, match="is not a product"):
        joint_posterior(belief, game, seen(2), TYPES)


def test_one_of_many_observations_of_a_fitted_belief_changes_little() -> None:
    """In units of the responses: of 60 around 5, with a spread below 1, one moves the mean by less than 0.3."""
    game = shop()
    belief = FittedBelief.prior(game)
    for row in seen(60):
        belief = belief.condition(row.action, row.opponent_type, row.response + 5)
    belief = belief.fitted(belief.fit())
    found = joint_posterior(belief, game, [], TYPES)
    places, numbers = np.array([0, 1]), np.array([10, 40])
    means = found.without(places, numbers)
    np.testing.assert_allclose(means, found.mean[:, places].transpose(1, 0, 2), atol=0.3)
    assert means.min() > 4
