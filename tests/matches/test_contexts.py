"""What is known before the action, and which actions are allowed: asks, tells, conflicts, replay."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Match
from tests.matches.played import ROUTES
from tests.matches.test_exports_again import AUTO

DAYS = ["mon", "sat", "sun"]
KIOSK: dict[str, Any] = {
    "title": "kiosk",
    "menu": {
        "features": ["price"],
        "rows": [{"label": f"{price}", "price": price, "sundays": float(price > 2)} for price in (1.0, 2.0, 3.0, 4.0)],
    },
    "reward": {"responses": {"sold": "price"}},
    "responses": [{"name": "sold", "lower": 0.0, "upper": 50.0}],
    "types": [
        {"name": "weekday", "levels": DAYS, "known": "before", "open": {"sun": "sundays"}},
        {"name": "weather", "levels": ["dry", "wet"]},
    ],
}
WARM = KIOSK | {"types": [{"name": "temperature", "known": "before"}, {"name": "weather", "levels": ["dry", "wet"]}]}
WHOLE = KIOSK | {"types": KIOSK["types"][:1]}


def sold(day: str, price: float) -> float:
    """Demand whose best price is 1 on Mondays, 2 on Saturdays and 4 on Sundays."""
    return 40.0 * float(np.exp(-price / {"mon": 1.0, "sat": 2.0, "sun": 4.0}[day]))


def played(match: Match, rounds: int) -> None:
    """Rounds in turn on each day, some with an action closed."""
    for number in range(rounds):
        day = DAYS[number % 3]
        decision = match.ask(f"r{number}", context={"weekday": day}, without=["3.0"] if number % 4 == 1 else None)
        assert decision.strategy[2] == 0 or number % 4 != 1
        match.tell(f"r{number}", {"weather": "dry"}, sold(day, decision.features["price"]))


def test_a_round_is_decided_by_its_context_and_told_without_it(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        played(match, 20)
        assert [each.opponent_type for each in match.history()][:2] == [
            {"weekday": "mon", "weather": "dry"},
            {"weekday": "sat", "weather": "dry"},
        ]
        monday, sunday = (match.ask(day, context=day) for day in ("mon", "sun"))
        assert sunday.strategy[:2].tolist() == [0.0, 0.0], "closed by the standing rule"
        assert monday.strategy[:2].sum() > 0.9 < sunday.strategy[3]
        learner = match.state().learning.learner
        context = match.setting.context.vector({"weekday": "mon"})
        assert np.array_equal(learner.decide(context, None), monday.strategy)  # type: ignore[attr-defined]
        assert match.state().rounds["sun"].without == (0, 1)
        assert learner.asleep.size == 2 * 6 + 5  # type: ignore[attr-defined]
        assert match.verify().exact == 22
        expected = match.state().learning.digest()
    with Match.open(tmp_path / "m.db", "kiosk") as again:
        assert again.state().learning.digest() == expected, "from a snapshot"
        assert again.state().rounds["sun"].context == {"weekday": "sun"}
        again.ask("later", context="sat", without=[0])
        again.tell("mon", "wet", 9.0)
        again.tell("sun", {"weather": "wet", "weekday": "sun"}, 9.0)
        again.ask("last", context="sun", without=[3])
        assert again.verify().exact == 24


@pytest.mark.parametrize(("config", "context", "rest"), [(WARM, 21.5, "dry"), (WHOLE, "sat", None)])
def test_contexts_may_be_numbers_or_the_whole_type(tmp_path: Path, config: Any, context: Any, rest: Any) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", config) as match:
        for number in range(6):
            match.ask(f"r{number}", context=context)
            match.tell(f"r{number}", rest, 3.0 + number)
        assert match.verify().exact == 6
        assert next(iter((match.history()[0].opponent_type or {}).values())) == context


def test_a_repeated_ask_has_its_context_and_mask_and_others_are_a_conflict(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        first = match.ask("a", context="mon", allowed=["1.0", 1])
        for more in ({}, {"context": "mon"}, {"without": ["3.0", "4.0"]}, {"context": "mon", "allowed": [1, 0]}):
            assert match.ask("a", **more).action == first.action
        assert match.ask().round_id == "a"
        with pytest.raises(Conflict, match="round 'a' was asked with weekday=mon, and now with weekday=sat: nothing"):
            match.ask("a", context="sat")
        with pytest.raises(Conflict, match=r"round 'a' was asked without 3\.0, 4\.0, and now without 4\.0: nothing"):
            match.ask("a", without=["4.0"])
        with pytest.raises(Conflict, match="and now without a mask"):
            match.ask("a", without=[])
        with pytest.raises(Conflict, match="was asked with weekday=mon, and now weekday=sat is given: nothing"):
            match.tell("a", {"weekday": "sat", "weather": "dry"}, 3.0)
        match.tell("a", "dry", 3.0)
        assert match.tell("a", {"weekday": "mon", "weather": "dry"}, 3.0) is False
        match.correct("a", {"weekday": "sat", "weather": "dry"}, 3.0, reason="it was saturday")
        assert match.history()[0].opponent_type == {"weekday": "sat", "weather": "dry"}
        match.correct("a", "wet", 3.0, reason="it rained")
        assert match.verify().rounds == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "context is missing for round 'a': give weekday, known before the action"),
        ({"context": "tue"}, "'tue'"),
        ({"context": {"weather": "dry"}}, "weather"),
        (
            {"context": "mon", "allowed": []},
            "0 of 4 are retired, 0 more are closed by a rule of the configuration, and 4 more by this ask",
        ),
        (
            {"context": "sun", "allowed": ["1.0"]},
            "2 more are closed by a rule of the configuration, and 2 more by this ask",
        ),
        ({"context": "mon", "without": ["5.0"]}, r"'5\.0'"),
        ({"context": "mon", "without": ["1.0"], "allowed": ["2.0"]}, "allowed and without are both given"),
        ({"context": "mon", "without": "1.0"}, r"without is '1\.0': give a list of actions"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(tmp_path: Path, given: Any, message: str) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        with pytest.raises(InvalidInput, match=message) as info:
            match.ask("a", **given)
        assert "\n" not in str(info.value)
        assert match.sequence == 1


def test_a_match_without_a_context_takes_none_and_any_learner_takes_masks(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "routes", ROUTES) as match:
        with pytest.raises(InvalidInput, match="no type of this match is known before the action; leave it out"):
            match.ask("a", context="mon")
        for number in range(6):
            full = match.learner().strategy
            decision = match.ask(f"{number}", without=["south"])
            left = np.where(np.arange(4) == 2, 0.0, full)
            assert decision.strategy == pytest.approx(left / left.sum())
            match.tell(f"{number}", "low", 1.0)
        assert match.verify().exact == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"open": {"sun": "sundays"}, "levels": DAYS},
            "type 'weekday' has open: give it levels, and known = \"before\"",
        ),
        ({"open": {"tue": "sundays"}, "levels": DAYS, "known": "before"}, "'tue'"),
        ({"open": {"sun": "sunday"}, "levels": DAYS, "known": "before"}, "column of the menu 'sunday'"),
        ({"levels": DAYS, "known": "after"}, "known"),
    ],
)
def test_a_configuration_that_cannot_hold_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    config = KIOSK | {"types": [{"name": "weekday"} | change]}
    with pytest.raises(InvalidInput, match=message):
        Match.create(tmp_path / "m.db", "kiosk", config)


def test_a_learner_without_contexts_is_refused_where_a_type_is_known_before(tmp_path: Path) -> None:
    config = ROUTES | {"types": [ROUTES["types"][0] | {"known": "before"}]}
    with pytest.raises(InvalidInput, match="learner 'stackelucb' takes no context: leave known out, or play"):
        Match.create(tmp_path / "m.db", "roads", config)
    with Match.create(tmp_path / "m.db", "roads", AUTO | {"types": config["types"]}) as match:
        assert match.ask(context={"demand": "low"}).strategy.shape == (4,)


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_asks_tells_and_reopenings_is_replayed_exactly(tmp_path: Path, seed: int) -> None:
    """Snapshots, a fold from the first event and the learner that played agree bit by bit."""
    rng, path = np.random.default_rng(seed), tmp_path / "m.db"
    match = Match.create(path, "kiosk", KIOSK if seed % 2 else WARM)
    for step in range(40):
        choice, pending = rng.integers(10), list(match.state().pending)
        context = DAYS[rng.integers(3)] if seed % 2 else float(rng.integers(30))
        weather, response = ("dry", "wet")[rng.integers(2)], float(rng.integers(50))
        if choice < 4 or not pending:
            match.ask(f"r{step}", context=context, without=rng.integers(3, size=2).tolist() if choice % 2 else None)
        elif choice < 7:
            match.tell(pending[rng.integers(len(pending))], weather, response, played=int(rng.integers(4)))
        elif choice == 7:
            match.record(int(rng.integers(4)), {match.setting.types.names[0]: context, "weather": weather}, response)
        elif choice == 8 and match.state().closed_last is not None:
            match.correct(match.state().closed_last, weather, response, reason="misread")  # type: ignore[arg-type]
        else:
            digest = match.state().learning.digest()
            match.close()
            match = Match.open(path, "kiosk")
            assert match.state().learning.digest() == digest
    assert match.verify().exact == len(match.history()) > 10
    match.close()
