from math import exp, log, sqrt

import numpy as np

from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games import increasing
from firstmover.learners import Hedge
from firstmover.strategies import MultiplicativeWeights

GAME = Game("table", np.arange(3.0)[:, None], increasing(lambda _, y: y[:, 0]), Box([0.0], [4.0]), (0.0, 4.0))
TABLE = {0.0: np.array([4.0, 1.0, 0.0]), 1.0: np.array([0.0, 2.0, 3.0])}


def start() -> Hedge:
    return Hedge(GAME, lambda theta: TABLE[theta[0]], MultiplicativeWeights.start(3, (0.0, 4.0), horizon=2))


def test_two_rounds_by_hand() -> None:
    """η = √(8 log 3 / 2); totals in shares of the range: (1, ¼, 0), then (1, ¾, ¾)."""
    eta = sqrt(4 * log(3))
    learner = start().observe(Feedback(2, [0.0], [0.3]))
    raw = [exp(eta), exp(eta / 4), 1.0]
    np.testing.assert_allclose(learner.strategy, np.array(raw) / sum(raw), rtol=1e-12)
    learner = learner.observe(Feedback(0, [1.0], [0.3]))
    raw = [exp(eta), exp(0.75 * eta), exp(0.75 * eta)]
    np.testing.assert_allclose(learner.strategy, np.array(raw) / sum(raw), rtol=1e-12)


def test_neither_the_action_nor_the_noisy_response_matters() -> None:
    one, two = start().observe(Feedback(0, [1.0], [0.1])), start().observe(Feedback(2, [1.0], [3.9]))
    np.testing.assert_array_equal(one.strategy, two.strategy)
