"""The description of the service holds: what Schemathesis makes of it is answered as described, and never by a 5xx.

Every case is one call on the same few matches and rounds, so that each finds what others left: rounds that wait, are
told, void or corrected. Half of the cases break the description in one place, and must be refused.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis.checks import (
    content_type_conformance,
    negative_data_rejection,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from firstmover.service import body_limits
from firstmover.service.demo import router, write_example
from firstmover.service.models import Request
from tests.matches.played import ROUTES, new
from tests.service.processes import Running
from tests.torture.sizes import sizes

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
MATCHES = ("roads", "fuzz")
DOOMED = "doomed"
ROUNDS = ("monday", "r/2", "ü %2F", *(str(number) for number in range(1, 60)))
"""Rounds, enough that some still wait; in a path of Schemathesis they stand percent-encoded."""

TABLE = "week,price,sold\n1,1.0,20\n2,1.2,17\n3,1.1,18\n4,1.0,21\n5,1.2,16\n6,1.1,19\n"
PLAIN: dict[str, Any] = {"roles": {}, "where": {}, "reward": None, "decimal": None}
"""A table of the past, and nothing that overrules what it says."""

CASES_IN_TURN = 9
"""Cases of one operation before the next one; more than a few, since the first of Hypothesis are the simplest."""

CLOSED = 6
"""The first rounds, which are told beforehand: a correction needs one that is."""


def description(service: Running) -> dict[str, Any]:
    """The OpenAPI, without the stream that never ends, and without tokens: every call here has a good one."""
    found: dict[str, Any] = service.call("GET", "/v1/openapi.json").json()
    del found["paths"]["/v1/matches/{match}/events"]
    for operation in [each for path in found["paths"].values() for each in path.values()]:
        del operation["security"]
    return found


def is_right(case: Any, place: str) -> bool:
    """Whether a part of a case is as described."""
    modes = {location.name: info.mode for location, info in case.meta.components.items()}
    return place in modes and bool(modes[place].is_positive)


def steered(case: Any, choice: int, made: dict[str, str]) -> None:
    """Lead most of the right calls to what is there: few matches, few rounds, values that can be told.

    `made` has the ids of a token and a rehearsal.
    """
    if is_right(case, "PATH") and choice % 8 != 1:
        if "match" in case.path_parameters:
            case.path_parameters["match"] = DOOMED if is_administration(case) else MATCHES[choice % 16 == 2]
        if "round" in case.path_parameters:
            most = CLOSED if case.path.endswith("corrections") else len(ROUNDS)
            case.path_parameters["round"] = quote(ROUNDS[choice % most], safe="")
        known = {"run": "shore", "name": "routing", "record": f"delivery {choice % 9}"} | made
        case.path_parameters |= {name: known[name] for name in known if name in case.path_parameters}
    if is_administration(case) and (case.path_parameters or {}).get("match") in MATCHES:
        case.path_parameters["match"] = DOOMED
    if is_right(case, "BODY") and isinstance(case.body, dict) and choice % 5 != 1:
        if "config" in case.body or "toml" in case.body:
            case.body = {"config": ROUTES}
        if "opponent_type" in case.body or "response" in case.body:
            values = {"demand": ("low", "high")[choice % 2]}, {"congestion": float(choice % 3)}
            case.body = case.body | {"opponent_type": values[0], "response": values[1]}
        if case.path.endswith("/history"):
            row = {"action": "north", "type": {"demand": "low"}, "response": {"congestion": float(choice % 3)}}
            case.body = {"rows": [row]}
        if case.path.endswith(("/proposals", "/rehearsals")):
            case.body = case.body | {"csv": TABLE, "source": "sales.csv"}
            case.body |= {"seasons": 2, "rounds": 2, "config": {}} if "config" in case.body else PLAIN
        case.body = case.body | changed_values(case.path, choice)
        for name, value in {"played": "north", "action": "north", "name": DOOMED}.items():
            if name in case.body:
                case.body[name] = value


def changed_values(path: str, choice: int) -> dict[str, Any]:
    """Changes that a match takes, and questions that it answers; few are new, so that the menu stays small."""
    number = float(choice % 2)
    values: dict[str, dict[str, Any]] = {
        "levels": {"type": "demand", "levels": {f"level {number:g}": 2.0 + number}},
        "reward": {"reward": {"value": "units", "responses": {"congestion": -2.0 - number}}},
        "evaluation": {"policies": ["played", "north"], "reward": None},
        "actions": {"rows": [{"label": f"new {number:g}", "north": number, "south": 1.0, "units": 1.0}]},
    }
    return values.get(path.rpartition("/")[2], {})


def is_administration(case: Any) -> bool:
    """Whether a call renames, archives or deletes a match: what the others need must stay."""
    return case.method == "DELETE" or case.path.endswith(("/name", "/archived"))


def doomed(service: Running) -> dict[str, str]:
    """The query that deletes a match, which is created if it is not there."""
    with service.client() as client:
        journal = client.create(DOOMED, ROUTES).export("journal", "json")
    return {"confirm": DOOMED, "head": json.loads(journal)[-1]["hash"]}


def explored(
    service: Running, described: dict[str, Any], cases: int, modes: Iterable[Any] = schemathesis.GenerationMode
) -> Counter[tuple[str, int]]:
    """So many cases, in turn of each operation; how many of each had which status."""
    schema = schemathesis.openapi.from_dict(described)
    operations = [found.ok() for found in schema.get_all_operations()]
    strategies = [each.as_strategy(generation_mode=mode) for mode in modes for each in operations]
    answered: Counter[tuple[str, int]] = Counter()
    choices = count()
    rehearsal = ""
    if any("{rehearsal}" in path for path in described["paths"]):
        with service.client() as client:
            rehearsal = str(client.call("POST", "/rehearsals", {"config": {}, "csv": TABLE})["id"])

    def check(case: Any) -> None:
        choice = next(choices)
        made = {"rehearsal": rehearsal}
        if case.path.endswith("{token}"):
            with service.client() as client:
                made["token"] = str(client.call("POST", "/tokens", {"role": "reader"})["id"])
        steered(case, choice, made)
        deletion = doomed(service) if is_administration(case) else {}
        if case.method == "DELETE" and is_right(case, "QUERY") and choice % 8 != 1:
            case.query = deletion
        token = {"Authorization": f"Bearer {service.owner}"}
        response = case.call(base_url=service.address, headers=token, session=session)
        answered[case.operation.label, response.status_code] += 1
        too_large = response.status_code == 413  # a refusal, which Schemathesis does not count among them
        case.validate_response(
            response, checks=[each for each in CHECKS if not (too_large and each is negative_data_rejection)]
        )

    settings = hypothesis.settings(
        max_examples=CASES_IN_TURN,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    with requests.Session() as session:
        for turn in range(-(-cases // (CASES_IN_TURN * len(strategies)))):
            for strategy in strategies:
                with suppress(hypothesis.errors.Unsatisfiable):  # some operations take nothing that could be wrong
                    hypothesis.seed(turn)(settings(hypothesis.given(strategy)(check)))()
    return answered


@pytest.mark.parametrize("cases", sizes("calls of the service"))
def test_every_call_is_answered_as_it_is_described(service: Running, cases: int) -> None:
    write_example(service.folder)
    doomed(service)
    with service.client() as client:
        match = client.open("roads")
        for name in ROUNDS:
            match.ask(name)
        for name in ROUNDS[:CLOSED]:
            match.tell(name, {"demand": "low"}, {"congestion": 1.0})
    answered, statuses, taken = explored(service, description(service), cases), Counter[int](), Counter[str]()
    for (operation, status), number in answered.items():
        statuses[status] += number
        taken[operation] += number * (status < 300)
    print(dict(statuses), *sorted(taken.items()), sep="\n")
    assert len(taken) == sum(len(calls) for calls in description(service)["paths"].values())
    assert min(taken.values()) > 0, "every operation is reached"
    assert statuses.total() >= cases * 0.9
    assert statuses[200] + statuses[201] > cases // 10, "much is accepted"
    assert statuses[422] > cases // 10, "and much refused"


def test_descriptions_leave_out_the_sections_of_docstrings(service: Running) -> None:
    schemas = service.call("GET", "/v1/openapi.json").json()["components"]["schemas"]
    assert schemas["Alarm"]["description"].startswith("A sign that the learner is not learning")
    assert [name for name, schema in schemas.items() if "----" in schema.get("description", "")] == []


def test_every_call_with_a_body_shows_an_example_that_is_taken(service: Running) -> None:
    found: dict[str, Any] = service.call("GET", "/v1/openapi.json").json()
    for model in Request.__subclasses__():
        schema = found["components"]["schemas"][model.__name__]
        examples = schema.get("examples", [])
        assert examples or model.__name__ == "HistoryRow"
        for example in examples:
            model.model_validate(example)


def forgiving() -> None:
    """Makes of any body one that is right."""
    body_limits._replayed = lambda _, receive, replayed=body_limits._replayed: replayed(
        b'{"reason": "because"}', receive
    )  # type: ignore[misc]


def test_schemathesis_notices_a_service_that_takes_anything(tmp_path: Path) -> None:
    with new(tmp_path) as match:
        for name in ROUNDS:
            match.ask(name)
    weak = Running(tmp_path, weakness=forgiving)
    described, path = description(weak), "/v1/matches/{match}/rounds/{round}/void"
    described["paths"] = {path: described["paths"][path]}
    try:
        with pytest.raises(BaseException, match=r"(?i)schema-violating|accepted|negative"):
            explored(weak, described, 100, [schemathesis.GenerationMode.NEGATIVE])
    finally:
        weak.stop()


def test_the_table_of_the_documentation_names_every_call_and_no_other(service: Running) -> None:
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text("utf-8")
    table = page.partition("| call |")[2].partition("\n\n")[0]
    method, named = "", set()
    for row in table.splitlines()[2:]:
        for verb, path in re.findall(r"`(?:(GET|PUT|POST|DELETE) )?([/…][^`?]*)[^`]*`", row.split(" | ")[0]):
            method = verb or method
            named.add((method, "/v1" + path.replace("…", "/matches/{match}")))
    paths = service.call("GET", "/v1/openapi.json").json()["paths"]
    described = {(verb.upper(), path) for path, calls in paths.items() for verb in calls}
    simulated = {(verb, f"/v1{each.path}") for each in router.routes for verb in each.methods}
    assert named == described | simulated
