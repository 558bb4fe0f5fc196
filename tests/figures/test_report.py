"""The record of a report, its drawing, and its command."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from firstmover.cli import app
from firstmover.core.records import Alarm
from firstmover.figures.files import drawn, save
from firstmover.figures.live import LIVE, Trace
from firstmover.figures.live.earnings import earnings
from firstmover.figures.live.report import MOST_ACTIONS, MOST_ALARMS, MOST_ROUNDS, match_report
from firstmover.figures.live.report_drawing import A4
from firstmover.games.map_record import short
from firstmover.matches import Match
from tests.browser.ugly import ugly_match
from tests.cli.running import runner
from tests.matches.played import new, play


def test_the_report_of_a_match_that_has_not_begun(tmp_path: Path) -> None:
    match = new(tmp_path)
    found = match_report(Trace(match.journal))
    assert found.about == "Each round plays one of 4 actions and observes congestion: it earns units − 2 · congestion."
    assert (found.counts, found.earnings.answers, found.last, found.best) == ("0 rounds asked, 0 told", (), (), ())
    assert found.lost == ("No certificate of what was lost: no round was told yet.",)
    assert found.best_note.startswith("Nothing was observed yet")
    assert (found.head, found.covered, found.events) == (match.head, 1, 1)
    assert found.begun_at == match.journal.event(1).clock


def test_the_report_says_what_the_match_itself_says(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(12))
    match.retire("none")
    found, rounds = match_report(Trace(match.journal)), match.history()
    rewards = [each.reward or 0.0 for each in rounds]
    assert [each.round_id for each in found.last] == [f"r{11 - i}" for i in range(MOST_ROUNDS)]
    assert [each.reward for each in found.last] == pytest.approx(rewards[: -MOST_ROUNDS - 1 : -1])
    assert found.lost[0] == match.certificate().sentence
    expected = [each.expected for each in found.best]
    assert expected == sorted(expected, reverse=True)
    assert {each.label for each in found.best} == {"north", "south", "both"}
    assert len(found.best) <= MOST_ACTIONS
    assert all(each.lower < each.expected < each.upper for each in found.best)
    earned, baseline, past, month, last = found.earnings.answers
    assert earned.words == f"{sum(rewards) / 12:.4g} per round in 12 rounds"
    assert (baseline.name, past.name, month.name) == ("against the baseline", "last 6 rounds", "last 30 days")
    assert last.name == "last round"
    assert (last.value, last.words) == (
        short(found.last[0].reward),
        f"{short(found.last[0].expected or 0.0)} was expected",
    )
    assert found.head == match.head


@pytest.mark.parametrize(
    ("congestions", "tone"),
    [([4.0, 3.0, 3.9, 3.1], ""), ([9.0, 8.0, 2.0, 1.0], "up"), ([1.0, 2.0, 8.0, 9.0], "down"), ([9.0, 1.0], "")],
)
def test_only_a_difference_beyond_chance_is_good_or_bad_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, congestions: list[float], tone: str
) -> None:
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda _strategy, _number: 1)
    with new(tmp_path) as match:
        for congestion in congestions:
            match.tell(match.ask().round_id, "low", congestion)
        found = earnings(match.state())
    assert found.past is not None
    assert found.past.tone == tone
    assert found.answers[1].tone == tone


def test_a_reward_that_is_too_long_is_cut_without_a_full_stop(tmp_path: Path) -> None:
    ugly_match(tmp_path / "m.db", 0, "ugly")
    with Match.open(tmp_path / "m.db", "ugly") as match:
        about = match_report(Trace(match.journal)).about
    assert "it earns −0.5 · a rather long response name no. 0 of the twelve + a rather long" in about
    assert about.endswith(" …")


def test_the_hash_covers_nothing_that_waits_and_the_counts_name_all(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(2))
    before = match.head
    match.ask("waits")
    match.import_history([{"action": "both", "type": "low", "response": 2.0}])
    play(match, range(3, 4))
    match.ask("void")
    match.void("void", "rain")
    match.correct("r1", "high", 1.0, reason="misread")
    found = match_report(Trace(match.journal))
    assert (found.head, found.covered, found.events) == (before, 5, match.sequence)
    assert found.counts == ("5 rounds asked, 3 told, 1 pending, 1 void, 1 corrected, 1 observations without a round")


def test_the_drawing_stays_on_its_page_with_all_that_it_has_place_for(tmp_path: Path) -> None:
    ugly_match(tmp_path / "m.db", 8)
    with Match.open(
        tmp_path / "m.db", "a match with quite a long name, spaces & more, as long as they may be"
    ) as match:
        record = match_report(Trace(match.journal))
    words = "Check what was recorded, and correct it if it is wrong. " * 8
    alarms = (Alarm("types without effect", words, words, "x" * 80),) * MOST_ALARMS
    record = replace(record, title=words, lost=(words,) * 4, alarms=alarms, alarm_count=9)
    figure = drawn(lambda figure: LIVE["report"].draw(record, figure), A4, "Match\nmade by")
    figure.draw_without_rendering()
    ends = [text.get_window_extent() for text in figure.texts]
    width, height = figure.bbox.width, figure.bbox.height
    assert all(end.x0 > 0 and end.x1 < width and 0.02 * height < end.y0 and end.y1 < height for end in ends)
    written = save(figure, tmp_path / "report.pdf")[1].read_bytes()
    assert len(re.findall(rb"/Type /Page\b", written)) == 1


def test_the_command_writes_a_page_and_prints_its_record(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(3))
    match.close()
    store = ["--store", str(tmp_path / "matches.db")]
    written = runner.invoke(app, ["match", "report", "roads", "--out", str(tmp_path / "roads.pdf"), *store])
    assert written.exit_code == 0, written.output
    assert (tmp_path / "roads.pdf").read_bytes().startswith(b"%PDF")
    printed = json.loads(runner.invoke(app, ["match", "report", "roads", "--json", *store]).output)
    assert (printed["name"], printed["earnings"]["rounds"]) == ("roads", 3)
