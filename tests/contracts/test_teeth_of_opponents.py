"""The suites of opponents and games bite: each broken one fails the check that names its fault."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Round
from firstmover.games import Monotone, increasing
from firstmover.learners import uniform
from firstmover.simulation import Cyclic, Opponent
from firstmover.simulation.loop import play
from tests.contracts import checks_game, checks_opponent

N = 3
GAME = Game("teeth", np.arange(N)[:, None], increasing(lambda _, y: y[:, 0]), Box([0.0], [1.0]), (0.0, 1.0), np.eye(2))


def answer(actions: Matrix, opponent_type: Vector) -> Matrix:
    return actions / N * opponent_type[0]


@dataclass
class Source:
    """A source of types with one fault."""

    fault: str
    calls: int = 0

    def draw(self, strategy: Vector, past: list[Round], rng: np.random.Generator) -> Vector:
        self.calls += 1
        if self.fault == "strategy":
            strategy[0] = 1.0
        if self.fault == "past":
            past.clear()
        wrong = {"nan": np.array([np.nan, 0.0]), "none of the game's": np.array([0.5, 0.5]), "shape": np.eye(2)}
        if self.fault == "different types":
            return np.eye(2)[self.calls % 2]
        if self.fault == "global":
            return np.eye(2)[int(np.random.random() >= 0)]  # noqa: NPY002 - the fault
        return wrong.get(self.fault, np.eye(2)[rng.integers(2)])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("nan", "not finite"),
        ("shape", "shape"),
        ("none of the game's", "none of the game's"),
        ("different types", "different types"),
        ("global", "global random stream"),
        ("strategy", "wrote into the strategy"),
        ("past", "changed the past"),
    ],
)
def test_a_broken_source_of_types_is_caught(fault: str, words: str) -> None:
    past = [next(play(GAME, Opponent(Cyclic(np.eye(2)), answer), uniform(N), seed=0))]
    checks_opponent.check_draws(Source("none"), GAME, past)
    with pytest.raises(AssertionError, match=words):
        checks_opponent.check_draws(Source(fault), GAME, past)


def broken_answers(fault: str, actions: Matrix, theta: Vector) -> Matrix:
    y = answer(actions, theta)
    if fault == "finite":
        y[-1] = np.nan
    if fault == "shape":
        y = y[:, 0]
    if fault == "outside":
        y[-1] = 1.5
    if fault == "rows":
        y = np.sort(y, axis=0)[::-1] / len(y)
    if fault == "wrote into the actions":
        actions *= 0.5
    if fault == "wrote into the type":
        theta[0] = 0.0
    return y


@pytest.mark.parametrize("fault", ["finite", "shape", "outside"])
def test_responses_that_do_not_fit_are_caught(fault: str) -> None:
    checks_opponent.check_responses(answer, GAME, np.array([1.0, 0.0]))
    with pytest.raises(AssertionError, match=fault):
        checks_opponent.check_responses(lambda x, theta: broken_answers(fault, x, theta), GAME, np.array([1.0, 0.0]))


def test_responses_that_do_not_repeat_are_caught() -> None:
    drift = iter(range(9))
    with pytest.raises(AssertionError, match="different responses"):
        checks_opponent.check_responses(lambda x, theta: answer(x, theta) / (1 + next(drift)), GAME, np.ones(2))


def test_responses_that_depend_on_the_other_rows_are_caught() -> None:
    checks_opponent.check_rows_are_independent(answer, GAME.actions, np.ones(2))
    with pytest.raises(AssertionError, match="answer otherwise"):
        checks_opponent.check_rows_are_independent(
            lambda x, theta: broken_answers("rows", x, theta), GAME.actions, np.ones(2)
        )


@pytest.mark.parametrize("fault", ["wrote into the actions", "wrote into the type"])
def test_responses_that_write_are_caught(fault: str) -> None:
    checks_opponent.check_writes_nothing(answer, GAME.actions, np.ones(2))
    with pytest.raises(AssertionError, match=fault):
        checks_opponent.check_writes_nothing(lambda x, theta: broken_answers(fault, x, theta), GAME.actions, np.ones(2))


def test_a_sound_game_passes_every_check() -> None:
    checks_game.check_menu(GAME)
    checks_game.check_rewards_in_range(GAME, answer, np.ones(2))
    checks_game.check_reward_rows_are_independent(GAME, answer, np.ones(2))


@pytest.mark.parametrize(("reward_range", "words"), [((0.0, 0.5), "above the range"), ((0.1, 1.0), "below the range")])
def test_a_wrong_range_is_caught(reward_range: tuple[float, float], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        checks_game.check_rewards_in_range(replace(GAME, reward_range=reward_range), answer, np.ones(2))


@pytest.mark.parametrize(
    ("reward", "words"),
    [(lambda _, y: y, "shape"), (lambda _, y: np.where(y[:, 0] > 0.5, np.nan, 0.5), "not finite")],
)
def test_a_reward_that_is_not_one_finite_number_a_row_is_caught(reward: object, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        checks_game.check_rewards_in_range(replace(GAME, reward=Monotone(reward, (1,))), answer, np.ones(2))


def writes(_: Matrix, y: Matrix) -> Vector:
    earned = y[:, 0].copy()
    y *= 0.5
    return earned


@pytest.mark.parametrize(
    ("reward", "words"),
    [
        (lambda _, y: y[:, 0] / len(y), "earn otherwise"),
        (lambda x, y: y[:, 0] + x[0, 0], "earn otherwise"),
        (writes, "wrote into the responses|earn otherwise"),
    ],
)
def test_a_reward_that_mixes_rows_or_writes_is_caught(reward: object, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        checks_game.check_reward_rows_are_independent(replace(GAME, reward=Monotone(reward, (1,))), answer, np.ones(2))


def test_a_menu_without_a_choice_or_with_doubles_is_caught() -> None:
    for broken, words in [
        (replace(GAME, actions=np.zeros((1, 1))), "without a choice"),
        (replace(GAME, actions=np.zeros((2, 1))), "two actions are alike"),
        (replace(GAME, types=np.zeros((2, 1))), "two types are alike"),
    ]:
        with pytest.raises(AssertionError, match=words):
            checks_game.check_menu(broken)
