"""Decisions for a context known before the move, and over the actions that are allowed."""

from dataclasses import replace

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.contracts import DecidingLearner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.learners.auto import MOST_TYPES, auto
from firstmover.learners.contexts import BORROWED, COVERS, past_rounds, represented, shared_halvings
from firstmover.simulation.loop import play_run

PRICES = np.arange(1.0, 9.0)[:, None]
KINDS = np.array([[buyer, hint] for buyer in (0.2, 0.5, 0.9) for hint in (0.0, 1.0)])


def kiosk(types=KINDS, context=(1,)):
    """Types are a price aversion, told afterwards, and a hint about it."""
    reward = fm.increasing(lambda x, y: x[:, 0] * y[:, 0])
    return fm.Game("kiosk", PRICES, reward, Box([0.0], [12.0]), types=types, context=context)


def demand(prices, kind):
    return np.maximum(0.0, 11 - prices * (0.4 + 3 * kind[0]))


def told(learner, rounds, seed=0, allowed=None):
    """The learner after rounds of random actions and types; in each, `allowed` is the mask."""
    rng, types = np.random.default_rng(seed), KINDS if learner.game.types is None else learner.game.types
    for _ in range(rounds):
        kind = types[rng.integers(len(types))]
        action = int(rng.choice(np.flatnonzero(allowed) if allowed is not None else len(PRICES)))
        response = demand(PRICES[[action]], kind)[0] + 0.1 * rng.normal()
        learner = learner.observe(Feedback(action, kind, response, allowed))
    return learner


def test_halvings_are_shared_while_cells_are_the_same():
    rows = np.array([[0.0, 1.0], [0.9, 1.0], [1.0, 1.0], [0.0, 2.0], [32.0, 1.0]])
    shared = shared_halvings(rows, np.array([0.0, 1.0]), rows)
    assert shared.tolist() == [6, 5, 4, 0, 0]


def test_rounds_outside_of_a_cell_count_as_four_in_all():
    halvings = np.array([6, 6, 2, *[0] * 20])
    _, counts = represented(halvings, most=99)
    assert counts.shape == (COVERS, 23)
    assert (counts[0] == 1).all()
    for j in (1, 2):
        assert (counts[j, :3] == 1).all()
        assert counts[j, 3:].sum() == pytest.approx(BORROWED)
    assert counts[3, 2:].sum() == pytest.approx(BORROWED)
    assert counts[3, 2] == pytest.approx(BORROWED / 5)  # 1 of the 5 rounds that cover 2 counts
    assert counts[6, :2].tolist() == [1.0, 1.0]


def test_some_rounds_represent_all():
    halvings = np.repeat([0, 3, 6], [50, 7, 200])
    some, counts = represented(halvings, most=30)
    _, exact = represented(halvings, most=1000)
    assert len(some) <= 30
    for shared in (0, 3, 6):
        assert counts[:, halvings[some] == shared].sum(axis=1) == pytest.approx(
            exact[:, halvings == shared].sum(axis=1)
        )


def test_past_rounds_come_with_the_context_of_the_decision():
    game = kiosk(types=KINDS[[0, 1, 2, 5]])  # 0.5 comes with hint 0 alone, 0.9 with hint 1
    past = past_rounds(game, KINDS[[0, 2, 5, 1]], np.array([1.0]), MOST_TYPES)
    assert past.rounds.tolist() == [0, 2, 3]
    assert past.types.tolist() == [[0.2, 1.0], [0.9, 1.0], [0.2, 1.0]]
    assert past.counts[-1].tolist() == [1.0, 1.0, 1.0]
    unseen = past_rounds(game, KINDS[:0], np.array([0.0]), MOST_TYPES)
    assert (len(unseen.rounds), unseen.types.tolist()) == (0, [[0.2, 0.0], [0.5, 0.0]])


def test_auto_decides_and_its_strategy_is_the_decision_without_a_context():
    learner = told(auto(kiosk()), 12)
    assert isinstance(learner, DecidingLearner)
    assert np.array_equal(learner.decide(), learner.strategy)
    plain = told(auto(kiosk(context=())), 12)
    assert np.array_equal(plain.strategy, learner.strategy)


def test_each_cover_has_totals_of_its_own():
    learner = told(auto(kiosk()), 20)
    seen, context = learner.belief.seen, np.array([1.0])
    strategies = learner._each_cover(context, np.ones(8, dtype=bool))
    actions = np.array([f.action for f in seen])
    kinds = np.array([[f.opponent_type[0], 1.0] for f in seen])
    table = np.array([learner.optimistic(kind) for kind in kinds])
    own = np.array([f.opponent_type[1] == 1.0 for f in seen])
    for strategy, counts in (
        (strategies[0], np.ones(20)),
        (strategies[-1], np.where(own, 1.0, 4.0 / np.sum(~own))),
    ):
        expected = learner.weights.revised(table, np.arange(20), actions, counts)
        assert expected.cumulative == pytest.approx(counts @ table)
        assert strategy == pytest.approx(expected.strategy, abs=1e-9)
    mixture = learner._cover_weights.strategy @ strategies
    assert learner.decide(context) == pytest.approx(mixture)


def test_covers_are_weighted_by_what_their_strategies_earned():
    before = told(auto(kiosk()), 5)
    feedback = Feedback(2, KINDS[3], np.array([6.0]))
    after = before.learn(feedback)
    strategies = before._each_cover(KINDS[3][[1]], np.ones(8, dtype=bool))
    expected = before._cover_weights.update(strategies @ after.optimistic(KINDS[3]))
    assert after.covers == pytest.approx([*expected.cumulative, expected.gap])


def test_the_weights_of_covers_by_hand():
    """p ∝ π exp(η G) with π = ½, then 1 / (2k(k + 1)), and η = log 2 over the gap, the last number kept."""
    learner, totals = told(auto(kiosk()), 20), np.array([1.0, 3.0, 0.0, 2.0, 2.5, 0.0, 1.0])
    learner = replace(learner, covers=np.append(totals, 0.7))
    prior = np.array([1 / 2, 1 / 4, 1 / 12, 1 / 24, 1 / 40, 1 / 60, 1 / 84])
    expected = prior * np.exp(np.log(2) / 0.7 * totals)
    assert learner._cover_weights.strategy == pytest.approx(expected / expected.sum())


def test_a_context_that_is_the_whole_type_is_answered_by_the_best_optimistic_reward():
    for types in (KINDS, None):
        learner = told(auto(kiosk(types, (0, 1))), 15)
        for kind in KINDS:
            assert learner.decide(kind)[np.argmax(learner.optimistic(kind))] == 1.0
    rewards = auto(kiosk(context=(0, 1))).optimistic(KINDS[0])
    assert auto(kiosk(context=(0, 1))).decide(KINDS[0])[np.argmax(rewards)] == 1.0


def test_before_any_round_the_types_with_the_context_count_once():
    learner = auto(kiosk())
    mean = np.mean([learner.optimistic(kind) for kind in KINDS[1::2]], axis=0)
    assert learner.decide([1.0])[np.argmax(mean)] == 1.0
    assert np.array_equal(auto(kiosk(None)).decide([1.0]), auto(kiosk(None)).strategy)


def test_before_any_round_free_types_are_those_of_imported_observations():
    """Each cover plays the largest total of its counts, with the context of the decision in place of theirs."""
    learner, rng = auto(kiosk(None)), np.random.default_rng(3)
    belief = learner.belief
    for i in range(40):
        kind = np.array([0.2 + 0.7 * (i % 2), i % 2 + rng.random() / 8])  # those averse to prices come near context 1
        belief = belief.condition(i % 8, kind, demand(PRICES[[i % 8]], kind)[0] + 0.1 * rng.normal())
    learner = replace(learner, belief=belief)
    learner = learner.fitted(learner.fit())
    context = np.array([1.0625])
    past = past_rounds(learner.game, learner.belief.types, context, MOST_TYPES)
    table = np.array([learner.optimistic(kind) for kind in past.types])
    strategies = learner._each_cover(context, np.ones(8, dtype=bool))
    assert (past.types[:, 1] == context).all()
    assert strategies.argmax(axis=1).tolist() == (past.counts @ table).argmax(axis=1).tolist()
    assert strategies.max(axis=1).tolist() == [1.0] * COVERS
    assert strategies[0].argmax() != strategies[1].argmax(), "rounds near the context count for more in finer covers"
    mask = strategies[0] == 0
    assert learner.decide(context, mask)[~mask].sum() == 0


def test_new_contexts_in_every_round():
    game = kiosk(None, (1,))
    learner, rng = auto(game), np.random.default_rng(0)
    for _ in range(40):
        kind = rng.random(2)
        strategy = learner.decide(kind[[1]])
        assert strategy.sum() == pytest.approx(1.0)
        learner = learner.observe(
            Feedback(int(np.argmax(strategy)), kind, demand(PRICES[[np.argmax(strategy)]], kind)[0])
        )


def test_a_context_earns_more_than_the_best_single_price():
    """The hint is always right: aversion 0.1 with hint 0 and 0.8 with hint 1."""
    kinds = np.array([[0.1, 0.0], [0.8, 1.0]])
    game = kiosk(kinds)
    opponent = fm.Opponent(fm.RandomTypes(kinds), demand, noise_std=0.3)
    run = play_run(game, opponent, auto(game), rounds=60, seed=0)
    table = np.array([fm.true_rewards(game, demand)(kind) for kind in run.opponent_types])
    assert run.rewards[30:].mean() > 1.1 * table[30:].mean(axis=0).max()
    assert run.rewards[30:].mean() > 0.95 * table[30:].max(axis=1).mean()


@pytest.mark.parametrize("context", [None, [1.0]])
@pytest.mark.parametrize("rounds", [0, 9])
def test_actions_that_are_not_allowed_have_no_weight(context, rounds):
    learner = told(auto(kiosk()), rounds)
    for mask in (np.arange(8) < 3, np.arange(8) == 5):
        strategy = learner.decide(context, mask)
        assert strategy.sum() == pytest.approx(1.0)
        assert not strategy[~mask].any()
    everything = learner.decide(context, np.ones(8, dtype=bool))
    assert np.array_equal(everything, learner.decide(context))


def test_one_known_type_with_a_mask_plays_the_best_allowed_action():
    learner = told(auto(kiosk(KINDS[:1], ())), 6)
    best = int(np.argmax(learner.optimistic(KINDS[0])))
    mask = np.arange(8) != best
    second = int(np.argmax(np.where(mask, learner.optimistic(KINDS[0]), -np.inf)))
    assert learner.decide(None, mask)[second] == 1.0


@pytest.mark.parametrize("types", [KINDS, None])
def test_a_sleeping_action_is_credited_with_what_was_earned(types):
    mask = np.arange(8) % 3 > 0
    learner = told(auto(kiosk(types)), 4)
    before = learner.weights.cumulative
    feedback = Feedback(4, KINDS[2], np.array([5.0]), mask)
    after = learner.learn(feedback)
    rewards = after.optimistic(KINDS[2])
    credit = np.where(mask, rewards, rewards[4])
    if types is None:
        assert after.weights.cumulative == pytest.approx(before + credit)
    else:
        others = sum(after.optimistic(f.opponent_type) for f in learner.belief.seen)
        assert after.weights.cumulative == pytest.approx(others + credit)
    assert after.asleep.tolist() == [32.0, 35.0, 38.0]
    again = after.fitted(after.fit())
    rows = [again.optimistic(f.opponent_type) for f in again.belief.seen]
    rows[-1] = np.where(mask, rows[-1], rows[-1][4])
    assert again.weights.cumulative == pytest.approx(np.sum(rows, axis=0))


@pytest.mark.parametrize("types", [KINDS, None])
def test_an_action_that_was_never_allowed_counts_as_if_it_had_been(types):
    """A new action competes by what the belief expects of it in the past rounds, not by what others earned there."""
    mask = np.arange(8) != 5
    learner = told(auto(kiosk(types, ())), 6, allowed=mask)
    rewards = [learner.optimistic(f.opponent_type) for f in learner.belief.seen]
    if types is not None:
        assert learner.weights.cumulative == pytest.approx(np.sum(rewards, axis=0))
    after = learner.learn(Feedback(5, KINDS[2], np.array([5.0])))
    before, closed = after.weights.cumulative, after.learn(Feedback(4, KINDS[2], np.array([5.0]), mask))
    assert after._allowed_before.all()
    assert not learner._allowed_before[5]
    row = closed.optimistic(KINDS[2])
    if types is None:
        assert closed.weights.cumulative[5] == pytest.approx(before[5] + row[4])
        again = learner.learn(Feedback(4, KINDS[2], np.array([5.0]), mask))
        added = again.weights.cumulative[5] - learner.weights.cumulative[5]
        assert added == pytest.approx(again.optimistic(KINDS[2])[5])
    else:
        others = sum(closed.optimistic(f.opponent_type)[5] for f in after.belief.seen)
        assert closed.weights.cumulative[5] == pytest.approx(others + row[4])


def test_closures_before_imports_and_rounds_are_told_apart():
    """Imported observations are no rounds: an action that was closed in the first round was never allowed before."""
    learner = auto(kiosk())
    learner = replace(learner, belief=learner.belief.condition(0, KINDS[0], np.array([5.0])))
    mask = np.arange(8) > 0
    for action in (1, 2):
        learner = learner.learn(Feedback(action, KINDS[1], np.array([4.0]), mask))
    assert learner.asleep.tolist() == [8.0, 16.0]
    assert [each.tolist() for each in learner._asleep_in(learner._rounds)] == [[], []]


def test_masks_count_for_the_totals_of_a_context():
    mask = np.arange(8) > 1
    learner = told(told(auto(kiosk()), 2), 10, seed=1, allowed=mask)
    seen = learner.belief.seen
    table = np.array([learner.optimistic(np.array([f.opponent_type[0], 1.0])) for f in seen])
    actions = np.array([f.action for f in seen])
    credited = np.where(mask | (np.arange(12) < 2)[:, None], table, table[np.arange(12), actions][:, None])
    expected = learner.weights.revised(credited, np.arange(12), actions)
    assert expected.cumulative == pytest.approx(credited.sum(axis=0))
    assert learner._each_cover(np.array([1.0]), np.ones(8, dtype=bool))[0] == pytest.approx(expected.strategy, abs=1e-9)


def test_sleeping_is_found_among_some_of_the_rounds():
    learner = told(auto(kiosk()), 4)
    learner = replace(learner, asleep=np.array([8.0, 11.0, 25.0]))  # actions 0, 3 in round 1; 1 in round 3
    assert learner._asleep_in(np.arange(4))[0].tolist() == [1, 1, 3]
    places, actions = learner._asleep_in(np.array([0, 3]))
    assert (places.tolist(), actions.tolist()) == ([1], [1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auto(kiosk()).decide(None, np.zeros(8, dtype=bool)), "allowed contains no action"),
        (lambda: auto(kiosk()).decide(None, np.ones(7, dtype=bool)), "True or False for each of 8"),
        (lambda: auto(kiosk()).decide(None, [1, 2]), "True or False for each of 8"),
        (lambda: auto(kiosk()).decide([0.5]), "give that of a type"),
        (lambda: auto(kiosk()).decide([0.0, 1.0]), "context has 2 number"),
        (lambda: auto(kiosk(context=())).decide([0.0]), "has no context"),
        (lambda: kiosk(context=(2,)), r"context is \(2,\)"),
        (lambda: kiosk(context=(1, 1)), r"context is \(1, 1\)"),
        (lambda: kiosk(context=(-1,)), r"context is \(-1,\)"),
        (lambda: kiosk().check(Feedback(0, KINDS[0], np.zeros(1), np.ones(3, dtype=bool))), "each of 8"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_reading_two_rounds_with_counts_and_sleep_by_hand():
    weights = fm.auto(kiosk()).weights
    two = replace(weights, cumulative=np.zeros(2), played=np.zeros(2), opening=None)
    table = np.array([[3.0, 1.0], [1.0, 4.0]])
    asleep = (np.array([1]), np.array([1]))  # action 1 sleeps in the second round, credited with 1 instead of 4
    revised = two.revised(table, np.array([0, 1]), np.array([1, 0]), np.array([2.0, 1.0]), asleep)
    assert revised.cumulative.tolist() == [7.0, 3.0]  # 2·3 + 1, 2·1 + 1
    assert revised.played.tolist() == [1.0, 2.0]
    assert revised.earned == 3.0  # 2·1 + 1
    assert revised.largest == pytest.approx((1 * 7 + 2 * 3) / 3 - 3)


def test_an_opening_is_restricted_to_what_is_allowed():
    weights = fm.auto(kiosk()).weights
    opened = type(weights).opened(np.array([5.0, 5.0, 5.0, 1.0]))
    assert opened.strategy_over(np.array([True, False, True, True])).tolist() == [0.5, 0.0, 0.5, 0.0]
    assert opened.strategy_over(np.array([False, False, False, True])).tolist() == [0.0, 0.0, 0.0, 1.0]


def test_covers_are_credited_with_allowed_strategies():
    before, mask = told(auto(kiosk()), 8), np.arange(8) < 2
    assert before.decide([1.0])[mask].sum() < 0.5
    after = before.learn(Feedback(1, KINDS[3], np.array([6.0]), mask))
    earned = before._each_cover(np.array([1.0]), mask) @ after.optimistic(KINDS[3])
    assert after.covers[:-1] - before.covers[:-1] == pytest.approx(earned)


def test_sleeping_counts_where_some_rounds_represent_all():
    rng, mask = np.random.default_rng(0), np.arange(8) % 2 == 0
    learner = auto(kiosk(None, ()))
    for i in range(36):
        allowed = mask | (i == 1) & (np.arange(8) < 7)  # the last action is never allowed
        learner = learner.learn(Feedback(int(rng.choice([0, 2, 4, 6])), rng.random(2), rng.random(1), allowed))
    learner = learner.fitted(learner.fit())
    chosen = np.linspace(0, 35, MOST_TYPES).astype(int)
    rows = [(learner.optimistic(f.opponent_type), f.action) for f in (learner.belief.seen[i] for i in chosen)]
    credited = np.array([np.where(mask | (i < 2), row, row[a]) for i, (row, a) in zip(chosen, rows, strict=True)])
    credited[:, 7] = [row[7] for row, _ in rows]
    assert learner.weights.cumulative == pytest.approx(36 / MOST_TYPES * credited.sum(axis=0))


def test_a_credit_counts_as_often_as_its_round():
    weights = fm.auto(kiosk()).weights
    two = replace(weights, cumulative=np.zeros(2), played=np.zeros(2), opening=None)
    table = np.array([[3.0, 1.0], [1.0, 4.0]])
    asleep = (np.array([0]), np.array([0]))  # action 0 sleeps in the first round, which counts twice
    revised = two.revised(table, np.array([0, 1]), np.array([1, 0]), np.array([2.0, 1.0]), asleep)
    assert revised.cumulative.tolist() == [3.0, 6.0]  # 2·1 + 1, 2·1 + 4
    assert revised.largest == pytest.approx((1 * 3 + 2 * 6) / 3 - 3)
