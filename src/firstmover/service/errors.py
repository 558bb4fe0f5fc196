"""Refusals over HTTP: a status, a kind for programs and one sentence for people."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from firstmover.core.documents import in_words
from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable

KINDS = {
    400: "invalid",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "invalid",
    408: "too-slow",
    409: "conflict",
    413: "too-large",
    415: "unsupported",
    422: "invalid",
    503: "busy",
}
"""The kind of a refusal, by status; a damaged store is a kind of its own."""

SENTENCES = {
    404: "There is nothing at this address: look at /api/openapi.json for those that there are.",
    405: "This address does not take that method: look at /api/openapi.json for those that it takes.",
}


class NotFound(InvalidInput):
    """A match, a round or a run that is not there."""


class Forbidden(InvalidInput):
    """Something that this token may not do."""


class Busy(StoreUnavailable):
    """More than the service takes at once."""


def refusal(
    status: int,
    sentence: str,
    kind: str | None = None,
    *,
    recorded: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The one form of all refusals."""
    error = {"kind": kind or KINDS.get(status, "invalid"), "message": sentence, "recorded": recorded, "given": given}
    return JSONResponse({"error": error}, status, dict(headers or {}))


def status_of(error: FirstmoverError) -> tuple[int, str | None]:
    """The status of one of the library's own refusals, and its kind where the status leaves it open."""
    if isinstance(error, NotFound):
        return 404, None
    if isinstance(error, Forbidden):
        return 403, None
    if isinstance(error, Conflict):
        return 409, None
    if isinstance(error, DamagedStore):
        return 503, "damaged"
    return (503, None) if isinstance(error, StoreUnavailable) else (422, None)


def sentence_of(errors: list[Any]) -> str:
    """The first of pydantic's complaints as one sentence: field, value, remedy."""
    first = errors[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InvalidInput):
        return str(cause)
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return f"{where} is not a field of this call: leave it out."
    return in_words(where, first)


async def _ours(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, FirstmoverError)
    status, kind = status_of(error)
    if isinstance(error, Conflict):
        return refusal(status, str(error), kind, recorded=error.recorded, given=error.given)
    return refusal(status, str(error), kind)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return refusal(422, sentence_of(list(error.errors())))


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, SENTENCES.get(error.status_code, str(error.detail)), headers=error.headers)


async def _unforeseen(_: Request, error: Exception) -> JSONResponse:
    said = f"The service met what it was not made for ({type(error).__name__}): nothing is lost; see its log."
    return refusal(500, said, "internal", headers={"cache-control": "no-store", "x-content-type-options": "nosniff"})


def install(app: FastAPI) -> None:
    """Let an app answer everything that goes wrong in that form."""
    app.add_exception_handler(FirstmoverError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)
