"""A response that is one of some levels, and the learners of choices in a match."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match, State, state_hash
from firstmover.matches.rewards import reward_formula
from firstmover.matches.setup import Setting
from tests.matches.test_commitment import INSPECTIONS, QUAYS

SHIFTS: dict[str, Any] = INSPECTIONS | {
    "menu": {
        "rows": [
            {"label": "all north", "north": 1.0, "centre": 0.0, "south": 0.0},
            {"label": "north and centre", "north": 0.5, "centre": 0.5, "south": 0.0},
            {"label": "all", "north": 0.25, "centre": 0.5, "south": 0.25},
            {"label": "all south", "north": 0.0, "centre": 0.0, "south": 1.0},
        ]
    },
    "reward": {
        "responses": {"landing": {"north": "north", "centre": {"column": "centre", "times": 2.0}, "south": -3.0}}
    },
    "types": [{"name": "night", "levels": ["dark", "bright"]}],
    "learner": "choice-mw",
    "horizon": 40,
}
"""Plans of inspections that crews of two kinds of nights see."""

ONE_NIGHT = {"types": [{"name": "night", "levels": ["dark"]}], "learner": "choice"}


def play(match: Match, rounds: int) -> None:
    for number in range(rounds):
        decision = match.ask()
        night = ("dark", "bright")[number % 2] if match.setting.game.types.shape[0] == 2 else "dark"  # type: ignore[union-attr]
        shares = list(decision.features.values())
        match.tell(decision.round_id, night, QUAYS[int(np.argmin(shares))] if night == "dark" else "centre")


def test_a_level_is_a_unit_vector_and_a_place_with_its_own_worth() -> None:
    setting = Setting.of(SHIFTS)
    game = setting.game
    assert setting.responses.vector({"landing": "centre"}).tolist() == [0.0, 1.0, 0.0]
    assert game.places is not None
    assert game.places.centres.tolist() == np.eye(3).tolist()
    rewards = [game.reward(game.actions, np.tile(row, (4, 1))).tolist() for row in np.eye(3)]
    assert rewards == [[1.0, 0.5, 0.25, 0.0], [0.0, 1.0, 1.0, 0.0], [-3.0] * 4]
    assert game.reward_range == (-3.0, 1.0)
    assert setting.responses.outputs == [(quay, "chance of landing") for quay in QUAYS]
    assert reward_formula(setting.config.reward) == (  # type: ignore[arg-type]
        "north · (landing is north) + 2 · centre · (landing is centre) − 3 · (landing is south)"
    )


@pytest.mark.parametrize("changes", [{}, ONE_NIGHT], ids=["choice-mw", "choice"])
def test_learners_of_choices_are_played_reopened_corrected_and_verified(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    match = Match.create(tmp_path / "matches.db", "quays", SHIFTS | changes)
    play(match, 7)
    match.import_history([{"action": "all", "type": "dark", "response": "south"}])
    match.correct("2", "dark", "north", reason="misread")
    expected = state_hash(match.state())
    match.close()
    again = Match.open(tmp_path / "matches.db", "quays")
    assert state_hash(again.state()) == expected == again.verify().state_hash
    play(again, 3)
    assert again.verify().exact == 10
    assert state_hash(State.folded(again.journal.read())) == state_hash(again.state())
    assert again.status().counted == 3 * 10


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"responses": [{"name": "landing", "levels": ["north"]}]}, r"landing' is \['north'\]: give two or more"),
        ({"responses": [{"name": "landing", "levels": ["a", "a"]}]}, r"is \['a', 'a'\]: give two or more different"),
        (
            {"responses": [{"name": "landing", "levels": QUAYS, "lower": 0.0}]},
            "has levels and a range: leave lower, upper and log out",
        ),
        ({"responses": [{"name": "landing", "levels": QUAYS}, {"name": "b"}]}, "it must be the only response"),
        ({"menu": {"game": "flock"}, "reward": None}, "it must be the only response, in a menu of rows or a file"),
        ({"reward": {"responses": {"landing": 2.0}}}, r"landing is 2\.0: give a table with the worth of each level"),
        (
            {"reward": {"responses": {"landing": {"north": 1.0}}}},
            "landing has no worth of 'centre': give it, such as 0",
        ),
        ({"reward": {"responses": {"landing": {"nort": 1.0}}}}, "Unknown level of response 'landing' 'nort': did you"),
        ({"reward": {"responses": {"landing": {"north": []}}}}, "or such a worth of each level"),
        ({"responses": [{"name": "landing"}], "kernel": {"name": "rbf"}}, "landing is {.*}: give a number or a column"),
    ],
)
def test_what_does_not_fit_levels_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Setting.of(SHIFTS | changes)


def test_a_response_of_numbers_needs_types_still() -> None:
    with pytest.raises(InvalidInput, match=r"^types is missing: give it; only a built-in game brings its own"):
        Setting.of({**INSPECTIONS, "responses": [{"name": "landing"}]})
