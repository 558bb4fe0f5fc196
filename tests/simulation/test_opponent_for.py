import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import GAMES, BimatrixGame, increasing, shore_game
from firstmover.games.routing.opponents import sioux_falls_users
from firstmover.simulation import Adversary, Behaviour, Opponent, opponent_for, responses_of, true_rewards

GAME = Game("plain", np.array([[0.0], [1.0], [3.0]]), increasing(lambda x, y: x[:, 0] - 2 * y[:, 0]), Box([0.0], [9.0]))


def test_the_opponent_of_a_game_has_its_behaviour() -> None:
    opponent = opponent_for("shore", shore_game(), "adversary")
    assert isinstance(opponent.types, Adversary)
    assert opponent.noise_std == 0.1


def test_a_script_is_named_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "odd:name.csv"
    file.write_text("home\n0.3\n0.9\n")
    opponent = opponent_for("shore", shore_game(), f"script:{file}")
    np.testing.assert_array_equal(opponent.types.types, [[0.3], [0.9]])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("script", "is missing: write script:FILE, or give file as a parameter"),
        ("script:", "is '': give a text of 1 or"),
    ],
)
def test_a_script_without_a_file_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^file of opponent 'script' {sentence}"):
        opponent_for("shore", shore_game(), name)


@pytest.mark.parametrize(
    ("game", "text", "sentence"),
    [
        ("shore", "home,hour\n0.3,1\n", " has 2 column(s): types of game 'shore' have 1."),
        ("shore", "home\n0.3\n0.2\n", " has in row 2 the type [0.2], which game 'shore' does not have: give one of [["),
        ("wildlife", "a\n1\n", " has 1 column(s): types of game 'wildlife' have 25."),
        ("routing", "a,b\n1,2\n", ", row 1: opponent_type has shape (2,): give the demand of 552 pairs."),
    ],
)
def test_a_script_whose_types_the_game_does_not_have_is_refused_by_name(
    tmp_path: Path, game: str, text: str, sentence: str
) -> None:
    file = tmp_path / "types.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=f"^{re.escape(f'types file {str(file)!r}{sentence}')}"):
        opponent_for(game, GAMES[game].build(), f"script:{file}")


def test_a_script_of_new_demands_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "types.csv"
    file.write_text("\n".join([",".join(f"pair{i}" for i in range(552)), ",".join(["0.5"] * 552)]))
    assert opponent_for("routing", GAMES["routing"].build(), f"script:{file}").types.types.shape == (1, 552)


def test_unknown_names_get_the_closest_known() -> None:
    with pytest.raises(
        InvalidInput, match="Unknown opponent 'foo': Known: adversary, commitment, cyclic, drifting, logit, random, sc"
    ):
        opponent_for("shore", shore_game(), "foo")
    with pytest.raises(InvalidInput, match="Unknown opponent 'adversery': did you mean 'adversary'"):
        opponent_for("shore", shore_game(), "adversery")
    with pytest.raises(InvalidInput, match="Unknown game 'shor': did you mean 'shore'"):
        opponent_for("shor", shore_game(), "random")


def test_without_known_types_only_random_ones_come(monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(shore_game(), types=None)
    for name in ("cyclic", "single", "adversary", "random"):
        with pytest.raises(InvalidInput, match="game 'shore' has no finite set of types: use opponent 'random'"):
            opponent_for("shore", game, name)
    sampled = Behaviour(lambda x, _: x, 0.0, sampler=lambda rng: rng.random(1))
    monkeypatch.setitem(GAMES._entries, "shore", replace(GAMES["shore"], behaviour=lambda _: sampled))
    drawn = opponent_for("shore", game, "random").types.draw(np.ones(24) / 24, [], np.random.default_rng(3))
    np.testing.assert_array_equal(drawn, np.random.default_rng(3).random(1))


def test_true_rewards_by_hand() -> None:
    """b = x + θ and r = x − 2y = −x − 2θ."""
    rewards = true_rewards(GAME, lambda x, theta: x + theta)
    np.testing.assert_array_equal(rewards(np.array([2.0])), [-4, -5, -7])


def test_some_rows_can_be_asked_for() -> None:
    np.testing.assert_array_equal(responses_of(GAME, lambda x, t: x + t, np.array([2.0]), [2, 0]), [[5], [2]])


@pytest.mark.parametrize(
    ("respond", "sentence"),
    [
        (lambda x, _: x[:, 0], "respond gave shape (3,) for 3 action(s): game 'plain' needs (3, 1)."),
        (lambda x, _: x / 0 * np.inf, "respond gave a number that is not finite for type [2.0]."),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
def test_responses_that_do_not_fit_are_refused(respond: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        responses_of(GAME, respond, np.array([2.0]))


@pytest.mark.parametrize("noise_std", [-0.1, np.nan, np.inf])
def test_noise_that_is_none_is_refused(noise_std: float) -> None:
    with pytest.raises(InvalidInput, match=f"noise_std is {noise_std}: give a finite number, 0 or more"):
        Opponent(None, lambda x, _: x, noise_std)


TABLES = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
MIXED = TABLES.stackelberg().on_menu([[1.0, 0.0], [0.25, 0.75]])


def test_followers_of_payoff_tables_choose_by_logit_and_show_one_action() -> None:
    """Utilities 0.25 and 0.75 of the first type at the second strategy: at λ = log 9 the odds are 3 to 1."""
    opponent = opponent_for("bimatrix", MIXED, f"logit:{np.log(9):.17g}", TABLES)
    assert opponent.sampled
    np.testing.assert_allclose(opponent.respond(MIXED.actions, TABLES.types[0]), [[0.9, 0.1], [0.25, 0.75]])
    seen = opponent.seen(np.array([0.25, 0.75]), np.random.default_rng(0))
    assert sorted(seen) == [0.0, 1.0]


def test_a_crowd_of_followers_turns_from_the_first_type_to_the_last() -> None:
    opponent = opponent_for("bimatrix", MIXED, "drifting:4", TABLES)
    assert opponent.drifts
    assert opponent.respond(MIXED.actions[:1], np.array([2.0])).tolist() == [[0.75, 0.25]]
    np.testing.assert_array_equal(opponent.types.draw(np.ones(2) / 2, [], np.random.default_rng(0)), [1.0, 0.0])


def test_what_b_is_asked_about_is_the_type_or_the_round() -> None:
    types = np.array([[5.0], [6.0]])
    drifting = opponent_for("prices", GAMES["prices"].build(), "drifting")
    assert opponent_for("shore", shore_game(), "random").asked(types) is types
    assert drifting.asked(types).tolist() == [[1.0], [2.0]]
    assert drifting.asked(types, first=7).tolist() == [[7.0], [8.0]]


def test_traffic_that_drifts_grows_from_half_to_full_demand() -> None:
    game, users = GAMES["routing"].build(), sioux_falls_users()
    drifting, plans = opponent_for("routing", game, "drifting:10").respond, game.actions[[0, 31]]
    full = users.network.demand
    ends = users(plans, full / 2), users(plans, full)
    np.testing.assert_allclose(drifting(plans, np.array([1.0])), ends[0])
    np.testing.assert_allclose(drifting(plans, np.array([3.0])), 0.8 * ends[0] + 0.2 * ends[1])
    np.testing.assert_allclose(drifting(plans, np.array([99.0])), ends[1])


@pytest.mark.parametrize(
    ("game", "name", "sentence"),
    [
        ("shore", "logit", "opponents of game 'shore' have no logit choice"),
        ("patrols", "drifting", "opponents of game 'patrols' have no other type to turn into"),
        (
            "routing",
            "logit:0.1",
            "rationality is 0.1: the congestion of such users reaches rewards of -138.8, below the reward_range",
        ),
        ("routing", "logit:-1", "rationality of opponent 'logit' is -1: it should be greater than 0"),
        ("routing", "logit:", "rationality of opponent 'logit' is '': it should be a valid number"),
        ("routing", "logit:inf", "rationality of opponent 'logit' is inf: it should be a finite number"),
        ("prices", "drifting:nan", "rounds of opponent 'drifting' is nan: it should be a finite number"),
        ("prices", "random:3", "Unknown opponent 'random:3'"),
    ],
)
def test_changes_that_cannot_be_are_refused(game: str, name: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        opponent_for(game, GAMES[game].build(), name)


def test_one_type_of_payoff_tables_cannot_turn() -> None:
    alone = BimatrixGame(TABLES.leader, TABLES.followers[:1])
    with pytest.raises(InvalidInput, match="no other type to turn into"):
        opponent_for("bimatrix", alone.stackelberg().on_menu([[1.0, 0.0]]), "drifting", alone)
