"""Shards in one process against one belief over the whole menu."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover import ConstantWidth, Feedback, InvalidInput, LemmaWidth
from firstmover.beliefs import LargeBelief
from firstmover.errors import PrecisionLost
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.sharded import InThisProcess, ShardedBelief
from firstmover.sharded.log import EMPTY, START
from firstmover.sharded.shard import Question, Reply, Shard
from firstmover.sharded.shards import Shards, parts_of
from tests.sharded.problems import KERNEL, WIDTH, Problem, difference


@pytest.fixture(scope="module")
def problem():
    return Problem()


@pytest.fixture(scope="module")
def played(problem):
    return problem.play(problem.plain())


@pytest.mark.parametrize("shards", [1, 2, 3, 101])
def test_any_number_of_shards_is_the_whole(problem, played, shards):
    plain, actions = played
    sharded, picked = problem.play(problem.sharded(shards, home=InThisProcess))
    assert picked == actions
    assert difference(sharded, plain, problem.game.types) < 1e-12
    assert sharded.belief.shards.replays == 0


@pytest.mark.parametrize("width", [ConstantWidth(0.5), LemmaWidth(1.0, 0.1, 0.01, 0.1, n_outputs=2)])
def test_the_best_action_at_a_type(problem, width):
    game = problem.game
    belief = ShardedBelief.start(game, KERNEL, 0.01, width, shards=3, home=InThisProcess)
    plain = LargeBelief.prior(KERNEL, 0.01, game.actions, game.types, 2)
    for t, action in enumerate([7, 90, 50, 7]):
        told = problem.feedback(t, action)
        belief = belief.condition(told.action, told.opponent_type, told.response)
        plain = plain.condition(told.action, told.opponent_type, told.response)
        for theta in game.types:
            rewards = optimistic_rewards(game, plain, width, theta)
            best, value = belief.best(theta)
            assert best == rewards.argmax()
            assert value == pytest.approx(rewards.max(), abs=1e-12)


def test_of_equal_rewards_the_first_action_of_the_menu(problem):
    flat = replace(problem.game, reward=replace_reward())
    belief = ShardedBelief.start(flat, KERNEL, 0.01, WIDTH, shards=4, home=InThisProcess)
    assert belief.best(flat.types[0]) == (0, 1.0)


def replace_reward():
    class Flat:
        def __call__(self, actions, _):
            return np.ones(len(actions))

        def best_in_box(self, actions, _):
            return np.ones(len(actions))

    return Flat()


def test_without_a_horizon_the_rate_falls(problem):
    learner = replace(problem.sharded(2, home=InThisProcess), horizon=None)
    assert learner.learning_rate == pytest.approx(np.sqrt(8 * np.log(101)))
    assert learner.observe(problem.feedback(0, 3)).learning_rate == pytest.approx(np.sqrt(8 * np.log(101) / 2))


def test_a_shard_that_lost_its_state_is_replayed(problem, played):
    plain, actions = played
    learner = problem.sharded(3, home=InThisProcess)
    home = learner.belief.shards._home

    def lose(t):
        if t in (1, 20, 39):
            home.shards[1] = Shard()
        if t == 25:
            home.shards[:] = [Shard(), Shard(), Shard()]

    sharded, picked = problem.play(learner, lose)
    assert picked == actions
    assert difference(sharded, plain, problem.game.types) < 1e-12
    assert sharded.belief.shards.replays == 6  # round 1 too: a new actor has not even its part


def test_a_shard_lost_between_the_question_and_the_answer(problem):
    """It applied the round, lost everything, and is asked again: told one round only, it says that it is behind."""
    learner = problem.sharded(2, home=InThisProcess)
    for t in range(3):
        learner = learner.observe(problem.feedback(t, t))
    log, part = learner.belief.log, parts_of(problem.game, KERNEL, 0.01, WIDTH, 2)[0]()
    shard, question = Shard(), Question(log.standing, log.entries[-1:], "information_gain", ())
    assert shard.ask(question) == Reply(EMPTY)
    assert shard.ask(replace(question, wanted=START, told=())) == Reply(EMPTY)
    assert shard.ask(replace(question, told=log.entries, part=part)).standing == log.standing
    assert shard.ask(question).answer == pytest.approx(learner.belief.information_gain)


def test_earlier_beliefs_and_other_continuations_stay_usable(problem):
    start = problem.sharded(2, home=InThisProcess)
    first = start.observe(problem.feedback(0, 3))
    left, right = first.observe(problem.feedback(1, 60)), first.observe(problem.feedback(1, 61))
    game, plain = problem.game, problem.plain().observe(problem.feedback(0, 3))
    assert left.belief.log.standing != right.belief.log.standing
    for learner, action in ((left, 60), (right, 61), (left, 60)):
        assert difference(learner, plain.observe(problem.feedback(1, action)), game.types) < 1e-12
    assert np.array_equal(start.strategy, np.full(101, 1 / 101))


def test_a_refused_round_leaves_the_belief_as_it_was(problem):
    belief = ShardedBelief.start(problem.game, KERNEL, 2e-12, WIDTH, shards=2, home=InThisProcess)
    told, rounds = problem.feedback(0, 0), 0
    with suppress(PrecisionLost):
        while rounds < 300:  # σ² = λ / t falls below what rounding may do to it
            belief = belief.condition(0, told.opponent_type, told.response)
            rounds += 1
    with pytest.raises(PrecisionLost, match="collides with observation"):
        belief.condition(0, told.opponent_type, told.response)
    assert belief.condition(50, told.opponent_type, told.response).log.standing.rounds == rounds + 1


def test_the_sampled_action_is_that_of_the_whole_strategy(problem):
    learner, _ = problem.play(problem.sharded(7, home=InThisProcess))
    ends = np.cumsum(learner.strategy)
    for uniform in [0.0, 0.1234, 0.5, 0.999, np.nextafter(1.0, 0.0)]:
        assert learner.sample(uniform) == min(np.searchsorted(ends, uniform, side="right"), 100)


def test_a_shard_without_weight_is_never_drawn_from():
    """p is all but zero on the second half: exp underflows, and no logarithm of zero is taken."""

    class Two:
        def ask(self, questions):
            answers = {"mass": [(0.0, 1.0), (-900.0, 1.0)], "pick": [3, 4]}
            return {at: Reply(q.wanted, answers[q.name][at]) for at, q in questions.items()}

    problem = Problem(n=10, rounds=4)
    learner = problem.sharded(2, home=InThisProcess)
    learner = replace(learner, belief=replace(learner.belief, shards=Shards(Two(), [None, None])))
    assert learner.sample(np.nextafter(1.0, 0.0)) == 3


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda p: p.sharded(0, home=InThisProcess), "shards is 0: give 1 or more"),
        (lambda p: p.sharded(102, home=InThisProcess), "shards is 102: give a number from 1 to 101"),
        (lambda p: p.sharded(2), "no Ray cluster is connected"),
        (
            lambda p: replace_game(p, types=None).sharded(2, home=InThisProcess),
            "game 'menu' has no known types: a sharded belief needs finitely many",
        ),
        (lambda p: replace_game(p, reward_range=None).sharded(2, home=InThisProcess), "has no reward_range"),
        (
            lambda p: ShardedBelief.start(p.game, RBF() + RBF(), 0.01, WIDTH, shards=2, home=InThisProcess),
            "is no product of a kernel of the action and one of the type",
        ),
        (lambda p: p.sharded(2, home=InThisProcess).observe(Feedback(101, p.seen[0], [0, 0])), "action is 101"),
        (lambda p: p.sharded(2, home=InThisProcess).observe(Feedback(1, [0, 0], [0, 0])), "is not among the 4 known"),
    ],
)
def test_refusals(problem, build, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        build(problem)


def replace_game(problem, **changes):
    other = Problem()
    other.game = replace(problem.game, **changes)
    return other


def test_a_part_knows_actions_of_others_once_they_were_played(problem):
    shard = Shard()
    shard.ask(Question(START, (), "information_gain", (), parts_of(problem.game, KERNEL, 0.01, WIDTH, 2)[1]()))
    with pytest.raises(InvalidInput, match="action 0 is in another part of the menu"):
        shard._belief.condition(0, problem.seen[0], [0.0, 0.0])
