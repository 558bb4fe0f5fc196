"""The learner that takes a game and nothing else: which learner plays which game, invariance, refits, regret."""

from dataclasses import replace

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.contracts import RefittingLearner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games.wildlife.game import patrols_game, wildlife_game
from firstmover.learners import ByChoice, Committing
from firstmover.learners.auto import Auto, auto
from firstmover.learners.optimistic import best_possible

PRICES = np.arange(1.0, 9.0)[:, None]


def kiosk(types=((0.2, 10.0), (0.9, 25.0), (0.5, 18.0)), scale=1.0, unit=1.0, origin=0.0, warm=(1.0, 0.0)):
    """Prices in other units, types with a temperature in other degrees, and demand from another origin."""
    kinds = None if types is None else np.array(types) * [1.0, warm[0]] + [0.0, warm[1]]
    reward = fm.increasing(lambda x, y: x[:, 0] / scale * (y[:, 0] - origin) / unit)
    return fm.Game("kiosk", scale * PRICES, reward, Box([origin], [origin + 12 * unit]), types=kinds)


def demand(price, kind):
    return max(0.0, 11 - price * (0.6 + kind[0]) + 0.05 * kind[1])


def play(game, rounds, unit=1.0, origin=0.0, warm=(1.0, 0.0), **_):
    """The strategies of so many rounds; noise and types do not depend on the units."""
    learner, rng, strategies = auto(game), np.random.default_rng(0), []
    kinds = np.array([(0.2, 10.0), (0.9, 25.0), (0.5, 18.0)])
    for _ in range(rounds):
        strategies.append(learner.strategy)
        action = int(np.searchsorted(np.cumsum(learner.strategy), rng.random()))
        kind = kinds[rng.integers(3)] + (rng.normal(0, 0.05, 2) if game.types is None else 0.0)
        y = demand(PRICES[action, 0], kind) + 0.3 * rng.normal()
        told = kind * [1.0, warm[0]] + [0.0, warm[1]]
        learner = learner.observe(Feedback(action, told, np.array([origin + unit * y])))
    return np.array(strategies), learner


def test_the_game_decides_which_learner_plays():
    assert isinstance(auto(wildlife_game()), ByChoice)
    assert isinstance(auto(patrols_game()), Committing)
    assert isinstance(auto(kiosk()), Auto)
    assert isinstance(auto(kiosk()), RefittingLearner)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(
    "units",
    [
        {"scale": 100.0},  # euros to cents
        {"unit": 0.001, "origin": -5.0},  # demand in thousands, from another origin
        {"warm": (1.8, 32.0)},  # °C to °F
        {"warm": (1.0, 273.15)},  # °C to K
    ],
)
def test_other_units_change_no_decision(units, free):
    types = {"types": None} if free else {}
    plain, _ = play(kiosk(**types), 40)
    other, _ = play(kiosk(**types, **units), 40, **units)
    assert other == pytest.approx(plain, abs=2e-3)


def test_it_comes_to_earn_what_the_best_price_earns():
    game = kiosk()
    strategies, _ = play(game, 120)
    earned = np.array([np.mean([p * demand(p, kind) for kind in game.types]) for p in PRICES[:, 0]])
    assert earned.mean() < 0.8 * earned.max()  # what equal weights earn
    assert (strategies[80:] @ earned).mean() > 0.95 * earned.max()


def test_against_one_type_the_largest_optimistic_reward_is_played():
    game = kiosk(types=[(0.5, 18.0)])
    learner = auto(game)
    for _ in range(12):
        rewards = learner.optimistic(game.types[0])
        assert learner.strategy[np.argmax(rewards)] == 1.0
        action = int(np.argmax(rewards))
        learner = learner.observe(Feedback(action, game.types[0], np.array([demand(PRICES[action, 0], game.types[0])])))


def test_the_first_action_is_one_of_the_best_that_the_domain_allows():
    game = kiosk()
    assert np.flatnonzero(auto(game).strategy).tolist() == [7]
    assert np.argmax(best_possible(game)) == 7


def test_optimism_is_the_mean_over_structures_within_joint_boxes():
    _, learner = play(kiosk(), 20)
    kind, total, weights = learner.game.types[1], 0.0, 0.0
    for weight, (mean, std), joint in learner.belief.weighted(kind):
        upper = np.minimum(mean + learner.width * joint * std, 12.0)
        total, weights = total + weight * PRICES[:, 0] * upper[:, 0], weights + weight
    assert learner.optimistic(kind) == pytest.approx(total / weights)


def test_optimism_grows_where_few_actions_were_tried():
    game = kiosk(types=[(0.5, 18.0)])
    learner = auto(game)
    assert learner.width == 1.0
    for action in (3, 3, 3, 3):
        learner = learner.learn(Feedback(action, game.types[0], np.array([4.0])))
    assert learner.width == pytest.approx(np.sqrt(1 + np.log(4) / 2))
    assert learner.learn(Feedback(5, game.types[0], np.array([4.0]))).width == pytest.approx(
        np.sqrt(1 + np.log(5 / 2) / 2)
    )
    for _ in range(40):
        learner = learner.learn(Feedback(3, game.types[0], np.array([4.0])))
    assert learner.width == pytest.approx(np.sqrt(1 + np.log(44) / 2))


def test_totals_of_known_types_are_those_of_the_present_belief():
    _, learner = play(kiosk(), 25)
    kinds, seen = learner.game.types, learner.belief.seen
    met = [int(np.flatnonzero((kinds == f.opponent_type).all(axis=1))[0]) for f in seen]
    rewards = np.array([learner.optimistic(kind) for kind in kinds])[met]
    assert learner.weights.cumulative == pytest.approx(rewards.sum(axis=0))
    assert learner.weights.earned == pytest.approx(sum(r[f.action] for r, f in zip(rewards, seen, strict=True)))


def test_observing_is_learning_and_then_fitting_if_it_is_due():
    _, learner = play(kiosk(), 6)
    feedback = Feedback(2, learner.game.types[0], np.array([5.0]))
    learnt = learner.learn(feedback)
    assert learnt.fit_due
    assert np.array_equal(learnt.fitted(learnt.fit()).strategy, learner.observe(feedback).strategy)


def test_imported_observations_count_for_the_belief_and_not_for_the_totals():
    _, learner = play(kiosk(), 10)
    told = replace(learner, belief=learner.belief.condition(1, learner.game.types[0], np.array([8.0])))
    after = told.fitted(told.fit())
    assert after.belief.count == 11
    kinds = [after.belief.seen[i].opponent_type for i in range(10)]
    assert after.weights.cumulative == pytest.approx(sum(after.optimistic(kind) for kind in kinds))


def test_imports_between_rounds_keep_their_numbers():
    _, learner = play(kiosk(), 4)
    kinds, response = learner.game.types, np.array([8.0])
    learner = replace(learner, belief=learner.belief.condition(1, kinds[0], response).condition(2, kinds[1], response))
    learner = learner.learn(Feedback(3, kinds[0], response)).learn(Feedback(4, kinds[1], response))
    learner = replace(learner, belief=learner.belief.condition(5, kinds[0], response))
    learner = learner.learn(Feedback(6, kinds[0], response))
    assert learner.imported.tolist() == [4, 5, 8]
    assert learner.weights.played.sum() == 7
    assert learner.weights.played[[1, 2, 5]].tolist() == pytest.approx(play(kiosk(), 4)[1].weights.played[[1, 2, 5]])


def test_of_many_types_the_totals_are_those_of_thirty_rounds_scaled_up():
    _, learner = play(kiosk(types=None), 60)
    learner = learner.fitted(learner.fit())
    some = [learner.belief.seen[i] for i in np.linspace(0, 59, 30).astype(int)]
    table = np.array([learner.optimistic(f.opponent_type) for f in some])
    assert learner.weights.cumulative == pytest.approx(2 * table.sum(axis=0))
    assert learner.weights.earned == pytest.approx(2 * sum(r[f.action] for r, f in zip(table, some, strict=True)))
    assert learner.weights.played.sum() == 60


def test_while_nothing_is_sold_the_prices_are_tried_in_turn():
    game = replace(kiosk(types=[(0.5, 18.0)]), response_domain=Box([0.0], [np.inf]))
    learner, tried = auto(game), []
    for _ in range(game.n_actions + 2):
        tried.append(int(np.argmax(learner.strategy)))
        learner = learner.observe(Feedback(tried[-1], game.types[0], np.array([0.0])))
    assert tried == [*range(game.n_actions), 0, 1]


def test_a_temperature_typed_wrongly_changes_the_strategy_little():
    _, learner = play(kiosk(types=None), 60)
    kind, response = np.array([0.5, 18.0]), np.array([4.0])
    right, wrong = (learner.observe(Feedback(3, kind * factor, response)) for factor in ([1, 1], [1, 1e6]))
    for _ in range(25):  # beyond the next fit
        right, wrong = (each.observe(Feedback(3, kind, response)) for each in (right, wrong))
    assert wrong.belief.last.count > 61
    assert wrong.optimistic(kind) == pytest.approx(right.optimistic(kind), rel=0.1)
    assert wrong.strategy == pytest.approx(right.strategy, abs=0.1)


def test_a_reward_that_is_no_number_is_refused():
    game = replace(kiosk(), reward=fm.increasing(lambda x, y: x[:, 0] * np.log(y[:, 0] - 5)))

    def observe():
        learner = auto(game)
        for _ in range(5):
            learner = learner.observe(Feedback(0, game.types[0], np.array([1.0])))

    with np.errstate(invalid="ignore"), pytest.raises(InvalidInput, match="best_in_box"):
        observe()


def test_what_is_no_game_is_refused():
    with pytest.raises(InvalidInput, match="game is 'shore': give a Game"):
        auto("shore")
