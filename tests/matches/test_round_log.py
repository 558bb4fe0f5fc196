"""The events of a round: who did what, when and why."""

from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from tests.matches.played import ROUTES


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Match:
    """Round a: asked by ann, told by ben as another action, corrected by cleo, made void by ann."""
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda *_: 1)
    path = tmp_path / "matches.db"
    Match.create(path, "roads", ROUTES, actor="ann").close()
    for actor in ("ann", "ben", "cleo"):
        with Match.open(path, "roads", actor=actor) as opened:
            if actor == "ann":
                opened.ask("a")
            elif actor == "ben":
                opened.tell("a", "low", 3.0, played="south", reason="north was closed")
            else:
                opened.correct("a", "low", 4.0, reason="misread")
    ann = Match.open(path, "roads", actor="ann")
    ann.correct("a", reason="the counter was broken")
    ann.ask("b")
    return ann


def test_every_event_has_its_actor_reason_and_values(match: Match) -> None:
    asked, told, corrected, void = match.round_log("a")
    assert (asked.kind, asked.actor, asked.reason, asked.response) == ("asked", "ann", None, None)
    assert (told.kind, told.actor, told.reason) == ("told", "ben", "north was closed")
    assert (told.opponent_type, told.response, told.played_label) == ({"demand": "low"}, {"congestion": 3.0}, "south")
    assert (corrected.kind, corrected.actor, corrected.reason) == ("corrected", "cleo", "misread")
    assert (corrected.response, corrected.played_label) == ({"congestion": 4.0}, None)
    assert (void.kind, void.actor, void.response) == ("corrected", "ann", None)
    assert [asked.clock, told.clock, corrected.clock, void.clock] == sorted(
        [asked.clock, told.clock, corrected.clock, void.clock]
    )


def test_the_log_of_a_pending_round_does_not_name_its_action(match: Match) -> None:
    (asked,) = match.round_log("b")
    assert asked[3:] == (None, None, None, None)
    with Match.open(match.journal.engine.url.render_as_string(), "roads", read_only=True) as reader:
        assert reader.round_log("b") == (asked,)


def test_a_void_round_has_its_reason_and_an_unknown_one_is_refused(match: Match) -> None:
    match.void("b", "rain")
    assert [(each.kind, each.reason) for each in match.round_log("b")] == [("asked", None), ("voided", "rain")]
    with pytest.raises(InvalidInput, match="round 'c' was never asked"):
        match.round_log("c")


def test_the_logs_of_many_rounds_are_read_at_once(match: Match) -> None:
    for number in range(600):
        match.ask(f"more {number}")
    logs = match.round_logs(match.state().rounds)
    assert len(logs) == 602
    assert {len(log) for name, log in logs.items() if name != "a"} == {1}
