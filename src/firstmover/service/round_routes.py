"""Routes of rounds: ask, tell, void, correct, record, import, list, export, verify and replay; all idempotent."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from firstmover.core.errors import InvalidInput
from firstmover.matches import Imported, Journal, Match, State, Verification, state_hash
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.files import event_line, rounds_table
from firstmover.matches.formula_cells import csv_bytes
from firstmover.matches.round_log import RoundEvent
from firstmover.matches.rounds import MatchRound
from firstmover.matches.rounds import Status as RoundStatus
from firstmover.matches.verification import verified
from firstmover.service.dependencies import (
    Actor,
    Caller,
    Count,
    Flag,
    Limit,
    Live,
    Matches,
    Offset,
    Player,
    RecordId,
    RoundId,
    TokenFile,
    plays,
)
from firstmover.service.errors import Forbidden, NotFound
from firstmover.service.events import Listeners
from firstmover.service.match_pool import PooledMatch
from firstmover.service.models import (
    WITH_BODY,
    ActionOfRound,
    Asked,
    Checked,
    Correction,
    Documented,
    Expected,
    History,
    LoggedRounds,
    Loss,
    New,
    Observation,
    Outcome,
    PolicyEstimates,
    PolicyQuestion,
    Recorded,
    Replayed,
    Round,
    RoundList,
    RoundLog,
    Status,
    Supposed,
    Void,
    Why,
    errors,
    links,
)
from firstmover.service.tokens import Role

router = APIRouter(tags=["rounds"])

NEXT = links("tell", "void", "show_round", "correct", round="$response.body#/round_id")
ASKED: Documented = {200: {"links": NEXT}, 201: {"model": ActionOfRound, "links": NEXT}, **errors(409), **WITH_BODY}
RECORDED: Documented = {201: {"model": Recorded}, **errors(409), **WITH_BODY}
FILE: Documented = {200: {"content": {"text/csv": {}, "application/json": {}}, "description": "the file"}}
STREAM: Documented = {200: {"content": {"text/event-stream": {}}, "description": "changed, with the event's number"}}
WantedStatus = Annotated[RoundStatus | None, Query(description="Only rounds of this status.")]
Search = Annotated[str, Query(max_length=80, description="Only rounds with this text in their id, action or reason.")]
WithStrategy = Annotated[Flag, Query(alias="strategy", description="Whether to return p_t of all actions as well.")]


@router.post("/matches/{match}/ask", responses=ASKED)
async def ask_next(
    live: Live, actor: Actor, response: Response, strategy: WithStrategy = False, body: Asked | None = None
) -> ActionOfRound:
    """The action of the pending round, or else of the next one by number."""
    return await _ask(live, None, body, actor=actor, response=response, strategy=strategy)


@router.put("/matches/{match}/rounds/{round}", responses=ASKED)
async def ask(  # noqa: PLR0917 - what FastAPI passes
    live: Live,
    round_id: RoundId,
    actor: Actor,
    response: Response,
    strategy: WithStrategy = False,
    body: Asked | None = None,
) -> ActionOfRound:
    """The action of a round; a repeated ask returns the same action, and another context or mask is a conflict."""
    return await _ask(live, round_id, body, actor=actor, response=response, strategy=strategy)


async def _ask(
    live: PooledMatch, round_id: str | None, body: Asked | None, *, actor: str, response: Response, strategy: bool
) -> ActionOfRound:
    known = (body or Asked()).model_dump()

    def decide(match: Match) -> tuple[bool, ActionOfRound]:
        before = set(match.state().rounds) if round_id is None else {round_id} & match.state().rounds.keys()
        decision = match.ask(round_id, **known)
        fields = vars(decision) | {"strategy": decision.strategy.tolist() if strategy else None}
        return decision.round_id not in before, ActionOfRound(**fields)

    new, action = await live.run(decide, actor)
    response.status_code = 201 if new else 200
    return action


@router.put("/matches/{match}/rounds/{round}/outcome", response_model=Recorded, responses=RECORDED)
async def tell(live: Live, round_id: RoundId, body: Outcome, actor: Actor, response: Response) -> dict[str, Any]:
    """Record what was observed; other values than the recorded ones are a conflict."""

    def change(match: Match) -> bool:
        values = _numbers_or_level(match, body.response)
        return match.tell(round_id, body.opponent_type, values, played=body.played, reason=body.reason)

    return await _record(live, round_id, actor, response, change)


@router.post("/matches/{match}/rounds/{round}/check", response_model=Checked, responses=WITH_BODY)
async def check(live: Live, round_id: RoundId, _: Player, body: Outcome) -> dict[str, Any]:
    """Compare an outcome with its forecast, and question values that are far from it; nothing is recorded."""

    def compare(match: Match) -> dict[str, Any]:
        round_of(match, round_id)
        values = _numbers_or_level(match, body.response)
        return match.check(round_id, body.opponent_type, values, played=body.played).as_dict()

    return await live.run(compare)


@router.put("/matches/{match}/rounds/{round}/void", response_model=Recorded, responses=RECORDED)
async def void(live: Live, round_id: RoundId, body: Void, actor: Actor, response: Response) -> dict[str, Any]:
    """Declare that nothing will be observed in a round."""
    return await _record(live, round_id, actor, response, lambda match: match.void(round_id, body.reason))


@router.post("/matches/{match}/rounds/{round}/corrections", response_model=Recorded, responses=RECORDED)
async def correct(live: Live, round_id: RoundId, body: Correction, actor: Actor, response: Response) -> dict[str, Any]:
    """Replace the observation of a round, or make the round void; the old values stay on record."""

    def change(match: Match) -> bool:
        values = _numbers_or_level(match, body.response)
        return match.correct(round_id, body.opponent_type, values, reason=body.reason, played=body.played)

    return await _record(live, round_id, actor, response, change)


def _numbers_or_level(match: Match, response: dict[str, float | str] | None) -> dict[str, float | str] | None:
    """Return responses of a request; raise InvalidInput for a number that is given as text."""
    for name, value in (response or {}).items():
        if isinstance(value, str) and match.setting.responses.levels is None:
            raise InvalidInput(f"response.{name} is {value!r}: it should be a valid number.")
    return response


async def _record(
    live: PooledMatch, round_id: str, actor: str, response: Response, change: Callable[[Match], bool]
) -> dict[str, Any]:
    def record(match: Match) -> dict[str, Any]:
        round_of(match, round_id)
        return {"new": change(match), "round": round_of(match, round_id)}

    recorded = await live.run(record, actor)
    response.status_code = 201 if recorded["new"] else 200
    return recorded


def round_of(match: Match, round_id: str, *, hide_pending: bool = False) -> dict[str, Any]:
    """Return a round that was asked; others do not exist."""
    state = match.state()
    if round_id not in state.rounds:
        waiting = ", ".join(repr(name) for name in list(state.pending)[:5]) or "none"
        raise NotFound(f"round {round_id!r} was never asked: ask for it first, or name a pending one ({waiting}).")
    return state.shown(state.rounds[round_id], hide_pending=hide_pending).as_dict()


@router.put("/matches/{match}/records/{record}", responses={201: {"model": New}, **errors(409), **WITH_BODY})
async def record(live: Live, record_id: RecordId, body: Observation, actor: Actor, response: Response) -> New:
    """Record an observation that nobody had asked for: it updates the belief, never the strategy."""

    def change(match: Match) -> bool:
        values = _numbers_or_level(match, body.response)
        return match.record(body.action, body.opponent_type, values, record_id=record_id, reason=body.reason)

    new = await live.run(change, actor)
    response.status_code = 201 if new else 200
    return New(new=new)


@router.post("/matches/{match}/history", responses=WITH_BODY)
async def import_history(live: Live, body: History, actor: Actor) -> Imported:
    """Import observations made outside of the match: they update the belief, never the strategy.

    Rows that are on record are skipped, unless they were observed `again`. The match remembers `columns` and `decimal`.
    """
    if sum(given is not None for given in (body.rows, body.csv, body.records)) != 1:
        raise InvalidInput("The body has none of rows, csv and records, or several: give one of them.")

    def record(match: Match) -> Imported:
        rows = [row.model_dump(exclude_unset=True) for row in body.rows or ()]
        for row in rows:
            row["response"] = _numbers_or_level(match, row["response"])
        given = body.records or rows if body.csv is None else read_csv(body.csv, f"file {body.source!r}")
        return match.import_history(given, body.source, again=body.again, columns=body.columns, decimal=body.decimal)

    return await live.run(record, actor)


@router.get("/matches/{match}/rounds", response_model=RoundList)
async def list_rounds(  # noqa: PLR0917 - one parameter per filter
    live: Live,
    caller: Caller,
    offset: Offset = 0,
    limit: Limit = 100,
    newest: Flag = False,
    status: WantedStatus = None,
    search: Search = "",
) -> dict[str, Any]:
    """Rounds in the order in which they were asked, or the newest first; `total` counts those that fit the filters."""

    def read(match: Match) -> dict[str, Any]:
        state = match.state()
        found = selected(state, newest=newest, status=status, search=search, reveal=plays(caller))
        rounds = [state.shown(played, hide_pending=not plays(caller)).as_dict() for played in found[offset:][:limit]]
        return {"rounds": rounds, "total": len(found)}

    return await live.run(read)


@router.get("/matches/{match}/views/rounds", tags=["views"], response_model=LoggedRounds)
async def show_rounds(  # noqa: PLR0917 - one parameter per filter
    live: Live,
    caller: Caller,
    tokens: TokenFile,
    offset: Offset = 0,
    limit: Limit = 100,
    newest: Flag = False,
    status: WantedStatus = None,
    search: Search = "",
) -> dict[str, Any]:
    """Rounds as `list_rounds` selects them, each with who did what and why."""
    roles = await anyio.to_thread.run_sync(tokens.roles)

    def read(match: Match) -> dict[str, Any]:
        state = match.state()
        found = selected(state, newest=newest, status=status, search=search, reveal=plays(caller))
        chosen = found[offset:][:limit]
        logs = match.round_logs(played.round_id for played in chosen)
        rows = [
            {
                "round": state.shown(played, hide_pending=not plays(caller)).as_dict(),
                "log": _log(logs[played.round_id], roles),
            }
            for played in chosen
        ]
        return {"rows": rows, "total": len(found)}

    return await live.run(read)


def selected(state: State, *, newest: bool, status: RoundStatus | None, search: str, reveal: bool) -> list[MatchRound]:
    """Return the rounds that fit the filters, in the order of asks or the newest first."""
    found = list(state.rounds.values())[:: -1 if newest else 1]
    if status is not None:
        found = [played for played in found if played.status == status]
    if search:
        found = [played for played in found if _has(state, played, search.casefold(), reveal=reveal)]
    return found


def _has(state: State, played: MatchRound, text: str, *, reveal: bool) -> bool:
    """Whether a round has a text in its id, its reason or, unless it is hidden, the name of its action."""
    labels = state.setting.menu.labels
    actions = (played.action, played.played) if reveal or played.status != "pending" else ()
    words = [played.round_id, played.reason, *(labels[action] for action in actions if action is not None)]
    return any(text in word.casefold() for word in words)


@router.get("/matches/{match}/rounds/{round}", response_model=Round)
async def show_round(live: Live, round_id: RoundId, caller: Caller) -> dict[str, Any]:
    """One round."""
    return await live.run(lambda match: round_of(match, round_id, hide_pending=not plays(caller)))


@router.get("/matches/{match}/rounds/{round}/log", response_model=RoundLog)
async def round_log(live: Live, round_id: RoundId, tokens: TokenFile) -> dict[str, Any]:
    """Who did what in a round, when and why; the same for all roles, since the advised action is in no field."""
    roles = await anyio.to_thread.run_sync(tokens.roles)
    return {"log": _log(await live.run(lambda match: match.round_log(round_id)), roles)}


def _log(events: Iterable[RoundEvent], roles: Mapping[str, Role]) -> list[dict[str, Any]]:
    return [event._asdict() | {"role": roles.get(event.actor or "")} for event in events]


@router.get("/matches/{match}/status", response_model=Status)
async def status(live: Live, caller: Caller) -> dict[str, Any]:
    """The status of a match in figures and sentences; for readers, without actions that may be pending."""
    health = await live.run(lambda match: match.status())
    health = health if plays(caller) else health.for_reader()
    return {**health.as_dict(), "lines": health.lines()}


@router.get("/matches/{match}/certificate", response_model=Loss)
async def certificate(live: Live) -> dict[str, Any]:
    """At most how much the told rounds lost against the best fixed action."""
    found = await live.run(lambda match: match.certificate())
    return {**found.as_dict(), "lines": found.lines()}


@router.get("/matches/{match}/explanation", response_model=Why)
async def explain(
    live: Live, _: Player, round_id: Annotated[str | None, Query(alias="round", max_length=80)] = None
) -> dict[str, Any]:
    """Why the action of a pending round was advised, and which response would change the advice."""
    found = await live.run(lambda match: match.explain(round_id))
    return {**found.as_dict(), "lines": found.lines()}


@router.post("/matches/{match}/what-if", response_model=Expected, responses=WITH_BODY)
async def what_if(live: Live, _: Player, body: Supposed) -> dict[str, Any]:
    """What is expected if an action is played now, and how that compares with the advice; nothing is recorded."""
    found = await live.run(lambda match: match.what_if(body.action, body.context))
    return {**found.as_dict(), "lines": found.lines()}


@router.post("/matches/{match}/evaluation", response_model=PolicyEstimates, responses=WITH_BODY)
async def evaluate(live: Live, _: Player, body: PolicyQuestion) -> dict[str, Any]:
    """What other policies would have earned in the told rounds; nothing is recorded."""
    more: Any = {"learners": body.learners, "reward": body.reward, "seed": body.seed}
    found = await live.run(lambda match: match.evaluate(body.policies, **more))
    return {**found.as_dict(), "lines": found.lines()}


@router.get("/matches/{match}/events", response_class=StreamingResponse, responses=STREAM)
async def events(live: Live, request: Request) -> StreamingResponse:
    """`event: changed` at once and after each change; a comment every 15 s; the stream ends with its token."""
    listeners: Listeners = request.app.state.listeners
    return listeners.stream(live, request.scope["state"]["token_now"])


@router.get("/matches/{match}/export", response_class=Response, responses=FILE)
async def export(
    live: Live,
    caller: Caller,
    form: Annotated[Literal["rounds", "journal"], Query()] = "rounds",
    format: Annotated[Literal["csv", "json"], Query()] = "csv",
) -> Response:
    """The rounds as CSV or JSON; also the whole journal with its hashes as JSON, but not for readers."""
    headers = {"content-disposition": f'attachment; filename="{form}.{format}"'}
    if form == "rounds":
        content = await live.run(partial(_rounds_file, as_csv=format == "csv", hide_pending=not plays(caller)))
        return Response(content, media_type="text/csv" if format == "csv" else "application/json", headers=headers)
    if format == "csv":
        raise InvalidInput("format is 'csv': the journal is given as JSON, with form=journal&format=json.")
    if not plays(caller):
        raise Forbidden("This token only reads, and the journal has pending actions: export the rounds.")
    journal = await anyio.to_thread.run_sync(live.open_journal)
    return StreamingResponse(_journal_file(journal), media_type="application/json", headers=headers)


def _rounds_file(match: Match, *, as_csv: bool, hide_pending: bool) -> bytes:
    rounds = match.state().history(hide_pending=hide_pending)
    if as_csv:
        return csv_bytes(rounds_table(rounds, match.setting))
    return json.dumps([played.as_dict() for played in rounds]).encode()


def _journal_file(journal: Journal) -> Iterator[str]:
    """All events as one JSON list, read and sent in parts."""
    with closing(journal):
        before = "[\n"
        for event in journal.read():
            yield before + json.dumps(event_line(event))
            before = ",\n"
        yield "\n]\n"


@router.post("/matches/{match}/verify", responses={**errors(409), **WITH_BODY})
async def verify(
    live: Live, matches: Matches, _: Player, head: Annotated[str | None, Query(max_length=64)] = None
) -> Verification:
    """Check the file, the chain of hashes, and every decision by a full replay, beside running calls.

    With the `head` of an earlier moment, check also that its event is still there.
    """

    def check() -> Verification:
        with closing(live.open_journal()) as journal:
            return verified(journal, head)

    return await matches.run_check(check)


@router.get("/matches/{match}/replay")
async def replay(live: Live, matches: Matches, _: Player, events: Count | None = None) -> Replayed:
    """The state after all events, or after the first ones, computed from the events alone."""

    def compute() -> Replayed:
        with closing(live.open_journal()) as journal:
            state = State.folded(islice(journal.read(), events))
        return Replayed(
            events=state.sequence,
            asked=len(state.rounds),
            told=state.told,
            state_hash=state_hash(state),
            strategy=state.strategy.tolist(),
        )

    return await matches.run_check(compute)
