"""The schedule of rounds: when one is due, in a time zone whose clocks change, and that it never asks."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match, state_hash
from firstmover.matches.schedule import DueRound, Schedule
from tests.cli.running import match as command
from tests.matches.played import ROUTES

DAILY = {"times": ["07:00"], "zone": "Europe/Zurich"}


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("times", "after", "due"),
    [
        ("07:00", "2026-03-27T07:00", "2026-03-28T06:00"),  # winter: UTC+1
        ("07:00", "2026-03-28T07:00", "2026-03-29T05:00"),  # the day on which clocks go forward: UTC+2
        ("02:30", "2026-03-28T07:00", "2026-03-29T01:30"),  # skipped that day: due at 03:30 by the new clock
        ("07:00", "2026-10-24T06:00", "2026-10-25T06:00"),  # the day on which they go back
        ("02:30", "2026-10-24T06:00", "2026-10-25T00:30"),  # twice that day: due the first time
        ("02:30", "2026-10-25T00:30", "2026-10-26T01:30"),  # and not again an hour later
    ],
)
def test_a_local_time_is_kept_when_clocks_change(times: str, after: str, due: str) -> None:
    schedule = Schedule(times=[times], zone="Europe/Zurich")
    assert schedule.following(utc(after)) == utc(due)


def test_weekdays_skip_the_weekend_and_one_day_comes_once_a_week() -> None:
    weekdays = Schedule(times=["07:00"], days=["mon", "tue", "wed", "thu", "fri"])
    assert weekdays.following(utc("2026-03-06T07:00")) == utc("2026-03-09T07:00")
    assert weekdays.words == "on weekdays at 07:00 (UTC)"
    monday = Schedule(times=["18:00", "06:00"], days=["mon"])
    assert monday.following(utc("2026-03-09T18:00")) == utc("2026-03-16T06:00")
    assert monday.words == "on mon at 06:00, 18:00 (UTC)"


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Match:
    made = Match.create(tmp_path / "matches.db", "roads", ROUTES)
    monkeypatch.setattr("firstmover.matches.journal.utc_clock", lambda: "2026-03-02T12:00:00.000+00:00")
    assert made.set_schedule(DAILY) is True
    return made


def test_the_first_round_is_due_after_the_schedule_was_set_and_nothing_is_asked(match: Match) -> None:
    due = match.due()
    assert due is not None
    assert due == DueRound("2026-03-03T06:00:00+00:00", "every day at 07:00 (Europe/Zurich)", "Europe/Zurich")
    assert not match.state().rounds


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        ("2026-03-03T06:10", "2026-03-04T06:00:00+00:00"),  # a little late
        ("2026-03-03T05:40", "2026-03-04T06:00:00+00:00"),  # a little early: it is this day's round
        ("2026-03-03T20:00", "2026-03-05T06:00:00+00:00"),  # nearer to the next day's
        ("2026-03-05T06:00", "2026-03-06T06:00:00+00:00"),  # after two were missed
    ],
)
def test_an_ask_counts_for_the_nearest_time(
    match: Match, monkeypatch: pytest.MonkeyPatch, asked: str, due: str
) -> None:
    monkeypatch.setattr("firstmover.matches.journal.utc_clock", lambda: f"{asked}:00.000+00:00")
    match.ask("a")
    found = match.due()
    assert found is not None
    assert found.at == due


def test_a_schedule_is_an_event_that_changes_no_decision_and_can_be_ended(match: Match, tmp_path: Path) -> None:
    before = state_hash(match.state())
    assert match.set_schedule(DAILY) is False
    assert match.set_schedule(None) is True
    assert (match.due(), state_hash(match.state())) == (None, before)
    match.set_schedule(DAILY)
    match.archive()
    assert match.due() is None
    match.unarchive()
    with Match.open(tmp_path / "matches.db", "roads", read_only=True) as reader:
        assert reader.due() == match.due()
    assert match.verify().events == match.sequence


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"times": ["7:00"]}, "a time of the day such as 07:00"),
        ({"times": []}, "times"),
        ({"times": ["07:00"], "days": ["Monday"]}, "days"),
        ({"times": ["07:00"], "zone": "Europe/Atlantis"}, "no time zone known here: name one such as Europe/Zurich"),
        ({"times": ["07:00"], "zone": "../etc/passwd"}, "no time zone known here"),
    ],
)
def test_a_wrong_schedule_is_refused(match: Match, fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        match.set_schedule(fields)


def test_the_command_sets_shows_and_ends_a_schedule(tmp_path: Path) -> None:
    store = str(tmp_path / "matches.db")
    Match.create(store, "roads", ROUTES).close()
    assert command("schedule", "roads", "--store", store) == "There is no schedule."
    said = command("schedule", "roads", "--at", "07:00", "--weekdays", "--zone", "Europe/Zurich", "--store", store)
    assert said.startswith("Rounds are due on weekdays at 07:00 (Europe/Zurich); the next one: ")
    assert command("schedule", "roads", "--store", store) == said
    said = command("schedule", "roads", "--every-hours", "6", "--at", "07:30", "--store", store)
    assert said.startswith("Rounds are due every day at 07:30, 13:30, 19:30 (UTC)")
    assert command("schedule", "roads", "--none", "--store", store) == "There is no schedule."
    assert "--none is given with times" in command(
        "schedule", "roads", "--none", "--at", "07:00", "--store", store, code=2
    )
