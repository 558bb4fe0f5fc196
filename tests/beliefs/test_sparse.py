"""A budget of inducing points: exact within it, honest beyond it, refused where it would mislead."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF, DotProduct, Matern

from firstmover.beliefs import BudgetedBelief, FreshBelief, information_gain, posterior
from firstmover.beliefs.inducing import inducing_points
from firstmover.bench.workloads import park, routing
from firstmover.errors import InvalidInput
from firstmover.kernels import bind, on_action, on_type, pairs, polynomial


class Setting:
    """Types new in every round, on a plane in R^20: the effective dimension stays far below t."""

    def __init__(self, t, *, kernel=None, regularization=0.1, seed=0, noise_std=0.3, planes=2):
        rng = np.random.default_rng(seed)
        self.kernel, self.regularization = polynomial(2) if kernel is None else kernel, regularization
        self.actions = rng.uniform(size=(6, 2))
        self.types = rng.uniform(size=(t, planes)) @ rng.uniform(size=(planes, 20)) / 4
        self.probes = rng.uniform(size=(3, planes)) @ rng.uniform(size=(planes, 20)) / 4
        self.chosen = rng.integers(6, size=t)
        self.points = np.hstack([self.actions[self.chosen], self.types])
        self.bound = bind(self.kernel, 2)
        weights = rng.normal(size=8)
        centres = self.points[rng.integers(t, size=8)]
        self.norm = float(np.sqrt(weights @ self.bound(centres) @ weights))
        self.true = lambda z: self.bound(z, centres) @ weights[:, None]
        self.responses = self.true(self.points) + noise_std * rng.normal(size=(t, 1))

    def told(self, budget=None, rounds=None):
        common = self.kernel, self.regularization, self.actions, 1
        belief = FreshBelief.prior(*common) if budget is None else BudgetedBelief.prior(*common, budget)
        for action, kind, response in list(zip(self.chosen, self.types, self.responses, strict=True))[:rounds]:
            belief = belief.condition(int(action), kind, response)
        return belief

    def exact_dimension(self):
        gram = self.bound(self.points)
        return float(np.trace(gram @ np.linalg.inv(gram + self.regularization * np.eye(len(gram)))))


def test_exact_within_the_budget():
    setting = Setting(30)
    ours, exact = setting.told(budget=30), setting.told()
    for kind in setting.probes:
        np.testing.assert_array_equal(ours.predict(kind).mean, exact.predict(kind).mean)
        np.testing.assert_array_equal(ours.predict(kind).std, exact.predict(kind).std)
    assert ours.information_gain == exact.information_gain
    assert ours.width_factor == 1.0
    assert ours.effective_dimension == pytest.approx(setting.exact_dimension(), rel=1e-9)
    assert ours.error_on(setting.probes).mean == 0.0


def test_a_kernel_of_rank_one_needs_one_point():
    """k = x x': y = 1, 4, 3 at x = 1, 2, 3 and λ = 1 give slope (1 + 8 + 9) / (1 + 1 + 4 + 9) = 6/5, var x² / 15."""
    belief = BudgetedBelief.prior(on_action(DotProduct(0.0)), 1.0, np.array([[1.0], [2.0], [3.0]]), 1, budget=1)
    for action, response in enumerate((1.0, 4.0, 3.0)):
        belief = belief.condition(action, np.zeros(1), np.array([response]))
    said = belief.predict(np.zeros(1))
    np.testing.assert_allclose(said.mean[:, 0], [1.2, 2.4, 3.6], atol=1e-12)
    np.testing.assert_allclose(said.std**2, np.array([1.0, 4.0, 9.0]) / 15, atol=1e-12)
    assert belief.information_gain == pytest.approx(0.5 * np.log(15))
    assert belief.effective_dimension == pytest.approx(14 / 15)


def test_enough_points_for_all_features_leave_nothing_unexplained():
    """Degree 2 in two action features and a plane of types: (4 + 2 choose 2) = 15 features, budget 20."""
    setting = Setting(200)
    belief, error = setting.told(budget=20), setting.told(budget=20).error_on(setting.probes)
    assert error.mean < 1e-6
    assert 1 - 1e-6 < error.narrowest <= error.widest < 1 + 1e-6
    assert belief.width_factor < 1.001
    assert belief.effective_dimension == pytest.approx(setting.exact_dimension(), rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_between_enough_and_too_few(seed):
    """A smooth kernel has no rank; its budget is above the effective dimension and yet not all is explained."""
    setting = Setting(150, kernel=on_action(RBF(0.7)) * on_type(Matern(1.5, nu=2.5)), regularization=0.3, seed=seed)
    belief, exact = setting.told(budget=60), setting.told()
    assert setting.exact_dimension() <= belief.effective_dimension <= belief.budget
    assert belief.width_factor > 1.01
    gram = setting.bound(setting.points)
    assert belief.information_gain >= information_gain(gram, 0.3) == pytest.approx(exact.information_gain)
    error = belief.error_on(setting.probes)
    assert 0 < error.mean < 1
    assert 0.9 < error.narrowest <= error.widest < 1.5
    said = posterior(setting.bound, 0.3, setting.points, setting.responses, pairs(setting.actions, setting.probes[:1]))
    plain = belief.predict(setting.probes[0]).std / belief.width_factor
    assert np.min(plain / said.std) >= error.narrowest * (1 - 1e-12)


@given(seed=st.integers(0, 10**6), budget=st.integers(25, 60))
def test_a_function_without_noise_is_within_its_norm_times_std(seed, budget):
    """|b − μ̃| ≤ B (1 + √(tr(K − Q) / λ)) σ̃ with B = ‖b‖_k, whatever the inducing points."""
    kernel = on_action(RBF(0.7)) * on_type(RBF(1.5))
    setting = Setting(80, kernel=kernel, regularization=0.5, seed=seed, noise_std=0.0)
    try:
        belief = setting.told(budget=budget)
    except InvalidInput:
        return
    for kind in setting.probes:
        said, true = belief.predict(kind), setting.true(pairs(setting.actions, kind[None]))
        assert np.all(np.abs(said.mean - true)[:, 0] <= setting.norm * said.std * (1 + 1e-9))


def test_a_budget_below_the_effective_dimension_is_refused():
    setting = Setting(150, kernel=RBF(0.2), regularization=0.01)
    assert setting.exact_dimension() > 60
    with pytest.raises(
        InvalidInput, match=r"budget is 60: \d+ responses have an effective dimension of up to 6\d\.\d, "
    ):
        setting.told(budget=60)


def played(load, regularization, budget):
    belief = BudgetedBelief.prior(load.kernel, regularization, load.actions, load.n_outputs, budget)
    for action, kind, response in load.told:
        belief = belief.condition(action, kind, response)
    return belief


def test_four_hundred_points_for_the_park_are_refused():
    """After 3,000 rounds its effective dimension is 450 and such a mean is off by several σ: it never gets there."""
    with pytest.raises(InvalidInput, match=r"budget is 400: \d{3} responses .* or use the exact belief"):
        played(park(1000), 0.01, 400)


def test_three_hundred_points_for_routing_with_a_large_regularization_are_enough():
    """900 rounds, λ = 0.1: μ off by an eighth of σ and σ̃ between σ and 1.2 σ, before it is widened."""
    belief = played(routing(900), 0.1, 300)
    error = belief.error_on(routing(900).seen[-1:])
    assert error.mean < 0.15
    assert 1.0 < error.narrowest <= error.widest < 1.2
    assert 200 < belief.effective_dimension <= 300
    assert belief.width_factor > 1 + 2 * error.mean


def test_a_refused_response_leaves_the_belief_as_it_was():
    setting = Setting(150, kernel=RBF(0.2), regularization=0.01)
    belief, refused = setting.told(budget=60, rounds=60), False
    while not refused:
        t = belief.count
        was = belief.predict(setting.probes[0])
        try:
            belief = belief.condition(int(setting.chosen[t]), setting.types[t], setting.responses[t])
        except InvalidInput:
            refused = True
    assert t > 60
    np.testing.assert_array_equal(belief.predict(setting.probes[0]).mean, was.mean)
    assert belief.condition(int(setting.chosen[0]), setting.types[0], setting.responses[0]).count == t + 1


def test_old_beliefs_stay_usable():
    setting = Setting(120)
    old = setting.told(budget=20, rounds=50)
    was = old.predict(setting.probes[0])
    belief = old
    for action, kind, response in zip(setting.chosen[50:], setting.types[50:], setting.responses[50:], strict=True):
        belief = belief.condition(int(action), kind, response)
    other = old.condition(2, setting.probes[1], np.array([9.0]))
    again = old.condition(int(setting.chosen[50]), setting.types[50], setting.responses[50])
    np.testing.assert_array_equal(old.predict(setting.probes[0]).mean, was.mean)
    truth, alone = belief.predict(setting.probes[0]), setting.told(budget=20).predict(setting.probes[0])
    np.testing.assert_allclose(truth.mean, alone.mean, atol=1e-12)
    single = setting.told(budget=20, rounds=51)
    np.testing.assert_allclose(
        again.predict(setting.probes[0]).mean, single.predict(setting.probes[0]).mean, atol=1e-12
    )
    assert other.count == again.count == 51
    assert np.max(np.abs(other.predict(setting.probes[1]).mean - again.predict(setting.probes[1]).mean)) > 1e-3


def test_points_are_chosen_where_the_others_explain_least():
    """On a line with k = exp(−r²/2): the ends of a cluster at 0 and the far point, before any twin."""
    points = np.array([[0.0], [0.01], [5.0], [0.0], [1.0]])
    chosen, factor = inducing_points(RBF(), points, 3)
    assert chosen == [0, 2, 4]
    np.testing.assert_allclose(factor @ factor.T, RBF()(points[chosen]), atol=1e-12)
    assert inducing_points(RBF(), points[[0, 3, 0]], 3)[0] == [0]


def test_bad_input():
    setting = Setting(30)
    with pytest.raises(InvalidInput, match=re.escape("budget is 0: give 1 inducing point or more.")):
        setting.told(budget=0)
    belief = setting.told(budget=20)
    with pytest.raises(InvalidInput, match=re.escape("opponent_type has 3 number(s): give 20.")):
        belief.predict(np.zeros(3))
    with pytest.raises(InvalidInput, match="action is 6: give an index from 0 to 5"):
        belief.condition(6, setting.types[0], np.zeros(1))
    with pytest.raises(InvalidInput, match=re.escape("response has 2 number(s): give 1.")):
        belief.condition(0, setting.types[0], np.zeros(2))
