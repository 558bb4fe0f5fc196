"""The id of every request, and its line in the log: no query, no header and no body, which may hold secrets."""

import logging
import re
from time import perf_counter
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.core.logs import CONTEXT
from firstmover.service.errors import REQUEST_ID
from firstmover.service.request_metrics import RequestMetrics

_LOG = logging.getLogger(__name__)


def request_id(scope: Scope) -> str:
    """Return the id that the caller gave, if it is 1 to 64 letters, digits, dots or hyphens, or else a new one."""
    given = Headers(scope=scope).getlist(REQUEST_ID)
    return given[0] if len(given) == 1 and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", given[0]) else uuid4().hex


class AccessLog:
    """Gives every call an id, and logs and counts its answer."""

    def __init__(self, app: ASGIApp, metrics: RequestMetrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on; its answer has the id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        named, begin = request_id(scope), perf_counter()
        CONTEXT.set({"request_id": named})

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID] = named
                self._note(scope, message["status"], perf_counter() - begin)
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception:
            self._note(scope, 500, perf_counter() - begin)
            raise

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "name", None) or "none"
        self.metrics.count(route, status, seconds)
        details = {
            "method": scope["method"],
            "path": scope["raw_path"].decode("ascii", "replace"),
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
            "client": (scope.get("client") or ("",))[0],
            "actor": scope.get("state", {}).get("actor"),
        }
        _LOG.info("request", extra=details)
