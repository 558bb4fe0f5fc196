"""The size of each programme in `make test` and in `make torture`, which ends within 90 minutes on two cores."""

import os
from typing import Any, NamedTuple

import pytest

SCALE = int(os.environ.get("SCALE", "1"))
"""Multiplies the parts of a programme: `make torture SCALE=10` does ten times as much, for a night."""


class Size(NamedTuple):
    """Arguments of the short version and of a part of the full one, seconds of all parts, and their number.

    Parts run in parallel, each with other random numbers; a part can be run alone: `-m slow -k part-3`. A programme
    without parts is one test, which SCALE leaves as it is.
    """

    short: tuple[Any, ...]
    full: tuple[Any, ...]
    seconds: float
    parts: int = 0


SIZES = {
    "kills": Size((10, 8), (200, 20), 560, parts=10),
    "kills before the reply": Size((12,), (1_000,), 200, parts=3),
    "kills of a migration": Size((8,), (500,), 80),
    "sequences": Size((15,), (2_000,), 430, parts=2),
    "sequences of auto": Size((4,), (300,), 100),
    "full disks": Size((12,), (400,), 300, parts=2),
    "limits of memory": Size((15,), (500,), 250, parts=2),
    "stores moved": Size((40,), (1_000,), 105),
    "faults of PostgreSQL": Size((10,), (500,), 250, parts=2),
    "file systems made read-only": Size((5,), (500,), 175, parts=1),
    "rounds of two versions": Size((30,), (1_000,), 90),
    "forks between calls": Size((20, 0), (500, 0), 40),
    "forks during calls": Size((20, 2), (500, 2), 85),
    "interrupts": Size((25,), (250,), 150, parts=4),
    "racing tells": Size((16, 40), (64, 1_000), 125),
    "seconds of racing writers": Size((3.0,), (60.0,), 120),
    "polls of a reader": Size((100,), (10_000,), 60),
    "draws": Size((20_000,), (1_000_000,), 125),
    "jumps of the clock": Size((60,), (500,), 5),
    "bytes between cuts": Size((997,), (1,), 160),
    "bytes between cuts of a rollback journal": Size((499,), (1,), 120),
    "flips": Size((300,), (10_000,), 245, parts=4),
    "problems in fifty digits": Size((50,), (2_000,), 150, parts=2),
    "matches replayed": Size((3, 2), (20, 30), 150),
    "restarts": Size((1_000, 3), (10_000, 100), 190),
    "rounds of a soak": Size((100, 20), (20_000, 500), 200),
    "sweeps": Size((12, 1, 1), (200, 5, 5), 330, parts=3),
    "copies of a live store": Size((10,), (200,), 30),
    "bits of the schema": Size((120,), (1 << 20,), 100),
    "older copies put back": Size((6,), (200,), 60),
    "hours of service": Size((0.6, 0.05, 4, 2), (75.0, 1.0, 24, 6), 1_800),
    "hostile names": Size((120,), (2_000,), 15),
    "calls of the service": Size((600,), (20_000,), 600),
    "clients of the service": Size((64, 40), (64, 500), 60),
    "kills of the service": Size((4,), (60,), 200),
    "refusals": Size((700,), (None,), 20),
}
"""Seconds of one worker on an idle machine: processor time measured at smaller sizes, or time that is waited."""

OTHERS = 1_250
"""Seconds of the long tests that have one size."""

MINUTES = 75
"""Of two cores for all of it; a machine that is shared may take 90."""


def sizes(name: str) -> list[Any]:
    """The arguments of a programme for `parametrize`; where it has parts, the part goes first, 0 in `make test`."""
    size, slow = SIZES[name], pytest.mark.slow
    if not size.parts:
        return [pytest.param(*size.short, id="short"), pytest.param(*size.full, id="full", marks=slow)]
    numbers = range(1, size.parts * SCALE + 1)
    return [
        pytest.param(0, *size.short, id="short"),
        *(pytest.param(part, *size.full, id=f"part-{part}", marks=slow) for part in numbers),
    ]
