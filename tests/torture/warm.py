"""Loaded by the server that gives birth to children: all that a child needs, and every cache filled once."""

import tempfile
from pathlib import Path

from firstmover.matches import Match
from tests.matches.played import new, play
from tests.torture import (  # noqa: F401 - whose functions children run
    test_acknowledged,
    test_both_stores,
    test_disk_full,
    test_exactly_once,
    test_memory,
    test_read_only,
    test_same_action,
    test_server_faults,
    test_upgrade,
)

with tempfile.TemporaryDirectory() as folder, new(Path(folder)) as match:
    play(match, range(2))
    Match.open(f"{folder}/matches.db", "roads", read_only=True).close()
