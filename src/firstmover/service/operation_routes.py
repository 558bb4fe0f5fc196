"""Routes for operators: whether the process runs, whether the store can be read, and metrics."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from firstmover.core.errors import FirstmoverError
from firstmover.figures.live import Trace
from firstmover.matches.health import nominal_share, total_delay
from firstmover.matches.match_alarms import match_alarms
from firstmover.matches.match_list import ListedMatch
from firstmover.service.dependencies import Matches, Pictures
from firstmover.service.match_pool import MatchPool
from firstmover.service.request_metrics import Sample, metric

router = APIRouter(include_in_schema=False)
_LOG = logging.getLogger(__name__)

FRESH_SECONDS = 5.0  # time for which an answer about the store is repeated: anybody may ask
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


class Readiness:
    """Whether the store can be read and no match is refused, looked up once in FRESH_SECONDS however many ask."""

    def __init__(self, matches: MatchPool) -> None:
        self._matches, self._turn = matches, asyncio.Lock()
        self._asked, self._ready = float("-inf"), False

    async def check(self) -> bool:
        """Return whether the store can be read and no match is refused."""
        clock = asyncio.get_running_loop().time
        async with self._turn:
            if clock() - self._asked >= FRESH_SECONDS:
                try:
                    await self._matches.check()
                    self._ready = True
                except FirstmoverError as error:
                    self._ready = False
                    _LOG.warning("not ready: %s", error)
                self._asked = clock()
            return self._ready


@router.api_route("/readyz", methods=["GET", "HEAD"])
async def readyz(request: Request) -> Response:
    """The store can be read, and no match is refused; the reason is in the log."""
    ready = await request.app.state.readiness.check()
    return JSONResponse({"status": "ok" if ready else "unavailable"}, 200 if ready else 503)


GAUGES = {
    "delay_rounds": "Rounds asked while others were pending, over all rounds.",
    "responses_inside": "Responses inside their bounds.",
    "responses_counted": "Responses that were compared with bounds.",
    "coverage_nominal": "The share of responses that should lie inside.",
}
"""What is measured of one match, beside its alarms."""


def gauges(trace: Trace, _: object) -> dict[str, Any]:
    """Return what is measured of one match; nothing of it depends on the actions of pending rounds."""
    state, learning = trace.state, trace.learning
    return {
        "delay_rounds": total_delay(state),
        "responses_inside": learning.inside,
        "responses_counted": learning.counted,
        "coverage_nominal": None if learning.monitor is None else nominal_share(learning),
        "alarms": [alarm.name for alarm in match_alarms(state)],
    }


@router.get("/metrics")
async def metrics(request: Request, matches: Matches, pictures: Pictures) -> Response:
    """Counts of rounds, delays, coverage and alarms by match, and of requests, in the text format of Prometheus."""
    listed: list[ListedMatch] | None = None
    with suppress(FirstmoverError):
        listed = await matches.listed()
    found: dict[str, dict[str, Any] | None] = {}
    for each in listed or ():
        if pictures.follows(each.name):  # others would have to be read whole
            found[each.name] = None
            with suppress(FirstmoverError):
                found[each.name] = json.loads(await run_sync(pictures.record, each.name, "gauges", gauges))
    webhook = request.app.state.webhook
    posted = [] if webhook is None else webhook.lines()
    lines = [*_lines(listed, found), *request.app.state.request_metrics.lines(), *posted]
    return PlainTextResponse("\n".join([*lines, ""]), media_type=TEXT_FORMAT)


def _lines(listed: list[ListedMatch] | None, found: dict[str, dict[str, Any] | None]) -> Iterator[str]:
    yield from metric("store_readable", "gauge", "1 if the store can be read.", [Sample({}, float(listed is not None))])
    rounds = [
        Sample({"match": each.name, "status": status}, count)
        for each in listed or ()
        for status, count in (("told", each.told), ("pending", len(each.pending)), ("void", each.void))
    ]
    yield from metric("rounds", "gauge", "Rounds by status.", rounds)
    readable = [Sample({"match": name}, float(values is not None)) for name, values in found.items()]
    yield from metric("match_readable", "gauge", "1 if the journal of the match is sound.", readable)
    values = {name: each for name, each in found.items() if each is not None}
    for name, about in GAUGES.items():
        samples = [Sample({"match": match}, each[name]) for match, each in values.items() if each[name] is not None]
        yield from metric(name, "gauge", about, samples)
    raised = [Sample({"match": match, "alarm": alarm}, 1) for match, each in values.items() for alarm in each["alarms"]]
    yield from metric("alarm", "gauge", "1 for each alarm that the status of the match shows.", raised)
