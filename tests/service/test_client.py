"""The client plays a match over HTTP as the library plays it."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from firstmover.core.errors import Conflict, InvalidInput, StoreUnavailable
from firstmover.matches import Imported, Match
from firstmover.matches.schedule import Schedule
from firstmover.service.client import Client, RemoteMatch
from firstmover.service.tokens import Tokens
from tests.matches.played import ROUTES, answer
from tests.matches.test_commitment import INSPECTIONS, QUAYS
from tests.matches.test_contexts import KIOSK as WEEKDAYS
from tests.matches.test_history_files import FILES, GERMAN, KIOSK, SALES, sales
from tests.service.processes import Running, error_of, raw, request


@pytest.fixture(scope="module")
def client(service: Running) -> Any:
    with service.client() as client:
        yield client


def told(match: RemoteMatch, round_id: str, number: int = 1) -> None:
    demand, congestion = answer(match.ask(round_id), number)
    assert match.tell(round_id, {"demand": demand}, {"congestion": congestion})


def test_policies_are_evaluated_over_http_as_in_the_library(service: Running, client: Client) -> None:
    remote = client.create("asked", ROUTES)
    for number in range(4):
        told(remote, f"r{number}", number)
    with Match.open(service.folder / "matches.db", "asked") as local:
        assert remote.evaluate(["played", "both"]) == local.evaluate(["played", "both"])
        other = "units - 3 * congestion"
        assert remote.evaluate(reward=other) == local.evaluate(reward=other)
    with pytest.raises(InvalidInput, match="Unknown action"):
        remote.evaluate(["east"])


def test_a_match_over_http_is_the_match_of_the_library(service: Running, client: Client) -> None:
    remote = client.create("same", ROUTES)
    for number in range(4):
        told(remote, f"r{number}", number)
    assert remote.void("r9" if remote.ask("r9") else "", "the counter was broken")
    remote.ask("r/10 %2F ü")
    row = {"action": "both", "type": {"demand": "high"}, "response": {"congestion": 4.0}}
    assert remote.import_history([row]).new == 1
    with Match.open(service.folder / "matches.db", "same") as local:
        assert remote.history() == local.history()
        assert remote.status() == local.status()
        assert remote.certificate() == local.certificate()
        assert remote.round("r/10 %2F ü") == local.history()[-1]
        found = local.verify()
        assert remote.verify() == found
        assert remote.replay()["state_hash"] == found.state_hash
        assert np.array_equal(remote.ask("r/10 %2F ü").strategy, local.ask("r/10 %2F ü").strategy)
        assert np.array_equal(remote.replay()["strategy"], local.state().strategy)
        journal = json.loads(remote.export("journal", "json"))
        assert [event["hash"] for event in journal] == [event.hash for event in local.journal.read()]
        assert local.tell("r/10 %2F ü", "low", 1.0)
    assert remote.round("r/10 %2F ü").response == {"congestion": 1.0}, "what the command line records is seen at once"
    assert len(remote.export().decode().splitlines()) == 1 + 6
    assert len(json.loads(remote.export("rounds", "json"))) == 6
    assert remote.replay(3)["events"] == 3


def test_explanations_over_http_are_those_of_the_library(service: Running, client: Client) -> None:
    remote = client.create("why", WEEKDAYS)
    for number in range(8):
        day = ("mon", "sat")[number % 2]
        remote.tell(remote.ask(f"r{number}", context=day).round_id, "dry", 9.0 + number)
    decision = remote.ask("now", context="sat")
    with Match.open(service.folder / "matches.db", "why") as local:
        assert decision.explain() == remote.explain("now") == local.explain()
        for given in ({"weekday": "sat"}, "sat"):
            assert remote.what_if("2.0", given) == local.what_if("2.0", "sat")
        assert remote.what_if(np.int64(1), "sat") == local.what_if(1, "sat")
    for action, context, sentence in (("2.0", None, "context is missing"), ("9.9", "sat", "action '9.9'")):
        with pytest.raises(InvalidInput, match=sentence):
            remote.what_if(action, context)
    with Client(service.address, service.reader) as reader, pytest.raises(InvalidInput, match="only reads"):
        reader.open("why").what_if("2.0", "sat")


def test_the_address_that_is_printed_is_all_that_a_client_needs(service: Running) -> None:
    with Client(f"{service.address}/#token={service.owner}") as client:
        assert client.open("roads").describe()["role"] == "owner"
    with Client(service.address, f"{service.reader}\n") as client:
        assert client.open("roads").describe()["role"] == "reader"


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("127.0.0.1:8642", "fm_x", r"^address is '127\.0\.0\.1:8642': give one such as"),
        ("http://127.0.0.1:8642", None, "^The token is missing or malformed"),
        ("http://127.0.0.1:8642", "fm_\r\nx", "^The token is missing or malformed"),
        ("http://127.0.0.1:8642", "fm_é", "^The token is missing or malformed"),
    ],
)
def test_a_client_without_address_or_token_is_refused(address: str, token: str | None, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Client(address, token)


def test_every_call_is_idempotent(client: Client) -> None:
    match = client.create("once", ROUTES)
    assert client.create("once", ROUTES).name == "once"
    first = match.ask("monday")
    assert (match.ask("monday").action, match.ask().round_id) == (first.action, "monday")
    values = {"demand": "high"}, {"congestion": 3.2}
    assert [match.tell("monday", *values), match.tell("monday", *values)] == [True, False]
    assert [match.correct("monday", *values, reason="same"), match.round("monday").corrections] == [False, 0]
    assert match.correct("monday", values[0], {"congestion": 4.2}, reason="misread")
    assert match.correct("monday", reason="another road")
    assert match.round("monday").status == "void"
    rows = [{"action": 1, "type": values[0], "response": values[1]}]
    assert [
        match.import_history(rows, "a").new,
        match.import_history(rows, "a").new,
        match.import_history(rows, "b", again=True).new,
    ] == [
        1,
        0,
        1,
    ]
    assert match.ask("tuesday")
    assert [match.void("tuesday", "rain"), match.void("tuesday", "snow")] == [True, False]


def test_a_conflict_has_both_values(client: Client) -> None:
    match = client.create("clash", ROUTES)
    match.ask("monday")
    match.tell("monday", {"demand": "high"}, {"congestion": 3.2})
    with pytest.raises(Conflict, match=r"was told demand=high, congestion=3.2, and now demand=low") as caught:
        match.tell("monday", {"demand": "low"}, {"congestion": 3.0})
    assert caught.value.recorded == {"opponent_type": {"demand": "high"}, "response": {"congestion": 3.2}}
    assert caught.value.given == {"opponent_type": {"demand": "low"}, "response": {"congestion": 3.0}}
    with pytest.raises(Conflict, match="and now void is given") as caught:
        match.void("monday", "rain")
    assert caught.value.given == {"opponent_type": None, "response": None}
    with pytest.raises(Conflict, match="another configuration") as caught:
        client.create("clash", ROUTES | {"title": "other"})
    assert caught.value.recorded is not None
    assert caught.value.given is not None
    assert (caught.value.recorded["title"], caught.value.given["title"]) == ("two roads", "other")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (({"demand": "high"}, {"congestion": 21.0}), "outside the allowed range"),
        (({"demand": "huge"}, {"congestion": 1.0}), "Unknown level of type 'demand' 'huge'"),
        (({"demand": "high"}, {"congestion": True}), "response.congestion is True: it should be a finite number or"),
        (({"demand": "high"}, {"congestion": "3.2"}), "response.congestion is '3.2': it should be a valid number"),
        (({"demand": "high"}, {"congestion": float("nan")}), "cannot be sent as JSON"),
        (({"demand": "high"}, {"queue": 1.0}), "Unknown response 'queue'"),
        (({"demand": "high"}, {}), "response is {}: give 1 or more entries"),
        (({"demand": 10**400}, {"congestion": 1.0}), "demand"),
    ],
)
def test_a_wrong_tell_is_refused_in_the_words_of_the_library(client: Client, values: Any, sentence: str) -> None:
    match = client.open("roads")
    match.ask("wrong")
    with pytest.raises(InvalidInput, match=sentence):
        match.tell("wrong", *values)
    assert match.round("wrong").status == "pending"


def test_values_without_names_are_those_of_the_library(service: Running, client: Client) -> None:
    config = ROUTES | {"responses": [*ROUTES["responses"], {"name": "noise"}]}
    config["reward"] = {"value": "units", "responses": {"congestion": -2.0, "noise": 0.0}}
    history = [{"action": 1, "type": "high", "response": [2, 0.5]}]
    remote = client.create("bare", config)
    with Match.create(service.folder / "matches.db", "bare too", config) as local:
        for match in (remote, local):
            for round_id in ("a", "b"):
                match.ask(round_id)
                assert match.tell(round_id, "high", np.array([3.2, "1"]) if round_id == "a" else (2, 1.0))
            assert match.correct("a", ["low"], [3.0, 1], reason="misread")
            assert [match.import_history(history).new, match.import_history(history).new] == [1, 0]
            for wrong in ("high", 3.0), ("huge", [1, 1]), ({"demand": "high"}, [1, float("nan")]), ("high", None):
                with pytest.raises(InvalidInput) as caught:
                    match.tell("b", *wrong)
                assert "\n" not in str(caught.value)
            with pytest.raises(
                InvalidInput, match=r"^row 1: response has 1 value\(s\): give 2, for congestion, noise\.$"
            ):
                match.import_history([{"action": "both", "type": "low", "response": [1]}])
        here, there = ([(r.opponent_type, r.response) for r in match.history()] for match in (local, remote))
    assert here == there
    assert here[0] == ({"demand": "low"}, {"congestion": 3.0, "noise": 1.0})


@pytest.mark.parametrize(("game", "given", "read"), [("shore", 2, "2"), ("prices", "1", "1")])
def test_the_type_of_a_game_may_stand_alone(client: Client, game: str, given: object, read: str) -> None:
    match = client.create(f"game {game}", {"menu": {"game": game}, "confidence": {"width": 1.0}, "horizon": 20})
    match.ask("1")
    assert match.tell("1", given, [0.5] * len(match.describe()["responses"]))
    assert match.round("1").opponent_type == {"type": read}


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_leads_elsewhere_is_refused_as_the_service_refuses_it(
    service: Running, client: Client, name: str
) -> None:
    match = client.open("roads")
    sentence = f"^round is '{re.escape(name)}': no round has this name, so give another\\.$"
    with pytest.raises(InvalidInput, match=sentence):
        match.ask(name)
    with pytest.raises(InvalidInput, match=sentence):
        match.tell(name, "low", 1.0)
    path, token = f"/v1/matches/roads/rounds/{name.replace('.', '%2E')}", f"Authorization: Bearer {service.owner}"
    answer = raw(service.port, request("PUT", path, f"Host: {service.host}", token, "Content-Length: 0"))
    assert re.match(sentence, error_of(answer)["detail"])
    with pytest.raises(InvalidInput, match=r"^match is '"):
        client.open(name)
    with pytest.raises(InvalidInput, match=r"^template is '"):
        client.template(name)
    with pytest.raises(InvalidInput, match=r"^round is '': give 1 to 80 printable characters"):
        match.ask("")


def test_what_is_not_there_is_named(client: Client) -> None:
    with pytest.raises(InvalidInput, match="match 'nowhere' is not in this store"):
        client.open("nowhere")
    with pytest.raises(InvalidInput, match="round 'never' was never asked"):
        client.open("roads").tell("never", {"demand": "low"}, {"congestion": 1.0})
    with pytest.raises(InvalidInput, match="template 'chess' does not exist"):
        client.template("chess")


def test_a_template_becomes_a_match(client: Client) -> None:
    match = client.create("from a template", client.template("routing"))
    setting = match.describe()
    levels = ["low", "usual", "high"]
    about = {"name": "demand", "unit": "", "levels": levels, "numbers": False, "before": False, "about": None}
    assert setting["types"] == [about], "levels come in the order of their numbers"
    response = {"name": "congestion", "unit": "min", "lower": 0.0, "upper": 60.0, "levels": None, "log": None}
    assert setting["responses"] == [response]
    assert setting["reward"] == "units − 10 · congestion"
    menu = client.call("GET", "/matches/from%20a%20template/menu", offset=1, limit=2)
    assert (len(menu["rows"]), menu["total"], menu["rows"][0]["action"]) == (2, setting["actions"], 1)


def test_commitments_are_asked_for_and_told_without_a_type(client: Client) -> None:
    assumptions = {name: ROUTES[name] for name in ("kernel", "regularization", "confidence")}
    match = client.create("quays", INSPECTIONS | assumptions)
    about = match.describe()
    assert (about["types"], about["responses"][0]["levels"]) == ([], ["north", "centre", "south"])
    first = match.ask("a")
    assert (first.label, first.commitment) == ("33 % north, 33 % centre, 33 % south", dict.fromkeys(QUAYS, 1 / 3))
    assert match.tell("a", None, "centre")
    assert match.round("a").response == {"landing": "centre"}
    assert match.correct("a", {}, {"landing": "south"}, reason="misread")
    assert match.round("a").opponent_type == {"type": [1 / 3] * 3}
    assert match.import_history([{"action": "north", "type": None, "response": "south"}]).new == 1
    with pytest.raises(InvalidInput, match="Unknown level of response 'landing' 'east'"):
        match.tell(match.ask("b").round_id, None, "east")
    assert match.verify().exact == 2


def test_a_configuration_over_http_reads_no_file_and_imports_no_code(client: Client, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"menu\.file is not taken over HTTP"):
        client.create("x", ROUTES | {"menu": {"file": str(tmp_path / "menu.csv")}})
    function = {"function": "tests.matches.played:answer", "directions": [1]}
    with pytest.raises(InvalidInput, match=r"reward\.function is not taken over HTTP"):
        client.create("x", ROUTES | {"reward": function})
    with pytest.raises(InvalidInput, match="toml is not TOML"):
        client.create("x", "menu = ")
    with pytest.raises(InvalidInput, match="toml is not TOML: a number has too many digits"):
        client.create("x", f"horizon = {'9' * 5000}")
    with pytest.raises(InvalidInput, match="toml is not TOML: it is nested too deeply"):
        client.create("x", f"menu = {'[' * 100_000}")


@pytest.mark.parametrize("rows", [None, 5, [5], [(0, "low", 1.0)], {"action": 0}])
def test_what_is_no_history_is_refused_as_by_the_library(client: Client, rows: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^(history|row 1) is .*: give "):
        client.open("roads").import_history(rows)


def test_a_table_of_rounds_has_its_columns_before_any_was_asked(client: Client) -> None:
    head = client.create("unasked", ROUTES).export().decode()
    assert head.endswith(",asked_at,type demand,response congestion\n")


@pytest.mark.parametrize("address", [5, None, "127.0.0.1:8642"])
def test_an_address_that_is_none_is_refused(address: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^address is '\S+': give one such as http://127.0.0.1:8642"):
        Client(address, "secret")


def test_a_service_that_is_not_there_is_named_as_it_was_given() -> None:
    with (
        Client("http://nohost.invalid", "secret") as client,
        pytest.raises(StoreUnavailable, match=r"The service at nohost\.invalid does not answer"),
    ):
        client.matches()


def test_events_carry_the_name_of_the_token(service: Running, client: Client) -> None:
    match = client.create("carried", {"menu": {"game": "shore"}, "horizon": 10})
    match.tell(match.ask().round_id, "2", 0.5)
    secret, _ = Tokens(service.folder / "tokens.json").new("owner", "the night shift")
    with Client(service.address, secret) as other:
        other.open("carried").ask()
    actors = [event["actor"] for event in json.loads(match.export("journal", "json"))]
    assert actors.pop() == "the night shift"
    assert re.fullmatch("token [0-9a-f]{8}", actors[0])
    assert set(actors) == {actors[0]}


def test_the_list_counts_as_the_matches_do(client: Client) -> None:
    match = client.create("counted", ROUTES)
    for number in range(5):
        told(match, f"r{number}", number)
    match.correct("r0", reason="nothing was seen")
    match.correct("r1", reason="nothing was seen")
    match.correct("r1", {"demand": "low"}, {"congestion": 1.0}, reason="it was after all")
    match.ask("late")
    match.ask("void")
    match.void("void", "rain")
    for listed in client.matches():
        status = client.open(listed["name"]).status()
        found = (listed["asked"], listed["told"], tuple(listed["pending"]), listed["void"])
        assert found == (status.asked, status.told, status.pending, status.void)
    assert [listed["kind"] for listed in client.matches() if listed["name"] == "counted"] == ["menu"]


def test_a_service_that_is_gone_is_one_sentence() -> None:
    with Client("http://127.0.0.1:9", "fm_none") as client, pytest.raises(StoreUnavailable) as caught:
        client.matches()
    assert str(caught.value) == (
        "The service at 127.0.0.1:9 does not answer (ConnectError): repeat the call when it does, nothing is recorded "
        "twice."
    )


def test_what_was_really_done_is_told_and_recorded_over_http(client: Client) -> None:
    match = client.create("overridden", ROUTES)
    labels = [row["label"] for row in ROUTES["menu"]["rows"]]
    advised = match.ask("a").label
    other, third = [label for label in labels if label != advised][:2]
    values = {"demand": "low"}, {"congestion": 3.0}
    assert match.tell("a", *values, played=other, reason="closed") is True
    assert match.tell("a", *values, played=labels.index(other)) is False
    with pytest.raises(Conflict, match=f"played={other}, and now") as info:
        match.tell("a", *values, played=third)
    assert info.value.given == {"opponent_type": values[0], "response": values[1], "played": third}
    shown = match.round("a")
    assert (shown.label, shown.played_label, shown.reason) == (advised, other, "closed")
    assert match.correct("a", *values, reason="no", played=third) is True
    assert match.round("a").played_label == third
    assert match.record("south", *values, record_id="delivery/17") is True
    assert match.record("south", *values, record_id="delivery/17") is False
    with pytest.raises(Conflict, match="record 'delivery/17' has other values"):
        match.record("north", *values, record_id="delivery/17")
    assert match.record("south", "low", 3.0) is True
    health = match.status()
    assert (health.followed, health.told, health.recorded) == (0, 1, 2)
    assert match.verify().rounds == 1


def test_matches_are_renamed_archived_and_deleted_over_http(client: Client, tmp_path: Path) -> None:
    match, export = client.create("old", ROUTES), tmp_path / "old.json"
    told(match, "a")
    assert match.rename("new/er") is True
    assert match.name == "new/er"
    assert match.history()[0].round_id == "a"
    with pytest.raises(InvalidInput, match="match 'old' is not in this store"):
        client.open("old")
    with pytest.raises(Conflict, match="match 'roads' exists already"):
        match.rename("roads")
    fresh = client.create("old", ROUTES)
    assert fresh.history() == []
    assert (
        fresh.client.call("GET", "/matches/old/views/learning")["rounds"]
        != client.call("GET", "/matches/new%2Fer/views/learning")["rounds"]
    )
    assert (match.archive(), match.archive()) == (True, False)
    assert "new/er" not in [each["name"] for each in client.matches()]
    assert [each["archived"] for each in client.matches(archived=True) if each["name"] == "new/er"] == [True]
    with pytest.raises(InvalidInput, match="is archived: nothing was recorded"):
        match.ask("b")
    assert match.unarchive() is True
    with pytest.raises(InvalidInput, match="confirm is 'old': give the name of the match, 'new/er'"):
        match.delete(confirm="old", export=export)
    assert not export.exists()
    match.delete(confirm="new/er", export=export)
    assert len(json.loads(export.read_text())) == 6
    with pytest.raises(InvalidInput, match="match 'new/er' is not in this store"):
        match.ask("b")
    fresh.delete(confirm="old", export=tmp_path / "fresh.json")
    again = client.create("old", ROUTES)
    assert again.history() == []
    again.delete(confirm="old", export=tmp_path / "again.json")


def test_changes_of_other_processes_are_noticed(service: Running, client: Client, tmp_path: Path) -> None:
    remote = client.create("elsewhere", ROUTES)
    told(remote, "a")
    client.call("GET", "/matches/elsewhere/views/learning")
    with Match.open(service.folder / "matches.db", "elsewhere") as match:
        match.rename("moved")
    remote.status()  # by the former name once more, and never again
    with pytest.raises(InvalidInput, match="match 'elsewhere' is not in this store"):
        remote.status()
    assert client.open("moved").history()[0].round_id == "a"
    with Match.open(service.folder / "matches.db", "moved") as match:
        match.delete(confirm="moved", export=tmp_path / "moved.json")
    for _ in range(2):
        with pytest.raises(InvalidInput, match="match 'moved' is n"):
            client.open("moved").status()


def test_history_comes_as_a_file_a_frame_or_rows(service: Running, client: Client, tmp_path: Path) -> None:
    match, path = client.create("kiosk", KIOSK), FILES / "german-spreadsheet.csv"
    with pytest.raises(InvalidInput, match=r"^column 'action' is missing, file 'german-spreadsheet\.csv' has 'Datum'"):
        match.import_history(path)
    assert match.import_history(path, columns=GERMAN) == Imported(3, ignored=("Filiale",))
    assert match.import_history(path) == Imported(0, 3, ignored=("Filiale",))
    frame = pl.DataFrame(
        {"price": [8.0, 8.25], "segment": ["A", None], "revenue": [7.5, 8.0], "when": [date(2025, 5, 1)] * 2}
    )
    assert match.import_history(frame, "frame") == Imported(2, without_type=1)
    frame.write_parquet(tmp_path / "frame.parquet")
    assert match.import_history(tmp_path / "frame.parquet") == Imported(0, 2)
    rows = [{"features": {"price": 8.25}, "type": "A", "response": 9.0, "when": "2025-05-02", "id": "a"}]
    assert match.import_history([*rows, *rows]) == Imported(1, 1)
    with pytest.raises(InvalidInput, match=r"may be 1\.234 or 1234: state its decimal sign with the option decimal"):
        match.import_history(FILES / "thousands-or-decimals.csv")
    assert match.import_history(FILES / "thousands-or-decimals.csv", decimal=",").new == 2
    with Match.open(service.folder / "matches.db", "kiosk") as local:
        assert sales(local) == [*SALES, (0, "A", 7.5), (0, "A", 1234.0), (1, "B", 2050.0)]
        assert local.learner().belief.count == 7
    source = client.create("told", ROUTES)
    told(source, "1", 1)
    for form, kind in (("rounds", "json"), ("rounds", "csv"), ("journal", "json")):
        (tmp_path / f"x.{kind}").write_bytes(source.export(form, kind))  # type: ignore[arg-type]
        assert client.create(f"again {form} {kind}", ROUTES).import_history(tmp_path / f"x.{kind}") == Imported(1)


def test_contexts_and_closed_actions_over_http(client: Client) -> None:
    match = client.create("weekdays", WEEKDAYS)
    assert match.ask("a", context="sun", without=["4.0"]).strategy.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert match.ask("a").action == match.ask(allowed=[2]).action == 2
    with pytest.raises(Conflict, match="round 'a' was asked with weekday=sun, and now with weekday=mon") as info:
        match.ask("a", context={"weekday": "mon"})
    assert info.value.given == {"context": {"weekday": "mon"}, "without": None}
    with pytest.raises(InvalidInput, match="context is missing for round 'b'"):
        match.ask("b")
    with pytest.raises(InvalidInput, match="No action of the menu is allowed"):
        match.ask("b", context="mon", allowed=[])
    assert match.tell("a", "wet", 3.0) is True
    shown = match.round("a")
    assert (shown.context, shown.without) == ({"weekday": "sun"}, (0, 1, 3))
    assert shown.opponent_type == {"weekday": "sun", "weather": "wet"}
    assert match.history() == [shown]
    assert match.record("1.0", {"weekday": "mon", "weather": "dry"}, 3.0) is True
    assert match.verify().exact == 1


def test_a_schedule_and_the_log_of_a_round_are_those_of_the_match(service: Running, client: Client) -> None:
    match = client.create("planned", ROUTES)
    assert match.due() is None
    assert match.set_schedule(Schedule(times=["07:00"], zone="Europe/Zurich"))
    assert not match.set_schedule({"times": ["07:00"], "zone": "Europe/Zurich"})
    told(match, "a", 0)
    assert match.correct("a", {"demand": "low"}, {"congestion": 3.25}, reason="misread")  # no answer is 3.25
    with Match.open(service.folder / "matches.db", "planned", read_only=True) as here:
        assert match.due() == here.due()
        assert match.round_log("a") == here.round_log("a")
    assert [(event.kind, event.reason) for event in match.round_log("a")] == [
        ("asked", None),
        ("told", None),
        ("corrected", "misread"),
    ]
    assert match.set_schedule(None)
    assert match.due() is None
