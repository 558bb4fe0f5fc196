"""Alarms from observations: each on data made for it, none on data that the assumptions explain."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover import GAMES, Box, Feedback, Game, StackelUCB, alarms, increasing, opponent_for, play_run
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import bind, on_action, polynomial
from firstmover.learners.alarms import Model, Monitor, Observed, all_alarms, model_of, recording_alarms
from firstmover.learners.alarms.assumptions import _weights, wrong_assumptions
from firstmover.learners.alarms.checks import tail_evidence
from firstmover.learners.alarms.irrelevant import _assignment, hidden_groups, irrelevant_types
from firstmover.learners.alarms.marginal import LENGTHS, NOISES, VARIANCES, log_likelihoods, matern, smooth_evidence
from firstmover.learners.alarms.units import _explained, wrong_units
from firstmover.learners.alarms.untested import untested

GAME = Game("line", np.linspace(0, 1, 11)[:, None], increasing(lambda _, y: y[:, 0]), Box([-9e9], [9e9]), types=None)


def model(variance: float = 1.0, length: float = 0.2, noise: float = 0.04) -> Model:
    belief = SimpleNamespace(kernel=bind(on_action(ConstantKernel(variance) * RBF(length)), 1))
    return Model(GAME, belief, 1.0, noise)  # type: ignore[arg-type]


def drawn(seed: int, count: int = 60, noise: float = 0.2) -> tuple[Matrix, Matrix]:
    """Points and responses of a function drawn from the prior of `model()`; the type says nothing."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.choice(GAME.actions[:, 0], count), rng.uniform(0, 1, count)])
    gram = RBF(0.2)(points[:, :1]) + 1e-9 * np.eye(count)
    return points, (np.linalg.cholesky(gram) @ rng.normal(size=count) + rng.normal(0, noise, count))[:, None]


def test_variances_change_by_factors_of_five_and_noise_by_half_decades() -> None:
    assert pytest.approx([-2, -1, 0, 1, 2]) == np.log(VARIANCES) / np.log(5)
    assert pytest.approx([-1, -0.5, 0, 0.5, 1]) == np.log10(NOISES)


def test_marginal_likelihoods_are_those_of_the_normal_distribution() -> None:
    points, responses = drawn(0, 8)
    gram = matern(points, 0.3)
    found = log_likelihoods(gram, np.hstack([responses, 2 * responses]), 0.3)
    for i, j in ((0, 0), (2, 2), (4, 1)):
        law = multivariate_normal(np.zeros(8), VARIANCES[i] * gram + NOISES[j] * 0.3 * np.eye(8))
        whole = law.logpdf(responses[:, 0]) + law.logpdf(2 * responses[:, 0]) + 8 * np.log(2 * np.pi)
        assert found[i, j] == pytest.approx(whole)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"noise": 0.4}, "λ ÷ 10"),
        ({"noise": 0.004}, "λ × 10"),
        ({"variance": 0.04}, "the prior variance × 25"),
        ({"length": 1.0}, "length scales ÷ 5"),
    ],
)
def test_wrong_assumptions_are_named_with_the_change_that_fits(wrong: dict[str, float], words: str) -> None:
    found = [wrong_assumptions(model(**wrong), *drawn(seed)) for seed in range(4)]
    assert all(alarm is not None for alarm in found)
    assert sum(words in str(alarm) for alarm in found) >= 3  # one draw may look like another change
    assert wrong_assumptions(model(**wrong), *(part[:9] for part in drawn(0))) is None  # too few


def test_a_small_prior_variance_is_noticed_in_few_noisy_responses() -> None:
    """Odds by hand, for n responses of one action with mean y: larger variances have two thirds of the weight.

    log p(y; v) = −½ [log(nv + λ) + n y² / (nv + λ)] but for a constant, of the factors 5 and 25 and without one:
    with n = 20, λ = 1, v = 0.04 and y = 1.2 exp(4.61) = 100 and exp(6.09) = 440, 270 on average.
    """
    for y, raised in ((1.2, True), (1.16, True), (1.12, False)):
        alarm = wrong_assumptions(model(0.04, 0.2, 1.0), np.tile([0.5, 0.0], (20, 1)), spread_around(y, 20))
        assert (alarm is not None) == raised, (y, larger_variances(y))
        assert alarm is None or "the prior variance × 25" in alarm.measured
    assert larger_variances(1.2) == pytest.approx(270, rel=0.01)
    assert larger_variances(1.16) > 150
    assert larger_variances(1.12) < 120


def larger_variances(y: float) -> float:
    """The mean odds of the prior variances × 5 and × 25 in the test above."""
    totals = 1 + 20 * 0.04 * np.array([1.0, 5.0, 25.0])
    logs = -0.5 * (np.log(totals) + 20 * y**2 / totals)
    return float(np.mean(np.exp(logs[1:] - logs[0])))


def spread_around(mean: float, count: int) -> Matrix:
    """Responses with this mean and standard deviation 1."""
    return (mean + np.where(np.arange(count) % 2, 1.0, -1.0))[:, None]


def test_right_assumptions_are_hardly_ever_refuted_however_often_one_looks() -> None:
    """By Ville's inequality one of 100 draws at most; three of 40 would have a probability below 1 %."""
    refuted = 0
    for seed in range(40):
        points, responses = drawn(seed)
        looks = [wrong_assumptions(model(), points[:n], responses[:n]) for n in (10, 20, 40, 60)]
        refuted += any(alarm is not None for alarm in looks)
    assert refuted <= 1


def test_larger_variances_have_two_thirds_of_the_weight_and_rivals_with_one_change_half_of_the_rest() -> None:
    weights = _weights(8)
    assert weights.sum() == pytest.approx(1)
    assert weights[2, 2, 2] == pytest.approx(1 / 1200)  # no change: one of 200
    assert weights[[0, 7, 2, 2], [2, 2, 0, 2], [2, 2, 2, 4]] == pytest.approx(1 / 90 + 1 / 1200)
    assert weights[2, [3, 4], 2] == pytest.approx(1 / 3 + 1 / 90 + 1 / 1200)
    assert weights[[0, 2], [0, 1], [2, 1]] == pytest.approx(1 / 1200)


def test_only_the_first_observations_and_only_given_kernels_are_judged() -> None:
    points, responses = drawn(0, 120)
    late = np.where(np.arange(120)[:, None] < 60, responses, 50 * responses)
    assert wrong_assumptions(model(), points, late) is None
    fitted = replace(model(noise=0.004), belief=SimpleNamespace(kernel=model().belief.kernel, fitted=None))  # type: ignore
    assert wrong_assumptions(model(noise=0.004), points, responses) is not None
    assert wrong_assumptions(fitted, points, responses) is None


def test_units_are_named_with_their_factor_and_the_correction() -> None:
    points, responses = drawn(1, 40)
    wrong, rounds = np.arange(40) % 5 < 2, np.arange(1, 41)
    alarm = wrong_units(points, np.where(wrong[:, None], 1000 * responses, responses), rounds)
    assert alarm is not None
    assert "are about 1e+03 times larger than the others predict" in alarm.measured
    assert "divide them by 1e+03" in alarm.remedy
    assert alarm.since == 1
    small = wrong_units(points, np.where(wrong[:, None], responses / 1000, responses), rounds)
    assert small is not None
    assert "multiply them by 1e+03" in small.remedy
    assert wrong_units(points, responses, rounds) is None


@pytest.mark.parametrize(
    ("usual", "named"),
    [(7.0, "7"), (12.0, "12"), (24.0, "24"), (60.0, "60"), (100.0, "100"), (365.0, "365"), (3600.0, "3.6e+03")],
)
def test_usual_factors_between_units_are_named_exactly(usual: float, named: str) -> None:
    """Days and weeks, months, hours, minutes, metres, years, seconds: the ratio of the responses is near it."""
    points, responses = drawn(2, 40, noise=0.02)
    wrong = np.arange(40) % 5 < 2
    found = np.where(wrong[:, None], usual, 1.0) * np.exp(0.3 * responses)
    alarm = wrong_units(points, found, np.arange(1, 41))
    assert alarm is not None
    assert f"are about {named} times larger" in alarm.measured


def test_units_are_dated_by_the_first_wrong_round() -> None:
    """Observations from before the first round have no round, so that they are not counted."""
    points, responses = drawn(1, 40)
    wrong = np.arange(40) % 5 >= 3  # those at 3, 4, 8, 9, ...
    found = np.where(wrong[:, None], 1000 * responses, responses)
    for earlier, since in ((0, 4), (4, 1), (5, 4), (40, 1)):
        rounds = np.maximum(np.arange(1, 41) - earlier, 0)
        alarm = wrong_units(points, found, rounds)
        assert alarm is not None
        assert alarm.since == since, earlier


@pytest.mark.parametrize(
    ("count", "noise", "raised"), [(8, 0.1, True), (8, 0.2, False), (10, 0.2, True), (10, 0.3, False), (14, 0.3, False)]
)
def test_units_need_odds_of_a_hundred_thousand(count: int, noise: float, raised: bool) -> None:
    """To divide half of the responses by a factor costs its logarithm each, and to choose which, log 2 for all."""
    points = np.random.default_rng(count).random((count, 2))
    wrong = np.arange(count) % 2 == 0
    right = np.exp(points[:, 0] + noise * np.where(np.arange(count) % 4 < 2, 1, -1))
    found = np.where(wrong, 10 * right, right)[:, None]
    ratio = float(np.median(found[wrong]) / np.median(found[~wrong]))
    gains = [
        smooth_evidence(points, np.where(wrong[:, None], found / factor, found)) - count / 2 * np.log(factor)
        for factor in (ratio, 7.0, 10.0, 12.0, 24.0)
    ]
    odds = max(gains) - count * np.log(2) - smooth_evidence(points, found)
    assert (odds > np.log(1e5)) == raised
    assert (wrong_units(points, found, np.arange(1, count + 1)) is not None) == raised


@pytest.mark.parametrize(("pairs", "explained"), [(14, False), (15, True)])
def test_points_explain_the_size_of_responses_from_three_deviations_above_chance_on(
    pairs: int, explained: bool
) -> None:
    """20 pairs of neighbours, of which some are alike; half of the responses are large.

    By chance half of the neighbours are alike, with a deviation of √(¼ / 40): the limit is 0.737, 14.7 pairs.
    """
    points = np.array([[10.0 * pair + near, 0.0] for pair in range(20) for near in (0.0, 0.1)])
    large = np.array([[pair % 2 == 0, pair % 2 == (0 if pair < pairs else 1)] for pair in range(20)]).ravel()
    assert _explained(points, large) == explained


def test_units_need_eight_responses_and_three_in_either() -> None:
    points, responses = drawn(2, 8, noise=0.02)
    for wrong, raised in (
        (np.arange(8) % 2 == 0, True),
        (np.arange(7) % 2 == 0, False),
        (np.isin(np.arange(8), (1, 4, 6)), True),
        (np.isin(np.arange(8), (1, 5)), False),
    ):
        count = len(wrong)
        found = np.where(wrong[:, None], 1e6, 1.0) * (3 + responses[:count])
        assert (wrong_units(points[:count], found, np.arange(1, count + 1)) is not None) == raised, wrong


def test_responses_that_differ_by_a_factor_for_a_reason_are_in_one_unit() -> None:
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.integers(0, 2, 60), rng.uniform(0, 1, 60)]).astype(float)
    responses = np.where(points[:, [0]] == 1, 1000.0, 1.0) * rng.normal(1, 0.1, (60, 1))
    assert wrong_units(points, responses, np.arange(1, 61)) is None


def test_a_few_outliers_are_no_unit() -> None:
    rounds = np.arange(1, 61)
    for seed in range(6):
        points, responses = drawn(seed, 60)
        sizes = np.random.default_rng(seed).choice([-40.0, 40.0], 60)
        wrong = responses + np.where(rounds % 12 == 7, sizes, 0.0)[:, None]
        assert wrong_units(points, wrong, rounds) is None


def test_a_continuum_of_sizes_is_in_one_unit() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        responses = rng.normal(0, 1, (40, 1)) * rng.lognormal(0, 1, (40, 1))
        assert wrong_units(rng.random((40, 2)), responses, np.arange(1, 41)) is None


def test_a_response_far_from_all_others_is_an_outlier_in_whatever_order_they_came() -> None:
    rng = np.random.default_rng(0)
    for place in (0, 3):
        responses = np.insert(rng.normal(5, 1, 3), place, 1e12)[:, None]
        observed = Observed(np.zeros((4, 2)), responses, np.array([1, 2, 3, 4]))
        (alarm,) = recording_alarms(Monitor(), observed)
        assert (alarm.name, alarm.since) == ("outlier", place + 1)
    by_hand = np.array([*range(9), 5000.0, 1e6])[:, None]  # deciles of the others: 0.9 and 507.2, median 4.5
    (alarm,) = recording_alarms(Monitor(), Observed(np.zeros((11, 2)), by_hand, np.arange(1, 12)))
    assert "lies 1.98e+03 times as far from the median" in alarm.measured
    assert recording_alarms(Monitor(), Observed(np.zeros((3, 2)), responses[1:], np.arange(1, 4))) == ()  # two others
    imported = Observed(np.zeros((4, 2)), responses, np.array([1, 2, 3, 0]))
    assert recording_alarms(Monitor(), imported) == ()  # no round to correct
    near = np.array([[1.0], [2.0], [3.0], [900.0]])
    assert recording_alarms(Monitor(), Observed(np.zeros((4, 2)), near, np.arange(1, 5))) == ()


def test_a_gross_outlier_needs_no_round_before_it_and_ends_conclusions_about_assumptions() -> None:
    entry = GAMES["shore"]
    learner = StackelUCB.start(entry.build(), entry.kernel, entry.regularization, 1.0)
    seen = Feedback(3, np.array([0.1]), np.array([1e12]))
    monitor = Monitor().after(model_of(learner), seen)
    (alarm,) = monitor.alarms
    assert (alarm.name, alarm.since) == ("outlier", 1)
    assert "9.95e+11 standard deviations" in alarm.measured
    points, responses = drawn(0)
    observed = Observed(points, responses, np.arange(1, 61))
    assert "assumptions" in [each.name for each in all_alarms(Monitor(), model(noise=0.004), observed)]
    assert [each.name for each in all_alarms(monitor, model(noise=0.004), observed)] == ["outlier"]


def test_types_that_say_nothing_are_named() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 1, (60, 4))
    y = (np.sin(6 * points[:, :1]) + 2 * points[:, 1:2]) + rng.normal(0, 0.05, (60, 1))
    without = irrelevant_types(model(), points, y)
    assert without is not None
    assert any(f"number {k} of the type" in without.measured for k in (2, 3))
    assert irrelevant_types(model(), points[:, :2], y) is None
    y = np.sin(6 * points[:, :1]) + rng.normal(0, 0.05, (60, 1))
    everything = irrelevant_types(model(), points, y)
    assert everything is not None
    assert "without the types" in everything.measured
    assert irrelevant_types(model(), points[:, :1], y) is None  # no types
    assert irrelevant_types(model(), points[:19], y[:19]) is None


def test_types_need_twenty_responses() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 1, (20, 4))
    y = np.sin(6 * points[:, :1]) + rng.normal(0, 0.05, (20, 1))
    for count in (19, 20):
        assert (irrelevant_types(model(), points[:count], y[:count]) is not None) == (count == 20)


@pytest.mark.parametrize(("columns", "alone"), [(2, True), (12, True), (13, False)])
def test_each_of_two_to_twelve_columns_is_judged_alone(
    columns: int, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evidence is replaced: it is 100 without the last column alone, and 0 with it or without any."""
    points = np.random.default_rng(0).uniform(0, 1, (30, 1 + columns))

    def evidence(z: Matrix, _: Matrix) -> float:
        return 0.0 if points[0, -1] in z[0] or z.shape[1] == 1 else 100.0

    monkeypatch.setattr("firstmover.learners.alarms.irrelevant.smooth_evidence", evidence)
    alarm = irrelevant_types(model(), points, np.arange(30.0)[:, None])
    assert (f"without number {columns} of the type" in str(alarm)) == alone


def clustered(seed: int, count: int = 40, distance: float = 8.0) -> tuple[Matrix, Matrix]:
    """Responses of two hidden types that differ by some deviations of the noise; the type recorded is another one."""
    rng = np.random.default_rng(seed)
    hidden, recorded = rng.integers(0, 2, (2, count))
    actions = rng.choice(GAME.actions[:, 0], count)
    responses = np.sin(3 * actions) + 0.1 * distance * hidden + rng.normal(0, 0.1, count)
    return np.column_stack([actions, recorded]), responses[:, None]


def test_groups_that_the_types_recorded_do_not_tell_apart_are_noticed() -> None:
    for seed in range(4):
        alarm = irrelevant_types(model(), *clustered(seed))
        assert alarm is not None
        assert alarm.name == "types without effect"
        assert "fall into 2 groups, which the types do not tell apart" in alarm.measured
        points, responses = clustered(seed)
        kinds = smooth_evidence(points, responses), smooth_evidence(points[:, :1], responses)
        gain = hidden_groups(points[:, :1], responses, 2) - max(kinds)
        assert f"by odds of 10^{gain / np.log(10):.0f}." in alarm.measured
        assert irrelevant_types(model(), points, 1e3 * responses) == alarm  # in any unit
        assert "groups" not in str(irrelevant_types(model(), *clustered(seed, distance=2.0)))  # one mode
    points, responses = clustered(0)
    assert "groups" not in str(irrelevant_types(model(), points, responses.round(1)))  # levels
    for count in (6, 7):
        many = np.column_stack([points[:, 0], np.arange(40) % count])
        assert ("groups" in str(irrelevant_types(model(), many, responses))) == (count == 6)


@pytest.mark.parametrize(("effect", "raised"), [(2.0, False), (1.0, True)])
def test_types_that_help_by_odds_of_300_end_the_search_for_groups(effect: float, raised: bool) -> None:
    """Hidden types, which add 2, beside recorded ones: these help by odds of exp(9) or exp(2.7), 300 is exp(5.7).

    Four groups fit far better in both cases.
    """
    rng = np.random.default_rng(0)
    hidden, recorded, actions = rng.integers(0, 2, 60), rng.integers(0, 4, 60), rng.choice(GAME.actions[:, 0], 60)
    points = np.column_stack([actions, recorded])
    responses = (2.0 * hidden + effect * (recorded >= 2) + rng.normal(0, 0.05, 60))[:, None]
    by_types, without = smooth_evidence(points, responses), smooth_evidence(points[:, :1], responses)
    assert by_types > without
    assert (by_types - without > np.log(300)) != raised
    assert hidden_groups(points[:, :1], responses, 4) > by_types + 20
    assert ("groups" in str(irrelevant_types(model(), points, responses))) == raised


def test_types_that_explain_the_responses_have_no_hidden_groups() -> None:
    """Groups that the types do tell apart, and hidden ones beside types that explain as much."""
    for seed in range(4):
        points, responses = clustered(seed, distance=0.0)
        assert irrelevant_types(model(), points, responses + 0.8 * points[:, 1:]) is None
        points, responses = clustered(seed)
        assert irrelevant_types(model(), points, responses + 3.0 * points[:, 1:]) is None


def test_hidden_groups_have_the_evidence_of_separate_functions_less_the_choice_of_each_group() -> None:
    """Two actions, two far groups: by hand, the best assignment splits them; each round costs log 2."""
    actions, groups = np.array([[0.0], [1.0]] * 5), np.arange(10) // 5
    responses = (10.0 * groups + 0.01 * np.arange(10))[:, None]
    spread = np.std(responses)
    tables = []
    for length in (0.3, 1.0):
        gram = matern(actions, length) * (groups[:, None] == groups)
        laws = [
            multivariate_normal(np.zeros(10), v * gram + noisier * 0.1 * np.eye(10))
            for v in VARIANCES
            for noisier in NOISES
        ]
        tables += [law.logpdf(responses[:, 0] / spread) + 5 * np.log(2 * np.pi) - 10 * np.log(spread) for law in laws]
    expected = np.log(np.mean(np.exp(tables))) - 10 * np.log(2)
    assert hidden_groups(actions, responses, 2) == pytest.approx(expected)
    order = np.random.default_rng(0).permutation(10)
    assert hidden_groups(actions[order], responses[order], 2) == pytest.approx(expected)


def test_groups_are_functions_of_the_action() -> None:
    """Two lines with one slope: distances between responses alone would mix them."""
    x, truth = np.repeat(np.linspace(0, 1, 15), 2), np.tile([0, 1], 15)
    responses = x + 0.7 * truth
    found = _assignment(x[:, None], responses[:, None] / np.std(responses), 2)
    assert max(np.mean(found == truth), np.mean(found != truth)) == 1
    low = responses < np.mean(responses)
    assert max(np.mean(low == truth), np.mean(low != truth)) < 0.9


def test_a_rigid_kernel_that_tries_few_actions_is_locked_in() -> None:
    roads = GAMES["routing"]
    game = roads.build()
    kernels = {"linear": ConstantKernel(6.0) * polynomial(1, scale=1000.0), "own": roads.kernel}
    raised = {}
    for name, kernel in kernels.items():
        learner = StackelUCB.start(game, kernel, roads.regularization, roads.confidence_width)
        run = play_run(game, opponent_for("routing", game, "random"), learner, 60, seed=1)
        raised[name] = [alarm for alarm in alarms(learner, run) if alarm.name == "locked in"]
    assert raised["own"] == []
    (alarm,) = raised["linear"]
    assert "of 41 actions were tried in 60 observations" in alarm.measured


@pytest.mark.parametrize(("from_action", "others"), [(21, 16), (13, 8), (5, 0)])
def test_only_actions_that_were_not_tried_and_could_earn_more_count(from_action: int, others: int) -> None:
    """Of the actions that were not tried, those from some number on cost more than they could ever earn."""
    dear = (from_action - 0.5) / 20
    *found, more = tried_five_of_21(25.0, 0.05, lambda x: 4.0 * (x > dear))
    assert found == ([5, 21] if others else [])
    assert others / 2 < more <= others or others == more == 0


@pytest.mark.parametrize("noise", [0.05, 0.2])
@pytest.mark.parametrize("cost", [2.0, 3.0])
def test_as_many_could_earn_more_as_by_the_rival_computed_plainly(cost: float, noise: float) -> None:
    assert tried_five_of_21(10.0, noise, lambda x: cost * x)[:2] == [5, 21]


def tried_five_of_21(frequency: float, noise: float, cost: Callable[[Vector], Vector]) -> list[int]:
    """What the alarm counts when five of 21 actions were tried: these, all actions, and others that could earn more."""
    actions, rng = np.linspace(0, 1, 21)[:, None], np.random.default_rng(0)
    reward = increasing(lambda x, y: y[:, 0] - cost(x[:, 0]))
    game = Game("line", actions, reward, Box([-2.0], [2.0]), types=np.zeros((1, 1)))
    learner, played = StackelUCB.start(game, on_action(polynomial(1)), 0.01, 1.0), np.arange(60) % 5
    responses = (np.sin(frequency * actions[played, 0]) + rng.normal(0, noise, 60))[:, None]
    for action, response in zip(played.tolist(), responses, strict=True):
        learner = learner.observe(Feedback(action, np.zeros(1), response))
    alarm = untested(model_of(learner), np.column_stack([actions[played], np.zeros(60)]), responses)
    expected = plausible(game, actions[played], responses)
    assert (alarm is None) == (expected == 0)
    if alarm is None:
        return [0]
    found = re.findall(r"\d+", alarm.measured)[:2] + re.findall(r"(\d+) others", alarm.measured)
    assert int(found[-1]) == expected
    return [int(number) for number in found]


def plausible(game: Game, tried: Matrix, responses: Matrix) -> int:
    """How many other actions could earn more by the Matérn kernel with the largest likelihood, computed plainly."""
    n, everything = len(tried), np.vstack([tried, game.actions])
    level = np.mean(1 + np.sum(tried**2, axis=1))  # of the polynomial kernel of degree 1
    fits = []
    for length, variance, noise in product(LENGTHS, VARIANCES, 0.01 * NOISES):
        gram = level * variance * matern(everything, length)
        law = multivariate_normal(np.zeros(n), gram[:n, :n] + noise * np.eye(n))
        fits.append((law.logpdf(responses[:, 0]), gram, noise))
    _, gram, noise = max(fits, key=lambda fit: fit[0])
    inverse = np.linalg.inv(gram[:n, :n] + noise * np.eye(n))
    mean = gram[n:, :n] @ inverse @ responses
    variance = np.diag(gram[n:, n:] - gram[n:, :n] @ inverse @ gram[:n, n:])
    most = game.reward(game.actions, np.clip(mean + 2 * np.sqrt(variance)[:, None], -2.0, 2.0))
    earned = game.reward(tried, responses)
    new = ~np.isin(game.actions[:, 0], tried[:, 0])
    return int(np.sum(new & (most > earned.mean() + 2 * earned.std() / np.sqrt(n))))


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_the_evidence_of_tails_does_not_depend_on_the_unit_of_errors(unit: float) -> None:
    errors = np.random.default_rng(1).standard_t(2, 50)
    assert tail_evidence(unit * errors) == pytest.approx(tail_evidence(errors))


def test_tails_of_errors() -> None:
    rng = np.random.default_rng(0)
    assert all(tail_evidence(rng.normal(0, scale, 50)) < 0 for scale in (0.1, 1.0, 10.0))
    heavy = np.array([tail_evidence(rng.standard_t(2, 50)) for _ in range(20)])
    assert np.mean(heavy > 0) > 0.8
    errors = np.concatenate([rng.normal(0, 0.1, 47), [9.0, -8.0, 7.0]])[:, None]
    window = np.zeros((50, 11))
    window[:, 0] = 1.0
    monitor = replace(Monitor(), rounds=60, window=window, errors=errors)
    (alarm,) = [each for each in monitor.alarms if each.name == "heavy tails"]
    assert alarm.since == 58  # the window begins at round 11
    calm = replace(monitor, errors=rng.normal(size=(50, 1)))
    assert "heavy tails" not in [each.name for each in calm.alarms]
