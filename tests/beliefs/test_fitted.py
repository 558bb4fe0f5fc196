"""The fitted belief: invariance, scales, calibration, outliers, refits."""

import json
from dataclasses import replace

import numpy as np
import pytest

from firstmover.beliefs.fitted import Fit, FittedBelief
from firstmover.beliefs.outliers import fitting_noise, judged
from firstmover.beliefs.relevance import Fitted
from firstmover.beliefs.scaling import Scale, response_scale, usual
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
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


def test_loads_have_one_scale_that_starts_at_no_load():
    scale = Scale.of_loads(np.array([[10.0, 5.0, 20.0], [30.0, 5.0, 40.0]]))
    assert scale(np.array([[10.0, 5.0, 20.0]])) == pytest.approx(np.array([[0.25, 0.5]]))


def test_the_scale_of_responses_follows_the_bounds_or_the_data():
    assert response_scale(0.0, 8.0, np.empty(0)) == (4.0, 2.0)
    assert response_scale(-np.inf, 0.0, np.array([-1.0, -2.0, -9.0])) == (-2.0, 2.0)
    assert response_scale(-np.inf, np.inf, np.array([1.0, 2.0])) is None
    assert response_scale(-np.inf, np.inf, np.array([1.0, 1.0, 1.0])) is None
    assert response_scale(0.0, 8.0, np.empty(0), from_bound=True) == (0.0, 2.0)
    assert response_scale(1.0, np.inf, np.array([2.0, 4.0, -8.0]), from_bound=True) == (1.0, 3.0)  # noise below a bound
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


def test_the_judgement_of_responses_by_hand():
    """Variances 3 of the function and 1 of the noise: errors of 3 and 20 are 1.5 and 10 = 2.5 · 4 deviations."""
    factors, (squares, weights) = judged(np.array([3.0, -20.0]), np.array([3.0, 3.0]), 1.0)
    assert factors == pytest.approx([1.0, 2.5**4])
    assert weights == pytest.approx([0.75, 0.75])
    assert squares == pytest.approx([0.75 * 1.5**2, 0.75 * 4**2])


def test_a_new_response_is_judged_by_its_prediction_with_the_noise_once():
    belief = learnt(game(-np.inf, np.inf), seen(game(), 20))
    kind, action = belief.game.types[0], 3
    mean, std = (part[action] for part in belief.predict(kind))
    deviation = np.sqrt((std / belief.calibration) ** 2 + belief.noise_variance)
    told = belief.condition(action, kind, mean + 10 * deviation)
    assert told.noise[-1] == pytest.approx([2.5**4])
    assert belief.condition(action, kind, mean + 3.9 * deviation).noise[-1] == pytest.approx([1.0])


def test_a_response_typed_wrongly_hardly_counts_and_is_flagged():
    g = game(0.0, np.inf)
    rows = seen(g, 40)
    wrong = [(x, kind, y * 1e6) if i in (7, 25) else (x, kind, y) for i, (x, kind, y) in enumerate(rows)]
    plain, robust = learnt(g, rows), learnt(g, wrong)
    assert robust.outliers == (7, 25)
    assert plain.outliers == ()
    for kind in g.types:
        assert np.abs(robust.predict(kind).mean - plain.predict(kind).mean).max() < 0.3


def test_a_response_is_an_outlier_if_it_counts_for_less_than_a_tenth():
    """By the largest noise factor of its outputs."""
    factors = (np.array([1.0, 9.5]), np.array([10.5, 1.0]), np.array([10.0, 10.0]), np.array([1.0, 10.5]))
    assert replace(FittedBelief.prior(game()), noise=factors).outliers == (1, 3)


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


def test_the_band_widens_by_nine_tenths_of_a_step_and_narrows_by_one_tenth():
    g = game()
    belief = learnt(g, seen(g, 12))
    action, kind = 3, g.types[1]
    mean, std = (rows[action, 0] for rows in belief.predict(kind))
    edge = 1.6448536 * np.sqrt(std**2 + belief.band_variance[0])
    inside, outside = (belief.condition(action, kind, [mean + off * edge]) for off in (0.999, 1.001))
    before = np.log(belief.band_variance[0] / belief.noise_variance[0])
    assert np.log(inside.band_variance[0] / inside.noise_variance[0]) == pytest.approx(before - 2 * 0.1 * 0.1)
    assert np.log(outside.band_variance[0] / outside.noise_variance[0]) == pytest.approx(before + 2 * 0.1 * 0.9)
    assert outside.fitted(outside.fit()).log_factor is outside.log_factor


def test_bands_hold_nine_tenths_whatever_the_noise_is():
    g, rng = game(), np.random.default_rng(0)
    belief, inside = learnt(g, seen(g, 30)), []
    start = belief.log_factor[0]
    for _ in range(600):  # noise of heavy tails, and much larger than the belief was fitted to
        kind = g.types[rng.integers(3)]
        response = truth(g.actions[2], kind) + rng.standard_t(2, 1)
        mean, std = (rows[2] for rows in belief.predict(kind))
        inside.append(bool(np.abs(response - mean) <= 1.6448536 * np.sqrt(std**2 + belief.band_variance)))
        belief = belief.condition(2, kind, response)
    assert 0.9 - np.mean(inside) == pytest.approx((belief.log_factor[0] - start) / (0.1 * 600))
    assert np.mean(inside[300:]) == pytest.approx(0.9, abs=0.04)  # two standard errors of 300 responses


def test_many_outliers_count_in_a_fit_unless_they_are_gross():
    responses = np.array([0.0] * 18 + [2.0, 50.0])
    factors = np.array([1.0] * 18 + [30.0, 1e6])
    assert fitting_noise(responses, factors).tolist() == factors.tolist()  # 5 % are few
    factors[0] = 11.0
    assert fitting_noise(responses, factors).tolist() == [1.0] * 19 + [1e6]
    factors[0] = 10.0  # a tenth of the weight is no outlier yet
    assert fitting_noise(responses, factors).tolist() == factors.tolist()


def test_a_noise_that_was_fitted_too_small_is_fitted_again():
    g, rng = game(types=((1.0, 20.0),)), np.random.default_rng(0)
    belief = FittedBelief.prior(g)
    for t in range(60):  # alike responses, then shares of 0 and 10
        response = 5.0 + rng.normal(0, 0.01) if t < 8 else 10.0 * rng.integers(2)
        belief = belief.condition(t % 2, g.types[0], [response])
        belief = belief.fitted(belief.fit()) if belief.fit_due else belief
    assert np.sqrt(belief.noise_variance[0]) > 3
    assert len(belief.outliers) < 6


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


def one_by_one(belief, fit):
    """The belief with these hyperparameters, conditioned on one observation after the other."""
    start = replace(belief, seen=belief.seen[:1], noise=belief.noise[:1]).fitted(fit)
    for past in belief.seen[1:]:
        start = start.condition(past.action, past.opponent_type, past.response)
    return start


@pytest.mark.parametrize("shape", ["finite", "large", "fresh", "fresh, wide menu"])
def test_conditioning_on_all_observations_is_conditioning_on_one_after_the_other(shape):
    g = game(0.0, np.inf, n=700 if shape == "large" else 80 if shape == "fresh, wide menu" else 7)
    rows = [(x, k, y * 50 if i in (9, 21) else y) for i, (x, k, y) in enumerate(seen(g, 70, noise=0.3))]
    g = replace(g, types=None) if shape.startswith("fresh") else g
    belief = learnt(g, rows)
    fit = belief.last.stored()
    one, two = belief.fitted(fit), one_by_one(belief, fit)
    assert {"large": "LargeBelief", "finite": "FiniteBelief"}.get(shape, "FreshBelief") == type(
        one.members[0][0]
    ).__name__
    assert one.outliers == two.outliers == (9, 21)
    assert np.array(one.noise) == pytest.approx(np.array(two.noise), rel=1e-5)
    assert np.array(one.squares) == pytest.approx(np.array(two.squares), rel=1e-6)
    assert one.information_gain == pytest.approx(two.information_gain)
    more = (3, rows[0][1], np.array([4.0]))
    for left, right in ((one, two), (one.condition(*more), two.condition(*more))):
        for kind in (rows[0][1], rows[5][1]):
            assert left.predict(kind).mean == pytest.approx(right.predict(kind).mean, rel=1e-6)
            assert left.predict(kind).std == pytest.approx(right.predict(kind).std, rel=1e-6)
            chosen = [0, 3, 5]
            assert left.covariance(kind, actions=chosen) == pytest.approx(
                right.covariance(kind, actions=chosen), rel=1e-5
            )


def test_only_structures_that_count_are_conditioned_and_their_probabilities_sum_to_one():
    g = game()
    belief = learnt(g, seen(g, 40))
    fit = belief.last
    total = fit.objective.sum(axis=0)
    assert replace(fit, objective=np.array([[0.0, 5.0, 9.0]])).counting == [0, 1]
    assert replace(fit, objective=np.array([[0.0, 5.0, 9.0]])).weights == pytest.approx(
        np.array([1.0, np.exp(-5.0), 0.0]) / (1 + np.exp(-5.0))
    )
    assert len(belief.members[0]) == len(fit.counting) == int((np.exp(total.min() - total) > 1e-3).sum())


def test_structures_that_are_very_unlikely_do_not_overflow():
    """exp(2000) is no number."""
    fit = Fit(3, Scale(np.zeros(1), np.ones(1)), ((0.0, 1.0),), ((np.zeros(1),) * 3,), np.array([[2000.0, 0.0, 0.0]]))
    assert fit.weights.tolist() == [0.0, 0.5, 0.5]


def links(congestion=True):
    """All on one of four links, none, and halves on two of them; congestion is the fourth power of the loads."""
    halves = [[150.0 * (link in (i, i + 1)) for link in range(4)] for i in range(3)]
    return Game(
        "links", np.vstack([300 * np.eye(4), np.zeros(4), halves]), REWARD, Box([0.0], [np.inf]), congestion=congestion
    )


def test_declared_congestion_of_half_the_load_is_a_sixteenth():
    g, rng, kind = links(), np.random.default_rng(1), np.array([1.0])
    coefficients, halves = np.array([8.0, 2.0, 3.0, 5.0]), np.array([10.0, 5.0, 8.0]) / 16
    true = np.concatenate([coefficients, [0.0], halves])
    rows = [(a, kind, np.array([true[a] + 0.3 * rng.normal()])) for a in (0, 1, 2, 3, 4, 6) * 3]  # halves: one of three
    belief, other = learnt(g, rows), learnt(links(congestion=False), rows)
    assert (len(belief.last.theta[0]), len(other.last.theta[0])) == (4, 3)
    assert belief.last.weights[3] > 0.9
    mean = belief.predict(kind).mean[:, 0]
    assert mean[:4] == pytest.approx(coefficients, abs=0.5)
    assert mean[5:] == pytest.approx(halves, abs=0.4)
    assert np.abs(other.predict(kind).mean[[5, 7], 0] - halves[[0, 2]]).max() > 1.0
    tonnes = replace(g, actions=g.actions * 1000)
    again = learnt(tonnes, [(x, k, 60 * y) for x, k, y in rows])  # and minutes instead of hours
    assert again.predict(kind).mean == pytest.approx(60 * belief.predict(kind).mean, rel=1e-3, abs=0.1)


def test_congestion_that_fits_nothing_costs_little():
    g = replace(game(), congestion=True)
    belief = learnt(g, seen(g, 60))
    assert belief.last.weights[3] == 0.0
    assert np.abs(belief.predict(g.types[0]).mean[:, 0] - truth(g.actions[:, 0], g.types[0])).max() < 0.25


def test_a_fit_of_a_version_with_fewer_structures_is_used_and_then_fitted_from_the_priors():
    g = links()
    rows = [(i % 8, np.ones(1), np.array([1.0 + i % 3])) for i in range(8)]
    earlier = learnt(replace(g, congestion=False), rows)
    belief = replace(earlier, game=g).fitted(earlier.last.stored())
    assert np.array_equal(Fit.restored(belief.fit()).objective.shape, (1, 4))


def test_a_fit_starts_from_the_means_of_the_priors_and_later_from_the_last_one(monkeypatch):
    g, starts, means = game(), [], []
    belief = learnt(g, seen(g, 12))
    monkeypatch.setattr(
        "firstmover.beliefs.relevance.Structure.fit",
        lambda self, _past, start, **_: starts.append(start) or means.append(self.priors[:, 0]) or Fitted(start, 0.0),
    )
    replace(belief, last=None).fit()
    assert all(np.array_equal(*pair) for pair in zip(starts, means, strict=True))
    starts.clear()
    belief.fit()
    assert all(np.array_equal(*pair) for pair in zip(starts, belief.last.theta[0], strict=True))


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


def test_an_absurd_response_leaves_all_numbers_finite():
    g = game(upper=np.inf)
    rows = seen(g, 20)
    clean, spoilt = learnt(g, rows), learnt(g, [*rows[:10], (2, g.types[0], np.array([1e100])), *rows[10:]])
    assert np.isfinite(spoilt.predict(g.types[0]).std).all()
    assert spoilt.outliers == (10,)
    assert spoilt.predict(g.types[0]).mean == pytest.approx(clean.predict(g.types[0]).mean, abs=0.5)


def test_types_of_another_length_or_unknown_are_refused():
    free = learnt(game(types=None), seen(game(), 4))
    with pytest.raises(InvalidInput, match=r"opponent_type has 3 feature\(s\): those before have 2"):
        free.condition(0, [1.0, 2.0, 3.0], [4.0])
    with pytest.raises(InvalidInput, match=r"opponent_type \[1.0, 21.0\] is not among the 3 known types"):
        learnt(game(), seen(game(), 4)).predict([1.0, 21.0])


def test_gross_features_of_types_do_not_count_for_their_scale():
    rows = np.array([[1.0, 5.0], [2.0, 6.0], [1.5, 5.5], [3.0, 5e9]])
    scale = Scale.of_usual(rows)
    assert (scale.low.tolist(), scale.span.tolist()) == ([1.0, 5.0], [2.0, 1.0])
    assert scale(rows)[3].tolist() == [1.0, 11.0]
    assert scale(np.array([[-100.0, 5.0]]))[0].tolist() == [-10.0, 0.0]


def test_a_value_is_usual_up_to_a_hundred_median_deviations_inclusive():
    """The median is 0, and the median of the deviations 1, 1 and 100 is 1."""
    assert usual(np.array([-1.0, 0.0, 0.0, 1.0, 100.0])).tolist() == [True] * 5
    assert usual(np.array([-1.0, 0.0, 0.0, 1.0, -100.5])).tolist() == [True] * 4 + [False]
    assert usual(np.full(3, 7.0)).tolist() == [True] * 3
