"""Dependencies of routes: the match that the path names, the role of the caller, the folder of stored runs.

All of them are `async`: FastAPI would run plain functions in a thread, at many times the cost.
"""

import re
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi import Path as InPath
from pydantic import BeforeValidator, Field

from firstmover.core.documents import one_of
from firstmover.core.errors import InvalidInput
from firstmover.matches.names import checked_name, normal_form
from firstmover.service.errors import Forbidden, NotFound
from firstmover.service.match_pool import MatchPool, PooledMatch
from firstmover.service.picture_cache import PictureCache
from firstmover.service.security import SLASH
from firstmover.service.tokens import Role, Tokens

NAME_RULE = one_of("a name of 1 to 80 characters in one line, without a space before or after it")


def _in_path(example: str) -> Any:
    return InPath(min_length=1, max_length=80, pattern=r"^\S(.*\S)?$", examples=[example])


def _checked(what: str, name: str) -> str:
    """Return a name from a path; `.` and `..`, which browsers resolve as path segments, do not exist."""
    if name in (".", ".."):
        raise NotFound(f"{what} is {name!r}: no {what} has this name, so give another.")
    return checked_name(what, name.replace(SLASH, "/"))


async def _match_name(match: Annotated[str, _in_path("roads"), NAME_RULE]) -> str:
    return normal_form(_checked("match", match))


async def _round_id(round: Annotated[str, _in_path("monday"), NAME_RULE]) -> str:
    return _checked("round", round)


async def _record_id(record: Annotated[str, _in_path("delivery-17"), NAME_RULE]) -> str:
    return _checked("record", record)


def _state(name: str) -> Any:
    """The dependency on an attribute of the app's state."""

    async def read(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(read)


Matches = Annotated[MatchPool, _state("matches")]
Pictures = Annotated[PictureCache, _state("pictures")]
Runs = Annotated[Path, _state("runs_folder")]
TokenFile = Annotated[Tokens, _state("tokens")]


async def _match(name: Annotated[str, Depends(_match_name)], matches: Matches) -> PooledMatch:
    return await matches.get(name)


async def _role(request: Request) -> Role:
    role: Role = request.scope["state"]["role"]
    return role


async def _actor(request: Request) -> str:
    return str(request.scope["state"]["actor"])


async def _player(role: Annotated[Role, Depends(_role)]) -> Role:
    if not plays(role):
        raise Forbidden("This token only reads, and this call shows pending actions: use an operator's token.")
    return role


async def _owner(role: Annotated[Role, Depends(_role)]) -> Role:
    if role != "owner":
        raise Forbidden(f"This token is that of {_article(role)}: use an owner's token for this call.")
    return role


def _article(role: Role) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


def plays(role: Role) -> bool:
    """Return whether a role plays rounds, and so sees the actions of pending ones."""
    return role != "reader"


def _whole(text: Any) -> Any:
    if isinstance(text, str) and not re.fullmatch(r"-?(0|[1-9][0-9]{0,15})", text):
        raise ValueError("it is no whole number")
    return text


def _flag(text: Any) -> Any:
    if isinstance(text, str) and text not in ("true", "false"):
        raise ValueError("it is neither true nor false")
    return text


async def only_known_query(request: Request) -> None:
    """Reject a query that names an unknown parameter, or one parameter twice."""
    known = {field.alias for field in request.scope["route"].dependant.query_params}
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in known:
            listed = f"leave it out; it takes {', '.join(sorted(known))}" if known else "leave it out"
            raise InvalidInput(f"The query names {name[:80]!r}, which this call does not take: {listed}.")
    if len(set(given)) < len(given):
        raise InvalidInput("The query names a parameter twice: name it once.")


def _between(least: int, most: int) -> Any:
    return Annotated[int, Field(ge=least, le=most), BeforeValidator(_whole), Query()]


Flag = Annotated[bool, BeforeValidator(_flag)]
Offset = _between(0, 2**31)
Limit = _between(1, 1000)
Count = _between(1, 2**31)
MatchName = Annotated[str, Depends(_match_name)]
RoundId = Annotated[str, Depends(_round_id)]
RecordId = Annotated[str, Depends(_record_id)]
Live = Annotated[PooledMatch, Depends(_match)]
"""The match of the path; `await live.run(function)` calls the function with it in a thread."""
Caller = Annotated[Role, Depends(_role)]
"""The role; a reader must not see the action of a pending round, nor anything that depends on it."""
Actor = Annotated[str, Depends(_actor)]
"""The name of the caller's token, which the events of a call carry."""
Player = Annotated[Role, Depends(_player)]
"""The same; readers are rejected."""
Owner = Annotated[Role, Depends(_owner)]
"""The same; operators and readers are rejected."""
