"""What every learner must do, whoever wrote it: each check raises AssertionError with the rule that was broken."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, GrowsMenu, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Run
from firstmover.simulation import Opponent
from firstmover.simulation.loop import play_run

Build = Callable[[], Learner]


def global_streams() -> tuple[object, ...]:
    """The state of the process's random streams, which nobody may touch."""
    _, keys, position, *rest = np.random.get_state()  # noqa: NPY002 - the stream that must rest
    return random.getstate(), keys.tolist(), position, rest


def fold(learner: Learner, history: Sequence[Feedback]) -> Learner:
    for feedback in history:
        learner = learner.observe(feedback)
    return learner


def check_simplex(build: Build, game: Game, history: Sequence[Feedback]) -> None:
    learner = build()
    for feedback in [*history, None]:
        p = learner.strategy
        game = learner.grown if isinstance(learner, GrowsMenu) else game
        assert p.shape == (game.n_actions,), f"strategy has shape {p.shape}, not ({game.n_actions},)"
        assert np.all(p >= 0), "strategy has a negative probability, or NaN"
        assert abs(p.sum() - 1) <= 1e-9, f"strategy sums to {p.sum()}"
        if feedback is not None:
            learner = learner.observe(feedback)


def check_pure(build: Build, history: Sequence[Feedback]) -> None:
    """The strategy is a function of the history: no random numbers, neither its own nor the process's."""
    state = global_streams()
    learner = fold(build(), history)
    first, second = learner.strategy, learner.strategy
    assert np.array_equal(first, second), "two readings of one strategy differ"
    assert np.array_equal(first, fold(build(), history).strategy), "equal histories give different strategies"
    assert global_streams() == state, "the learner drew from a global random stream"


def check_copy(build: Build, history: Sequence[Feedback]) -> None:
    """A copy, as `compare` makes one per seed and process, goes on as the original would."""
    half = len(history) // 2
    for begun in (build(), fold(build(), history[:half])):
        for p, q in zip(*(strategies(each, history[half:]) for each in (begun, deepcopy(begun))), strict=True):
            assert np.array_equal(p, q), "a copy goes on with another strategy"


def strategies(learner: Learner, history: Sequence[Feedback]) -> list[Vector]:
    """The strategies of a learner in some rounds."""
    found = []
    for feedback in history:
        learner = learner.observe(feedback)
        found.append(learner.strategy)
    return found


def check_observe_leaves_the_old(build: Build, history: Sequence[Feedback]) -> None:
    """Every learner of a chain stays as it was, and a second child of one parent disturbs nobody."""
    learner, chain = build(), []
    for feedback in history:
        p = learner.strategy
        chain.append((learner, p, p.copy()))
        learner = learner.observe(feedback)
    for step, (old, seen, copy) in enumerate(chain):
        assert np.array_equal(seen, copy), f"the strategy handed out in round {step + 1} was written over"
        assert np.array_equal(old.strategy, copy), f"the learner of round {step + 1} changed when it observed"

    middle = len(history) // 2
    parent = chain[middle][0]
    others = history[-1], history[0]
    with_sibling = [parent.observe(feedback) for feedback in others]
    assert np.array_equal(parent.strategy, chain[middle][2]), "a parent changed when it had several children"
    again = fold(parent, history[middle:])
    assert np.array_equal(again.strategy, learner.strategy), "replaying from a parent gives another learner"
    for child, feedback in zip(with_sibling, others, strict=True):
        alone = fold(build(), history[:middle]).observe(feedback)
        assert np.array_equal(child.strategy, alone.strategy), "a child depends on its siblings"


def check_refuses_bad_feedback(build: Build, game: Game, good: Feedback) -> None:
    """Bad feedback is refused in words and leaves no trace; a learner that ignores all feedback may ignore this too."""
    learner = build()
    if learner.observe(good) is learner:
        return
    before = learner.strategy.copy()
    rows = [
        Feedback(-1, good.opponent_type, good.response),
        Feedback(game.n_actions, good.opponent_type, good.response),
        Feedback(good.action, good.opponent_type, np.append(good.response, 0.0)),
        Feedback(good.action, good.opponent_type, good.response[:0]),
    ]
    if game.types is not None:
        rows.append(Feedback(good.action, np.append(good.opponent_type, 0.0), good.response))
    for bad in rows:
        with suppress(InvalidInput):
            learner.observe(bad)
            raise AssertionError(f"accepted {bad}")
    assert np.array_equal(learner.strategy, before), "a refused round left a trace"


def check_replay(build: Build, game: Game, opponent: Opponent, rounds: int) -> None:
    """Equal seeds replay to the last bit; another seed brings other noise."""
    first, second = (play_run(game, opponent, build(), rounds, seed=5) for _ in range(2))
    for field in ("strategies", "actions", "opponent_types", "true_responses", "responses", "rewards"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), f"{field} differ at equal seeds"
    other = play_run(game, opponent, build(), rounds, seed=6)
    assert not np.allclose(noise(first), noise(other)), "another seed brought the same noise"


def check_meets_the_same(build: Build, other: Build, game: Game, opponent: Opponent, rounds: int) -> None:
    """Under an oblivious opponent two learners meet the same types and the same noise."""
    one, two = (play_run(game, opponent, make(), rounds, seed=5) for make in (build, other))
    assert np.array_equal(one.opponent_types, two.opponent_types), "the types depend on the learner"
    assert np.allclose(noise(one), noise(two), rtol=0, atol=1e-12), "the noise depends on the learner"


def noise(run: Run) -> np.ndarray:
    return run.responses - run.true_responses
