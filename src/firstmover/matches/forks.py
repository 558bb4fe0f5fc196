"""Processes that are forked while a store is open: the child never uses, and never closes, what is the parent's."""

import ctypes
import os
import sqlite3
import sys
from functools import cached_property
from threading import Lock, RLock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet

if TYPE_CHECKING:
    from sqlalchemy import Engine

LOCKING = Lock()
"""Held while a connection of this process is opened, takes its first lock on a file, or is closed.

Closing a file releases all locks of the process on it (POSIX). SQLite checks first whether any is held, but one that is
taken between check and close is lost, and then two processes write at once (decision 0068).
"""

LONGEST_WAIT = 1.0
"""Most seconds that a fork waits for transactions of other threads to end."""


class Forkable(Protocol):
    """An object with a lock or a transaction of the parent."""

    def _after_fork(self) -> None:
        """Make the object usable in the child."""


OBJECTS: "WeakSet[Forkable]" = WeakSet()
ENGINES: "WeakSet[Engine]" = WeakSet()
FILES: "WeakKeyDictionary[sqlite3.Connection, str]" = WeakKeyDictionary()
"""Open connections of SQLite, each with its file."""

inherited: set[str] = set()
"""Files with a connection that was open when this process was forked.

SQLite would take the locks of the parent for its own, and closing the connection would roll the parent's transaction
back (https://www.sqlite.org/howtocorrupt.html, section 2.6).
"""


def _before() -> None:
    """Wait until no connection is open, being opened or closed: SQLite holds mutexes then, which a child keeps."""
    until = monotonic() + LONGEST_WAIT
    LOCKING.acquire()
    while FILES and monotonic() < until:
        LOCKING.release()
        sleep(0.001)
        LOCKING.acquire()


def _in_child() -> None:
    LOCKING.release()
    for connection, path in FILES.items():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))  # never closed, not even when the child exits
        inherited.add(path)
    for engine in ENGINES:
        engine.dispose(close=False)
    for each in OBJECTS:
        each._after_fork()
    _free_cached_properties()


def _free_cached_properties() -> None:
    """Replace the locks under which Python 3.11 computes cached properties: a thread of the parent may hold one."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("firstmover")]
    classes = [found for module in modules for found in list(vars(module).values()) if isinstance(found, type)]
    for found in [attribute for each in classes for attribute in list(vars(each).values())]:
        if isinstance(found, cached_property) and hasattr(found, "lock"):
            found.lock = RLock()


os.register_at_fork(before=_before, after_in_parent=LOCKING.release, after_in_child=_in_child)
