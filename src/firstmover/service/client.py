"""A match over HTTP: the methods, records and exceptions of `firstmover.Match`."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Literal, Self
from urllib.parse import quote
from uuid import uuid4

import httpx
import numpy as np

from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable, shown
from firstmover.core.files import atomic_file
from firstmover.core.records import Alarm
from firstmover.matches import Decision, Health, MatchRound, Verification
from firstmover.matches.certificate import MatchCertificate
from firstmover.matches.change_log import LoggedChange
from firstmover.matches.config import ResponseSpec, RewardSpec, TypeSpec
from firstmover.matches.csv_reader import Table
from firstmover.matches.explanation import Explanation
from firstmover.matches.files import csv_text, read_records
from firstmover.matches.history import Imported, checked_rows, records_of, table_or_rows
from firstmover.matches.names import checked_match_name, checked_name
from firstmover.matches.outcome_check import OutcomeCheck
from firstmover.matches.policy_values import PolicyValue, PolicyValues
from firstmover.matches.round_log import RoundEvent
from firstmover.matches.schedule import DueRound, Schedule
from firstmover.matches.value_schema import GameTypes, Responses, Types
from firstmover.matches.what_if import WhatIf

SECONDS = 150.0  # timeout of a call: a writer may wait two minutes for other writers
SILENT_SECONDS = 40.0  # timeout of a stream without an event: the service sends a heartbeat every 15 s
PAGE = 1000  # rounds per call

KINDS: Mapping[str, Callable[[str], FirstmoverError]] = {
    "damaged": DamagedStore,
    "busy": StoreUnavailable,
    "internal": StoreUnavailable,
}
"""Exceptions of the kinds of errors; a conflict is a Conflict, all others are InvalidInput."""


class Client:
    """The service at an address; `open` and `create` return a match with the methods of `firstmover.Match`.

    Parameters
    ----------
    address
        Such as http://127.0.0.1:8642; the address that `firstmover serve` prints contains a token.
    token
        As `firstmover token new` printed it; None: that of the address.

    Raises
    ------
    InvalidInput
        If the address or the token is malformed.

    Examples
    --------
    >>> from firstmover.service.client import Client
    >>> Client("127.0.0.1:8642", token="secret")
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: address is '127.0.0.1:8642': give one such as http://127.0.0.1:8642.
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        place, _, printed = str(address).partition("#token=")
        secret = str(token or printed).strip()
        if not place.startswith(("http://", "https://")):
            raise InvalidInput(f"address is {place!r}: give one such as http://127.0.0.1:8642.")
        if not (secret and secret.isascii() and secret.isprintable()):
            raise InvalidInput("The token is missing or malformed: give it as firstmover token new printed it.")
        self._http = httpx.Client(
            base_url=f"{place.rstrip('/')}/v1",
            headers={"authorization": f"Bearer {secret}"},
            timeout=SECONDS,
            verify=place.startswith("https://"),  # loading certificates takes long
        )

    def matches(self, *, archived: bool = False) -> list[dict[str, Any]]:
        """Return the matches of the store, archived ones only if wanted: name, kind, rounds by status, archived."""
        found: list[dict[str, Any]] = self.call("GET", "/matches", archived=archived)["matches"]
        return found

    def template(self, name: str) -> str:
        """Return the commented TOML of a template."""
        return str(self.call("GET", f"/templates/{_segment('template', name)}")["toml"])

    def create(self, name: str, config: Mapping[str, Any] | str) -> "RemoteMatch":
        """Create a match from a configuration or its TOML; idempotent.

        Parameters
        ----------
        name
            Of the match.
        config
            A table of fields, or TOML.

        Returns
        -------
        RemoteMatch
            The match.

        Raises
        ------
        InvalidInput
            If the configuration is invalid.
        Conflict
            If the store has another match of this name.
        """
        body = {"toml": config} if isinstance(config, str) else {"config": config}
        self.call("PUT", f"/matches/{_segment('match', name)}", body)
        return RemoteMatch(self, name)

    def open(self, name: str) -> "RemoteMatch":
        """Return a match that exists."""
        match = RemoteMatch(self, name)
        match.describe()
        return match

    def call(self, method: str, path: str, body: object = None, **query: Any) -> Any:
        """Return the JSON of a response; raise the exception of an error."""
        return self.fetch(method, path, body, **query).json()

    def fetch(self, method: str, path: str, body: object = None, **query: Any) -> httpx.Response:
        """Return a response; raise the exception of an error."""
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        try:
            response = self._http.request(method, path, json=body, params=_given(**given))
        except httpx.TransportError as error:
            raise self._unreachable(error) from None
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"The call cannot be sent as JSON: {error}.") from None
        if response.is_error:
            raise _exception(response)
        return response

    def _unreachable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"The service at {self._http.base_url.netloc.decode()} does not answer "
            f"({type(error).__name__}): repeat the call when it does, nothing is recorded twice."
        )

    def listen(self, path: str, patience: float) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream; reconnect until the service was unreachable for `patience` seconds.

        Parameters
        ----------
        path
            Of the stream.
        patience
            Seconds.
        """
        last = monotonic()
        timeout = httpx.Timeout(SECONDS, read=SILENT_SECONDS)
        while True:
            try:
                with self._http.stream("GET", path, timeout=timeout) as response:
                    if response.is_error:
                        response.read()
                        raise _exception(response)
                    for line in response.iter_lines():
                        last = monotonic()
                        if line.startswith("data: "):
                            yield json.loads(line.removeprefix("data: "))
            except (httpx.TransportError, StoreUnavailable) as error:
                if monotonic() - last > patience:
                    raise self._unreachable(error) from None
            sleep(min(1.0, patience / 10))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _segment(what: str, name: str) -> str:
    """Return a name as a segment of a path; `.` and `..` would lead elsewhere."""
    if name in (".", ".."):
        raise InvalidInput(f"{what} is {name!r}: no {what} has this name, so give another.")
    return quote(checked_name(what, name), safe="")


def _exception(response: httpx.Response) -> FirstmoverError:
    """Return the exception that the library would have raised."""
    try:
        problem = response.json()
        kind, sentence = str(problem["type"]).rpartition(":")[2], str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return StoreUnavailable(f"The service answered {response.status_code} without a message: retry later.")
    if kind == "conflict":
        return Conflict(sentence, problem.get("recorded"), problem.get("given"))
    return KINDS.get(kind, InvalidInput)(sentence)


def _given(**values: object) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _plain(action: Any) -> Any:
    """An action as JSON has it: indices may come from NumPy."""
    return int(action) if isinstance(action, np.integer) else action


def _actions(name: str, given: Any) -> list[Any]:
    """Actions by label or index; one alone is refused as the library refuses it."""
    if isinstance(given, str | int):
        raise InvalidInput(f"{name} is {shown(given)}: give a list of actions.")
    return [_plain(action) for action in given]


class RemoteMatch:
    """A match of a service, with the methods of `firstmover.Match`."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self._path = f"/matches/{_segment('match', name)}"

    def rename(self, name: str) -> bool:
        """Give the match another name; return whether it is new."""
        new = checked_match_name(name)
        done = bool(self.client.call("PUT", f"{self._path}/name", {"name": new})["new"])
        self.name, self._path = new, f"/matches/{_segment('match', new)}"
        return done

    def set_schedule(self, schedule: Mapping[str, Any] | Schedule | None) -> bool:
        """Set when rounds are due, or None for no schedule; it reminds and never asks. Return whether it is new."""
        given = schedule.model_dump() if isinstance(schedule, Schedule) else schedule
        return bool(self.client.call("PUT", f"{self._path}/schedule", {"schedule": given})["new"])

    def due(self) -> DueRound | None:
        """When the next round is due by the schedule; None if there is none."""
        fields = self.client.call("GET", f"{self._path}/schedule")["due"]
        return None if fields is None else DueRound(**fields)

    def archive(self) -> bool:
        """End the match: it is no longer listed and records nothing until `unarchive`. Return whether it was new."""
        return bool(self.client.call("PUT", f"{self._path}/archived", {"archived": True})["new"])

    def unarchive(self) -> bool:
        """Let an archived match go on; return whether it was archived."""
        return bool(self.client.call("PUT", f"{self._path}/archived", {"archived": False})["new"])

    def delete(self, *, confirm: str, export: str | Path) -> None:
        """Delete the match and all its events, after its journal was written to a new file."""
        path = Path(export)
        if path.exists() or path.suffix.lower() != ".json":
            raise InvalidInput(f"export is {str(path)!r}: name a new file that ends in .json.")
        content = self.export("journal", "json")
        with atomic_file(path, mode=0o600) as file:
            file.write(content)
        try:
            self.client.call("DELETE", self._path, confirm=confirm, head=json.loads(content)[-1]["hash"])
        except (InvalidInput, Conflict):
            path.unlink()
            raise

    def _round(self, round_id: str) -> str:
        return f"{self._path}/rounds/{_segment('round', round_id)}"

    def describe(self) -> dict[str, Any]:
        """Return actions, features, types, responses, reward and configuration."""
        found: dict[str, Any] = self.client.call("GET", self._path)
        return found

    @cached_property
    def _schemas(self) -> dict[str, Types | GameTypes | Responses]:
        """The library's own readers of types and responses, for values without names."""
        about = self.describe()
        responses = Responses(tuple(ResponseSpec.model_validate(each) for each in about["responses"]))
        if (specs := about["config"]["types"]) is not None:
            types = Types(tuple(TypeSpec.model_validate(each) for each in specs))
            return {"type": types, "rest": types.rest, "context": types.context, "response": responses}
        levels = about["types"][0]["levels"] if about["types"] else None  # of known types only the number matters
        numbered = GameTypes(None if levels is None else np.zeros((len(levels), 1)))
        return {"type": numbered, "rest": numbered, "context": Types((), "context"), "response": responses}

    def _named(self, kind: str, value: object) -> dict[str, Any]:
        if kind in ("type", "rest") and value is None:
            return {}  # of a commitment, or where the context is the whole type
        if isinstance(value, Mapping):
            return dict(value)
        try:
            return self._schemas[kind].read(value)
        except InvalidInput:
            del self._schemas  # another client may have added levels: read them again
            return self._schemas[kind].read(value)

    def _observed(self, opponent_type: object, response: object, kind: str = "rest") -> dict[str, Any]:
        return {"opponent_type": self._named(kind, opponent_type), "response": self._named("response", response)}

    def _row(self, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        try:
            named = {kind: self._named(kind, row[kind]) for kind in ("type", "response") if row.get(kind) is not None}
            return {**row, **named}
        except InvalidInput as error:
            raise InvalidInput(f"row {number}: {error}") from None

    def ask(
        self,
        round_id: str | None = None,
        *,
        context: object = None,
        allowed: Iterable[str | int] | None = None,
        without: Iterable[str | int] | None = None,
    ) -> Decision:
        """Return the action of a round, the same one when repeated; without an id of the pending or the next round."""
        masks = {name: _actions(name, given) for name, given in _given(allowed=allowed, without=without).items()}
        known = _given(context=None if context is None else self._named("context", context)) | masks
        path = f"{self._path}/ask" if round_id is None else self._round(round_id)
        fields = self.client.call("POST" if round_id is None else "PUT", path, known or None, strategy=True)
        return Decision(**fields | {"strategy": np.array(fields["strategy"])}).explained_by(self.explain)

    def tell(
        self,
        round_id: str,
        opponent_type: object,
        response: object,
        *,
        played: str | int | None = None,
        reason: str | None = None,
    ) -> bool:
        """Record the observation of a round, and the action that was played instead; return whether it was new."""
        body = self._observed(opponent_type, response) | _given(played=_plain(played), reason=reason)
        return bool(self.client.call("PUT", f"{self._round(round_id)}/outcome", body)["new"])

    def check(
        self, round_id: str, opponent_type: object, response: object, *, played: str | int | None = None
    ) -> OutcomeCheck:
        """Compare an outcome with its forecast, and question values that are far from it; nothing is recorded."""
        body = self._observed(opponent_type, response) | _given(played=_plain(played))
        return OutcomeCheck.from_dict(self.client.call("POST", f"{self._round(round_id)}/check", body))

    def void(self, round_id: str, reason: str) -> bool:
        """Declare that nothing will be observed in a round; return whether it was new."""
        return bool(self.client.call("PUT", f"{self._round(round_id)}/void", {"reason": reason})["new"])

    def correct(
        self,
        round_id: str,
        opponent_type: object = None,
        response: object = None,
        *,
        reason: str,
        played: str | int | None = None,
    ) -> bool:
        """Replace the observation of a round, or, without values, make the round void."""
        values = {} if opponent_type is None and response is None else self._observed(opponent_type, response)
        body = {**values, **_given(played=_plain(played)), "reason": reason}
        return bool(self.client.call("POST", f"{self._round(round_id)}/corrections", body)["new"])

    def record(
        self,
        action: str | int,
        opponent_type: object,
        response: object,
        *,
        record_id: str | None = None,
        reason: str | None = None,
    ) -> bool:
        """Record an observation that nobody had asked for; with an id idempotent. Return whether it was new."""
        body = {"action": _plain(action), **self._observed(opponent_type, response, "type"), **_given(reason=reason)}
        name = uuid4().hex if record_id is None else _segment("record", record_id)
        return bool(self.client.call("PUT", f"{self._path}/records/{name}", body)["new"])

    def import_history(
        self,
        rows: Any,
        source: str = "",
        *,
        again: bool = False,
        columns: Mapping[str, str] | None = None,
        decimal: str | None = None,
    ) -> Imported:
        """Import rows with action, type and response, a frame, or a file; see `firstmover.Match.import_history`."""
        if isinstance(rows, Path):
            source = source or rows.name
        stated = {"columns": None if columns is None else dict(columns), "decimal": decimal}
        body = {**self._history(rows), "source": source, "again": again, **stated}
        found = self.client.call("POST", f"{self._path}/history", body)
        return Imported(**found | {"ignored": tuple(found["ignored"])})

    def _history(self, rows: Any) -> dict[str, Any]:
        """Return what to send: the text of a file, or rows by name."""
        if isinstance(rows, Path) and rows.suffix.lower() == ".json":
            return {"records": read_records(rows)}
        if isinstance(rows, Path) and rows.suffix.lower() != ".parquet":
            return {"csv": csv_text(rows)}
        given = table_or_rows(rows)
        if isinstance(given, Table):
            return {"records": records_of(given)}
        found = checked_rows(given)
        if any("response" in row for row in found):
            return {"rows": [self._row(number, row) for number, row in enumerate(found, start=1)]}
        return {"records": found}

    def add_actions(self, rows: object, *, reason: str | None = None) -> bool:
        """Append actions to the menu, each a row with the columns of the menu; return whether any was new."""
        given = list(rows) if isinstance(rows, Iterable) and not isinstance(rows, str | Mapping) else rows
        plain = [dict(row) if isinstance(row, Mapping) else row for row in given] if isinstance(given, list) else given
        return self._change("POST", "actions", reason, rows=plain)

    def retire(self, action: str | int, *, reason: str | None = None) -> bool:
        """Take an action out of all rounds to come; return whether it was new."""
        return self._change("PUT", "retired", reason, action=_plain(action), retired=True)

    def unretire(self, action: str | int, *, reason: str | None = None) -> bool:
        """Let a retired action be played again; return whether it was retired."""
        return self._change("PUT", "retired", reason, action=_plain(action), retired=False)

    def set_reward(self, reward: object, *, reason: str | None = None) -> bool:
        """Define the reward as in a configuration; return whether it is another one."""
        given = reward.model_dump(mode="json") if isinstance(reward, RewardSpec) else reward
        return self._change("PUT", "reward", reason, reward=dict(given) if isinstance(given, Mapping) else given)

    def add_levels(self, name: str, levels: Sequence[str] | Mapping[str, float], *, reason: str | None = None) -> bool:
        """Append levels to a type, with numbers if its levels have them; return whether any was new."""
        given: object = dict(levels) if isinstance(levels, Mapping) else levels
        if isinstance(levels, Iterable) and not isinstance(levels, str | Mapping):
            given = list(levels)
        return self._change("POST", "levels", reason, type=name, levels=given)

    def _change(self, method: str, what: str, reason: str | None, **body: Any) -> bool:
        new = bool(self.client.call(method, f"{self._path}/{what}", {**body, **_given(reason=reason)})["new"])
        self.__dict__.pop("_schemas", None)  # types may have other levels
        return new

    def change_log(self) -> list[LoggedChange]:
        """Return the changes of the menu, the reward and the types so far, the first one first."""
        found = self.client.call("GET", f"{self._path}/changes")["changes"]
        return [LoggedChange(**change) for change in found]

    def history(self) -> list[MatchRound]:
        """Return all rounds, in the order in which they were asked."""
        rounds: list[MatchRound] = []
        while True:
            page = self.client.call("GET", f"{self._path}/rounds", offset=len(rounds), limit=PAGE)
            rounds += [MatchRound.from_dict(fields) for fields in page["rounds"]]
            if len(rounds) >= page["total"] or not page["rounds"]:
                return rounds

    def round(self, round_id: str) -> MatchRound:
        """Return one round."""
        return MatchRound.from_dict(self.client.call("GET", self._round(round_id)))

    def explain(self, round_id: str | None = None) -> Explanation:
        """Return why the action of a pending round was advised; without an id, of the one that was asked last."""
        fields = self.client.call("GET", f"{self._path}/explanation", round=round_id)
        del fields["lines"]
        return Explanation.from_dict(fields)

    def what_if(self, action: str | int, context: object = None) -> WhatIf:
        """Return what is expected if an action is played now, in a context, and how that compares with the advice."""
        known = _given(context=None if context is None else self._named("context", context))
        fields = self.client.call("POST", f"{self._path}/what-if", {"action": _plain(action)} | known)
        del fields["lines"]
        return WhatIf.from_dict(fields)

    def round_log(self, round_id: str) -> tuple[RoundEvent, ...]:
        """The events of a round, the first one first: what was done, when, by whom and why."""
        log = self.client.call("GET", f"{self._round(round_id)}/log")["log"]
        return tuple(RoundEvent(*(fields[name] for name in RoundEvent._fields)) for fields in log)

    def certificate(self) -> MatchCertificate:
        """Return a bound on what the told rounds lost against the best fixed action."""
        fields = self.client.call("GET", f"{self._path}/certificate")
        del fields["lines"]
        return MatchCertificate(**fields | {"remarks": tuple(fields["remarks"])})

    def evaluate(
        self,
        policies: Iterable[str | int] = ("played",),
        *,
        learners: Iterable[str] = (),
        reward: str | None = None,
        seed: int = 0,
    ) -> PolicyValues:
        """Return what actions by label, policies and learners by name would have earned; `reward` is a sentence."""
        named = [str(each) for each in policies]
        asked = {"policies": named, "learners": list(learners), "reward": reward, "seed": seed}
        fields = self.client.call("POST", f"{self._path}/evaluation", asked)
        rows = tuple(PolicyValue(**each) for each in fields["policies"])
        return PolicyValues(fields["rounds"], fields["propensities"], fields["earned"], rows)

    def status(self) -> Health:
        """Return the status of the match."""
        fields = self.client.call("GET", f"{self._path}/status")
        del fields["lines"]
        alarms = tuple(Alarm(**alarm) for alarm in fields.pop("alarms"))
        lists = {name: tuple(fields[name]) for name in ("pending", "cautions", "rules")}
        return Health(**fields | lists, alarms=alarms)

    def verify(self, *, head: str | None = None) -> Verification:
        """Check the file, the chain of hashes, every decision by a full replay, and that `head` is in the chain."""
        return Verification(**self.client.call("POST", f"{self._path}/verify", head=head))

    def replay(self, events: int | None = None) -> dict[str, Any]:
        """Return the state after all events, or after the first ones: its hash, and p_t."""
        found: dict[str, Any] = self.client.call("GET", f"{self._path}/replay", events=events)
        return found

    def export(self, form: Literal["rounds", "journal"] = "rounds", kind: Literal["csv", "json"] = "csv") -> bytes:
        """Return the rounds, or the whole journal, as a file."""
        return self.client.fetch("GET", f"{self._path}/export", form=form, format=kind).content

    def changes(self, patience: float = 60.0) -> Iterator[int]:
        """Yield the number of the last event, at once and after each change; survive restarts of the service."""
        seen = -1
        for event in self.client.listen(f"{self._path}/events", patience):
            if event.get("sequence", seen) != seen:
                seen = event["sequence"]
                yield seen
