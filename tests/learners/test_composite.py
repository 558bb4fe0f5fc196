"""Expected improvement and Thompson sampling of r(x, b): closed forms, hand-worked cases, determinism."""

from dataclasses import replace
from math import erf, exp, pi, sqrt
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback, Prediction
from firstmover.games import decreasing, increasing
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.composite import CompositeEI, CompositeTS, normal_draws, normal_points, rewards_of

WIDE = Box([-99.0, -99.0], [99.0, 99.0])
KIND = np.zeros(1)
LINEAR = Game(
    "linear",
    np.array([[0.0], [1.0], [3.0]]),
    decreasing(lambda x, y: 1 + x[:, 0] - 2 * y[:, 0] - 0.5 * y[:, 1], n_outputs=2),
    WIDE,
    types=KIND[None],
)


def built(name: str, game: Game = LINEAR, regularization: float = 0.5, **parameters: Any) -> Any:
    kernel = ConstantKernel(0.64) * RBF(1.0)
    return LEARNERS[name].build(Setup(game, kernel, regularization, ConstantWidth(1.0)), parameters)


def normal(z: float) -> tuple[float, float]:
    """Φ(z) and φ(z)."""
    return (1 + erf(z / sqrt(2))) / 2, exp(-z * z / 2) / sqrt(2 * pi)


def test_expected_improvement_has_the_closed_form_of_a_linear_reward() -> None:
    """r = 1 + x − 2 y₁ − ½ y₂ is N(1 + x − 2 μ₁ − ½ μ₂, (4 + ¼) σ²): EI = (m − f*) Φ(z) + s φ(z), z = (m − f*) / s."""
    learner = built("composite-ei", samples=4096)
    for action, response in ((0, [0.4, -0.3]), (1, [1.5, 0.2])):
        learner = learner.observe(Feedback(action, KIND, response))
    mean, std = learner.belief.predict(KIND)
    m = 1 + LINEAR.actions[:, 0] - 2 * mean[:, 0] - 0.5 * mean[:, 1]
    s = sqrt(4.25) * std
    best = max(m[0], m[1])  # the third was not played, and is larger
    assert m[2] > best
    expected = []
    for each, spread in zip(m, s, strict=True):
        below, density = normal((each - best) / spread)
        expected.append((each - best) * below + spread * density)
    means, improvements = learner.improvements()
    np.testing.assert_allclose(means, m, atol=2e-3)  # quasi-Monte-Carlo error with 4096 points
    np.testing.assert_allclose(improvements, expected, atol=2e-3)
    coarse = replace(learner, samples=256)
    np.testing.assert_allclose(coarse.improvements()[1], expected, atol=0.02)
    assert learner.strategy.tolist() == [0.0, 0.0, 1.0]


class Stub:
    """A belief of given numbers, independent over actions."""

    information_gain = 0.0

    def __init__(self, mean: Any, std: Any, covariance: Any = None) -> None:
        self.mean, self.std = np.array(mean, dtype=float), np.array(std, dtype=float)
        self.joint = np.diag(self.std**2) if covariance is None else np.array(covariance, dtype=float)

    def predict(self, _: Any) -> Prediction:
        return Prediction(self.mean, self.std)

    def covariance(self, _: Any, /, actions: Any = None) -> Any:  # noqa: ARG002
        return self.joint


ANSWER = Game("answer", np.array([[0.0], [1.0], [2.0]]), increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]))


def ei(mean: list[float], std: list[float], played: list[float], game: Game = ANSWER) -> CompositeEI:
    belief: Any = Stub(np.array(mean)[:, None], std)
    return CompositeEI(game, belief, KIND, 256, 0, np.array(played))


def test_the_incumbent_is_the_best_mean_among_played_actions() -> None:
    """Of two means 0 and σ = 1, improvement on −5 is about 5; on 0 it is φ(0) = 0.399."""
    learner = ei([-5.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(learner.improvements()[1], [0.0, 5.0, 5.0], atol=0.01)
    learner = ei([-5.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
    np.testing.assert_allclose(learner.improvements()[1], [0.0, 0.399, 0.399], atol=0.01)


def test_variance_is_worth_an_attempt_and_without_it_the_best_mean_is_played() -> None:
    assert ei([1.0, 0.5, 0.0], [0.1, 0.1, 2.0], [1.0, 1.0, 1.0]).strategy.argmax() == 2
    assert ei([0.0, 0.5, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]).strategy.argmax() == 2  # the first round: the mean
    assert ei([0.2, 0.5, 0.1], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]).strategy.argmax() == 1  # no improvement anywhere


def test_the_reward_of_a_draw_is_that_of_the_response_in_its_domain() -> None:
    narrow = replace(ANSWER, response_domain=Box([0.0], [1.0]))
    means, _ = ei([-3.0, 0.5, 7.0], [0.1, 0.0, 0.1], [0.0, 0.0, 0.0], narrow).improvements()
    np.testing.assert_allclose(means, [0.0, 0.5, 1.0])
    drawn = np.array([[[0.1], [0.2], [0.3]], [[0.4], [0.5], [2.0]]])
    assert rewards_of(narrow, drawn).tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 1.0]]


def test_rewards_in_blocks_are_those_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(0).normal(size=(7, 3, 2))
    whole = rewards_of(LINEAR, drawn)
    np.testing.assert_allclose(whole, 1 + LINEAR.actions[:, 0] - 2 * drawn[..., 0] - 0.5 * drawn[..., 1])
    monkeypatch.setattr("firstmover.learners.composite.CELLS", 20)
    np.testing.assert_array_equal(rewards_of(LINEAR, drawn), whole)


def ts(belief: Any, samples: int = 4096, seed: int = 0, game: Game = ANSWER) -> CompositeTS:
    return CompositeTS(game, belief, KIND, samples, seed)


def test_thompson_sampling_plays_the_best_action_with_its_probability() -> None:
    """P(N(0.3, 1) > N(0, 4)) = Φ(0.3 / √5) = 0.5534; the third action is far below. Three standard errors: 0.023."""
    found = ts(Stub([[0.3], [0.0], [-50.0]], [1.0, 2.0, 1.0])).strategy
    expected = normal(0.3 / sqrt(5))[0]
    bound = 3 * sqrt(expected * (1 - expected) / 4096)
    assert abs(found[0] - expected) < bound
    assert found[2] == 0.0
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_thompson_sampling_uses_the_joint_posterior() -> None:
    """With correlation 1 the action of the larger mean is always better, with −1 it is P(N(0.3, 4) > 0) = 0.5596."""
    mean, std = [[0.3], [0.0], [-50.0]], [1.0, 1.0, 1.0]
    together, against = np.eye(3), np.eye(3)
    together[0, 1] = together[1, 0] = 1.0
    against[0, 1] = against[1, 0] = -1.0
    assert ts(Stub(mean, std, together)).strategy.tolist() == [1.0, 0.0, 0.0]
    expected = normal(0.15)[0]
    assert abs(ts(Stub(mean, std, against)).strategy[0] - expected) < 3 * sqrt(expected * (1 - expected) / 4096)


def test_the_outputs_of_a_draw_are_independent() -> None:
    """r = y₁ − y₂ with σ = 1 each against the certain 1: P(N(0, 2) > 1) = 0.2398."""
    game = replace(ANSWER, reward=increasing(lambda _, y: y[:, 0] - y[:, 1], n_outputs=2), response_domain=WIDE)
    belief = Stub([[1.0, 0.0], [0.0, 0.0], [-50.0, 0.0]], [0.0, 1.0, 0.0])
    expected = 1 - normal(1 / sqrt(2))[0]
    assert abs(ts(belief, game=game).strategy[1] - expected) < 3 * sqrt(expected * (1 - expected) / 4096)


def test_a_seed_fixes_the_strategy() -> None:
    learner = built("composite-ts", seed=4).observe(Feedback(0, KIND, [0.1, 0.2]))
    again = built("composite-ts", seed=4).observe(Feedback(0, KIND, [0.1, 0.2]))
    other = built("composite-ts", seed=5).observe(Feedback(0, KIND, [0.1, 0.2]))
    np.testing.assert_array_equal(learner.strategy, again.strategy)
    assert not np.array_equal(learner.strategy, other.strategy)
    assert not normal_points(64, 2, 1).flags.writeable
    assert not normal_draws(8, 2, 1, 1).flags.writeable
    assert normal_draws(8, 3, 2, 1).shape == (3, 16)


@pytest.mark.parametrize("name", ["composite-ei", "composite-ts"])
def test_bad_parameters_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"samples.*power of two"):
        built(name, samples=100)
    with pytest.raises(InvalidInput, match="seed"):
        built(name, seed=-1)
