"""Memory is known before it is taken."""

import os
from pathlib import Path

from firstmover.errors import InvalidInput

MEMINFO = Path("/proc/meminfo")


def available_memory() -> float:
    """Bytes that can be taken without swapping; infinite where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        return 1024.0 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def check_memory(needed: float, purpose: str, remedy: str) -> None:
    """Refuse to take more than there is.

    >>> check_memory(1e18, "a table of all pairs", "give a smaller menu")
    Traceback (most recent call last):
    ...
    firstmover.errors.InvalidInput: a table of all pairs takes 1,000,000,000,000 MB, and only ... give a smaller menu.
    """
    available = available_memory()
    if needed > available:
        raise InvalidInput(
            f"{purpose} takes {needed / 1e6:,.0f} MB, and only {available / 1e6:,.0f} MB are available: {remedy}."
        )
