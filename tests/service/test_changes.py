"""Menus, rewards and types that change, over HTTP and with the client, as the library changes them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import Conflict, FirstmoverError, InvalidInput
from firstmover.matches import Match
from firstmover.matches.config import RewardSpec
from firstmover.service.client import Client, RemoteMatch
from tests.matches.test_changes import MORE, SHOP, sold
from tests.service.processes import Running

Changed = Match | RemoteMatch


@pytest.fixture(scope="module")
def client(service: Running) -> Iterator[Client]:
    with service.client() as client:
        yield client


def menu_of(client: Client, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.call("GET", f"/matches/{name}/menu")["rows"]
    return rows


def test_the_client_changes_a_match_as_the_library_does(service: Running, client: Client) -> None:
    remote = client.create("shop", SHOP)

    def play(number: int, who: str) -> None:
        decision = remote.ask(f"r{number}")
        remote.tell(f"r{number}", who, sold(who, decision.features["price"]))

    play(0, "locals")
    assert [remote.add_actions(MORE, reason="printed today"), remote.add_actions(iter(MORE))] == [True, False]
    assert [remote.retire("2"), remote.retire(np.int64(1), reason="sold out")] == [True, False]
    assert remote.ask("r1", without=np.array([0])).strategy[:2].tolist() == [0.0, 0.0]
    assert [remote.unretire(1), remote.unretire("2")] == [True, False]
    remote.retire("2", reason="sold out")
    reward = {"value": 1.0, "responses": {"sold": "price"}}
    assert [remote.set_reward(reward), remote.set_reward(RewardSpec.read(reward))] == [True, False]
    with pytest.raises(InvalidInput, match="Unknown level of type 'customers' 'business'"):
        remote.tell("r1", "business", 3.0)
    assert [remote.add_levels("customers", ("business",)), remote.add_levels("customers", ["business"])] == [
        True,
        False,
    ]
    assert remote.tell("r1", "business", 3.0, played="7")
    about = remote.describe()
    assert (about["actions"], about["reward"]) == (6, "1 + price · sold")
    assert about["types"][0]["levels"] == ["locals", "visitors", "business"]
    assert [(row["label"], row["retired"]) for row in menu_of(client, "shop")] == [
        *(("1", False), ("2", True), ("3", False), ("4", False), ("6", False), ("7", False)),
    ]
    assert menu_of(client, "shop")[5] | {"features": {}} == {
        **{"action": 5, "label": "7", "columns": {"price": 7.0}, "retired": False, "features": {}},
    }
    log = remote.change_log()
    assert [each.words for each in log] == [
        "menu: added 6, 7",
        "menu: retired 2",
        "menu: unretired 2",
        "menu: retired 2",
        "reward: 1 + price · sold",
        "type customers: added business",
    ]
    assert [each.reason for each in log] == ["printed today", None, None, "sold out", None, None]
    with Match.open(service.folder / "matches.db", "shop") as local:
        assert local.change_log() == log
        assert local.history() == remote.history()
        assert local.verify().exact == 2
    assert client.create("shop", SHOP).name == "shop", "a repeated creation is idempotent after changes too"
    with pytest.raises(Conflict, match="another configuration"):
        client.create("shop", SHOP | {"reward": reward})


def test_a_change_of_another_client_is_seen_at_once(service: Running, client: Client) -> None:
    remote = client.create("shared", SHOP)
    remote.tell(remote.ask("a").round_id, "locals", 2.0)  # it has read the types
    with Match.open(service.folder / "matches.db", "shared") as local:
        local.add_levels("customers", ["business"])
        local.add_actions(MORE)
        local.set_reward({"responses": {"sold": 2.0}})
        assert remote.describe()["actions"] == 6, "before any call that records"
        assert remote.describe()["reward"] == "2 · sold"
        local.retire("1")
        assert [row["retired"] for row in menu_of(client, "shared")][:2] == [True, False]
    assert remote.tell(remote.ask("b").round_id, "business", 2.0)


NAMED = [
    (lambda m: m.add_actions([]), InvalidInput, r"^rows is \[\]: give "),
    (lambda m: m.add_actions(5), InvalidInput, "^rows is 5: "),
    (lambda m: m.add_actions([5]), InvalidInput, "^rows"),
    (lambda m: m.add_actions([{"label": "5", "cost": 1.0}]), InvalidInput, "cost"),
    (lambda m: m.add_actions([{"label": "5", "price": True}]), InvalidInput, r"rows\.0\.price"),
    (lambda m: m.add_actions([{"price": 5.0}]), InvalidInput, "rows have no label"),
    (lambda m: m.add_actions([{"label": "1", "price": 1.5}]), Conflict, "'1' is on the menu with other numbers"),
    (lambda m: m.retire("9"), InvalidInput, "Unknown action '9'"),
    (lambda m: m.retire(9), InvalidInput, "^action is 9: give a label of the menu or an index from 0 to 3"),
    (lambda m: m.retire("1", reason=" "), InvalidInput, "^reason is "),
    (lambda m: m.set_reward("price"), InvalidInput, "^reward is 'price': "),
    (lambda m: m.set_reward({"responses": {"bought": 1.0}}), InvalidInput, "bought"),
    (lambda m: m.add_levels("weather", ["dry"]), InvalidInput, "Unknown type 'weather'"),
    (lambda m: m.add_levels("customers", "business"), InvalidInput, "^levels is 'business': "),
    (lambda m: m.add_levels("customers", 5), InvalidInput, "^levels is 5: "),
    (lambda m: m.add_levels("customers", {"business": 1.0}), InvalidInput, "^levels is "),
    (lambda m: m.add_levels("customers", ["a=b"]), InvalidInput, "levels"),
]


@pytest.mark.parametrize(("change", "kind", "sentence"), NAMED)
def test_a_wrong_change_is_refused_alike(
    client: Client, tmp_path: Path, change: Callable[[Changed], bool], kind: type[FirstmoverError], sentence: str
) -> None:
    remote = client.create("wrong changes", SHOP)
    with Match.create(tmp_path / "m.db", "shop", SHOP) as local:
        for match in (local, remote):
            with pytest.raises(kind, match=sentence) as caught:
                change(match)
            assert "\n" not in str(caught.value)
    assert remote.change_log() == []


def test_a_conflict_has_both_numbers(client: Client) -> None:
    heat = {"name": "heat", "levels": {"cold": 0.0, "warm": 1.0}}
    remote = client.create("both numbers", SHOP | {"types": [heat]})
    with pytest.raises(Conflict) as caught:
        remote.add_actions([{"label": "1", "price": 1.5}])
    assert (caught.value.recorded, caught.value.given) == ({"price": 1.0}, {"price": 1.5})
    assert remote.add_levels("heat", {"hot": 2})
    with pytest.raises(Conflict) as caught:
        remote.add_levels("heat", {"hot": 3.0})
    assert (caught.value.recorded, caught.value.given) == ({"hot": 2.0}, {"hot": 3.0})


def test_one_action_alone_is_no_mask(client: Client, tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as local:
        for match in (local, client.create("masked", SHOP)):
            for mask in ("1", 1):
                with pytest.raises(InvalidInput, match=f"^allowed is {mask!r}: give a list of actions"):
                    match.ask("a", allowed=mask)  # type: ignore[arg-type]


def test_a_reward_over_http_imports_no_code(client: Client) -> None:
    remote = client.create("no code", SHOP)
    with pytest.raises(InvalidInput, match=r"^reward\.function is not taken over HTTP: set this reward with"):
        remote.set_reward({"function": "tests.matches.played:answer", "directions": [1]})


def test_readers_see_changes_and_make_none(service: Running, client: Client) -> None:
    remote = client.create("watched", SHOP)
    remote.retire("1")
    with service.client(service.reader) as reader:
        watched = reader.open("watched")
        assert [each.words for each in watched.change_log()] == ["menu: retired 1"]
        with pytest.raises(InvalidInput, match="This token only reads"):
            watched.unretire("1")


def test_events_of_a_change_are_streamed_and_carry_the_token(client: Client) -> None:
    remote = client.create("streamed", SHOP)
    heard = remote.changes(5.0)
    first = next(heard)
    remote.retire("1")
    assert next(heard) == first + 1
    heard.close()  # type: ignore[attr-defined]
    assert re.fullmatch("token [0-9a-f]{8}", remote.change_log()[0].actor or "")


def test_calls_are_idempotent_and_strict(service: Running, client: Client) -> None:
    client.create("strict", SHOP)
    codes = [
        service.call("PUT", "/v1/matches/strict/retired", json={"action": "1", "retired": True}).status_code
        for _ in range(2)
    ]
    assert codes == [201, 200]
    large = service.call("POST", "/v1/matches/strict/actions", json={"rows": [{"label": "x" * (1 << 20)}]})
    assert large.status_code == 413
    other = service.call("PUT", "/v1/matches/strict/retired", json={"action": "1", "retired": "yes"})
    assert (other.status_code, other.json()["detail"][:21]) == (422, "retired is 'yes': it ")
    more = service.call("PUT", "/v1/matches/strict/retired", json={"action": "1", "retired": True, "why": "x"})
    assert more.json()["detail"] == "why is not a field of this call: leave it out."
