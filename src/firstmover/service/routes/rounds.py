"""Rounds: ask, tell, void and correct, each once however often it is called."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from firstmover.matches import Match
from firstmover.service.context import Caller, Flag, Limit, Live, Offset, RoundId
from firstmover.service.match_pool import Opened
from firstmover.service.requests import Correction, History, Outcome, Void
from firstmover.service.responses import (
    DecisionOut,
    Imported,
    Recorded,
    RoundList,
    RoundOut,
    StatusOut,
)
from firstmover.service.routes.answers import (
    AFTER_ASKING,
    WRITING,
    check_asked,
    decision_out,
    links,
    refusals,
    round_now,
    rounds_now,
)

router = APIRouter(tags=["rounds"])

NEXT = links(AFTER_ASKING, round="$response.body#/round_id")
ASKED: dict[int | str, dict[str, Any]] = {
    200: {"links": NEXT},
    201: {"model": DecisionOut, "links": NEXT},
    **refusals(*WRITING),
}
WithStrategy = Annotated[Flag, Query(alias="strategy", description="Whether to send p_t, of all actions, as well.")]


@router.post("/matches/{match}/ask", responses=ASKED)
async def ask_next(live: Live, response: Response, strategy: WithStrategy = False) -> DecisionOut:
    """The action of the round that waits, or else of the next by number."""
    return await _asked(live, None, response, strategy)


@router.put("/matches/{match}/rounds/{round}", responses=ASKED)
async def ask(live: Live, round_id: RoundId, response: Response, strategy: WithStrategy = False) -> DecisionOut:
    """The action of a round; asked again, the same one."""
    return await _asked(live, round_id, response, strategy)


async def _asked(live: Opened, round_id: str | None, response: Response, strategy: bool) -> DecisionOut:
    def decide(match: Match) -> tuple[bool, DecisionOut]:
        before = set(match.state().rounds) if round_id is None else {round_id} & match.state().rounds.keys()
        decision = match.ask(round_id)
        return decision.round_id not in before, decision_out(decision, strategy)

    new, decision = await live.run(decide)
    response.status_code = 201 if new else 200
    return decision


@router.put("/matches/{match}/rounds/{round}/outcome", responses={201: {"model": Recorded}, **refusals(409, *WRITING)})
async def tell(live: Live, round_id: RoundId, body: Outcome, response: Response) -> Recorded:
    """Record what happened; the same again changes nothing, anything else is a conflict."""
    return await _recorded(
        live, round_id, response, lambda match: match.tell(round_id, body.opponent_type, body.response)
    )


@router.put("/matches/{match}/rounds/{round}/void", responses={201: {"model": Recorded}, **refusals(409, *WRITING)})
async def void(live: Live, round_id: RoundId, body: Void, response: Response) -> Recorded:
    """Declare that nothing will be told of a round."""
    return await _recorded(live, round_id, response, lambda match: match.void(round_id, body.reason))


@router.post(
    "/matches/{match}/rounds/{round}/corrections", responses={201: {"model": Recorded}, **refusals(409, *WRITING)}
)
async def correct(live: Live, round_id: RoundId, body: Correction, response: Response) -> Recorded:
    """Replace what was told of a round, or make it void; what was before stays on record."""
    return await _recorded(
        live,
        round_id,
        response,
        lambda match: match.correct(round_id, body.opponent_type, body.response, reason=body.reason),
    )


async def _recorded(live: Opened, round_id: str, response: Response, change: Callable[[Match], bool]) -> Recorded:
    def record(match: Match) -> Recorded:
        check_asked(match, round_id)
        return Recorded(new=change(match), round=round_now(match, round_id))

    recorded = await live.run(record)
    response.status_code = 201 if recorded.new else 200
    return recorded


@router.post("/matches/{match}/history", responses=refusals(*WRITING))
async def import_history(live: Live, body: History) -> Imported:
    """Take in what was observed elsewhere: it feeds the belief, never the strategy.

    The same rows of the same source count once. Rows that hold all of an earlier import are refused, unless all was
    observed `again`.
    """
    rows = [row.model_dump() for row in body.rows]
    return Imported(new=await live.run(lambda match: match.import_history(rows, body.source, again=body.again)))


@router.get("/matches/{match}/rounds", responses=refusals())
async def list_rounds(
    live: Live, caller: Caller, offset: Offset = 0, limit: Limit = 100, newest: Flag = False
) -> RoundList:
    """Rounds in the order in which they were asked, or the newest first."""

    def read(match: Match) -> RoundList:
        rounds = rounds_now(match, offset, limit, newest, hide_pending=caller != "owner")
        return RoundList(rounds=list(rounds), total=len(match.state().rounds))

    return await live.run(read)


@router.get("/matches/{match}/rounds/{round}", responses=refusals())
async def show_round(live: Live, round_id: RoundId, caller: Caller) -> RoundOut:
    """One round."""
    return await live.run(lambda match: round_now(match, round_id, hide_pending=caller != "owner"))


@router.get("/matches/{match}/status", responses=refusals())
async def status(live: Live) -> StatusOut:
    """How a match is doing, in words and figures."""

    def read(match: Match) -> StatusOut:
        health = match.status()
        return StatusOut(**health.as_dict(), lines=health.lines())

    return await live.run(read)
