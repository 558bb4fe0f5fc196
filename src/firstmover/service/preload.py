"""After a start, matches are opened and gone through before anybody looks: one at a time, behind whoever calls."""

from contextlib import suppress
from functools import partial

import anyio.to_thread

from firstmover.core.errors import FirstmoverError
from firstmover.figures.live.learning import learning_curves
from firstmover.service.listing import Listed
from firstmover.service.match_pool import OpenMatches
from firstmover.service.picture_cache import MOST, Traces
from firstmover.service.views.map import map_builder


async def warm(matches: OpenMatches, traces: Traces) -> None:
    """Open the matches that will be looked at first, all of them; then make the records of their pictures.

    What cannot be read is left to whoever asks for it: they are told why. The learner of a match is not built: those
    who play it would have to wait.
    """
    with suppress(FirstmoverError):
        names = [each.name for each in sorted(await matches.listed(), key=_urgency)[:MOST]]
        for step in (partial(_open, matches), partial(_prepare, traces)):
            for name in names:
                with suppress(FirstmoverError):
                    if not traces.stopping:
                        await step(name)


def _urgency(listed: Listed) -> tuple[bool, int]:
    """Matches with a round that waits come first, then the long ones."""
    return not listed.pending, -listed.asked


async def _open(matches: OpenMatches, name: str) -> None:
    await (await matches.get(name)).run(lambda match: match.sequence)


async def _prepare(traces: Traces, name: str) -> None:
    await anyio.to_thread.run_sync(traces.prepare, name, "learning", lambda trace, _: learning_curves(trace))
    await anyio.to_thread.run_sync(traces.prepare, name, *map_builder("owner"))
