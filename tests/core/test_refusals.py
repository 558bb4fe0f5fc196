"""What a user gets wrong on the first day: one sentence that names the field, the value and the remedy."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

import firstmover as fm
from firstmover.core.errors import InvalidInput
from firstmover.games import Lattice, shore_game
from firstmover.learners import SingleType
from firstmover.simulation import single

GAME = shore_game()
ONE = replace(GAME, types=GAME.types[:1])


def opponent(respond, noise_std=0.0):
    return fm.Opponent(single(GAME.types[0]), respond, noise_std)


def half(actions, _):
    return np.full((len(actions), 1), 0.5)


def played(game=ONE, respond=half, rounds=3, seed=0):
    learner = fm.StackelUCB.start(game, RBF(0.3), 1.0, 1.0, horizon=rounds if isinstance(rounds, int) else 5)
    return fm.play_run(game, opponent(respond), learner, rounds, seed)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fm.Box(["a"], [0]), "box.lower has 'a': give real numbers"),
        (lambda: fm.Box([[1, 2], [3]], [0]), "box.lower must hold numbers: rows differ in length"),
        (lambda: replace(GAME, response_domain=([0], [1])), r"response_domain is \(\[0\], \[1\]\): give a Box"),
        (lambda: replace(GAME, reward=lambda _, y: y[:, 0]), "reward is .*: give one with a method best_in_box"),
        (lambda: replace(GAME, reward=None), "reward is None: give one with a method best_in_box"),
        (lambda: replace(GAME, reward_range=5), r"reward_range is 5: give \(smallest, largest\)"),
        (lambda: replace(GAME, reward_range=(0, 1, 2)), r"reward_range is \(0, 1, 2\): give"),
        (lambda: replace(GAME, reward_range=("a", "b")), r"reward_range is \('a', 'b'\): give"),
        (lambda: replace(GAME, actions=np.zeros((3, 0))), r"actions has shape \(3, 0\): a game needs an action"),
        (lambda: fm.StackelUCB.start(GAME, RBF(), "small", 1.0), "regularization is 'small': it must be"),
        (lambda: fm.ConstantWidth(None), "confidence_width is None: give a finite number, 0 or more"),
        (lambda: fm.LemmaWidth(1.0, 0.1, 1.0, "x"), "failure_probability is 'x': give a number between 0 and 1"),
        (lambda: fm.LemmaWidth(1.0, 0.1, 1.0, 0.1, n_outputs=1.5), "n_outputs is 1.5: give a whole number"),
        (lambda: fm.Opponent(single(GAME.types[0]), half, [0.1, 0.2]), r"noise_std is \[0.1, 0.2\]: give a finite"),
        (lambda: played(rounds=1.5), "rounds is 1.5: give a whole number"),
        (lambda: played(seed=None), "seed is None: give a whole number"),
        (lambda: fm.MultiplicativeWeights.start(3, None, 1.5), "horizon is 1.5: give a whole number"),
        (lambda: fm.polynomial(float("nan")), "degree is nan: give a whole number"),
        (lambda: Lattice(lambda _, y: y[:, 0], 1.0, points=2.5), "points is 2.5: give a whole number"),
        (lambda: played(respond=lambda x, _: half(x, _) + 7), "respond gave 7.5 for output 0, outside"),
        (lambda: played(respond=lambda x, _: [["a"]] * len(x)), "respond failed for 1 action"),
    ],
)
def test_a_wrong_value_is_named(call, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        call()


@pytest.mark.parametrize(
    ("rewards", "sentence"),
    [
        (np.full(24, np.nan), "true_rewards has the value nan at position 0"),
        (np.zeros(2), "true_rewards gave 2 numbers: the run has 24 actions"),
        (np.zeros((24, 1)), r"true_rewards has shape \(24, 1\)"),
    ],
)
def test_regret_wants_a_reward_of_every_action(rewards, sentence):
    run = played()
    with pytest.raises(InvalidInput, match=sentence):
        fm.regret(run, lambda _: rewards)


@pytest.mark.parametrize(
    ("best", "sentence"),
    [
        (np.full(24, np.nan), "best_in_box has the value nan"),
        (np.zeros(3), r"best_in_box has 3 number\(s\): give 24"),
        (np.full(24, np.inf), "best_in_box has the value inf"),
    ],
)
def test_a_reward_that_does_not_know_its_best_is_refused(best, sentence):
    class Mistaken(fm.Monotone):
        def best_in_box(self, *_):
            return best

    game = replace(ONE, reward=Mistaken(ONE.reward.function, (-1,)))
    start = fm.StackelUCB.start(ONE, RBF(0.3), 1.0, 1.0)
    learner = SingleType(game, start.belief, start.confidence, game.types[0])
    with pytest.raises(InvalidInput, match=sentence):
        _ = learner.strategy


@pytest.mark.parametrize("gradient", [lambda x, y: -2 * (y - x)[:, 0], lambda x, y: -2 * (y - x)[:1]])
def test_a_gradient_of_the_wrong_shape_is_refused(gradient):
    near = fm.Concave(lambda x, y: -((y[:, 0] - x[:, 0]) ** 2), gradient)
    with pytest.raises(InvalidInput, match="gradient gave shape"):
        near.best_in_box(np.array([[2.0], [9.0], [0.0]]), fm.Box(np.ones((3, 1)), np.full((3, 1), 3.0)))


def test_a_reward_of_the_wrong_shape_is_refused():
    game = replace(ONE, reward=fm.decreasing(lambda _, y: 1 - y))
    with pytest.raises(InvalidInput, match=r"(reward|best_in_box) has shape"):
        fm.play_run(game, opponent(half), fm.StackelUCB.start(game, RBF(0.3), 1.0, 1.0), 2, 0)


def test_an_adversary_without_usable_rewards_is_refused():
    with pytest.raises(InvalidInput, match="true_rewards has the value nan"):
        fm.Adversary(GAME.types, lambda _: np.full(24, np.nan))
    short = fm.Adversary(GAME.types, lambda _: np.zeros(3))
    with pytest.raises(InvalidInput, match="strategy has 24 actions: true_rewards gave 3"):
        short.draw(np.full(24, 1 / 24), [], np.random.default_rng(0))
