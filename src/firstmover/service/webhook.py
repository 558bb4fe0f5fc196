"""The webhook: small signed JSON posts about events of matches, sent beside the calls, which never wait for them."""

import asyncio
import hashlib
import hmac
import ipaddress
import json
import logging
import os
import random
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from anyio.to_thread import run_sync

from firstmover.core.errors import FirstmoverError, InvalidInput
from firstmover.figures.live import Trace
from firstmover.matches.events import Event
from firstmover.matches.match_alarms import match_alarms
from firstmover.service.match_pool import MOST_OPEN, MatchPool
from firstmover.service.picture_cache import PictureCache
from firstmover.service.request_metrics import Sample, metric

_LOG = logging.getLogger(__name__)

SIGNATURE = "X-Firstmover-Signature"
"""The header with the HMAC-SHA256 of the body, as `sha256=` and hexadecimal digits."""

MOST_WAITING = 1000  # posts in the queue; of more, the new ones are dropped and counted
SECONDS = 5.0  # time for one attempt
PAUSES = (1.0, 4.0, 16.0, 64.0)  # between attempts, in seconds, each lengthened at random by up to a half
LEAST_SECRET = 16  # bytes
LOOK_SECONDS = 20.0  # between two looks at the schedules
REPORTED = frozenset(
    ("asked", "told", "voided", "corrected", "recorded", "imported", "changed", "renamed", "archived", "restored")
)
"""Kinds of events that are posted."""
OBSERVED = frozenset(("told", "corrected", "recorded", "imported"))
"""Kinds of events that may raise an alarm."""


def checked_address(url: str) -> str:
    """Return an address to post to: https, or http on this machine, without a user or a fragment."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if not host or parts.scheme not in ("http", "https") or parts.username is not None or parts.fragment:
        raise InvalidInput("webhook is no address to post to: give one such as http://127.0.0.1:9000/hook.")
    if parts.scheme == "http" and not _is_loopback(host):
        raise InvalidInput(f"webhook is an http address of another machine ({host}): use https, or a loopback address.")
    return url


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def read_secret(path: Path) -> bytes:
    """Return the secret in a file that only its owner can read."""
    try:
        with path.open("rb") as file:
            found, secret = os.fstat(file.fileno()), file.read().strip()
    except OSError as error:
        raise InvalidInput(f"webhook secret file {str(path)!r} cannot be read: {error.strerror}.") from None
    if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
        raise InvalidInput(
            f"webhook secret file {str(path)!r} can be read by other users: make it private (chmod 600)."
        )
    if len(secret) < LEAST_SECRET:
        raise InvalidInput(f"webhook secret file {str(path)!r} has fewer than {LEAST_SECRET} characters: give more.")
    return secret


def signature(secret: bytes, body: bytes) -> str:
    """Return the value of the signature's header.

    >>> signature(b"secret", b"{}")[:23]
    'sha256=77325902caca812d'
    """
    return f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


class Webhook:
    """Posts events to one address from a bounded queue in memory; `pauses` are the times between attempts.

    A post that fails is repeated after each pause, then given up. An answer that repeating cannot change, a redirect
    or a refusal, gives it up at once. What is in the queue when the service stops is lost.
    """

    def __init__(self, url: str, secret: bytes, pauses: tuple[float, ...] = PAUSES, seconds: float = SECONDS) -> None:
        self.url, self._secret, self._pauses, self._seconds = checked_address(url), secret, pauses, seconds
        self._queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MOST_WAITING)
        self._counts: Counter[str] = Counter({"delivered": 0, "failed": 0, "dropped": 0, "retried": 0})
        self._failing = False

    def report(self, match: str, events: Iterable[Event]) -> None:
        """Put events into the queue; nothing of them depends on an action."""
        for event in events:
            if event.kind in REPORTED:
                about = {"event": event.kind, "match": match, "round": event.round_id, "time": event.clock}
                self.put(about | {"sequence": event.sequence})

    def put(self, content: dict[str, Any]) -> None:
        """Put one post into the queue, or drop and count it."""
        try:
            self._queue.put_nowait(content)
        except asyncio.QueueFull:
            self._counts["dropped"] += 1
            self._note("the queue is full")

    async def run(self, pictures: PictureCache) -> None:
        """Send posts, one at a time, until cancelled; after an observation look whether it raised an alarm."""
        async with httpx.AsyncClient(timeout=self._seconds, follow_redirects=False, trust_env=False) as client:
            while True:
                content = await self._queue.get()
                await self._deliver(client, content)
                if content["event"] in OBSERVED:
                    for alarm in await self._alarms(pictures, content):
                        await self._deliver(client, alarm)

    async def remind(self, pool: MatchPool) -> None:
        """Post once that a round is due, until cancelled; the clock is looked at every LOOK_SECONDS."""
        reminded: set[tuple[str, str]] = set()
        while True:
            with suppress(FirstmoverError):
                for each in (await pool.listed())[:MOST_OPEN]:
                    with suppress(FirstmoverError):
                        live = await pool.get(each.name)
                        due, sequence = await live.run(lambda match: (match.due(), match.sequence))
                        if due and (each.name, due.at) not in reminded and due.at <= datetime.now(UTC).isoformat():
                            reminded.add((each.name, due.at))
                            about = {"event": "due", "match": each.name, "round": None, "time": due.at}
                            self.put(about | {"sequence": sequence})
            await asyncio.sleep(LOOK_SECONDS)

    async def _alarms(self, pictures: PictureCache, content: dict[str, Any]) -> list[dict[str, Any]]:
        """The posts of alarms that began with the round of an event."""
        try:
            found = json.loads(await run_sync(pictures.record, content["match"], "alarms", _alarms))
        except (FirstmoverError, ArithmeticError, ValueError):  # calls of the match say so
            return []
        return [content | {"event": "alarm", "alarm": name} for name, since in found if since == content["round"]]

    async def _deliver(self, client: httpx.AsyncClient, content: dict[str, Any]) -> None:
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        for pause in (*self._pauses, None):
            reason, final = await self._attempt(client, body)
            if not reason:
                self._counts["delivered"] += 1
                if self._failing:
                    self._failing = False
                    _LOG.warning("webhook: posts are delivered again")
                return
            self._note(reason)
            if final or pause is None:
                break
            self._counts["retried"] += 1
            await asyncio.sleep(pause * random.uniform(1.0, 1.5))
        self._counts["failed"] += 1

    async def _attempt(self, client: httpx.AsyncClient, body: bytes) -> tuple[str, bool]:
        """Post once; return why it failed, empty if it did not, and whether repeating it cannot help."""
        headers = {"content-type": "application/json", SIGNATURE: signature(self._secret, body)}
        try:
            async with (
                asyncio.timeout(self._seconds),
                client.stream("POST", self.url, content=body, headers=headers) as answer,  # its body is not read
            ):
                status = answer.status_code
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            return type(error).__name__, False
        if answer.is_success:
            return "", True
        return f"status {status}", status < 500 and status not in (408, 425, 429)

    def _note(self, reason: str) -> None:
        """Log the first failure after a success; the others are counted."""
        if not self._failing:
            self._failing = True
            host = urlsplit(self.url).hostname
            _LOG.warning("webhook: posts to %s fail (%s); /metrics counts them", host, reason)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the metrics."""
        samples = [Sample({"result": result}, count) for result, count in self._counts.items()]
        yield from metric("webhook_posts_total", "counter", "Posts of the webhook by result.", samples)
        waiting = [Sample({}, self._queue.qsize())]
        yield from metric("webhook_waiting", "gauge", "Posts that wait in the queue.", waiting)


def _alarms(trace: Trace, _: object) -> list[tuple[str, str]]:
    return [(alarm.name, str(alarm.since)) for alarm in match_alarms(trace.state)]
