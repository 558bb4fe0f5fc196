"""The record of the home view, and the pages and compression of lists."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.figures.live import Trace, json_values
from firstmover.figures.live.earnings import earnings
from firstmover.figures.live.trace import told_rewards
from firstmover.matches import Match
from tests.matches.played import ROUTES, play
from tests.matches.test_commitment import INSPECTIONS
from tests.service.in_process import Caller, calling


def preloaded(call: Caller, name: str) -> dict[str, Any]:
    """The entry of a match whose journal was read."""
    call.read(f"/matches/{name}/views/learning")
    (found,) = [each for each in call.read("/views/home")["matches"] if each["match"]["name"] == name]
    assert isinstance(found["summary"], dict)
    return dict(found)


def match_tone(before: list[float], latest: list[float]) -> str:
    """Up or down if the means differ by more than two standard errors."""
    gain = np.mean(latest) - np.mean(before)
    clear = abs(gain) > 2 * np.sqrt(np.var(before, ddof=1) / len(before) + np.var(latest, ddof=1) / len(latest))
    return ("up" if gain > 0 else "down") if clear else ""


def test_matches_that_wait_longest_come_first_and_archived_ones_on_request(tmp_path: Path) -> None:
    for name in ("idle", "later", "first", "ended"):
        Match.create(tmp_path / "matches.db", name, ROUTES).close()
    for name in ("first", "later"):
        with Match.open(tmp_path / "matches.db", name) as match:
            match.ask("a")
            match.ask("b")
    with Match.open(tmp_path / "matches.db", "ended") as match:
        match.archive()
    for call in calling(tmp_path):
        home = call.read("/views/home")
        assert [each["match"]["name"] for each in home["matches"]] == ["first", "later", "idle"]
        assert home["matches"][0]["match"]["pending"] == ["a", "b"]
        assert home["matches"][0]["match"]["waiting_since"] < home["matches"][1]["match"]["waiting_since"]
        assert home["matches"][2]["match"]["waiting_since"] is None
        assert call.read("/views/home?archived=true")["matches"][-1]["match"]["archived"] is True
        part = call.read("/views/home?offset=1&limit=1")
        assert ([each["match"]["name"] for each in part["matches"]], part["total"]) == (["later"], 3)


def test_the_summary_is_the_same_for_all_roles_and_hides_pending_actions(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(12))
        match.ask("waits")
        rewards = [each.reward for each in match.history() if each.reward is not None]
    for call in calling(tmp_path):
        entry = preloaded(call, "roads")
        found = entry["summary"]["earnings"]
        assert found["rounds"] == 12
        assert found["total"] == pytest.approx(sum(rewards), rel=1e-4)
        assert found["curve"] == pytest.approx(rewards, rel=1e-4)
        assert found["past"] == {
            "rounds": 6,
            "latest": pytest.approx(np.mean(rewards[6:]), rel=1e-4),
            "before": pytest.approx(np.mean(rewards[:6]), rel=1e-4),
            "tone": match_tone(rewards[:6], rewards[6:]),
        }
        assert found["last"]["reward"] == pytest.approx(rewards[-1], rel=1e-4)
        assert call.read("/views/home", "reader") == call.read("/views/home", "owner")
        assert call.read("/matches/roads/views/earnings", "reader") == found


def test_the_baseline_is_what_an_action_earns_at_the_types_that_came(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(12))
        trace = Trace(match.journal)
        random = earnings(trace).baseline
        assert random is not None
        assert (random.name, random.rounds) == ("", 12)
        game, types = (
            match.setting.game,
            [trace.state.setting.types.vector({"demand": kind}) for kind in ("low", "high")],
        )
        means = [
            np.mean(game.reward(game.actions, np.clip(trace.learning.belief.predict(t).mean, 0, 20))) for t in types
        ]
        assert random.expected == pytest.approx(np.mean(means))
        rows = [{"action": "south", "type": {"demand": "low"}, "response": {"congestion": 1.0 + i}} for i in range(10)]
        match.import_history(rows)
        usual = earnings(Trace(match.journal)).baseline
        assert usual is not None
        assert (usual.name, usual.why) == ("south", "the action of most imported rows")


def test_what_was_expected_is_the_reward_at_the_mean_before_the_tell(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(5))
        decision = match.ask("last")
        check = match.check("last", "low", 2.0)
        match.tell("last", "low", 2.0)
        last = earnings(Trace(match.journal)).last
        assert last is not None
        assert (last.round_id, last.label, last.reward) == ("last", decision.label, check.reward)
        expected = None if check.expected_reward is None else check.expected_reward.mean
        assert last.expected == (None if expected is None else pytest.approx(expected))


def test_a_month_has_the_rounds_of_thirty_days_and_the_actions_that_were_new_in_it(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(12))
        trace, history = Trace(match.journal), match.history()
        asked = [datetime.fromisoformat(each.asked_at) for each in history]
        tried = {each.action for each in history}
        total = sum(each.reward or 0.0 for each in history)
        now = earnings(trace, asked[-1] + timedelta(seconds=1)).month
        assert (now.rounds, now.first_tried) == (12, len(tried))
        assert now.earned == pytest.approx(total)
        later = earnings(trace, asked[5] + timedelta(days=30)).month
        assert later.rounds == sum(each >= asked[5] for each in asked)
        before = {each.action for each, at in zip(history, asked, strict=True) if at < asked[5]}
        assert later.first_tried == len({each.action for each in history[5:]} - before)
        assert earnings(trace, asked[-1] + timedelta(days=31)).month.rounds == 0


def test_before_the_first_tell_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        found = earnings(Trace(match.journal))
        assert (found.rounds, found.total, found.last, found.past, found.baseline) == (0, 0.0, None, None, None)
        match.tell(match.ask("1").round_id, "low", 2.0)
        last = earnings(Trace(match.journal)).last
        assert last is not None
        assert last.expected is None


def test_large_answers_are_compressed_and_lists_have_pages(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(12))
    for call in calling(tmp_path):
        assert call("GET", "/matches/roads/rounds").headers["content-encoding"] == "gzip"
        plain = call("GET", "/matches/roads/rounds", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        for path, name in (("/matches", "matches"), ("/templates", "templates"), ("/matches/roads/changes", "changes")):
            whole = call.read(path)
            part = call.read(f"{path}?offset=1&limit=1")
            assert part["total"] == whole["total"] == len(whole[name])
            assert part[name] == whole[name][1:2]


def test_rounds_are_filtered_by_status_and_searched_without_telling_a_reader_what_is_pending(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(4))
        waiting = match.ask("waits")
        match.ask("gone")
        match.void("gone", "Heavy rain")
        labels = {each.round_id: each.label for each in match.history()}
    for call in calling(tmp_path):
        found = call.read("/matches/roads/rounds?status=void")
        assert ([each["round_id"] for each in found["rounds"]], found["total"]) == (["gone"], 1)
        assert call.read("/matches/roads/rounds?search=RAIN")["rounds"] == found["rounds"]
        searched = call.read(f"/matches/roads/rounds?search={waiting.label}")
        alike = [name for name, label in labels.items() if waiting.label in str(label)]
        assert [each["round_id"] for each in searched["rounds"]] == alike
        seen = call.read(f"/matches/roads/rounds?search={waiting.label}", "reader")
        assert [each["round_id"] for each in seen["rounds"]] == [name for name in alike if name != "waits"]
        assert call.read("/matches/roads/rounds?status=told&limit=1&offset=1")["total"] == 4
        assert call("GET", "/matches/roads/rounds?status=lost").status_code == 422


def test_before_the_model_is_fitted_earnings_are_those_of_the_rounds_alone(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(7))
        whole, brief = earnings(Trace(match.journal)), earnings(match.state())
    assert brief.partial
    assert not whole.partial
    assert whole.last is not None
    assert [each.name for each in brief.answers] == ["earned", "last 3 rounds", "last 30 days"]
    assert set(brief.answers) < set(whole.answers)
    unexpected = replace(whole.last, expected=None)
    expected = replace(whole, baseline=None, last=unexpected, partial=True, answers=brief.answers)
    assert json_values(brief) == json_values(expected)


def test_rewards_of_told_rounds_are_those_of_the_trace_with_costs_and_commitments(tmp_path: Path) -> None:
    costly = ROUTES | {"change_cost": 0.25}
    for name, config, told in (("roads", costly, ("low", 2.0)), ("quays", INSPECTIONS, (None, "centre"))):
        with Match.create(tmp_path / f"{name}.db", name, config) as match:
            for _ in range(4):
                match.tell(match.ask().round_id, *told)
            assert told_rewards(match.state()).tolist() == Trace(match.journal).series.reward
