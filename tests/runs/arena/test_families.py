"""Families of games by seed: reproducible, valid, and as their docstrings say."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Reward
from firstmover.core.records import Box
from firstmover.games.opponent import responses_of, true_rewards
from firstmover.games.routing.opponents import RoadUsers, sioux_falls_users
from firstmover.games.wildlife.opponents import Poachers
from firstmover.runs.arena import families
from firstmover.runs.arena.families import CHANGES, DEVELOPMENT, FAMILIES, REPORT, Directed, Instance, Tracking
from firstmover.simulation import Adversary, Cyclic, RandomTypes


def _type_of(instance: Instance, seed: int = 0) -> np.ndarray:
    n = instance.game.n_actions
    return instance.opponent.types.draw(np.full(n, 1 / n), [], np.random.default_rng(seed))


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_seeds_give_equal_instances(family: str) -> None:
    first, again, other = FAMILIES[family](3), FAMILIES[family](3), FAMILIES[family](4)
    theta = _type_of(first)
    assert first.words == again.words
    assert np.array_equal(first.game.actions, again.game.actions)
    answers = [responses_of(i.game, i.opponent.respond, theta) for i in (first, again)]
    assert np.array_equal(*answers)
    assert first.words != other.words or not np.array_equal(first.game.actions, other.game.actions)


@pytest.mark.parametrize("family", FAMILIES)
def test_rewards_differ_and_lie_in_the_stated_range(family: str) -> None:
    for seed in range(6):
        instance = FAMILIES[family](seed)
        game, (low, high) = instance.game, instance.game.reward_range or (np.nan, np.nan)
        rewards = true_rewards(game, instance.opponent.respond)(_type_of(instance))
        assert low <= rewards.min() < rewards.max() <= high
        assert instance.family == family


def test_development_and_report_are_apart() -> None:
    assert not set(DEVELOPMENT) & set(REPORT)
    assert min(REPORT) == 9000


def test_roads_have_each_change_once_in_six_seeds() -> None:
    published = {"kappa": 10.0, "units": 300.0, "noise": 5.0}
    changed = {
        "trade-off ÷ 5": {"kappa": 2.0},
        "trade-off × 3": {"kappa": 30.0},
        "units × 2": {"units": 600.0},
        "noise × 3": {"noise": 15.0},
    }
    for seed, change in enumerate(CHANGES[:4]):
        instance = families.random_roads(seed + 6)
        game = instance.game
        rows = game.actions[[-1]]
        slope = float(game.reward(rows, np.array([[0.0]]))[0] - game.reward(rows, np.array([[1.0]]))[0])
        sent = max(float(game.reward(rows, np.array([[0.0]]))[0]) for rows in game.actions[:, None])
        assert {"kappa": slope, "units": sent, "noise": instance.opponent.noise_std} == pytest.approx(
            published | changed[change]
        )
    users, known = families.random_roads(11).opponent.respond, sioux_falls_users()
    assert isinstance(users, RoadUsers)
    assert users.network is not known.network
    load, usual = (u._stay @ u.network.demand for u in (users, known))
    assert load.mean() == pytest.approx(usual.mean())


def test_types_arrive_as_asked() -> None:
    sources = {"random": RandomTypes, "cyclic": Cyclic, "adversary": Adversary}
    for make in (families.random_prices, families.random_bimatrix, families.random_security):
        for arrival, source in sources.items():
            instance = make(1, arrival)
            assert isinstance(instance.opponent.types, source)
            assert instance.words.endswith(arrival)
        assert np.array_equal(make(1, "cyclic").game.actions, make(1).game.actions)


def test_an_attacker_takes_the_best_target_and_the_defender_is_paid_by_coverage() -> None:
    instance = families.random_security(2, "cyclic")
    game, coverage = instance.game, instance.game.actions
    resources, targets = coverage[0].sum(), np.eye(coverage.shape[1])
    assert np.allclose(coverage.sum(axis=1), resources)
    assert coverage.max() <= 1
    assert game.places is not None
    assert np.array_equal(game.places.centres, targets)
    # r is affine in the coverage of the attacked target and in nothing else
    for target in targets:
        x = coverage @ target
        paid = game.reward(coverage, np.tile(target, (len(coverage), 1)))
        slope, level = np.polyfit(x, paid, 1)
        assert np.allclose(paid, level + slope * x)
        assert slope > 0
        assert -2 <= level <= 0
    # More coverage of one target alone never attracts an attacker to it.
    theta = np.eye(game.types.shape[1])[0]  # type: ignore[union-attr]
    for target in range(coverage.shape[1]):
        more = np.tile(coverage[0], (5, 1))
        more[:, target] = np.linspace(0, 1, 5)
        attacked = instance.opponent.respond(more, theta)[:, target]
        assert np.all(np.diff(attacked) <= 0)


@pytest.mark.parametrize(
    "reward",
    [
        Tracking(np.array([1.0, 2.0]), lambda x: x @ np.array([[1.0, -1.0], [0.5, 2.0]])),
        Directed(np.array([1.0, -2.0]), np.array([1.5, -0.5])),
    ],
)
def test_the_best_of_a_box_is_reached_and_not_exceeded(reward: Reward) -> None:
    rng = np.random.default_rng(0)
    actions, corners = rng.normal(size=(20, 2)), np.sort(rng.normal(size=(2, 20, 2)), axis=0)
    best = reward.best_in_box(actions, Box(*corners))
    inside = [rng.uniform(*corners) for _ in range(2000)]
    values = np.max([reward(actions, y) for y in inside], axis=0)
    assert np.all(values <= best + 1e-12)
    assert np.all(values >= best - 0.2)
    assert np.allclose(reward.best_in_box(actions, Box(corners[0], corners[0])), reward(actions, corners[0]))


def test_rewards_of_a_target_and_of_directions() -> None:
    tracking = Tracking(np.array([2.0]), lambda x: 3 * x)
    assert tracking(np.array([[1.0]]), np.array([[4.5]])).tolist() == [-3.0]  # −2 |4.5 − 3|
    directed = Directed(np.array([0.5]), np.array([2.0, -1.0]))
    assert directed(np.array([[4.0]]), np.array([[1.0, 3.0]])).tolist() == [1.0]  # 2 + 2 − 3


@pytest.mark.parametrize("shape", families.SHAPES)
def test_drawn_functions_have_the_covariance_of_their_kernel(shape: str) -> None:
    rng, scales = np.random.default_rng(0), np.array([0.7, 1.5])
    f = families._gaussian_process_draw(rng, shape, scales, outputs=3000, features=3000)
    z: Matrix = rng.random((6, 2)) * 2
    kernel: Kernel = families._drawn_kernel(shape, scales)
    drawn = f(z) @ f(z).T / 3000
    assert np.allclose(drawn, kernel(z), atol=0.12)
    assert np.abs(kernel(z) - 1).max() > 0.3


def test_the_kernel_of_a_response_carries_its_units() -> None:
    """In units of the kernel's own scales all instances look alike: variances over a menu are about 1."""
    for seed in range(6):
        instance = families.random_response(seed)
        unit = np.sqrt(instance.kernel.k2.k1.constant_value)
        theta = _type_of(instance)
        spread = instance.opponent.respond(instance.game.actions, theta).std() / unit
        assert 0.05 < spread < 3
        assert 0.03 < instance.opponent.noise_std / unit < 0.31


def test_a_kiosk_sells_by_temperature_weekday_and_holiday() -> None:
    counts, numbers = families.kiosk(0), families.kiosk(3)
    day = np.array([20.0, 1, 0, 0, 0, 0, 0, 0, 0])
    prices = counts.game.actions
    sold = counts.opponent.respond(prices, day)[:, 0]
    assert np.all(np.diff(sold) < 0)
    assert counts.opponent.respond(prices, day + 5 * np.eye(9)[0])[0, 0] > sold[0]
    for other in (np.roll(np.eye(9)[1], 1), np.eye(9)[1] + np.eye(9)[8]):
        assert counts.opponent.respond(prices, np.r_[20.0, other[1:]])[0, 0] != pytest.approx(sold[0])
    seen = counts.opponent.seen(np.array([30.0]), np.random.default_rng(0))
    assert seen == np.round(seen)
    assert counts.game.types is None
    assert numbers.game.types is not None
    assert len(numbers.game.types) == 70
    assert numbers.opponent.noise_std > 0


def test_a_watched_park_shows_the_commitment() -> None:
    park = families.random_park(2)
    simplex = families.watched(park)
    assert simplex.game.types is None
    assert simplex.game.places is park.game.places
    mixture = np.full(simplex.game.n_actions, 1 / simplex.game.n_actions)
    poachers = park.opponent.respond
    assert isinstance(poachers, Poachers)
    answers = simplex.opponent.respond(simplex.game.actions, mixture)
    assert np.array_equal(answers, np.repeat(poachers(mixture[None], mixture), len(answers), axis=0))


def test_a_price_deters_as_much_in_cents_as_in_euros() -> None:
    units = set()
    for seed in range(6):
        instance = families.random_prices(seed)
        assert instance.game.types is not None
        units.add("cents" in instance.words)
        deterrence = instance.game.types[:, [1]] * instance.game.actions.max(axis=1)
        assert 0.3 <= deterrence.min() < deterrence.max() <= 10  # α x, between 3 · 0.1 and 10 · 1
    assert units == {True, False}
