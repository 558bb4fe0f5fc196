"""Runs that are played together are the runs that are played one by one."""

import time

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from firstmover.beliefs import ConstantWidth, FiniteBelief, FreshBelief, LemmaWidth
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.core.records import Box
from firstmover.games import decreasing
from firstmover.kernels import on_action, on_type, polynomial
from firstmover.learners import Hedge, StackelUCB
from firstmover.simulation import Opponent, batch, play_many
from firstmover.simulation.arrivals import Sampled
from firstmover.simulation.batch_stackelucb import ManyStackelUCB
from firstmover.simulation.loop import play_run
from firstmover.strategies import AdaHedge, MultiplicativeWeights

ACTIONS = np.random.default_rng(0).uniform(size=(9, 2))
GAME = Game("plain", ACTIONS, decreasing(lambda x, y: 3 * x[:, 0] - y[:, 0]), Box([0.0], [np.inf]), (-9.0, 3.0))
FRESH = Sampled(lambda rng: rng.uniform(size=3))
KERNELS = {
    "cubic": polynomial(3),
    "distances": on_action(Matern(0.7, nu=2.5)) * on_type(RBF([0.5, 1.0, 2.0])),
    "whole": RBF(1.5) + on_type(polynomial(2)) * 0.3,
}


def respond(actions, opponent_type):
    return np.abs(actions @ opponent_type[:2] + np.sin(opponent_type[2]))[:, None]


OPPONENT = Opponent(FRESH, respond, noise_std=0.2)


def learner(kernel=None, *, regularization=0.04, width=None, weights=None, noisy=False, told=0):
    belief = FreshBelief.prior(polynomial(3) if kernel is None else kernel, regularization, ACTIONS, 1)
    for i in range(told):
        belief = belief.condition(i, np.full(3, 0.1 * i), np.array([1.0 + i]))
    return StackelUCB(
        GAME,
        WithNoise(belief, 0.04) if noisy else belief,
        ConstantWidth(0.5) if width is None else width,
        MultiplicativeWeights.start(9, (-9.0, 3.0), 80) if weights is None else weights,
    )


def check(learner, rounds=80, seeds=range(5), opponents=OPPONENT, game=GAME):
    side_by_side = play_many(game, opponents, learner, rounds, seeds)
    each = [opponents] * len(seeds) if isinstance(opponents, Opponent) else opponents
    for run, seed, opponent in zip(side_by_side, seeds, each, strict=True):
        alone = play_run(game, opponent, learner, rounds, seed)
        np.testing.assert_array_equal(run.actions, alone.actions)
        for name in ("strategies", "opponent_types", "true_responses", "responses", "rewards"):
            np.testing.assert_allclose(getattr(run, name), getattr(alone, name), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_for_every_sort_of_kernel(kernel):
    """80 rounds are more than one panel of the factor."""
    assert ManyStackelUCB.of(learner(KERNELS[kernel]), 2, 80) is not None
    check(learner(KERNELS[kernel]))


def test_equal_with_every_part_exchanged():
    lemma = LemmaWidth(rkhs_norm_bound=2.0, noise_std=0.2, regularization=0.04, failure_probability=0.1)
    check(learner(width=lemma), rounds=20)
    check(learner(noisy=True), rounds=20)
    check(learner(told=3), rounds=20)
    check(learner(weights=MultiplicativeWeights.start(9, (-9.0, 3.0))), rounds=20)
    check(learner(weights=MultiplicativeWeights.start(9, None, 20)), rounds=20)


def test_equal_against_a_source_that_watches():
    """The type depends on p_t, on the length of the past and on what happened in it."""

    class Watching:
        def draw(self, strategy, past, rng):
            before = past[-1].reward + past[0].action if past else 0.0
            lately = sum(r.t for r in past[-3:])
            return np.array([strategy[0], 0.01 * before, 0.1 * len(past) + 0.01 * lately + 0.1 * rng.random()])

    check(learner(), rounds=20, opponents=Opponent(Watching(), respond, 0.1))


def test_equal_with_an_opponent_for_each_seed():
    each = [Opponent(FRESH, lambda a, kind, i=i: respond(a, kind) + i, 0.1) for i in range(3)]
    check(learner(), rounds=10, seeds=[4, 0, 9], opponents=each)


def test_equal_in_several_batches(monkeypatch):
    monkeypatch.setattr(batch, "TOGETHER", 2)
    check(learner(), rounds=10, seeds=[3, 1, 4, 1, 5])


def test_batches_are_small_where_runs_are_large(monkeypatch):
    """9 actions and 10 rounds are 90 numbers a run: of 200 at most, two runs at a time."""
    sizes = []
    monkeypatch.setattr(batch, "NUMBERS", 200)
    monkeypatch.setattr(batch, "_together", lambda *arguments: sizes.append(len(arguments[-1])) or [])
    play_many(GAME, OPPONENT, learner(), 10, range(5))
    assert sizes == [2, 2, 1]


def test_equal_where_the_regularization_is_tiny():
    check(learner(regularization=1e-9), rounds=12)


@pytest.mark.parametrize("other", ["hedge", "adahedge", "finite"])
def test_other_learners_are_played_one_by_one(other):
    hedge = Hedge(GAME, lambda kind: 3 * ACTIONS[:, 0] - respond(ACTIONS, kind)[:, 0], MultiplicativeWeights.start(9))
    finite = FiniteBelief.prior(polynomial(2), 0.04, ACTIONS, np.ones((1, 3)), 1)
    weights = MultiplicativeWeights.start(9, (-9.0, 3.0), 8)
    learners = {
        "hedge": hedge,
        "adahedge": learner(weights=AdaHedge.start(9)),
        "finite": StackelUCB(GAME, finite, ConstantWidth(0.5), weights),
    }
    assert ManyStackelUCB.of(learners[other], 2, 8) is None
    constant = Opponent(Sampled(lambda _: np.ones(3)), respond, 0.2)
    check(learners[other], rounds=8, opponents=constant)


def test_long_runs_are_played_one_by_one(monkeypatch):
    monkeypatch.setattr(batch, "LONGEST", 7)
    monkeypatch.setattr(batch, "_together", None)
    check(learner(), rounds=8)


def test_refusals_are_those_of_one_run():
    with pytest.raises(InvalidInput, match=r"opponents has 2 entries for 3 seeds: give one, or one for each."):
        play_many(GAME, [OPPONENT, OPPONENT], learner(), 5, [0, 1, 2])
    with pytest.raises(InvalidInput, match=r"seeds is 3: give a list of whole numbers, such as \[0, 1, 2\]\."):
        play_many(GAME, OPPONENT, learner(), 5, 3)
    with pytest.raises(InvalidInput, match="rounds is 0: give 1 or more"):
        play_many(GAME, OPPONENT, learner(), 0, [0])
    narrow = Game("narrow", ACTIONS, GAME.reward, GAME.response_domain, (0.0, 0.1))
    with pytest.raises(InvalidInput, match=r"reward .* of action \d is outside the game's reward_range"):
        play_many(narrow, OPPONENT, learner(), 5, [0, 1])
    with pytest.raises(InvalidInput, match="respond gave shape"):
        play_many(GAME, Opponent(FRESH, lambda a, _: np.zeros((len(a), 2))), learner(), 5, [0, 1])
    with pytest.raises(InvalidInput, match="is below 1e-12 of the largest k"):
        play_many(GAME, OPPONENT, learner(regularization=1e-14), 5, [0, 1])
    still = Opponent(Sampled(lambda _: np.ones(3)), respond)
    with pytest.raises(PrecisionLost, match="collides with observation"):
        play_many(GAME, still, learner(on_type(RBF()), regularization=1.1e-12), 300, [0, 1])


def test_a_reward_that_leaves_the_range_of_the_weights_is_named():
    weights = MultiplicativeWeights.start(9, (-0.1, 0.1), 5)
    with pytest.raises(InvalidInput, match=r"reward .* of action [0-8] is outside reward_range"):
        play_many(GAME, OPPONENT, learner(weights=weights), 5, [0, 1])


def test_together_is_quicker():
    """Measured at five times and more; two are asked for, of the best of three, since other work may interfere."""

    def cpu(play):
        start = time.process_time()
        play()
        return time.process_time() - start

    seeds, who = range(30), learner()
    joint = min(cpu(lambda: play_many(GAME, OPPONENT, who, 40, seeds)) for _ in range(3))
    alone = min(cpu(lambda: [play_run(GAME, OPPONENT, who, 40, seed) for seed in seeds]) for _ in range(3))
    assert alone >= 2 * joint
