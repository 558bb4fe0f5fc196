"""What every route may ask for: the match that its path names, the caller's role, the folder of stored runs.

All of it is `async`, though little waits: what is not, FastAPI would send to a thread, at many times the cost.
"""

import re
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi import Path as InPath
from pydantic import BeforeValidator

from firstmover.core.documents import one_of
from firstmover.core.errors import InvalidInput
from firstmover.matches.commands import checked_name
from firstmover.service.errors import Forbidden, NotFound
from firstmover.service.match_pool import Opened, OpenMatches
from firstmover.service.security import SLASH
from firstmover.service.tokens import Role

NAME = InPath(min_length=1, max_length=80, pattern=r"^\S(.*\S)?$", examples=["roads"])
ROUND = InPath(min_length=1, max_length=80, pattern=r"^\S(.*\S)?$", examples=["monday"])
NAMING = one_of("a name of 1 to 80 characters in one line, without a space before or after it")


def plain(what: str, name: str) -> str:
    """A name from a path; those that browsers take for a way through folders are none."""
    if name in (".", ".."):
        raise NotFound(f"{what} is {name!r}: no {what} has this name, so give another.")
    return checked_name(what, name.replace(SLASH, "/"))


async def _match_name(match: Annotated[str, NAME, NAMING]) -> str:
    return plain("match", match)


async def _round_id(round: Annotated[str, ROUND, NAMING]) -> str:
    return plain("round", round)


async def _matches(request: Request) -> OpenMatches:
    matches: OpenMatches = request.app.state.matches
    return matches


async def _live(
    name: Annotated[str, Depends(_match_name)], matches: Annotated[OpenMatches, Depends(_matches)]
) -> Opened:
    return await matches.get(name)


async def _role(request: Request) -> Role:
    role: Role = request.scope["state"]["role"]
    return role


async def _owner(role: Annotated[Role, Depends(_role)]) -> Role:
    if role != "owner":
        raise Forbidden("This token only reads, and this shows what is not yet revealed: use an owner's token.")
    return role


async def _runs(request: Request) -> Path:
    folder: Path = request.app.state.runs_folder
    return folder


def _whole(text: Any) -> Any:
    if isinstance(text, str) and not re.fullmatch(r"-?(0|[1-9][0-9]{0,15})", text):
        raise ValueError("it is no whole number")
    return text


def _flag(text: Any) -> Any:
    if isinstance(text, str) and text not in ("true", "false"):
        raise ValueError("it is neither true nor false")
    return text


async def only_known_query(request: Request) -> None:
    """Nothing, when a call names each part of its query once, and only those that it has."""
    known = {field.alias for field in request.scope["route"].dependant.query_params}
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in known:
            listed = f"leave it out; it takes {', '.join(sorted(known))}" if known else "leave it out"
            raise InvalidInput(f"The query names {name[:80]!r}, which this call does not take: {listed}.")
    if len(set(given)) < len(given):
        raise InvalidInput("The query names something twice: name it once.")


Whole = Annotated[int, BeforeValidator(_whole)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Offset = Annotated[Whole, Query(ge=0, le=2**31)]
Limit = Annotated[Whole, Query(ge=1, le=1000)]
MatchName = Annotated[str, Depends(_match_name)]
RoundId = Annotated[str, Depends(_round_id)]
Matches = Annotated[OpenMatches, Depends(_matches)]
Live = Annotated[Opened, Depends(_live)]
"""The match of the path, open; `await live.run(function)` calls the function with it, in a thread."""
Caller = Annotated[Role, Depends(_role)]
"""owner or reader; a reader must not be shown the action of a round that waits, nor what tells of it."""
Owner = Annotated[Role, Depends(_owner)]
"""The same, and readers are refused."""
Runs = Annotated[Path, Depends(_runs)]
