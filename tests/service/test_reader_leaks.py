"""What a reader gets of any address: nothing of it tells which action is pending."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.figures.live import Trace
from firstmover.figures.live.maps import map_of
from firstmover.matches import Match, State
from tests.matches.played import ROUTES, answer
from tests.service.in_process import Caller, calling

RULED = ROUTES | {"hold": 2, "change_cost": 0.5}
"""With blocks, p_t of a pending round puts all weight on the action of the one before."""

CLOCKS = re.compile(
    r'"asked_at": ?"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)|"head": ?"\w+"'
)  # of reports: see test_report
NAMES = {"match": "roads", "round": "pending", "name": "routing", "run": "none", "rehearsal": "0" * 16}
ENDLESS = "/v1/matches/{match}/events"


def forced(folder: Path, label: str, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """A service whose match has four told rounds, the same in every folder, and two that wait, with one action each."""
    folder.mkdir()
    with monkeypatch.context() as patch, Match.create(folder / "matches.db", "roads", config) as match:
        drawn = [*match.setting.menu.labels, label]
        patch.setattr("firstmover.matches.commands.sample_action", lambda *_: match.setting.menu.index(drawn[0]))
        for number in range(4):
            decision = match.ask(f"r{number}")
            match.tell(decision.round_id, *answer(decision, number))
            del drawn[0]
        match.ask("pending")
        match.ask("pending too")
    yield from calling(folder)


def readable(caller: Caller) -> dict[str, str]:
    """Every address of a GET in the OpenAPI document, and what a reader gets of it, without clocks."""
    found = {}
    for path, calls in caller.read("/openapi.json")["paths"].items():
        if "get" in calls and path != ENDLESS:
            parameters = [each for each in calls["get"].get("parameters", ()) if each["in"] == "query"]
            queries = ["", *(f"?{each['name']}={value}" for each in parameters for value in values_of(each))]
            for query in queries:
                address = path.removeprefix("/v1").format(**NAMES) + query
                text = caller("GET", address, "reader").text
                found[address] = CLOCKS.sub("", re.sub(r'"request_id": ?"\w+"', "", text))
    found["/export?form=rounds&format=json"] = CLOCKS.sub(
        "", caller("GET", "/matches/roads/export?form=rounds&format=json", "reader").text
    )
    return found


def values_of(parameter: dict[str, Any]) -> list[str]:
    """Values of a parameter of a query: all that are enumerated, both flags, or the name of the pending round."""
    schema = parameter["schema"]
    schema = schema.get("anyOf", [schema])[0]
    if schema.get("type") == "boolean":
        return ["true", "false"]
    known = {"round": ["pending"], "search": ["north", "south", "pending"]}
    return schema.get("enum") or known.get(parameter["name"], ["1"])


def differing(folder: Path, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The addresses at which two matches differ for a reader, whose pending actions alone do."""
    answers = []
    for label in ("north", "south"):
        service = forced(folder / label, label, config, monkeypatch)
        answers.append(readable(next(service)))
        list(service)
    first, second = answers
    assert len(first) > 30
    return {path for path in first if first[path] != second[path]}


@pytest.mark.parametrize("config", [ROUTES, RULED], ids=["plain", "with rules"])
def test_no_address_tells_a_reader_which_action_is_pending(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "firstmover.figures.live.learning.MOST_KNOWN", 1
    )  # so that which ones are shown tells something
    assert differing(tmp_path, config, monkeypatch) == set()


def test_the_comparison_notices_what_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = State.shown
    monkeypatch.setattr(State, "shown", lambda state, played, **_: plain(state, played))
    leaks = {"/matches/roads/rounds", "/matches/roads/rounds/pending", "/matches/roads/export"}
    assert leaks <= differing(tmp_path, ROUTES, monkeypatch)


def test_a_reader_is_told_neither_the_likeliest_action_nor_its_probability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a learner that is certain, the likeliest action is the pending one."""
    service = forced(tmp_path / "m", "north", ROUTES | {"strategy": "follow-the-leader"}, monkeypatch)
    caller = next(service)
    owner, reader = (caller.read("/matches/roads/status", role) for role in ("owner", "reader"))
    hidden = ("likeliest", "likeliest_probability", "favoured")
    assert owner["likeliest_probability"] == 1.0
    assert [reader[name] for name in hidden] == [None] * 3
    assert {name: value for name, value in owner.items() if name not in (*hidden, "lines")} == {
        name: value for name, value in reader.items() if name not in (*hidden, "lines")
    }
    today = caller.read("/matches/roads/views/today", "reader")
    for lines in (reader["lines"], today["advice"]["status_lines"]):
        assert not re.search(r"north|south|both|probable|Favoured", " ".join(lines))
    with Match.open(tmp_path / "m" / "matches.db", "roads", read_only=True) as match:
        assert match.status().lines() == reader["lines"]
    list(service)


def test_a_map_for_readers_has_the_strategy_of_the_round_told_last(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "roads", ROUTES) as match:
        for number in range(3):
            decision = match.ask()
            match.tell(decision.round_id, *answer(decision, number))
        match.ask("pending")
        trace = Trace(match.journal)
        told, pending = decision.strategy, match.ask("pending").strategy
        assert np.abs(told - pending).max() > 1e-6
        for reveal, expected in ((False, told), (True, pending)):
            record = map_of(trace, reveal=reveal)
            assert record is not None
            (table,) = [panel.table for panel in record.panels if "probability" in panel.table.columns]
            rows = {row[0]: row[1] for row in table.rows}
            assert [rows[label] for label in match.setting.menu.labels] == expected.tolist()
