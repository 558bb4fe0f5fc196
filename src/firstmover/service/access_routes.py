"""Routes of access: the session of the web app, and the tokens of a team."""

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request, Response
from fastapi import Path as InPath

from firstmover.service.dependencies import Actor, Caller, Limit, Offset, Owner, TokenFile
from firstmover.service.errors import NotFound
from firstmover.service.models import WITH_BODY, IssuedToken, New, NewToken, Session, TokenList, TokenRow
from firstmover.service.sessions import begin_session, end_session

router = APIRouter(tags=["access"])


@router.get("/session")
async def show_session(caller: Caller, actor: Actor) -> Session:
    """The role and the name of the caller's token."""
    return Session(role=caller, name=actor)


@router.post("/session", responses=WITH_BODY)
async def begin(request: Request, caller: Caller, actor: Actor, response: Response) -> Session:
    """Keep the token of this call in a cookie, so that further tabs of the browser need none."""
    begin_session(response, request.headers, request.scope["state"]["secret"])
    return Session(role=caller, name=actor)


@router.delete("/session", responses=WITH_BODY)
async def end(request: Request, response: Response) -> New:
    """Forget the cookie; the token itself stays valid."""
    end_session(response, request.headers)
    return New(new=True)


@router.get("/tokens")
async def list_tokens(_: Owner, tokens: TokenFile, offset: Offset = 0, limit: Limit = 100) -> TokenList:
    """The tokens without their secrets, the oldest first; for owners."""
    found = await run_sync(tokens.all)
    rows = [TokenRow(**each.model_dump(exclude={"hash"})) for each in found]
    return TokenList(tokens=rows[offset : offset + limit], total=len(rows))


@router.post("/tokens", status_code=201, responses=WITH_BODY)
async def new_token(_: Owner, tokens: TokenFile, body: NewToken) -> IssuedToken:
    """Make a token; its secret is shown only in this answer; for owners."""
    secret, made = await run_sync(tokens.new, body.role, body.label, body.days)
    return IssuedToken(token=secret, **made.model_dump(exclude={"hash"}))


@router.delete("/tokens/{token}", responses=WITH_BODY)
async def revoke_token(
    _: Owner, tokens: TokenFile, token: Annotated[str, InPath(pattern=r"^[0-9a-f]{8}$", examples=["1a2b3c4d"])]
) -> New:
    """Revoke a token at once; for owners."""
    if not await run_sync(tokens.revoke, token):
        raise NotFound(f"token {token!r} is not known: GET /v1/tokens lists all.")
    return New(new=True)
