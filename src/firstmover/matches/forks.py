"""Processes that are forked while a store is open: the child never uses, and never closes, what is the parent's."""

import ctypes
import os
import sqlite3
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet

if TYPE_CHECKING:
    from sqlalchemy import Engine

LOCKING = Lock()
"""Held while a connection of this process takes its first lock on a file, and while one is closed.

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
    until = monotonic() + LONGEST_WAIT
    while FILES and monotonic() < until:
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


os.register_at_fork(before=_before, after_in_parent=LOCKING.release, after_in_child=_in_child)
