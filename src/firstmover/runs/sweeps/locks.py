"""Who is at work in a sweep's folder: one driver at a time, and its workers; locks that end with their process."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firstmover.core.errors import InvalidInput

try:
    import fcntl
except ImportError:  # Windows: two drivers of one sweep do the same work twice, with the same results
    fcntl = None  # type: ignore[assignment]

MOMENT = 0.3
"""Seconds within which whoever only looks has looked."""

DRIVER, WORKERS = LOCKS = "driver.lock", "workers.lock"


@contextmanager
def driving(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Be the one driver of a sweep, after the workers of a driver that was killed have stored what they were at."""
    with _locked(folder / DRIVER, wait=False) as mine:
        if not mine:  # or somebody only asks whether there is a driver
            time.sleep(MOMENT)
    with _locked(folder / DRIVER, wait=False) as mine:
        if not mine:
            raise InvalidInput(
                f"The sweep in folder {str(folder)!r} is running already: wait for it, or stop it first."
            )
        with _locked(folder / WORKERS, wait=False) as idle:
            pass
        if not idle:
            say("waiting for workers of an earlier run to finish what they are at")
            with _locked(folder / WORKERS, wait=True):
                pass
        yield


@contextmanager
def working(folder: Path) -> Iterator[None]:
    """Be at work on a batch of a sweep, beside other workers."""
    with _locked(folder / WORKERS, wait=True, shared=True):
        yield


def is_driven(folder: Path) -> bool:
    """Whether a driver is at work now."""
    if not (folder / DRIVER).exists():
        return False
    with _locked(folder / DRIVER, wait=False, shared=True, flags=os.O_RDONLY) as nobody:  # who looks need not write
        return not nobody


@contextmanager
def _locked(path: Path, wait: bool, shared: bool = False, flags: int = os.O_RDWR | os.O_CREAT) -> Iterator[bool]:
    """Whether the lock was got; file systems without locks always give it."""
    if fcntl is None:
        yield True
        return
    handle = os.open(path, flags, 0o644)
    try:
        kind = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        try:
            fcntl.flock(handle, kind)
            got = True
        except BlockingIOError:
            got = False
        except OSError:  # this file system has no locks
            got = True
        yield got
    finally:
        os.close(handle)
