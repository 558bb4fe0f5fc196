"""The record of the rounds view: pages of rounds with who did what and why, and marks of surprising responses."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstmover.matches import Match
from firstmover.service.tokens import Tokens
from tests.matches.played import ROUTES
from tests.service.in_process import Caller, calling

VIEW = "/matches/roads/views/rounds"


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    """Twelve rounds told by the library, a surprising one by the operator, a corrected one, and one that waits."""
    with Match.create(tmp_path / "matches.db", "roads", ROUTES, actor="ann") as match:
        for number in range(1, 13):
            match.tell(match.ask(str(number)).round_id, "low", 2.0)
    for made in calling(tmp_path):
        made("PUT", "/matches/roads/rounds/13", "operator")
        body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 19.0}}
        made("PUT", "/matches/roads/rounds/13/outcome", "operator", json=body)
        correction = body | {"response": {"congestion": 2.5}, "reason": "misread"}
        made("POST", "/matches/roads/rounds/12/corrections", json=correction)
        made("PUT", "/matches/roads/rounds/14")
        yield made


def test_a_page_of_rounds_names_actors_roles_and_reasons(caller: Caller) -> None:
    page = caller.read(f"{VIEW}?newest=true&offset=1&limit=2")
    assert page["total"] == 14
    thirteen, twelve = page["rows"]
    assert [row["round"]["round_id"] for row in page["rows"]] == ["13", "12"]
    assert [(e["kind"], e["actor"], e["role"]) for e in thirteen["log"]] == [
        ("asked", "operator", "operator"),
        ("told", "operator", "operator"),
    ]
    assert [(e["kind"], e["actor"], e["role"], e["reason"]) for e in twelve["log"]] == [
        ("asked", "ann", None, None),
        ("told", "ann", None, None),
        ("corrected", "owner", "owner", "misread"),
    ]
    assert [e["response"] for e in twelve["log"]] == [None, {"congestion": 2.0}, {"congestion": 2.5}]


def test_the_filters_are_those_of_the_list(caller: Caller) -> None:
    for query in ("status=pending", "search=misread", "search=1&newest=true&limit=3", "status=void"):
        listed, page = caller.read(f"/matches/roads/rounds?{query}"), caller.read(f"{VIEW}?{query}")
        assert [row["round"] for row in page["rows"]] == listed["rounds"]
        assert page["total"] == listed["total"]


def test_a_reader_sees_who_asked_and_not_what_was_advised(caller: Caller) -> None:
    (row,) = caller.read(f"{VIEW}?status=pending", "reader")["rows"]
    assert (row["round"]["label"], row["round"]["action"]) == (None, None)
    (asked,) = row["log"]
    assert (asked["actor"], asked["played_label"]) == ("owner", None)


def test_only_surprising_responses_are_marked_with_figures_until_they_are_corrected(caller: Caller) -> None:
    found = caller.read("/matches/roads/views/surprises", "reader")["rounds"]
    assert list(found) == ["13"]
    assert list(found["13"]) == ["congestion"]
    assert re.fullmatch(r"19, [\d.]+ to [\d.]+ min was expected", found["13"]["congestion"])
    body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 2.0}, "reason": "misread"}
    caller("POST", "/matches/roads/rounds/13/corrections", json=body)
    assert caller.read("/matches/roads/views/surprises")["rounds"] == {}


def test_the_mark_is_what_the_check_before_the_tell_says(caller: Caller) -> None:
    caller("PUT", "/matches/roads/rounds/14")
    body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 20.0}}
    (question,) = caller("POST", "/matches/roads/rounds/14/check", json=body).json()["questions"]
    caller("PUT", "/matches/roads/rounds/14/outcome", json=body)
    mark = caller.read("/matches/roads/views/surprises")["rounds"]["14"]["congestion"]
    assert question == f"congestion: {mark.replace('20,', '20 was entered,')}: is that right?"


def test_a_name_of_two_roles_has_none(caller: Caller, tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    tokens.new("reader", "operator")
    assert tokens.roles() == {"owner": "owner", "reader": "reader"}
    row = caller.read(f"{VIEW}?search=13")["rows"][0]
    assert [event["role"] for event in row["log"]] == [None, None]
