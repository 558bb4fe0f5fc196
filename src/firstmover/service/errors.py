"""Errors over HTTP, as problem details (RFC 9457): a type for programs and one sentence for people."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
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

MEDIA_TYPE = "application/problem+json"

TYPE = "urn:firstmover:problem:"
"""Precedes the kind of an error in the member `type`."""

ERRORS = {
    400: ("invalid", "No valid HTTP"),
    401: ("unauthorized", "No token, or an unknown one"),
    403: ("forbidden", "The role of the token does not suffice, or a wrong Host or Origin"),
    404: ("not-found", "No such match, round or address"),
    408: ("too-slow", "The body was sent too slowly"),
    409: ("conflict", "A conflict with what is recorded"),
    413: ("too-large", "The body is too large"),
    415: ("unsupported", "The body is not JSON"),
    422: ("invalid", "Bad input"),
    431: ("too-large", "The headers are too long"),
    500: ("internal", "An internal error, or a damaged store, which a repeated call will meet again"),
    503: ("busy", "The store is unavailable, or the service is busy: repeat the call later"),
}
"""Kind and title by status; all others are `invalid`, and a damaged store is `damaged`."""

BODY_FIELDS = {"type": "opponent_type"}
"""Members of a body whose name is another one than in the library."""

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
    """Return the one form of all errors.

    `values` are `pointer`, a JSON pointer to a member of the body, or `recorded` and `given` of a conflict.
    """
    usual, title = ERRORS.get(status, ("invalid", HTTPStatus(status).phrase))
    problem = {
        "type": TYPE + (kind or usual),
        "title": title,
        "status": status,
        "detail": sentence,
        "request_id": CONTEXT.get().get("request_id"),
    }
    given = {name: value for name, value in values.items() if value is not None}
    return JSONResponse(problem | given, status, dict(headers or {}), media_type=MEDIA_TYPE)


def pointer(path: Iterable[object]) -> str:
    """Return the JSON pointer (RFC 6901) to a member of a body, as a fragment.

    >>> pointer(("response", "a/b", 0))
    '#/response/a~1b/0'
    """
    return "#" + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def response_to(error: FirstmoverError) -> JSONResponse:
    """Return the response to one of firstmover's own exceptions."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 422)
    if status >= 500:
        _LOG.log(logging.ERROR if isinstance(error, DamagedStore) else logging.WARNING, "%s", error)
    values: dict[str, Any] = {}
    if isinstance(error, Conflict):
        values = {"recorded": error.recorded, "given": error.given}
    elif isinstance(error, InvalidInput) and error.field:
        first, *rest = error.field
        values = {"pointer": pointer([BODY_FIELDS.get(first, first), *rest])}
    return error_response(status, str(error), "damaged" if isinstance(error, DamagedStore) else None, **values)


def _invalid(errors: Sequence[Any]) -> JSONResponse:
    """The first of pydantic's errors as one sentence: field, value, remedy."""
    first = errors[0]
    cause, (place, *path) = first.get("ctx", {}).get("error"), first["loc"]
    where = ".".join(map(str, path)) or str(place)
    if isinstance(cause, InvalidInput):
        sentence = str(cause)
    elif first["type"] == "extra_forbidden":
        sentence = f"{where} is not a field of this call: leave it out."
    else:
        sentence = in_words(where, first)
    return error_response(422, sentence, pointer=pointer(path) if place == "body" else None)


async def _handle(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FirstmoverError):
        return response_to(error)
    if isinstance(error, RequestValidationError):
        return _invalid(error.errors())
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
