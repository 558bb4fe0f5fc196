from pathlib import Path

import pytest

from firstmover import games
from firstmover.beliefs import belief_over
from firstmover.games import GAMES
from tests.contracts.checks_game import check_menu, check_reward_rows_are_independent, check_rewards_in_range
from tests.contracts.tables import behaviour_of, game_of, some_types

every_game = pytest.mark.parametrize("name", list(GAMES))


@every_game
def test_actions_and_types_can_be_told_apart(name: str) -> None:
    check_menu(game_of(name))


@every_game
def test_rewards_of_all_actions_and_types_lie_in_the_range(name: str) -> None:
    for opponent_type in some_types(name):
        check_rewards_in_range(game_of(name), behaviour_of(name).respond, opponent_type)


@every_game
def test_each_pair_earns_its_reward_by_itself(name: str) -> None:
    for opponent_type in some_types(name):
        check_reward_rows_are_independent(game_of(name), behaviour_of(name).respond, opponent_type)


@every_game
def test_the_table_knows_the_game_by_its_own_name_and_describes_it(name: str) -> None:
    assert game_of(name).name == name
    assert GAMES[name].summary


@every_game
def test_the_suggested_assumptions_make_a_belief(name: str) -> None:
    entry, game = GAMES[name], game_of(name)
    belief = belief_over(entry.kernel, entry.regularization, game.actions, game.n_outputs, game.types)
    prediction = belief.predict(some_types(name)[0])
    assert prediction.mean.shape == (game.n_actions, game.n_outputs)
    assert prediction.std.min() > 0
    assert entry.confidence_width > 0


def test_every_folder_of_games_is_in_the_table() -> None:
    folders = {path.parent.name for path in Path(games.__file__).parent.glob("*/__init__.py")}
    assert folders == {
        entry.build.__module__.removeprefix("firstmover.games.").split(".")[0] for entry in GAMES.values()
    }
