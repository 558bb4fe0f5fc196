"""The record of the home view: every match with what waits, what it earned, and its alarms."""

import json
from dataclasses import dataclass

from anyio.to_thread import run_sync

from firstmover.core.errors import FirstmoverError
from firstmover.figures.live import Trace
from firstmover.figures.live.earnings import Earnings, earnings
from firstmover.matches.match_alarms import match_alarms
from firstmover.matches.match_list import ListedMatch
from firstmover.matches.schedule import DueRound, due_round
from firstmover.service.match_pool import MatchPool
from firstmover.service.picture_cache import PictureCache


@dataclass(frozen=True)
class Summary:
    """What a match earned, its alarms, and when a round is due; nothing depends on the action of a pending round."""

    title: str
    earnings: Earnings
    alarms: tuple[str, ...]
    due: DueRound | None


@dataclass(frozen=True)
class HomeEntry:
    """A match with its rounds by status; the `summary` is None until its journal was read, or if it cannot be."""

    match: ListedMatch
    summary: Summary | None


@dataclass(frozen=True)
class Home:
    """The matches of the store, those with the oldest waiting rounds first."""

    matches: tuple[HomeEntry, ...]
    total: int


def summary(trace: Trace, _: object) -> Summary:
    """Return the summary of a match that is up to date."""
    alarms = tuple(alarm.name for alarm in match_alarms(trace.state))
    return Summary(trace.state.setting.config.title, earnings(trace), alarms, due_round(trace.state))


async def home(
    pool: MatchPool, pictures: PictureCache, *, archived: bool, offset: int, limit: int
) -> dict[str, object]:
    """Return the record; journals that were not read yet are left to the preloading."""
    listed = await pool.listed(archived=archived)
    listed.sort(key=lambda each: (each.archived, each.waiting_since or "~", each.name))
    entries = []
    for each in listed[offset : offset + limit]:
        found = None
        if pictures.follows(each.name):
            try:
                found = json.loads(await run_sync(pictures.record, each.name, "home", summary))
            except FirstmoverError:
                found = None
        entries.append({"match": each, "summary": found})
    return {"matches": entries, "total": len(listed)}
