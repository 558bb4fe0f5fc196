"""Who may come in: Host and Origin by list, a token for every call, JSON only, and headers that keep browsers safe."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.core.errors import FirstmoverError
from firstmover.service.errors import refusal, status_of
from firstmover.service.tokens import Role, Tokens

POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing from elsewhere; styles may stand inline, since plotly sets them."""

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
"""Sent with every answer; answers of the API are not kept at all."""

MOST_HEADER_BYTES = 32 << 10

READING = ("GET", "HEAD")
SLASH = "\ue000"
"""Stands for a slash inside a name while the path is taken apart; it is not printable, so in no name itself."""


class Guard:
    """Refuses, before anything else is looked at, whoever comes by a wrong name, from a wrong page or without token."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], tokens: Tokens) -> None:
        self.app, self.tokens = app, tokens
        self.hosts = frozenset(host.lower() for host in hosts)
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the role of the caller."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("The service speaks HTTP only.")
        safe = _with_headers(send, is_api(scope))
        refused = await self._refused(scope)
        if refused is None:
            await self.app(scope, receive, safe)
        else:
            if has_body(Headers(scope=scope)):
                refused.headers["connection"] = "close"  # or the rest of it could come for ever
            await refused(scope, receive, safe)

    async def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
            return refusal(431, "The headers of this call are too long: send fewer.", "too-large")
        if [host.lower() in self.hosts for host in headers.getlist("host")] != [True]:
            return refusal(403, "The Host of this call is not one of this service's: use the address that it printed.")
        origins = headers.getlist("origin")
        if len(origins) > 1 or (origins and origins[0].lower() not in self.origins):
            return refusal(403, "The Origin of this call is another page: only the service's own page may call it.")
        if not is_api(scope):
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return refusal(403, "This call comes from another site's page: only the service's own page may call it.")
        return await self._stranger(scope, headers) or _not_json(scope, headers) or _decoded(scope)

    async def _stranger(self, scope: Scope, headers: Headers) -> Response | None:
        """The refusal of a caller without a token, or whose token only reads; the role, now and later, is noted."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")

        async def role_now() -> Role | None:
            return await run_in_threadpool(self.tokens.role_of, secret.strip())

        try:
            role = None
            if scheme.lower() == "bearer" and len(headers.getlist("authorization")) == 1:
                role = await role_now()
        except FirstmoverError as error:
            return refusal(503, str(error), status_of(error)[1])
        if role is None:
            sentence = "The token is missing or unknown: send Authorization: Bearer …, made by firstmover token new."
            return refusal(401, sentence, headers={"www-authenticate": "Bearer"})
        scope.setdefault("state", {}).update(role=role, role_now=role_now)
        if role != "owner" and scope["method"] not in READING:
            return refusal(403, "This token only reads: use an owner's token to change anything.")
        return None


def is_api(scope: Scope) -> bool:
    """Whether a call is for the API, and so needs a token."""
    path: str = scope["path"]
    return path == "/api" or path.startswith("/api/")


def has_body(headers: Headers) -> bool:
    """Whether a call says that a body follows."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _not_json(scope: Scope, headers: Headers) -> Response | None:
    """The refusal of a body that is not JSON."""
    if scope["method"] in READING:
        return None
    given = headers.get("content-type")
    if (given is None and not has_body(headers)) or (given is not None and _is_json(given)):
        return None
    return refusal(415, "The body is not said to be JSON: send Content-Type: application/json.")


def _is_json(content_type: str) -> bool:
    kind, _, rest = content_type.partition(";")
    return kind.strip().lower() == "application/json" and rest.strip().lower() in ("", "charset=utf-8")


def _decoded(scope: Scope) -> Response | None:
    """Decode the path once, part by part, so that a slash inside a name stays inside it; or the refusal."""
    try:
        parts = [unquote_to_bytes(part).decode() for part in scope["raw_path"].split(b"?")[0].split(b"/")]
    except UnicodeDecodeError:
        return refusal(404, "The address is not UTF-8: encode names as UTF-8, then percent-encode them.")
    if any(SLASH in part for part in parts):
        return refusal(404, "The address holds a character that no name has: mend the name.")
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
