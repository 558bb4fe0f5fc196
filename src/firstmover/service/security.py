"""Access control: allow lists for Host and Origin, a token for every call, JSON only, and security headers."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.core.errors import FirstmoverError
from firstmover.service.errors import error_response
from firstmover.service.sessions import session_secret
from firstmover.service.tokens import Token, Tokens

POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Only resources of this service; inline styles are allowed because Observable Plot sets them."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}
"""Headers of every response; those of the API are never cached."""

MOST_HEADER_BYTES = 32 << 10

READING = ("GET", "HEAD")
SESSION = "/v1/session"
SLASH = "\ue000"
"""Stands for a slash inside a name while the path is routed; it is not printable, so no name contains it."""


class Guard:
    """Rejects a bad Host, Origin or token before anything else is read."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], tokens: Tokens) -> None:
        self.app, self.tokens = app, tokens
        self.hosts = frozenset(host.lower() for host in hosts)
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with an error, or pass the call on with the role of the caller."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("The service speaks HTTP only.")
        safe = _with_headers(send, is_api(scope))
        error = await self._error(scope)
        if error is None:
            await self.app(scope, receive, safe)
        else:
            if has_body(Headers(scope=scope)):
                error.headers["connection"] = "close"  # the rest of the body is never read
            await error(scope, receive, safe)

    async def _error(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
            return error_response(431, "The headers of this call are too long: send fewer.")
        if [host.lower() in self.hosts for host in headers.getlist("host")] != [True]:
            return error_response(
                403, "The Host of this call is not a name of this service: use the address that it printed."
            )
        origins = headers.getlist("origin")
        if len(origins) > 1 or (origins and origins[0].lower() not in self.origins):
            return error_response(
                403, "The Origin of this call is another page: only the service's own page may call it."
            )
        if not is_api(scope):
            return None
        if not {"same-origin", "none"}.issuperset(headers.getlist("sec-fetch-site")):
            return error_response(
                403, "This call comes from another site's page: only the service's own page may call it."
            )
        return await self._token_error(scope, headers) or _not_json(scope, headers) or _decoded(scope)

    async def _token_error(self, scope: Scope, headers: Headers) -> Response | None:
        """Store role and name of the caller in the scope, or return the error of a missing or read-only token."""
        secret = _secret(headers)

        async def token_now() -> Token | None:
            return await run_in_threadpool(self.tokens.find, secret) if secret else None

        try:
            token = await token_now()
        except FirstmoverError as error:
            return error_response(503, str(error))
        if token is None:
            sentence = "The token is missing or unknown: send Authorization: Bearer …, made by firstmover token new."
            return error_response(401, sentence, headers={"www-authenticate": "Bearer"})
        state = {"role": token.role, "actor": token.name, "token_now": token_now, "secret": secret}
        scope.setdefault("state", {}).update(state)
        if token.role == "reader" and scope["method"] not in READING and scope["path"] != SESSION:
            return error_response(403, "This token only reads: use an operator's or an owner's token for this call.")
        return None


def _secret(headers: Headers) -> str:
    """The secret of a call, in its one Authorization header or in the cookie of a session; empty if there is none."""
    given = headers.getlist("authorization")
    if not given:
        return session_secret(headers)
    scheme, _, secret = given[0].partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and len(given) == 1 else ""


def is_api(scope: Scope) -> bool:
    """Return whether a call is for the API or for metrics, and so needs a token."""
    path: str = scope["path"]
    return path in ("/v1", "/metrics") or path.startswith("/v1/")


def has_body(headers: Headers) -> bool:
    """Return whether a call announces a body."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _not_json(scope: Scope, headers: Headers) -> Response | None:
    """Return the error of a body that is not declared to be JSON."""
    if scope["method"] in READING or ("content-type" not in headers and not has_body(headers)):
        return None
    kind, _, rest = headers.get("content-type", "").lower().partition(";")
    if kind.strip() == "application/json" and rest.strip() in ("", "charset=utf-8"):
        return None
    return error_response(415, "The body is not declared to be JSON: send Content-Type: application/json.")


def _decoded(scope: Scope) -> Response | None:
    """Decode the path once, segment by segment, so that a slash inside a name stays there; or return the error."""
    try:
        parts = [unquote_to_bytes(part).decode() for part in scope["raw_path"].split(b"?")[0].split(b"/")]
    except UnicodeDecodeError:
        return error_response(404, "The address is not UTF-8: encode names as UTF-8, then percent-encode them.")
    if any(SLASH in part for part in parts):
        return error_response(404, "The address has a character that no name may have: correct the name.")
    scope["path"] = "/".join(part.replace("/", SLASH) for part in parts)
    return None


def _with_headers(send: Send, is_api: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if is_api:
                headers["cache-control"] = "no-store"
        await send(message)

    return sending
