import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firstmover.contracts import Game
from firstmover.errors import InvalidInput
from firstmover.games import increasing, shore_game
from firstmover.opponents import BEHAVIOURS, Adversary, Behaviour, Opponent, opponent_for, responses_of, true_rewards
from firstmover.records import Box

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


@pytest.mark.parametrize("name", ["script", "script:"])
def test_a_script_without_a_file_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"^opponent '{name}' names no file: write script:FILE"):
        opponent_for("shore", shore_game(), name)


def test_unknown_names_get_the_closest_known() -> None:
    with pytest.raises(InvalidInput, match="Unknown opponent 'adversery': did you mean 'adversary'"):
        opponent_for("shore", shore_game(), "adversery")
    with pytest.raises(InvalidInput, match="Unknown game 'shor': did you mean 'shore'"):
        opponent_for("shor", shore_game(), "random")


def test_without_known_types_only_random_ones_come(monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(shore_game(), types=None)
    for name in ("cyclic", "single", "adversary", "random"):
        with pytest.raises(InvalidInput, match="game 'shore' has no finite set of types: use opponent 'random'"):
            opponent_for("shore", game, name)
    monkeypatch.setitem(
        BEHAVIOURS, "shore", lambda _: Behaviour(lambda x, _: x, 0.0, sampler=lambda rng: rng.random(1))
    )
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
