from pathlib import Path

import numpy as np
import pytest

from firstmover.core.contracts import Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Round
from firstmover.games import GAMES
from firstmover.learners import LEARNERS
from firstmover.simulation import OPPONENTS, Opponent, opponent_for
from firstmover.simulation.loop import play
from tests.contracts.checks_opponent import (
    check_blind_to_this_round,
    check_draws,
    check_responses,
    check_rows_are_independent,
    check_writes_nothing,
)
from tests.contracts.tables import ROUNDS, LearnerCase, behaviour_of, game_of, some_types

every_opponent = pytest.mark.parametrize("name", OPPONENTS)
CHANGED = {
    "logit": {"routing"},
    "drifting": set(GAMES) - {"patrols"},
}
"""The games whose opponents can choose by logit, and drift."""

every_game = pytest.mark.parametrize("game_name", list(GAMES))


def opponent(game_name: str, name: str, folder: Path) -> Opponent:
    """The named opponent; where it needs known types and there are none, the refusal and then the random one."""
    game = game_of(game_name)
    if name == "script":
        file, types = folder / "types.csv", np.resize(some_types(game_name), (ROUNDS, some_types(game_name).shape[1]))
        header = ",".join(f"feature_{i}" for i in range(types.shape[1]))
        np.savetxt(file, types, delimiter=",", header=header, comments="", fmt="%.17g")
        return opponent_for(game_name, game, f"script:{file}")
    if name == "commitment":
        if behaviour_of(game_name).sees_commitment:
            return opponent_for(game_name, game, name)
        with pytest.raises(InvalidInput, match="do not see commitments: use opponent 'random'"):
            opponent_for(game_name, game, name)
        name = "random"
    if name in CHANGED and game_name not in CHANGED[name]:
        with pytest.raises(InvalidInput, match=f"opponents of game '{game_name}' have no .*: use opponent 'random'"):
            opponent_for(game_name, game, name)
        name = "random"
    if game.types is None and name not in ("random", *CHANGED):
        with pytest.raises(InvalidInput, match="has no finite set of types: use opponent 'random'"):
            opponent_for(game_name, game, name)
        name = "random"
    return opponent_for(game_name, game, name)


def learner(game_name: str) -> Learner:
    case = LearnerCase("stackelucb", game_name)
    return LEARNERS[case.learner].build(case.setup(()))


@every_opponent
@every_game
def test_types_are_drawn_as_promised(game_name: str, name: str, tmp_path: Path) -> None:
    game, answers = game_of(game_name), opponent(game_name, name, tmp_path)
    past: list[Round] = []
    for this in play(game, answers, learner(game_name), seed=4):
        check_draws(answers.types, game, past)
        past.append(this)
        if len(past) == ROUNDS:
            break


@every_opponent
@every_game
def test_a_type_never_depends_on_the_action_of_its_round(game_name: str, name: str, tmp_path: Path) -> None:
    check_blind_to_this_round(game_of(game_name), opponent(game_name, name, tmp_path), learner(game_name), ROUNDS)


@every_game
def test_responses_fit_the_game(game_name: str) -> None:
    for opponent_type in some_types(game_name):
        check_responses(behaviour_of(game_name).respond, game_of(game_name), opponent_type)


@every_game
def test_each_action_is_answered_by_itself(game_name: str) -> None:
    for opponent_type in some_types(game_name):
        check_rows_are_independent(behaviour_of(game_name).respond, game_of(game_name).actions, opponent_type)


@every_game
def test_responding_writes_nothing(game_name: str) -> None:
    for opponent_type in some_types(game_name):
        check_writes_nothing(behaviour_of(game_name).respond, game_of(game_name).actions, opponent_type)


def test_every_game_has_a_behaviour_and_every_behaviour_a_game() -> None:
    assert all(entry.behaviour is not None for entry in GAMES.values())
    assert all(entry.summary for entry in OPPONENTS.values())
