"""A match played over HTTP as if it were here: the same calls, the same records, the same exceptions."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx
import numpy as np

from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable
from firstmover.matches import Decision, Health, MatchRound, Verification
from firstmover.matches.commands import checked_name
from firstmover.matches.csv_reader import numbered
from firstmover.service.unnamed_values import Readers, readers

SECONDS = 150.0
"""How long a call may take: a writer may wait two minutes for others."""

QUIET_SECONDS = 40.0
"""A stream that says nothing for so long is gone: the service says something every 15 s."""

PAGE = 1000
"""Rounds that are fetched at once."""

KINDS: Mapping[str, Callable[[str], FirstmoverError]] = {
    "damaged": DamagedStore,
    "busy": StoreUnavailable,
    "internal": StoreUnavailable,
}
"""Refusals that are not of bad input, beside conflicts."""


class Client:
    """The service at an address, such as http://127.0.0.1:8642, with a token of `firstmover token new`.

    The address that `firstmover serve` prints has a token in it.
    """

    def __init__(self, address: str, token: str | None = None, *, transport: httpx.BaseTransport | None = None) -> None:
        place, _, printed = str(address).partition("#token=")
        secret = str(token or printed).strip()
        if not place.startswith(("http://", "https://")):
            raise InvalidInput(f"address is {place!r}: give one such as http://127.0.0.1:8642.")
        if not (secret and secret.isascii() and secret.isprintable()):
            raise InvalidInput("The token is none: give it as firstmover token new printed it.")
        self._http = httpx.Client(
            base_url=f"{place.rstrip('/')}/api",
            headers={"authorization": f"Bearer {secret}"},
            timeout=SECONDS,
            transport=transport,
            verify=place.startswith("https://"),  # where nothing is encrypted, no certificates are loaded either
        )

    def matches(self) -> list[dict[str, Any]]:
        """All matches of the store: name, kind, asked, told, pending and void."""
        found: list[dict[str, Any]] = self.call("GET", "/matches")["matches"]
        return found

    def template(self, name: str) -> str:
        """The commented TOML of a template."""
        return str(self.call("GET", f"/templates/{_part('template', name)}")["toml"])

    def create(self, name: str, config: Mapping[str, Any] | str) -> "RemoteMatch":
        """Begin a match by a configuration or its TOML; the same again gives the match that there is."""
        body = {"toml": config} if isinstance(config, str) else {"config": config}
        self.call("PUT", f"/matches/{_part('match', name)}", body)
        return RemoteMatch(self, name)

    def open(self, name: str) -> "RemoteMatch":
        """A match that exists."""
        match = RemoteMatch(self, name)
        match.setting()
        return match

    def call(self, method: str, path: str, body: object = None, **query: Any) -> Any:
        """The JSON that a call answers with; what it refuses is raised."""
        return self.fetched(method, path, body, **query).json()

    def fetched(self, method: str, path: str, body: object = None, **query: Any) -> httpx.Response:
        """The answer itself."""
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        try:
            answer = self._http.request(
                method, path, json=body, params={k: v for k, v in given.items() if v is not None}
            )
        except httpx.TransportError as error:
            raise self._gone(error) from None
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"The call cannot be sent as JSON: {error}.") from None
        if answer.is_error:
            raise _refusal(answer)
        return answer

    def _gone(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"The service at {self._http.base_url.netloc.decode()} does not answer "
            f"({type(error).__name__}): repeat the call when it does, nothing is recorded twice."
        )

    def listen(self, path: str, patience: float) -> Iterator[dict[str, Any]]:
        """What a stream says, connected anew when it breaks, until there was no service for `patience` seconds."""
        last = monotonic()
        while True:
            try:
                with self._http.stream("GET", path, timeout=httpx.Timeout(SECONDS, read=QUIET_SECONDS)) as answer:
                    if answer.is_error:
                        answer.read()
                        raise _refusal(answer)
                    for line in answer.iter_lines():
                        last = monotonic()
                        if line.startswith("data: "):
                            yield json.loads(line.removeprefix("data: "))
            except (httpx.TransportError, StoreUnavailable) as error:
                if monotonic() - last > patience:
                    raise self._gone(error) from None
            sleep(min(1.0, patience / 10))

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()


def _part(what: str, name: str) -> str:
    """A name as a part of a path; those that would lead elsewhere are none."""
    if name in (".", ".."):
        raise InvalidInput(f"{what} is {name!r}: no {what} has this name, so give another.")
    return quote(checked_name(what, name), safe="")


def _refusal(answer: httpx.Response) -> FirstmoverError:
    """The exception that the library itself would have raised."""
    try:
        error = answer.json()["error"]
        kind, sentence = str(error["kind"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        return StoreUnavailable(f"The service answers {answer.status_code} without a word: repeat the call by and by.")
    if kind == "conflict":
        return Conflict(sentence, error["recorded"], error["given"])
    return KINDS.get(kind, InvalidInput)(sentence)


class RemoteMatch:
    """One match of a service; see `firstmover.Match`, whose calls these are."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self._path = f"/matches/{_part('match', name)}"

    def _round(self, round_id: str) -> str:
        return f"{self._path}/rounds/{_part('round', round_id)}"

    @cached_property
    def _readers(self) -> Readers:
        """Asked for once: what a match is about never changes."""
        return readers(self.setting())

    def _named(self, kind: str, value: object) -> dict[str, Any]:
        """A type or a response by name: what has names is left to the service."""
        return dict(value) if isinstance(value, Mapping) else self._readers[kind].read(value)

    def _row(self, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {**row, **{kind: self._named(kind, row[kind]) for kind in ("type", "response") if kind in row}}
        except InvalidInput as error:
            raise InvalidInput(f"row {number}: {error}") from None

    def setting(self) -> dict[str, Any]:
        """What the match is about: actions, features, types, responses, reward, config."""
        found: dict[str, Any] = self.client.call("GET", self._path)
        return found

    def ask(self, round_id: str | None = None) -> Decision:
        """The action of a round; asked again, the same one. Without an id: that of the one that waits, or the next."""
        if round_id is None:
            fields = self.client.call("POST", f"{self._path}/ask", strategy=True)
        else:
            fields = self.client.call("PUT", self._round(round_id), strategy=True)
        return Decision(**fields | {"strategy": np.array(fields["strategy"])})

    def tell(self, round_id: str, opponent_type: object, response: object) -> bool:
        """Record what happened in a round, once; whether it was new."""
        body = {"opponent_type": self._named("type", opponent_type), "response": self._named("response", response)}
        return bool(self.client.call("PUT", f"{self._round(round_id)}/outcome", body)["new"])

    def void(self, round_id: str, reason: str) -> bool:
        """Declare that nothing will be told of a round; whether it was new."""
        return bool(self.client.call("PUT", f"{self._round(round_id)}/void", {"reason": reason})["new"])

    def correct(self, round_id: str, opponent_type: object = None, response: object = None, *, reason: str) -> bool:
        """Replace what was told of a round, or, without values, declare it void."""
        body: dict[str, Any] = {"reason": reason}
        if opponent_type is not None or response is not None:
            body |= {"opponent_type": self._named("type", opponent_type), "response": self._named("response", response)}
        return bool(self.client.call("POST", f"{self._round(round_id)}/corrections", body)["new"])

    def import_history(self, rows: Iterable[Mapping[str, Any]], source: str = "", *, again: bool = False) -> int:
        """Take in rows with action, type and response; how many were new."""
        given = [self._row(number, row) for number, row in numbered(rows)]
        body = {"rows": given, "source": source, "again": again}
        return int(self.client.call("POST", f"{self._path}/history", body)["new"])

    def history(self) -> list[MatchRound]:
        """All rounds, in the order in which they were asked."""
        rounds: list[MatchRound] = []
        while True:
            page = self.client.call("GET", f"{self._path}/rounds", offset=len(rounds), limit=PAGE)
            rounds += [MatchRound.from_dict(fields) for fields in page["rounds"]]
            if len(rounds) >= page["total"] or not page["rounds"]:
                return rounds

    def round(self, round_id: str) -> MatchRound:
        """One round."""
        return MatchRound.from_dict(self.client.call("GET", self._round(round_id)))

    def status(self) -> Health:
        """How the match is doing."""
        fields = self.client.call("GET", f"{self._path}/status")
        del fields["lines"]
        return Health(**fields | {name: tuple(fields[name]) for name in ("pending", "cautions")})

    def verify(self) -> Verification:
        """Check the file, the chain, and by a full replay every decision."""
        return Verification(**self.client.call("POST", f"{self._path}/verify"))

    def replay(self, events: int | None = None) -> dict[str, Any]:
        """The state that all events, or the first ones, amount to: its hash, and p_t."""
        found: dict[str, Any] = self.client.call("GET", f"{self._path}/replay", events=events)
        return found

    def export(self, form: Literal["rounds", "journal"] = "rounds", kind: Literal["csv", "json"] = "csv") -> bytes:
        """The rounds, or the whole journal, as a file."""
        return self.client.fetched("GET", f"{self._path}/export", form=form, format=kind).content

    def changes(self, patience: float = 60.0) -> Iterator[int]:
        """The number of the last event, at once and after each change; a service that restarts is waited for."""
        told = -1
        for said in self.client.listen(f"{self._path}/events", patience):
            if said.get("sequence", told) != told:
                told = said["sequence"]
                yield told
