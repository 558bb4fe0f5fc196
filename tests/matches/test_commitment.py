"""Commitments in a match: the action of a round is a mixture, which the opponent sees before it chooses."""

import json
import random
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from firstmover.cli.application import app
from firstmover.core.errors import Conflict, InvalidInput
from firstmover.figures.live import Trace, map_of
from firstmover.figures.live.learning import learning_curves
from firstmover.matches import Decision, Match, State, state_hash
from firstmover.service.today import today
from tests.torture.children import Child

QUAYS = ["north", "centre", "south"]
GOODS = np.array([1.0, 2.0, 1.0])

INSPECTIONS: dict[str, Any] = {
    "title": "quays",
    "menu": {
        "rows": [
            {"label": "north", "at_north": 1.0, "at_centre": 0.0, "at_south": 0.0},
            {"label": "centre", "at_north": 0.0, "at_centre": 1.0, "at_south": 0.0},
            {"label": "south", "at_north": 0.0, "at_centre": 0.0, "at_south": 1.0},
        ]
    },
    "reward": {
        "value": -1.0,
        "responses": {
            "landing": {"north": "at_north", "centre": {"column": "at_centre", "times": 2.0}, "south": "at_south"}
        },
    },
    "responses": [{"name": "landing", "levels": QUAYS}],
    "learner": "commitment",
}
"""One inspector and three quays: goods that land where it is are found, twice as many of them at the centre."""


def answer(decision: Decision) -> str:
    """The crew lands where it loses least in the mean."""
    return QUAYS[int(np.argmin(decision.strategy * GOODS))]


def play(match: Match, rounds: int) -> None:
    for _ in range(rounds):
        decision = match.ask()
        match.tell(decision.round_id, None, answer(decision))


def new(folder: Path, **changes: Any) -> Match:
    return Match.create(folder / "matches.db", "quays", INSPECTIONS | changes)


def again(folder: Path, **options: Any) -> Match:
    return Match.open(folder / "matches.db", "quays", **options)


def test_a_decision_shows_the_whole_mixture_and_the_mixture_is_the_type(tmp_path: Path) -> None:
    match = new(tmp_path)
    first = match.ask("a")
    assert first.label == "33 % north, 33 % centre, 33 % south"
    assert first.commitment == dict.fromkeys(QUAYS, pytest.approx(1 / 3))
    assert match.tell("a", None, "centre")
    second = match.ask("b")  # all mass goes to the best action against the centre
    assert (second.label, second.commitment) == ("100 % centre", {"centre": 1.0})
    assert second.features == {"at_north": 0.0, "at_centre": 1.0, "at_south": 0.0}
    match.tell("b", {}, {"landing": "south"})
    told = match.history()
    assert [played.label for played in told] == ["33 % north, 33 % centre, 33 % south", "100 % centre"]
    assert [played.opponent_type for played in told] == [{"type": [1 / 3] * 3}, {"type": [0.0, 1.0, 0.0]}]
    assert [played.response for played in told] == [{"landing": "centre"}, {"landing": "south"}]
    assert [played.reward for played in told] == [pytest.approx(-1 + 2 / 3), -1.0]
    assert match.ask("a").label == first.label


def test_a_told_commitment_is_idempotent_corrected_and_verified(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, 12)
    told = match.history()[-1]
    assert told.response is not None
    assert not match.tell(told.round_id, None, told.response)
    other = next(quay for quay in QUAYS if quay != told.response["landing"])
    with pytest.raises(Conflict, match=rf"was told landing=.*, and now landing={other} is given"):
        match.tell(told.round_id, None, other)
    assert match.correct("3", None, "south", reason="misread") == (match.history()[2].corrections == 1)
    assert match.history()[2].opponent_type == {"type": match.ask("3").strategy.tolist()}
    match.correct("4", reason="nobody was there")
    play(match, 3)
    fits = [event.payload for event in match.journal.read() if event.kind == "refitted"]
    assert {name for payload in fits for name in payload} == {"belief"}  # of the forecasts: this learner has none
    found = match.verify()
    assert (found.rounds, found.exact) == (15, 15)
    assert found.state_hash == state_hash(match.state()) == state_hash(again(tmp_path).state())
    assert state_hash(State.folded(match.journal.read())) == found.state_hash


def test_history_of_pure_or_mixed_commitments_is_imported(tmp_path: Path) -> None:
    match = new(tmp_path)
    rows = [
        {"action": "north", "type": None, "response": "south"},
        {"action": "south", "type": [0.5, 0.0, 0.5], "response": "centre"},
    ]
    assert match.import_history(rows).new == 2
    seen = match.state().latest_rows(2)
    assert [row[1]["type"] for row in seen] == [[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]
    play(match, 2)
    assert match.verify().exact == 2


def test_a_reader_sees_no_mixture_before_its_round_is_closed(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    with again(tmp_path, read_only=True) as watcher:
        [pending] = watcher.history()
        assert (pending.label, pending.action, pending.committed) == (None, None, "")


def test_only_levels_are_told(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    for given, sentence in (
        ("nort", "Unknown level of response 'landing' 'nort': did you mean 'north'"),
        (3.0, "Unknown level of response 'landing' '3.0'"),
        (None, "response 'landing' is empty: give one of north, centre, south"),
        ({"landing": "landing"}, "response 'landing' has no value: give it, as in landing=north"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            match.tell("a", None, given)


def playing(sender: Connection, url: str) -> None:
    with Match.open(url, "quays") as match:
        while True:
            decision = match.ask()
            sender.send(("asked", decision.round_id, decision.strategy.tolist()))
            match.tell(decision.round_id, None, answer(decision))
            sender.send(("told", decision.round_id, answer(decision)))


def test_children_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    rng, heard = random.Random(3), []
    match = new(tmp_path)
    for _ in range(5):
        child = Child(playing, str(tmp_path / "matches.db"))
        child.hear(rng.randrange(1, 10))
        time.sleep(rng.random() * 0.01)
        heard += child.kill()
    for kind, name, value in heard:
        if kind == "asked":
            assert match.ask(name).strategy.tolist() == value
        else:
            assert match.state().rounds[name].response == {"landing": value}
    assert match.verify().exact == len(match.history())


def test_the_games_own_simplex_is_played(tmp_path: Path) -> None:
    config = {"menu": {"game": "patrols"}, "learner": "commitment"}
    with Match.create(tmp_path / "matches.db", "park", config) as match:
        for _ in range(3):
            decision = match.ask()
            match.tell(decision.round_id, None, [2.5, 0.5])
        assert decision.commitment is not None
        assert decision.label.startswith("100 % cell ")
        assert sum(decision.commitment.values()) == pytest.approx(1.0)
        assert match.verify().exact == 3


def test_the_command_line_prints_the_mixture_and_asks_for_no_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quays.json").write_text(json.dumps(INSPECTIONS), "utf-8")

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["match", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "3 actions; the opponent sees the mixture; responses landing." in run(
        "new", "quays", "--config", "quays.json"
    )
    asked = run("ask", "quays")
    assert asked.startswith("Round 1: commit to 33 % north, 33 % centre, 33 % south; the opponent sees this mixture.")
    assert "--round 1 --response landing=…" in asked
    assert run("tell", "quays", "--response", "landing=centre") == "1 round told; 0 pending.\n"
    assert json.loads(run("ask", "quays", "--json"))["commitment"] == {"centre": 1.0}
    run("export", "quays", "--out", "rounds.csv")
    assert "centre" in (tmp_path / "rounds.csv").read_text("utf-8")


def test_the_first_view_has_the_mixture_as_a_sheet_and_its_forecast(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, 5)
    decision = match.ask()
    record = today(match.state(), reveal=True)
    assert record.round is not None
    assert record.sheet is not None
    assert record.advice is not None
    assert record.round.label == decision.label
    assert record.sheet.headline == f"Commit to {decision.label}"
    assert [row.name for row in record.sheet.rows] == list(decision.commitment or {})
    [expected] = record.advice.expected
    assert [entry.name for entry in expected.responses] == QUAYS
    assert record.advice.confidence is None


def test_learning_curves_have_the_mean_reward_of_each_mixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fixed draws: with others, a response may lie outside of its box and earn more."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: float(rng.random()))
    match = new(tmp_path)
    play(match, 6)
    trace = Trace(match.journal)
    assert trace.series.reward == [played.reward for played in match.history()]
    assert all(best >= reward for best, reward in zip(trace.series.optimistic, trace.series.reward, strict=True))
    assert learning_curves(trace).rounds == 6
    assert map_of(trace, reveal=True) is not None
