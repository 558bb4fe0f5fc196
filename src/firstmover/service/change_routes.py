"""Routes of changes: actions added and retired, another reward, levels added to a type; all idempotent."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.service.dependencies import Actor, Limit, Live, Offset, Owner
from firstmover.service.match_pool import PooledMatch
from firstmover.service.models import (
    WITH_BODY,
    AddedActions,
    AddedLevels,
    ChangeList,
    Documented,
    LoggedChange,
    New,
    NewReward,
    Retired,
    errors,
    links,
)

router = APIRouter(tags=["changes"])

NEXT = links("show_menu", "show_match", "change_log", "ask_next")
CHANGED: Documented = {200: {"links": NEXT}, 201: {"model": New, "links": NEXT}, **errors(409), **WITH_BODY}


async def _own(live: Live, _: Owner, request: Request) -> PooledMatch:
    demo = request.app.state.demo
    if demo is not None and live.name in demo.demonstrations:
        raise InvalidInput(
            f"match {live.name!r} is a demonstration, whose simulated opponent knows the first menu only: create a "
            "match of your own to change it."
        )
    return live


Changeable = Annotated[PooledMatch, Depends(_own)]
"""The match of the path; a demonstration is rejected."""


@router.post("/matches/{match}/actions", responses=CHANGED)
async def add_actions(live: Changeable, body: AddedActions, actor: Actor, response: Response) -> New:
    """Append actions to the menu; past rounds stay as they are, and a label with other numbers is a conflict."""
    return await _record(live, actor, response, lambda match: match.add_actions(body.rows, reason=body.reason))


@router.put("/matches/{match}/retired", responses=CHANGED)
async def retire(live: Changeable, body: Retired, actor: Actor, response: Response) -> New:
    """Take an action out of all rounds to come, or let it be played again."""

    def change(match: Match) -> bool:
        return (match.retire if body.retired else match.unretire)(body.action, reason=body.reason)

    return await _record(live, actor, response, change)


@router.put("/matches/{match}/reward", responses=CHANGED)
async def set_reward(live: Changeable, body: NewReward, actor: Actor, response: Response) -> New:
    """Define the reward again: decisions follow it, and told rounds keep what they earned."""
    if body.reward.get("function") is not None:
        raise InvalidInput("reward.function is not taken over HTTP: set this reward with firstmover match set-reward.")
    return await _record(live, actor, response, lambda match: match.set_reward(body.reward, reason=body.reason))


@router.post("/matches/{match}/levels", responses=CHANGED)
async def add_levels(live: Changeable, body: AddedLevels, actor: Actor, response: Response) -> New:
    """Append levels to a type; a level with another number than before is a conflict."""

    def change(match: Match) -> bool:
        return match.add_levels(body.type, body.levels, reason=body.reason)

    return await _record(live, actor, response, change)


@router.get("/matches/{match}/changes")
async def change_log(live: Live, offset: Offset = 0, limit: Limit = 1000) -> ChangeList:
    """The changes of the menu, the reward and the types so far, the first one first."""
    log = await live.run(lambda match: match.change_log())
    shown = [LoggedChange(**change._asdict()) for change in log[offset : offset + limit]]
    return ChangeList(changes=shown, total=len(log))


async def _record(live: PooledMatch, actor: str, response: Response, change: Callable[[Match], bool]) -> New:
    new = await live.run(change, actor)
    response.status_code = 201 if new else 200
    return New(new=new)
