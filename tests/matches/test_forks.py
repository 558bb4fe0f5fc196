"""What a child does after a fork, in one process; tests/torture forks."""

import sys
from functools import cached_property
from threading import RLock
from types import SimpleNamespace

import pytest

from firstmover.matches import forks


def test_a_child_replaces_the_locks_of_cached_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 has one for each of them; later versions have none, and are given none."""

    class Computing:
        @cached_property
        def held(self) -> int:
            return 1

        @cached_property
        def free(self) -> int:
            return 2

    held, free = vars(Computing)["held"], vars(Computing)["free"]
    lock = held.lock = RLock()
    vars(free).pop("lock", None)
    monkeypatch.setitem(sys.modules, "firstmover.computing", SimpleNamespace(Computing=Computing, number=3))
    forks._free_cached_properties()
    assert held.lock is not lock
    assert not hasattr(free, "lock")
