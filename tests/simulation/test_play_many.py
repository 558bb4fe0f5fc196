import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth, FreshBelief
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.core.records import Box
from firstmover.games import decreasing
from firstmover.kernels import polynomial
from firstmover.learners import StackelUCB
from firstmover.simulation import Opponent, play_many, play_run
from firstmover.simulation.arrivals import Sampled
from firstmover.strategies import MultiplicativeWeights
from tests.beliefs.refusing import Pairwise

ACTIONS = np.random.default_rng(0).uniform(size=(9, 2))
GAME = Game("plain", ACTIONS, decreasing(lambda x, y: 3 * x[:, 0] - y[:, 0]), Box([0.0], [np.inf]), (-9.0, 3.0))
FRESH = Sampled(lambda rng: rng.uniform(size=3))


def respond(actions, opponent_type):
    return np.abs(actions @ opponent_type[:2] + np.sin(opponent_type[2]))[:, None]


OPPONENT = Opponent(FRESH, respond, noise_std=0.2)


def learner(kernel=None, *, regularization=0.04, weights=None):
    belief = FreshBelief.prior(polynomial(3) if kernel is None else kernel, regularization, ACTIONS, 1)
    weights = MultiplicativeWeights.start(9, (-9.0, 3.0), 80) if weights is None else weights
    return StackelUCB(GAME, belief, ConstantWidth(0.5), weights)


def test_every_seed_gives_the_run_that_it_gives_alone():
    each = [Opponent(FRESH, lambda a, kind, i=i: respond(a, kind) + i, 0.1) for i in range(3)]
    for opponents in (OPPONENT, each):
        runs = play_many(GAME, opponents, learner(), 10, [4, 0, 9])
        who = [opponents] * 3 if isinstance(opponents, Opponent) else opponents
        for run, opponent, seed in zip(runs, who, [4, 0, 9], strict=True):
            alone = play_run(GAME, opponent, learner(), 10, seed)
            np.testing.assert_array_equal(run.actions, alone.actions)
            np.testing.assert_array_equal(run.responses, alone.responses)
            np.testing.assert_array_equal(run.strategies, alone.strategies)


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
    with pytest.raises(InvalidInput, match="is below 1e-09 of the largest k"):
        play_many(GAME, OPPONENT, learner(regularization=1e-14), 5, [0, 1])
    still = Opponent(Sampled(lambda _: np.ones(3)), respond)
    with pytest.raises(PrecisionLost, match="collides with observation"):
        play_many(GAME, still, learner(Pairwise(1 + 3e-9), regularization=2e-9), 30, [0, 1])


def test_a_reward_that_leaves_the_range_of_the_weights_is_named():
    weights = MultiplicativeWeights.start(9, (-0.1, 0.1), 5)
    with pytest.raises(InvalidInput, match=r"reward .* of action [0-8] is outside reward_range"):
        play_many(GAME, OPPONENT, learner(weights=weights), 5, [0, 1])
