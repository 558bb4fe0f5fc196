"""The fitted belief: invariance, scales, calibration, outliers, refits."""

import json
from dataclasses import replace

import numpy as np
import pytest

from firstmover.beliefs.fitted import Fit, FittedBelief, Scale, response_scale
from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games import increasing

REWARD = increasing(lambda x, y: x[:, 0] * y[:, 0])


def game(lower=0.0, upper=10.0, types=((1.0, 20.0), (2.0, 35.0), (3.0, 10.0)), n=7):
    kinds = None if types is None else np.array(types)
    return Game("test", np.linspace(1, 4, n)[:, None], REWARD, Box([lower], [upper]), types=kinds)


def truth(x, theta):
    return 6 - x + 0.05 * theta[1]


def seen(g, count, seed=0, noise=0.1, types=None):
    rng = np.random.default_rng(seed)
    kinds = g.types if types is None else types
    rows = []
    for _ in range(count):
        action, kind = int(rng.integers(g.n_actions)), kinds[rng.integers(len(kinds))]
        rows.append((action, kind, np.array([truth(g.actions[action, 0], kind) + noise * rng.normal()])))
    return rows


def learnt(g, rows, belief=None):
    belief = FittedBelief.prior(g) if belief is None else belief
    for row in rows:
        belief = belief.condition(*row)
        if belief.fit_due:
            belief = belief.fitted(belief.fit())
    return belief


def test_scales_are_those_of_the_rows_and_constant_features_are_left_out():
    scale = Scale.of(np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0]]))
    assert scale(np.array([[2.0, 5.0, 2.0]])) == pytest.approx(np.array([[0.5, 0.0]]))


def test_the_scale_of_responses_follows_the_bounds_or_the_data():
    assert response_scale(0.0, 8.0, np.empty(0)) == (4.0, 2.0)
    assert response_scale(-np.inf, 0.0, np.array([-1.0, -2.0, -9.0])) == (-2.0, 2.0)
    assert response_scale(-np.inf, np.inf, np.array([1.0, 2.0])) is None
    assert response_scale(-np.inf, np.inf, np.array([1.0, 1.0, 1.0])) is None
    centre, unit = response_scale(-np.inf, np.inf, np.array([1.0, 2.0, 3.0, 3e6]))
    assert (centre, unit) == pytest.approx((2.0, np.std([1.0, 2.0, 3.0])))


def test_predictions_come_near_the_truth_and_bands_hold_nine_tenths():
    g = game()
    belief = learnt(g, seen(g, 60))
    for kind in g.types:
        mean, std = belief.predict(kind)
        assert np.abs(mean[:, 0] - truth(g.actions[:, 0], kind)).max() < 0.25
        assert std.max() < 0.3
    assert np.sqrt(belief.noise_variance) == pytest.approx([0.1], rel=0.5)


def changed(g, a, b, c):
    """The same game with actions, types and responses in other units and from other origins."""
    low, high = (c[0] * np.asarray(end) + c[1] for end in (g.response_domain.lower, g.response_domain.upper))
    kinds = None if g.types is None else g.types * np.array(b[0]) + np.array(b[1])
    return replace(g, actions=g.actions * a[0] + a[1], types=kinds, response_domain=Box(low, high))


@pytest.mark.parametrize("bounds", [(0.0, 10.0), (0.0, np.inf), (-np.inf, np.inf)])
@pytest.mark.parametrize("free", [False, True])
def test_other_units_and_origins_change_no_prediction(bounds, free):
    g = game(*bounds, types=None) if free else game(*bounds)
    types = np.random.default_rng(3).normal(20, 5, (20, 2)) if free else None
    rows = seen(g, 30, types=types)
    a, b, c = (100.0, 0.0), ([1.8, 0.621], [32.0, 7.0]), (100.0, 50.0)
    other = changed(g, a, b, c)
    moved = [(x, kind * np.array(b[0]) + np.array(b[1]), c[0] * y + c[1]) for x, kind, y in rows]
    one, two = learnt(g, rows), learnt(other, moved)
    mean, std = one.predict(rows[-1][1])
    again, deviation = two.predict(moved[-1][1])
    assert again == pytest.approx(c[0] * mean + c[1], rel=1e-4)
    assert deviation == pytest.approx(c[0] * std, rel=1e-3)


def test_a_response_typed_wrongly_hardly_counts_and_is_flagged():
    g = game(0.0, np.inf)
    rows = seen(g, 40)
    wrong = [(x, kind, y * 1e6) if i in (7, 25) else (x, kind, y) for i, (x, kind, y) in enumerate(rows)]
    plain, robust = learnt(g, rows), learnt(g, wrong)
    assert robust.outliers == (7, 25)
    assert plain.outliers == ()
    for kind in g.types:
        assert np.abs(robust.predict(kind).mean - plain.predict(kind).mean).max() < 0.3


def test_noise_within_four_deviations_counts_in_full():
    g = game()
    belief = learnt(g, seen(g, 50))
    assert all(noise == pytest.approx([1.0]) for noise in belief.noise)


def test_calibration_counts_responses_where_the_belief_was_uncertain():
    g = game()
    belief = learnt(g, seen(g, 20))
    squares = np.array([6.0]), np.array([4.0])
    assert replace(belief, squares=squares).calibration == pytest.approx([np.sqrt((4 + 6) / (4 + 4))])
    mean, std = belief.predict(g.types[0])
    wider = replace(belief, squares=(np.array([36.0]), np.array([0.0])))
    ratio = np.sqrt(10.0) / belief.calibration[0]
    assert wider.predict(g.types[0]).std == pytest.approx(ratio * std)
    assert wider.predict(g.types[0]).mean == pytest.approx(mean)


def test_before_the_scale_is_known_anything_is_possible():
    g = game(-np.inf, np.inf, types=None)
    belief = FittedBelief.prior(g)
    assert belief.last is None
    assert np.isinf(belief.predict(np.zeros(2)).std).all()
    assert not belief.condition(0, np.zeros(2), np.ones(1)).fit_due
    assert belief.weighted(np.zeros(2)) == []


def test_observations_of_one_action_leave_others_unknown():
    g = game()
    belief = FittedBelief.prior(g)
    for i in range(8):
        belief = belief.condition(3, g.types[0], np.array([7.0 + 0.1 * (-1) ** i]))
        if belief.fit_due:
            belief = belief.fitted(belief.fit())
    std = belief.predict(g.types[0]).std[:, 0]
    assert std[0] > 4 * std[3]
    assert belief.predict(g.types[1]).std[0, 0] > 0.3 * belief.prior_std(g.types[1])[0, 0]


def test_fits_are_plain_numbers_that_give_the_same_belief():
    g = game()
    belief = FittedBelief.prior(g)
    for row in seen(g, 12):
        belief = belief.condition(*row)
    fit = belief.fit()
    text = json.dumps(fit)
    one, two = belief.fitted(fit), belief.fitted(json.loads(text))
    assert np.array_equal(one.predict(g.types[0]).mean, two.predict(g.types[0]).mean)
    assert Fit.restored(fit).stored() == fit


def test_fits_follow_a_third_more_observations():
    g = game()
    belief, counts = FittedBelief.prior(g), []
    for row in seen(g, 60):
        belief = belief.condition(*row)
        if belief.fit_due:
            counts.append(belief.count)
            belief = belief.fitted(belief.fit())
    assert counts == [3, 5, 7, 9, 12, 16, 21, 28, 37, 49]


def test_each_output_has_its_own_noise_and_draws_agree_with_the_covariance():
    rng = np.random.default_rng(0)
    g = replace(game(), response_domain=Box([0.0, 0.0], [10.0, 1000.0]))
    belief = FittedBelief.prior(g)
    for action, kind, y in seen(g, 40):
        belief = belief.condition(action, kind, np.array([y[0], 100 * y[0] + 40 * rng.normal()]))
        if belief.fit_due:
            belief = belief.fitted(belief.fit())
    small, large = np.sqrt(belief.noise_variance)
    assert small < 0.3
    assert 20 < large < 80
    draws = belief.sample(4000, rng, g.types[0], actions=[1, 5])
    assert draws.shape == (4000, 2, 2)
    assert (
        pytest.approx(np.stack([np.diag(c) for c in belief.covariance(g.types[0], actions=[1, 5])]), rel=0.1)
        == draws.std(axis=0).T ** 2
    )


def test_actions_off_the_menu_are_as_good_as_those_on_it():
    """The menu with three more actions between its ends, and the same three known by their features alone."""
    wide = np.linspace(0.0, 1.0, 7)[:, None]
    kinds, rng, beliefs = np.array([[0.0], [1.0]]), np.random.default_rng(3), []
    games = [Game("g", actions, REWARD, Box([0.0], [8.0]), types=kinds) for actions in (wide, wide[::2])]
    means = [4 + np.sin(3 * wide[i % 7] + i % 2) for i in range(20)]
    rows = [(i % 7, kinds[i % 2], mean + 0.05 * rng.normal()) for i, mean in enumerate(means)]
    for g in games:
        belief = FittedBelief.prior(g).reaching(wide)
        for action, kind, response in rows:
            on_menu = g is games[0]
            given = kind, response
            belief = belief.condition(action, *given) if on_menu else belief.condition_at(wide[action], *given)
        beliefs.append(belief)
    on, off = (belief.fitted(beliefs[0].fit()) for belief in beliefs)
    assert (on.further is None, len(off.further)) == (True, 3)
    for kind in kinds:
        for a, b in zip(on.predict(kind), off.predict(kind), strict=True):
            np.testing.assert_allclose(a[::2], b, rtol=1e-9)
        np.testing.assert_allclose(on.prior_std(kind)[::2], off.prior_std(kind), rtol=1e-12)
        np.testing.assert_allclose(on.covariance(kind)[:, ::2, ::2], off.covariance(kind), atol=1e-12)
        for a, b in zip(on.weighted(kind), off.weighted(kind), strict=True):
            np.testing.assert_allclose(a.joint[::2], b.joint, rtol=1e-9)
            np.testing.assert_allclose(a.prediction.mean[::2], b.prediction.mean, rtol=1e-9)
    assert off.reaching(wide[1:4]) is off
    late = FittedBelief.prior(games[1]).fitted(off.last.stored())
    for action, kind, response in rows:
        late = late.reaching(wide[[action]]).condition_at(wide[action], kind, response)
    np.testing.assert_allclose(late.predict(rows[0][1]).mean, off.predict(rows[0][1]).mean, rtol=1e-9)
