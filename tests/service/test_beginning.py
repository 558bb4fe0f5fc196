"""From a spreadsheet to a match over HTTP: proposals, series, rehearsals."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.service import rehearsals
from tests.service.in_process import Caller, calling
from tests.service.processes import kind_of


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    yield from calling(tmp_path)


def sales(weeks: int = 60, seed: int = 0) -> str:
    """Weekly prices and sold pieces of a shop."""
    rng = np.random.default_rng(seed)
    prices = rng.choice([1.0, 1.2, 1.4, 1.6], weeks)
    sold = np.round(60 - 20 * prices + rng.normal(0, 2, weeks), 1)
    rows = [f"{week},{price},{count}" for week, (price, count) in enumerate(zip(prices, sold, strict=True), start=1)]
    return "\n".join(["week,price,sold", *rows]) + "\n"


def proposed(call: Caller, **body: Any) -> dict[str, Any]:
    answer = call("POST", "/proposals", json={"csv": sales(), "source": "sales.csv"} | body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_columns_are_recognised_and_the_match_can_be_created_and_imported(call: Caller) -> None:
    found = proposed(call)
    assert {column["name"]: column["role"] for column in found["columns"]} == {
        "week": "when",
        "price": "action",
        "sold": "response",
    }
    assert found["reward"] == "price × sold"
    assert found["rehearsable"] is True
    created = call("PUT", "/matches/shop", json={"config": found["config"]})
    assert created.status_code == 201, created.text
    imported = call("POST", "/matches/shop/history", json={"csv": found["csv"], "source": "sales.csv"})
    assert imported.json()["new"] == 60
    assert call("POST", "/matches/shop/ask").status_code == 201


def test_roles_and_the_reward_are_overruled(call: Caller) -> None:
    found = proposed(call, roles={"week": "ignored"}, reward="price * sold - 0.4 * sold")
    assert {column["name"]: column["role"] for column in found["columns"]}["week"] == "ignored"
    assert found["reward"] == "price * sold - 0.4 * sold"
    wrong = call("POST", "/proposals", json={"csv": sales(), "reward": "price * sale"})
    assert (wrong.status_code, kind_of(wrong.json())) == (422, "invalid")
    assert "sale" in wrong.json()["detail"]


def test_a_table_of_several_stores_asks_for_one(call: Caller) -> None:
    rows = [f"{store},{line}" for store in (2, 5) for line in sales(seed=store).splitlines()[1:]]
    both = "\n".join(["store,week,price,sold", *rows])
    found = proposed(call, csv=both)
    assert found["series"] == {"column": "store", "values": ["2", "5"]}
    assert found["config"] is None
    one = proposed(call, csv=both, where={"store": "5"})
    assert one["series"] is None
    assert one["config"] is not None


def finished(call: Caller, key: str) -> dict[str, Any]:
    for _ in range(600):
        state = call.read(f"/rehearsals/{key}")
        if state["status"] != "running":
            return dict(state)
        time.sleep(0.1)
    raise AssertionError(state)


def test_a_rehearsal_shows_progress_and_its_findings(call: Caller) -> None:
    found = proposed(call)
    body = {"config": found["config"], "csv": found["csv"], "source": "sales.csv", "seasons": 2, "rounds": 4}
    begun = call("POST", "/rehearsals", json=body)
    assert begun.status_code == 202
    assert (begun.json()["status"], begun.json()["total"]) == ("running", 2)
    state = finished(call, begun.json()["id"])
    assert (state["status"], state["done"], state["error"]) == ("done", 2, "")
    assert state["lines"]
    assert isinstance(state["gain"], float)
    assert call("DELETE", f"/rehearsals/{begun.json()['id']}").json() == {"new": False}


def test_rehearsals_fail_in_one_sentence_end_on_request_and_are_few(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = proposed(call)
    refused = call("POST", "/rehearsals", json={"config": {"menu": {}}, "csv": found["csv"]})
    state = finished(call, refused.json()["id"])
    assert state["status"] == "failed"
    assert state["error"].endswith(".")

    def slow(*_: object, watch: Any, **__: object) -> None:
        for season in range(1000):
            watch(season, 1000)
            time.sleep(0.01)

    monkeypatch.setattr(rehearsals, "rehearse", slow)
    body = {"config": found["config"], "csv": found["csv"]}
    keys = [call("POST", "/rehearsals", json=body).json()["id"] for _ in range(rehearsals.MOST_RUNNING)]
    assert call("POST", "/rehearsals", json=body).status_code == 503
    assert [call("DELETE", f"/rehearsals/{key}").json() for key in keys] == [{"new": True}] * len(keys)
    assert finished(call, keys[0])["status"] == "cancelled"
    assert call("GET", f"/rehearsals/{'0' * 16}").status_code == 404
    call("POST", "/rehearsals", json=body)  # the end of the service does not wait for a thousand seasons


def test_only_owners_begin(call: Caller) -> None:
    for role in ("operator", "reader"):
        assert call("POST", "/proposals", role, json={"csv": sales()}).status_code == 403
