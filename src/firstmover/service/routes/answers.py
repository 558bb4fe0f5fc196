"""Library records as models, and the refusals that routes may answer with."""

from collections.abc import Iterable
from typing import Any

from firstmover.matches import Decision, Match, MatchRound
from firstmover.service.errors import NotFound
from firstmover.service.responses import DecisionOut, ErrorOut, RoundOut

SAID = {
    401: "no token, or an unknown one",
    403: "a token that only reads, or a wrong Host or Origin",
    404: "no such match, round or address",
    408: "a body that came too slowly",
    409: "a conflict with what is recorded; both values are in the answer",
    413: "a body that is too large",
    415: "a body that is not JSON",
    422: "bad input; the sentence says what to give instead",
    503: "the store is out of reach or damaged, or the service busy",
}


def refusals(*more: int) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI: what every route may answer, and what this one may besides."""
    return {code: {"model": ErrorOut, "description": SAID[code]} for code in sorted({401, 403, 404, 422, 503, *more})}


WRITING = (408, 413, 415)
"""What a call with a body may answer besides."""

AFTER_ASKING = ("tell", "void", "show_round", "correct")
AFTER_CREATING = ("ask_next", "ask", "status", "list_rounds", "show_match", "import_history")


def links(calls: tuple[str, ...], **parameters: str) -> dict[str, Any]:
    """For the OpenAPI: which calls may come next, and what of this one they take."""
    named = {"match": "$request.path.match", **parameters}
    return {call: {"operationId": call, "parameters": named} for call in calls}


def decision_out(decision: Decision, with_strategy: bool) -> DecisionOut:
    """What to do, as it is sent."""
    return DecisionOut(
        round_id=decision.round_id,
        action=decision.action,
        label=decision.label,
        features=decision.features,
        probability=decision.probability,
        strategy=decision.strategy.tolist() if with_strategy else None,
    )


def round_out(view: MatchRound) -> RoundOut:
    """A round, as it is sent."""
    return RoundOut(**view.as_dict())


def check_asked(match: Match, round_id: str) -> None:
    """Nothing, when the round was asked; else that it is not there."""
    state = match.state()
    if round_id not in state.rounds:
        waiting = ", ".join(repr(name) for name in list(state.pending)[:5]) or "none"
        raise NotFound(f"round {round_id!r} was never asked: ask for it first, or name one that waits ({waiting}).")


def round_now(match: Match, round_id: str, *, hide_pending: bool = False) -> RoundOut:
    """One round as it stands."""
    check_asked(match, round_id)
    state = match.state()
    return round_out(state.shown(state.rounds[round_id], hide_pending=hide_pending))


def rounds_now(match: Match, offset: int, limit: int, newest: bool, *, hide_pending: bool) -> Iterable[RoundOut]:
    """Some rounds, in the order in which they were asked or in the opposite one."""
    state = match.state()
    played = list(state.rounds.values())[:: -1 if newest else 1][offset : offset + limit]
    return [round_out(state.shown(each, hide_pending=hide_pending)) for each in played]
