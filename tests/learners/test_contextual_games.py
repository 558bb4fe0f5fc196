"""c.GP-MW by hand: cells of contexts, their weights, and the belief that they share."""

from dataclasses import replace
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth, posterior
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games import decreasing
from firstmover.kernels import pairs
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.contextual_games import ContextualGPMW
from firstmover.matches import Match
from tests.matches.played import ROUTES

TYPES = np.array([[context, rest] for context in (0.0, 1.0) for rest in (0.0, 2.0)])
GAME = Game(
    name="contexts",
    actions=np.array([[0.0], [1.0], [3.0]]),
    reward=decreasing(lambda x, y: 2 - x[:, 0] - y[:, 0]),
    response_domain=Box([-9.0], [9.0]),
    reward_range=(-2.0, 2.0),
    types=TYPES,
    context=(0,),
)
ROUNDS = [Feedback(0, TYPES[0], [1.4]), Feedback(1, TYPES[3], [0.2]), Feedback(2, TYPES[1], [-1.0])]


def built(game: Game = GAME, width: float = 0.5, **parameters: Any) -> ContextualGPMW:
    learner = LEARNERS["c-gp-mw"].build(Setup(game, RBF(1.0), 1.0, ConstantWidth(width)), parameters)
    assert isinstance(learner, ContextualGPMW)
    return learner


def after(learner: ContextualGPMW, rounds: list[Feedback]) -> ContextualGPMW:
    for seen in rounds:
        learner = learner.observe(seen)
    return learner


def upper(count: int, opponent_type: Any) -> Any:
    """μ + ½ σ of the rewards after the first rounds, by the exact posterior, scaled from [−2, 2] to [0, 1]."""
    queries = pairs(GAME.actions, np.array([opponent_type]))
    if count == 0:
        return np.full(3, (0.5 + 2) / 4)
    points = np.array([[GAME.actions[seen.action, 0], *seen.opponent_type] for seen in ROUNDS[:count]])
    rewards = np.array([[2 - GAME.actions[seen.action, 0] - seen.response[0]] for seen in ROUNDS[:count]])
    found = posterior(RBF(1.0), 1.0, points, rewards, queries)
    return (found.mean[:, 0] + 0.5 * found.std + 2) / 4


def softmax(total: Any, rounds: int) -> Any:
    """p ∝ exp(η total) with η = 2 √(log 3 / (1 + rounds))."""
    raw = np.exp(2 * sqrt(log(3) / (1 + rounds)) * np.asarray(total))
    return raw / raw.sum()


def test_each_context_has_weights_of_its_rounds_and_all_share_the_belief() -> None:
    learner = after(built(), ROUNDS)
    low = upper(0, TYPES[0]) + upper(2, TYPES[1])  # rounds 1 and 3 came with context 0
    high = upper(1, TYPES[3])
    np.testing.assert_allclose(learner.decide(np.array([0.0])), softmax(low, 2), rtol=1e-9)
    np.testing.assert_allclose(learner.decide(np.array([1.0])), softmax(high, 1), rtol=1e-9)
    np.testing.assert_allclose(learner.strategy, softmax(low + high, 3), rtol=1e-9)  # no context: GP-MW
    assert len(learner.cells) == 2


def test_a_new_context_begins_with_equal_weights() -> None:
    np.testing.assert_allclose(after(built(), ROUNDS[:1]).decide(np.array([1.0])), np.full(3, 1 / 3))


def test_every_context_is_credited_with_each_rest_that_comes() -> None:
    learner = after(built(every=True), ROUNDS)
    for context in (0.0, 1.0):
        total = upper(0, [context, 0.0]) + upper(1, [context, 2.0]) + upper(2, [context, 2.0])
        np.testing.assert_allclose(learner.decide(np.array([context])), softmax(total, 3), rtol=1e-9)


def test_cells_of_a_radius_take_contexts_nearer_than_it_to_their_first() -> None:
    free = replace(GAME, types=None, context=(0, 1))
    seen = [Feedback(0, context, [1.0]) for context in ([0.0, 0.0], [0.6, 0.3], [1.0, 0.0], [0.4, 0.4], [0.5, 0.4])]
    learner = after(built(free, radius=1.0), seen)
    # ‖·‖₁ to (0, 0): 0.9 joins it, 1.0 does not and is a centre, 0.8 joins, (0.5, 0.4) is as near to both: the first.
    assert [centre.tolist() for centre, _ in learner.cells] == [[0.0, 0.0], [1.0, 0.0]]
    assert [weights.t - 1 for _, weights in learner.cells] == [4, 1]  # type: ignore[attr-defined]
    assert len(after(built(free), seen).cells) == 5
    first = learner.cells[0][1].strategy
    np.testing.assert_array_equal(learner.decide(np.array([0.1, 0.2])), first)
    np.testing.assert_allclose(learner.decide(np.array([5.0, 5.0])), np.full(3, 1 / 3))


def test_without_a_context_it_is_gp_mw_with_a_decreasing_rate() -> None:
    plain = replace(GAME, context=())
    setup = Setup(plain, RBF(1.0), 1.0, ConstantWidth(0.5))
    other = LEARNERS["gp-mw"].build(setup, {"strategy": "decreasing-rate", "rate_factor": sqrt(0.5)})
    learner = built(plain)
    for seen in ROUNDS:
        learner, other = learner.observe(seen), other.observe(seen)
    np.testing.assert_allclose(learner.strategy, other.strategy, rtol=1e-12)


def test_closed_actions_are_not_played_and_earn_what_the_cell_earned() -> None:
    mask = np.array([True, False, True])
    learner = after(built(width=0.1), ROUNDS[:1])
    learner = learner.observe(replace(ROUNDS[2], allowed=mask))
    played = learner.decide(np.array([0.0]), mask)
    assert played[1] == 0.0
    assert played.sum() == pytest.approx(1.0)
    before = after(built(width=0.1), ROUNDS[:1])
    rewards = (before.cells[0][1], learner.cells[0][1])
    gained = rewards[1].cumulative - rewards[0].cumulative  # type: ignore[attr-defined]
    p = before.decide(np.array([0.0]), mask)
    assert gained[1] == pytest.approx(p @ gained, rel=1e-9)


@pytest.mark.parametrize(
    ("game", "parameters", "sentence"),
    [
        (replace(GAME, reward_range=None), {}, "reward_range of game 'contexts' is not stated: c-gp-mw needs it"),
        (replace(GAME, types=None), {"every": True}, "every is true with no known types"),
        (GAME, {"every": True, "radius": 0.5}, r"every is true with cells of radius 0\.5"),
        (GAME, {"radius": -1.0}, "radius"),
    ],
)
def test_what_it_cannot_play_is_refused(game: Game, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        built(game, **parameters)


def test_a_context_is_played_live_verified_and_reopened(tmp_path: Path) -> None:
    types = [
        {"name": "demand", "levels": {"low": 0.0, "high": 1.0}},
        {"name": "day", "levels": {"weekday": 0.0, "sunday": 1.0}, "known": "before"},
    ]
    plain = {name: value for name, value in ROUTES.items() if name != "strategy"}
    match = Match.create(tmp_path / "matches.db", "roads", plain | {"types": types, "learner": "c-gp-mw"})
    for number in range(6):
        day = ("weekday", "sunday")[number % 2]
        match.ask(f"r{number}", context=day)
        match.tell(f"r{number}", {"demand": "low", "day": day}, 3.0 + number % 2)
    strategies = [match.learner().decide(np.array([day])) for day in (0.0, 1.0)]  # type: ignore[attr-defined]
    assert not np.array_equal(*strategies)
    match.close()
    with Match.open(tmp_path / "matches.db", "roads") as again:
        assert again.verify().exact == 6
        for day, strategy in zip((0.0, 1.0), strategies, strict=True):
            np.testing.assert_array_equal(again.learner().decide(np.array([day])), strategy)  # type: ignore[attr-defined]
