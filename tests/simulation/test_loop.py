import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from threadpoolctl import threadpool_info, threadpool_limits

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action
from firstmover.core.records import Box, Feedback, Round, Run
from firstmover.games import increasing
from firstmover.learners import fixed_action, uniform
from firstmover.simulation import Cyclic, Opponent, RandomTypes, play_many
from firstmover.simulation.loop import play, play_run

ALMOST_ONE = np.nextafter(1.0, 0.0)
TYPES = np.array([[0.0], [0.25], [1.0]])
GAME = Game(
    "line", np.arange(4.0)[:, None], increasing(lambda x, y: y[:, 0] - x[:, 0]), Box([0.0], [5.0]), (0, 1), TYPES
)


def shift(actions: Matrix, opponent_type: Vector) -> Matrix:
    return actions + opponent_type


OPPONENT = Opponent(RandomTypes(TYPES), shift, noise_std=0.5)


def test_sampling_follows_the_strategy() -> None:
    """χ² of 20 000 draws over the four actions that can come: refused one time in a thousand."""
    p = np.array([0.0, 0.1, 0.25, 0.0, 0.6, 0.05, 0.0])
    uniforms = np.random.default_rng(12).random(20_000)
    counts = np.bincount([sample_action(p, u) for u in uniforms], minlength=7)
    possible = p > 0
    assert counts[~possible].sum() == 0
    expected = 20_000 * p[possible]
    assert ((counts[possible] - expected) ** 2 / expected).sum() < chi2.isf(1e-3, 3)


@pytest.mark.parametrize(
    ("p", "first", "last"),
    [([0, 0, 1.0, 0], 2, 2), ([0, 0.5, 0, 0.5, 0], 1, 3), ([1.0], 0, 0), ([0.1] * 10, 0, 9), ([1 / 3] * 3 + [0], 0, 2)],
)
def test_the_ends_of_the_unit_interval_pick_the_first_and_the_last_possible_action(
    p: list[float], first: int, last: int
) -> None:
    assert sample_action(np.array(p), 0.0) == first
    assert sample_action(np.array(p), ALMOST_ONE) == last


@given(st.lists(st.sampled_from([0.0, 1e-300, 1e-17, 0.3, 1.0]), min_size=1, max_size=9), st.floats(0, ALMOST_ONE))
def test_an_action_without_probability_is_never_picked(weights: list[float], uniform: float) -> None:
    p = np.array([*weights, 1.0, 0.0])
    p /= p.sum()
    assert p[sample_action(p, uniform)] > 0


def test_cuts_belong_to_the_action_above_them() -> None:
    p = np.array([0.25, 0.5, 0.25])
    assert [sample_action(p, u) for u in (0.2499, 0.25, 0.7499, 0.75)] == [0, 1, 1, 2]


def test_actions_types_and_noise_come_from_three_streams_of_the_seed() -> None:
    actions, types, noise = (np.random.default_rng(s) for s in np.random.SeedSequence(9).spawn(3))
    run = play_run(GAME, OPPONENT, uniform(4), 20, seed=9)
    np.testing.assert_array_equal(run.actions, np.floor(4 * actions.random(20)))
    np.testing.assert_array_equal(run.opponent_types[:, 0], [TYPES[types.integers(3), 0] for _ in range(20)])
    np.testing.assert_array_equal(run.responses, run.true_responses + 0.5 * noise.standard_normal((20, 1)))


def test_no_stream_depends_on_what_another_was_used_for() -> None:
    plain = play_run(GAME, OPPONENT, uniform(4), 20, seed=9)
    quiet = play_run(GAME, replace(OPPONENT, noise_std=0.0), uniform(4), 20, seed=9)
    other = play_run(GAME, OPPONENT, fixed_action(2, 4), 20, seed=9)
    cyclic = play_run(GAME, replace(OPPONENT, types=Cyclic(TYPES)), uniform(4), 20, seed=9)
    np.testing.assert_array_equal(plain.actions, quiet.actions)
    np.testing.assert_array_equal(plain.actions, cyclic.actions)
    np.testing.assert_array_equal(plain.opponent_types, other.opponent_types)
    np.testing.assert_allclose(plain.responses - plain.true_responses, other.responses - other.true_responses)
    np.testing.assert_array_equal(quiet.responses, quiet.true_responses)


def test_a_round_by_hand() -> None:
    """Action 2 at type 0.25: the response 2.25, and the reward 0.25 of the response without its noise."""
    opponent = Opponent(Cyclic(TYPES[1:]), shift, noise_std=0.5)
    first, second = islice(play(GAME, opponent, fixed_action(2, 4), seed=0), 2)
    assert (first.t, second.t, first.action) == (1, 2, 2)
    assert (first.true_response[0], first.reward, second.reward) == (2.25, 0.25, 1.0)
    assert first.response[0] != 2.25
    assert first.feedback.response[0] == first.response[0]
    np.testing.assert_array_equal(first.strategy, [0, 0, 1, 0])


@dataclass
class Diary:
    """A source of types and a learner that write down what they are shown."""

    entries: list[str] = field(default_factory=list)

    @property
    def strategy(self) -> Vector:
        self.entries.append("strategy")
        return np.full(4, 0.25)

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        self.entries.append(f"draw after {len(past)}")
        return TYPES[0]

    def observe(self, feedback: Feedback) -> "Diary":
        self.entries.append(f"observe {feedback.action}")
        return self


def test_the_order_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary()
    monkeypatch.setitem(play.__globals__, "sample_action", lambda _p, _u: diary.entries.append("sample") or 3)
    play_run(GAME, Opponent(diary, shift), diary, 2, seed=0)
    assert diary.entries == [
        *("strategy", "draw after 0", "sample", "observe 3"),
        *("strategy", "draw after 1", "sample"),  # the last round's feedback is nobody's yet
    ]


def test_what_happened_stays_when_a_learner_writes_over_its_strategy() -> None:
    class Careless(Diary):
        p = np.full(4, 0.25)
        strategy = property(lambda self: self.p)

        def observe(self, feedback: Feedback) -> "Careless":
            self.p[:] = np.eye(4)[feedback.action]
            return self

    run = play_run(GAME, OPPONENT, Careless(), 2, seed=0)
    np.testing.assert_array_equal(run.strategies[0], np.full(4, 0.25))


def test_an_opponent_cannot_write_into_the_strategy() -> None:
    class Forger(Diary):
        def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:
            strategy[:] = [0, 0, 0, 1]
            return super().draw(strategy, past, rng)

    with pytest.raises(ValueError, match="read-only"):
        play_run(GAME, Opponent(Forger(), shift), uniform(4), 1, seed=0)


def refused(sentence: str, game: Game = GAME, opponent: Opponent = OPPONENT, **given: object) -> None:
    arguments = {"learner": uniform(4), "rounds": 3, "seed": 0} | given
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        play_run(game, opponent, **arguments)


def test_no_rounds_and_no_seed_are_refused() -> None:
    refused("rounds is 0: give 1 or more.", rounds=0)
    refused("seed is -1: give 0 or more.", seed=-1)
    with pytest.raises(InvalidInput, match="A run needs at least one round: none were played"):
        Run.of([])


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ([0.5, 0.5], "strategy has 2 number(s): give 4."),
        ([0.5, 0.5, 0.5, 0.0], "strategy sums to 1.5: probabilities must sum to 1."),
        ([1.5, 0.0, -0.5, 0.0], "strategy has the value -0.5 at position 2: probabilities are 0 or more."),
        ([np.nan, 0.5, 0.5, 0], "strategy has the value nan at position 0: every number must be finite."),
    ],
)
def test_a_strategy_off_the_simplex_is_refused(strategy: list[float], sentence: str) -> None:
    class Off(Diary):
        strategy: Vector = None  # what the test sets

    learner = Off()
    learner.strategy = np.array(strategy)
    refused(sentence, learner=learner)


def test_a_reward_outside_the_range_is_refused() -> None:
    narrow, late = replace(GAME, reward_range=(0, 0.5)), replace(OPPONENT, types=Cyclic(TYPES[2:]))
    refused(
        "reward 1 of action 2 is outside the game's reward_range (0, 0.5): state the range that rewards can take.",
        narrow,
        late,
        learner=fixed_action(2, 4),
    )
    play_run(replace(GAME, reward_range=None), late, uniform(4), 3, seed=0)


def test_rounding_at_the_ends_of_the_range_is_forgiven() -> None:
    game = replace(GAME, reward=increasing(lambda x, y: y[:, 0] - x[:, 0] + 1e-12))
    assert play_run(game, replace(OPPONENT, types=Cyclic(TYPES[2:])), uniform(4), 3, seed=0).rewards.max() > 1


def test_a_reward_that_is_no_number_is_refused() -> None:
    game = replace(GAME, reward=increasing(lambda _, y: y[:, 0] * np.nan))
    sentence = "reward has the value nan at position 0: every number must be finite."
    refused(sentence, game, learner=fixed_action(1, 4))


def test_responses_and_types_that_do_not_fit_are_refused() -> None:
    sentence = "respond gave shape (1,) for 1 action(s): game 'line' needs (1, 1)."
    refused(sentence, opponent=Opponent(Cyclic(TYPES), lambda x, _: x[:, 0]))

    class Scalar(Diary):
        def draw(self, *_: object) -> float:
            return 0.5

    refused("opponent_type has shape (): give an array with 1 dimension(s).", opponent=Opponent(Scalar(), shift))


def test_a_run_is_played_with_one_blas_thread_and_the_callers_setting_is_put_back() -> None:
    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    during: list[set[int]] = []

    def telling(actions: Matrix, opponent_type: Vector) -> Matrix:
        during.append(threads())
        return shift(actions, opponent_type)

    opponent, learner = Opponent(RandomTypes(TYPES), telling), uniform(4)
    with threadpool_limits(2):
        play_many(GAME, opponent, learner, 3, [0, 1])
        assert threads() == {2}
    assert during == [{1}] * 6


def test_a_learner_that_returns_nothing_is_named() -> None:
    class Forgetful:
        strategy = np.full(4, 1 / 4)

        def observe(self, _feedback: object) -> None:
            pass

    opponent = Opponent(Cyclic(TYPES), shift)
    with pytest.raises(InvalidInput, match="observe of Forgetful returned None: return the learner of the next round"):
        play_run(GAME, opponent, Forgetful(), rounds=2, seed=0)  # type: ignore[arg-type]
