"""Errors over HTTP: a status, a kind for programs and one sentence for people."""

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from firstmover.core.documents import in_words
from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable
from firstmover.core.logs import CONTEXT

_LOG = logging.getLogger(__name__)

REQUEST_ID = "x-request-id"
"""The header of the id of a request, which its errors and its lines in the log have too."""

ERRORS = {
    400: ("invalid", "no valid HTTP"),
    401: ("unauthorized", "no token, or an unknown one"),
    403: ("forbidden", "a read-only token, or a wrong Host or Origin"),
    404: ("not-found", "no such match, round or address"),
    408: ("too-slow", "the body was sent too slowly"),
    409: ("conflict", "a conflict with what is recorded; both values are in the body"),
    413: ("too-large", "the body is too large"),
    415: ("unsupported", "the body is not JSON"),
    422: ("invalid", "bad input; the message says what to give instead"),
    431: ("too-large", "the headers are too long"),
    500: ("internal", "an internal error, or a damaged store, which a repeated call will meet again"),
    503: ("busy", "the store is unavailable, or the service is busy: repeat the call later"),
}
"""Kind and description by status; all others are `invalid`, and a damaged store is `damaged`."""

SENTENCES = {
    404: "There is nothing at this address: /v1/openapi.json lists all addresses.",
    405: "This address does not take that method: /v1/openapi.json lists those that it takes.",
}


class NotFound(InvalidInput):
    """A match, a round or a run that does not exist."""


class Forbidden(InvalidInput):
    """A call that this token may not make."""


class Busy(StoreUnavailable):
    """More calls than the service takes at once."""


STATUS: tuple[tuple[type[FirstmoverError], int], ...] = (
    (NotFound, 404),
    (Forbidden, 403),
    (Conflict, 409),
    (DamagedStore, 500),
    (StoreUnavailable, 503),
)
"""The status of an exception, the first that fits; of all others 422."""


def error_response(
    status: int, sentence: str, kind: str | None = None, headers: Mapping[str, str] | None = None, **values: Any
) -> JSONResponse:
    """Return the one form of all errors; `values` are `recorded` and `given` of a conflict."""
    kind = kind or ERRORS.get(status, ("invalid",))[0]
    named = CONTEXT.get().get("request_id")
    error = {"kind": kind, "message": sentence, "request_id": named, "recorded": None, "given": None}
    return JSONResponse({"error": error | values}, status, dict(headers or {}))


def response_to(error: FirstmoverError) -> JSONResponse:
    """Return the response to one of firstmover's own exceptions."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 422)
    if status >= 500:
        _LOG.log(logging.ERROR if isinstance(error, DamagedStore) else logging.WARNING, "%s", error)
    values = {"recorded": error.recorded, "given": error.given} if isinstance(error, Conflict) else {}
    return error_response(status, str(error), "damaged" if isinstance(error, DamagedStore) else None, **values)


def _sentence(errors: list[Any]) -> str:
    """The first of pydantic's errors as one sentence: field, value, remedy."""
    first = errors[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InvalidInput):
        return str(cause)
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return f"{where} is not a field of this call: leave it out."
    return in_words(where, first)


async def _handle(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FirstmoverError):
        return response_to(error)
    if isinstance(error, RequestValidationError):
        return error_response(422, _sentence(list(error.errors())))
    if isinstance(error, HTTPException):
        sentence = SENTENCES.get(error.status_code, str(error.detail))
        return error_response(error.status_code, sentence, headers=error.headers)
    sentence = f"Internal error ({type(error).__name__}): nothing recorded is lost; see the log of the service."
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return error_response(500, sentence, headers=headers | {REQUEST_ID: CONTEXT.get().get("request_id", "")})


def install(app: FastAPI) -> None:
    """Answer every exception of an app in the one form of errors."""
    for kind in (FirstmoverError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _handle)
