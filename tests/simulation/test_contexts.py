"""Contexts that are drawn before the learner decides, masks, and the regrets against policies and rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import pytest

from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import ContextSource, Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback, Round, Run
from firstmover.games import increasing
from firstmover.learners import fixed_action, uniform
from firstmover.learners.fixed import Fixed
from firstmover.simulation import (
    Adversary,
    AdversaryInContext,
    Cyclic,
    Opponent,
    RandomTypes,
    Sampled,
    Scripted,
    policy_regret,
    ranking_regret,
    true_rewards,
)
from firstmover.simulation.loop import play, play_run

TYPES = np.array([[0.0, 7.0], [0.25, 7.0], [1.0, 8.0], [0.5, 8.0]])
GAME = Game(
    "line",
    np.arange(4.0)[:, None],
    increasing(lambda x, y: y[:, 0] - x[:, 0]),
    Box([0.0], [5.0]),
    types=TYPES,
    context=(1,),
)


def shift(actions: Matrix, opponent_type: Vector) -> Matrix:
    return actions + opponent_type[0]


@dataclass
class Listening:
    """Plays action 0, or the first allowed one, and keeps what it was shown and told."""

    shown: list[tuple[Vector | None, Mask | None]] = field(default_factory=list)
    told: list[Feedback] = field(default_factory=list)

    @property
    def strategy(self) -> Vector:
        return np.eye(4)[0]

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        self.shown.append((context, allowed))
        return np.eye(4)[0 if allowed is None else int(np.argmax(allowed))]

    def observe(self, feedback: Feedback) -> "Listening":
        self.told.append(feedback)
        return self


def rounds_of(source, learner, count=12, **options):
    return list(islice(play(GAME, Opponent(source, shift), learner, 3, **options), count))


@pytest.mark.parametrize(
    "source",
    [
        RandomTypes(TYPES),
        Cyclic(TYPES),
        Scripted(np.tile(TYPES, (4, 1))),
        Sampled(lambda rng: TYPES[rng.integers(4)]),
        AdversaryInContext(TYPES, true_rewards(GAME, shift), (1,)),
    ],
)
def test_the_context_of_the_type_is_shown_before_the_decision(source) -> None:
    learner = Listening()
    rounds = rounds_of(source, learner)
    shown = [context.tolist() for context, _ in learner.shown]
    assert shown == [r.opponent_type[1:].tolist() for r in rounds]
    assert len({tuple(c) for c in shown}) == 2


def test_learners_without_contexts_meet_the_same_types() -> None:
    plain = Opponent(RandomTypes(TYPES), shift, noise_std=0.5)
    with_context = play_run(GAME, plain, uniform(4), rounds=20, seed=1)
    without = play_run(replace(GAME, context=()), plain, uniform(4), rounds=20, seed=1)
    for column in ("opponent_types", "actions", "responses"):
        np.testing.assert_array_equal(getattr(with_context, column), getattr(without, column))


def test_an_adversary_that_chooses_types_after_the_strategy_has_no_context() -> None:
    with pytest.raises(InvalidInput, match="Adversary, which chooses them after p_t: their context cannot be known"):
        rounds_of(Adversary(TYPES, true_rewards(GAME, shift)), uniform(4))


def test_the_adversary_in_context_chooses_the_worst_rest_of_the_type() -> None:
    rewards = {(7.0, 0.0): [4, 1, 1, 1], (7.0, 0.25): [1, 2, 2, 2], (8.0, 1.0): [0, 0, 9, 0], (8.0, 0.5): [5, 0, 8, 0]}
    source = AdversaryInContext(TYPES, lambda kind: np.array(rewards[kind[1], kind[0]], dtype=float), (1,))
    assert isinstance(source, ContextSource)
    rng = np.random.default_rng(0)
    for action, context, rest in ((0, 7.0, 0.25), (1, 7.0, 0.0), (0, 8.0, 1.0), (2, 8.0, 0.5)):
        drawn = source.draw_given(np.array([context]), np.eye(4)[action], [], rng)
        assert drawn.tolist() == [rest, context]
    drawn = [source.draw_context([], rng)[0] for _ in range(200)]
    assert 70 < drawn.count(7.0) < 130
    assert source.draw(np.eye(4)[0], [], rng).tolist() in ([0.25, 7.0], [1.0, 8.0])


def first_two(past: Sequence[Round], rng: np.random.Generator) -> Mask:
    rng.random()
    return np.arange(4) >= 2 if len(past) % 2 else np.arange(4) < 3


def test_masks_reach_the_learner_the_feedback_and_the_run() -> None:
    learner = Listening()
    rounds = rounds_of(RandomTypes(TYPES), learner, allowed=first_two)
    for i, told in enumerate(learner.told):
        mask = first_two([None] * i, np.random.default_rng())
        np.testing.assert_array_equal(learner.shown[i][1], mask)
        np.testing.assert_array_equal(told.allowed, mask)
        np.testing.assert_array_equal(rounds[i].feedback.allowed, mask)
    run = Run.of(rounds)
    assert run.allowed.shape == (12, 4)
    assert run.allowed[np.arange(12), run.actions].all()
    assert Run.of(rounds_of(RandomTypes(TYPES), uniform(4))).allowed is None


def test_learners_that_take_no_mask_are_restricted_to_it() -> None:
    mixed = Fixed(np.array([0.5, 0.3, 0.1, 0.1]))
    first, second = rounds_of(RandomTypes(TYPES), mixed, 2, allowed=first_two)
    assert first.strategy == pytest.approx([5 / 9, 3 / 9, 1 / 9, 0])
    assert second.strategy == pytest.approx([0, 0, 0.5, 0.5])
    _, second = rounds_of(RandomTypes(TYPES), fixed_action(0, 4), 2, allowed=first_two)
    assert second.strategy == pytest.approx([0, 0, 0.5, 0.5])


def test_masks_change_neither_types_nor_noise() -> None:
    opponent = Opponent(RandomTypes(TYPES), shift, noise_std=0.5)
    masked = play_run(GAME, opponent, fixed_action(2, 4), rounds=9, seed=1, allowed=first_two)
    open_ = play_run(GAME, opponent, fixed_action(2, 4), rounds=9, seed=1)
    np.testing.assert_array_equal(masked.responses, open_.responses)


def test_an_empty_mask_is_refused() -> None:
    with pytest.raises(InvalidInput, match="allowed contains no action: allow at least one of 4"):
        rounds_of(RandomTypes(TYPES), uniform(4), allowed=lambda *_: np.zeros(4, dtype=bool))


REWARDS = np.array([[5.0, 2.0, 0.0], [1.0, 4.0, 3.0], [2.0, 6.0, 3.0], [5.0, 4.0, 0.0]])
ACTIONS = np.array([2, 1, 0, 0])
EARNED = REWARDS[np.arange(4), ACTIONS]  # 0, 4, 2, 5


def run_of(allowed: Mask | None = None) -> Run:
    return Run(
        np.full((4, 3), 1 / 3), ACTIONS, np.zeros((4, 1)), EARNED[:, None], EARNED[:, None], EARNED, None, allowed
    )


def test_policy_regret_by_hand() -> None:
    """Contexts a, b, b, a: the best totals are 5; 5 + 4; 5 + 10; 10 + 10, and 0, 4, 6, 11 were earned."""
    contexts = np.array([[0.0], [1.0], [1.0], [0.0]])
    np.testing.assert_array_equal(policy_regret(run_of(), REWARDS, contexts), [5, 5, 9, 9])
    one = policy_regret(run_of(), REWARDS, np.zeros((4, 1)))
    np.testing.assert_array_equal(one, [5, 2, 6, 5])  # totals 5 2 0, 6 6 3, 8 12 6, 13 16 6
    np.testing.assert_array_equal(policy_regret(run_of(), REWARDS, np.empty((4, 0))), one)


def test_ranking_regret_by_hand() -> None:
    """Means while allowed: 13/4, 10/2 and 6/4; so the ranking is 1, 0, 2 and earns 5, 4, 6, 5."""
    allowed = np.array([[True, False, True], [True, True, True], [True, True, True], [True, False, True]])
    np.testing.assert_array_equal(ranking_regret(run_of(allowed), REWARDS), [5, 5, 9, 9])
    lower = replace(run_of(allowed), rewards=EARNED - 10)
    np.testing.assert_array_equal(ranking_regret(lower, REWARDS - 10), [5, 5, 9, 9])
    np.testing.assert_array_equal(ranking_regret(run_of(), REWARDS), np.cumsum([2, 0, 4, -1]))  # action 1 always
    with pytest.raises(InvalidInput, match="the run has rounds and actions"):
        ranking_regret(run_of(), REWARDS[:, :2])
