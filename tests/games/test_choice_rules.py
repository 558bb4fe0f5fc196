from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.choice_rules import Population, best, epsilon_best, satisficing

from firstmover.core.errors import InvalidInput
from firstmover.games.choice_rules import Choosing, logit
from firstmover.games.opponent import Opponent
from firstmover.simulation.arrivals import single

utilities = st.lists(st.floats(-5, 5), min_size=4, max_size=4).map(lambda row: np.array([row]))
RULES = [best, logit(2.0), epsilon_best(0.3), satisficing(0.5)]


@given(utilities)
def test_chances_lie_on_the_simplex_and_do_not_depend_on_what_is_added_to_all(utility):
    for rule in RULES:
        chances = rule(utility)
        assert np.all(chances >= 0)
        assert chances.sum() == pytest.approx(1.0)
        if rule is RULES[1]:
            np.testing.assert_allclose(rule(utility + 3.0), chances, rtol=1e-9)


@given(utilities)
def test_a_better_place_is_never_chosen_less(utility):
    order = np.argsort(utility[0])
    for rule in (RULES[1], RULES[3]):
        assert np.all(np.diff(rule(utility)[0][order]) >= -1e-12)


def test_logit_goes_from_equal_chances_to_the_best():
    utility = np.array([[0.3, 0.5, 0.1]])
    np.testing.assert_allclose(logit(0.0)(utility), np.full((1, 3), 1 / 3))
    np.testing.assert_allclose(logit(1e4)(utility), best(utility), atol=1e-12)
    # exp(2 · 0.3) : exp(2 · 0.5) : exp(2 · 0.1) over their sum
    np.testing.assert_allclose(logit(2.0)(utility)[0], np.exp([0.6, 1.0, 0.2]) / np.exp([0.6, 1.0, 0.2]).sum())


def test_ties_go_to_the_first_and_satisficers_take_both():
    utility = np.array([[2.0, 2.0 + 1e-14, 1.0]])
    assert best(utility).tolist() == [[1, 0, 0]]
    assert satisficing(0.0)(utility).tolist() == [[0.5, 0.5, 0]]


def test_a_population_is_the_mean_of_its_kinds():
    first, second = (Choosing(lambda x, _: x, rule) for rule in (best, epsilon_best(1.0)))
    mixed = Population((first, second), np.array([0.25, 0.75]))
    np.testing.assert_allclose(mixed(np.array([[5.0, 1.0]]), np.zeros(1)), [[0.25 + 0.375, 0.375]])


def test_one_place_is_seen_a_round_as_often_as_its_chance_says():
    opponent, rng = Opponent(single(np.zeros(1)), lambda x, _: x, sampled=True), np.random.default_rng(0)
    chances = np.array([0.5, 0.0, 0.3, 0.2])
    seen = np.array([opponent.seen(chances, rng) for _ in range(4000)])
    assert set(map(tuple, seen)) == {(1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)}
    # four standard deviations of a mean of 4000: 4 · 0.5 / √4000 = 0.032
    np.testing.assert_allclose(seen.mean(axis=0), chances, atol=0.032)


def test_without_sampling_the_noise_is_as_before():
    opponent = Opponent(single(np.zeros(1)), lambda x, _: x, noise_std=0.5)
    seen = opponent.seen(np.array([1.0, 2.0]), np.random.default_rng(3))
    np.testing.assert_array_equal(seen, np.array([1.0, 2.0]) + 0.5 * np.random.default_rng(3).standard_normal(2))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: logit(-1.0), "rationality is -1.0"),
        (lambda: epsilon_best(1.5), "epsilon is 1.5"),
        (lambda: satisficing(-0.1), "slack is -0.1"),
        (lambda: Population((), np.array([1.0])), "shares has 1"),
        (
            lambda: Opponent(single(np.zeros(1)), lambda x, _: x, sampled=True).seen(
                np.array([0.5, 0.2]), np.random.default_rng(0)
            ),
            "responses of a sampled opponent sums to 0.7",
        ),
    ],
)
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make()


@pytest.mark.parametrize("rationality", [0.0, 1.0, 1e300])
@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_logit_of_any_size_gives_chances(rationality: float, size: float) -> None:
    chances = logit(rationality)(size * np.array([[1.0, -1.0, 0.5], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert chances[0, 0] == chances[0].max()


def answers(utility: Callable[..., np.ndarray]) -> np.ndarray:
    return Choosing(utility, logit(1.0))(np.ones((3, 2)), np.zeros(1))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: epsilon_best("often"), "epsilon is 'often': give one finite number"),
        (lambda: Population([], np.array([])), r"shares has 0 number\(s\) for 0 kind\(s\): give one for each"),
        (lambda: answers(lambda x, _: x * np.nan), "utility has the value nan"),
        (lambda: answers(lambda x, _: x[:, 0]), r"utility has shape \(3,\)"),
        (lambda: answers(lambda x, _: x[:, :0]), r"utility gave shape \(3, 0\)"),
        (lambda: answers(lambda x, _: x[:1]), r"utility gave shape \(1, 2\) for 3"),
    ],
)
def test_choices_that_cannot_be_are_refused(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        make()
