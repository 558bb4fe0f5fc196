"""The record of today: action, forecast and status, without pending actions for readers."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.setup import Setting
from firstmover.matches.template import template
from firstmover.service.today import Advice, DecisionCard, PendingRound, sheet_of, today
from tests.browser.ugly import LEVELS, LONG, RESPONSES, ugly_match
from tests.matches.played import ASSUMED

LEFT_OUT = ("strategy", "commitment")
"""Of a decision: what the first view shows otherwise, or not at all."""


def advice_of(card: DecisionCard) -> Advice:
    assert card.advice is not None
    return card.advice


def round_of(card: DecisionCard) -> PendingRound:
    assert card.round is not None
    return card.round


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Match]:
    """A routing match with one round told and two that wait, all with the same action, so that something is known."""
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda _strategy, _number: 4)
    with Match.create(tmp_path / "matches.db", "roads", tomllib.loads(template("routing")) | ASSUMED) as made:
        made.ask("monday")
        made.tell("monday", "high", 3.2)
        made.ask("tuesday")
        made.ask("wednesday")
        yield made


def test_the_round_asked_last_is_shown_unless_another_is_wanted(match: Match) -> None:
    assert round_of(today(match.state(), reveal=True)).round_id == "wednesday"
    record = today(match.state(), reveal=True, wanted="tuesday")
    assert record.round is not None
    decided = {key: value for key, value in vars(match.ask("tuesday")).items() if key not in LEFT_OUT}
    assert {key: getattr(record.round, key) for key in decided} == decided
    assert [each.round_id for each in record.pending] == ["tuesday", "wednesday"]
    assert record.pending[0].asked_at == record.round.asked_at
    assert record.last["round_id"] == "monday"
    with pytest.raises(InvalidInput, match="was never asked"):
        today(match.state(), reveal=True, wanted="friday")


def test_a_brief_record_is_the_same_without_what_the_learner_says(match: Match) -> None:
    whole, brief = today(match.state(), reveal=True), today(match.state(), reveal=True, brief=True)
    assert whole.advice is not None
    assert brief == replace(whole, advice=None)


def test_nothing_for_readers_depends_on_a_pending_action(match: Match) -> None:
    record = today(match.state(), reveal=False, wanted="tuesday")
    assert record.round is None
    assert record.sheet is None
    assert advice_of(record).expected == ()
    assert advice_of(record).options == ()
    assert advice_of(record).reasons == ()
    assert advice_of(record).confidence is None
    assert [each.round_id for each in record.pending] == ["tuesday", "wednesday"]


def test_a_pending_round_is_never_the_last(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", tomllib.loads(template("routing")) | ASSUMED) as made:
        assert today(made.state(), reveal=False).last is None
        made.ask("1")
        made.ask("2")
        assert today(made.state(), reveal=False).last is None
        made.void("2", "rain")
        made.tell("1", "low", 2.0)
        assert today(made.state(), reveal=False).last["round_id"] == "1"
        made.correct("2", "low", 3.0, reason="found")
        assert today(made.state(), reveal=False).last["round_id"] == "1"


def test_bands_are_those_that_responses_are_counted_by(match: Match) -> None:
    record = today(match.state(), reveal=True)
    learning, action = match.state().learning, round_of(record).action
    assert [entry.opponent_type["demand"] for entry in advice_of(record).expected] == ["low", "usual", "high"]
    prediction = learning.learner.belief.predict(np.array([2.0]))
    mean, std = prediction.mean[action, 0], prediction.std[action]
    reach = 1.5 * np.sqrt(std**2 + 4.0)
    (response,) = advice_of(record).expected[2].responses
    assert response.unit == "min"
    assert response.mean == pytest.approx(np.clip(mean, 0, 60))
    assert response.lower == pytest.approx(max(0, mean - reach))
    assert response.upper == pytest.approx(mean + reach)
    units = match.setting.menu.columns["units"][action]
    reward = advice_of(record).expected[2].reward
    assert reward.upper == pytest.approx(units - 10 * response.lower)
    assert reward.mean == pytest.approx(units - 10 * response.mean)
    assert reward.lower == pytest.approx(units - 10 * response.upper)


def test_a_game_of_new_types_expects_what_was_met_last(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", {"menu": {"game": "routing"}}) as made:
        made.ask("1")
        record = today(made.state(), reveal=True)
        assert advice_of(record).expected == ()
        assert advice_of(record).note.startswith("No opponent has been met yet")
        made.tell("1", [1.0] * 528, 2.0)
        made.ask("2")
        record = today(made.state(), reveal=True)
        assert [entry.words for entry in advice_of(record).expected] == ["as met last"]
        assert advice_of(record).expected[0].opponent_type == {}
        assert len(json.dumps(asdict(record))) < 20_000


def test_of_many_responses_the_reward_has_both_ends_and_what_is_unknown_is_counted(tmp_path: Path) -> None:
    ugly_match(tmp_path / "m.db", 0, "ugly", waits=False)
    with Match.open(tmp_path / "m.db", "ugly") as match:
        for number in range(4):
            match.ask(str(number), context={LONG: LEVELS[0]})
            if number == 1:
                confidence = advice_of(today(match.state(), reveal=True)).confidence
            if number < 3:
                told = {name: 3.0 * number + i for i, name in enumerate(RESPONSES)}
                match.tell(str(number), {"temperature": 10.123456 + number}, told)
        entry = advice_of(today(match.state(), reveal=True)).expected[0]
    assert entry.words == f"{LONG} {LEVELS[0]}, temperature 12.12, as met last"
    assert confidence is not None
    assert confidence.words == "We do not know yet: none of the 12 responses can be predicted."
    worths = [-0.5 if i % 2 == 0 else 1.0 for i in range(len(RESPONSES))]
    pairs = list(zip(worths, entry.responses, strict=True))
    assert entry.reward.lower == pytest.approx(sum(w * ((y.lower if w > 0 else y.upper) or 0.0) for w, y in pairs))
    assert entry.reward.upper == pytest.approx(sum(w * ((y.upper if w > 0 else y.lower) or 0.0) for w, y in pairs))


def test_the_sheet_of_each_kind() -> None:
    patrol = sheet_of(Setting.of({"menu": {"game": "wildlife"}}), 501)
    assert patrol.headline.replace("\u00a0", " ") == "Patrol one cell only: 0 to 1 cells east, 1 to 2 cells north"
    assert patrol.grid.values[3] == [
        1.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ]  # the second row from the south, the first from the west
    assert patrol.grid.rows[3] == "1–2"
    mixed = sheet_of(Setting.of(tomllib.loads(template("patrol"))), 0)
    assert np.sum(mixed.grid.values) == pytest.approx(1.0)
    assert mixed.headline.startswith("Patrol most often ")
    prices = sheet_of(Setting.of({"menu": {"game": "prices"}}), 1)
    assert prices.headline == "Post €0.20 at station 1, €0.20 at station 2, €0.30 at station 3"
    assert sheet_of(Setting.of({"menu": {"game": "routing"}}), 0).headline == "Send nothing"
    menu = sheet_of(Setting.of(tomllib.loads(template("routing"))), 4)
    assert menu.headline == "All by north"
    assert [(row.name, row.value) for row in menu.rows] == [
        ("north", 300.0),
        ("centre", 0.0),
        ("south", 0.0),
        ("units", 300.0),
    ]
    assert sheet_of(Setting.of(tomllib.loads(template("pricing"))), 2).headline == "Set price to 10"


def test_the_advised_action_comes_first_and_the_next_by_value(match: Match) -> None:
    record = today(match.state(), reveal=True)
    advice, explained = advice_of(record), match.explain("wednesday")
    assert [option.label for option in advice.options] == [each.label for each in explained.candidates]
    assert advice.options[0].label == round_of(record).label
    assert advice.options[0].probability == round_of(record).probability
    assert advice.options[0].expected == pytest.approx(explained.candidates[0].expected)
    assert (
        advice.options[1].headline
        == sheet_of(match.setting, match.setting.menu.index(advice.options[1].label)).headline
    )
    assert advice.reasons == explained.reasons


def test_confidence_is_true_from_the_first_round_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda _strategy, _number: 4)
    with Match.create(tmp_path / "matches.db", "roads", tomllib.loads(template("routing")) | ASSUMED) as made:
        levels = []
        for number in range(40):
            made.ask(str(number))
            confidence = advice_of(today(made.state(), reveal=True)).confidence
            assert confidence is not None
            levels.append(confidence.level)
            if number == 0:
                assert confidence.words == "We do not know yet: congestion may be anything from 0 to 60 min."
            made.tell(str(number), ("low", "usual", "high")[number % 3], 3.2)
    assert confidence.words == "We know this well, from 39 observations, 39 of them of this action."
    order = ["unknown", "guess", "fair", "sure"]
    assert sorted(levels, key=order.index) == levels
    assert set(levels) >= {"unknown", "sure"}
