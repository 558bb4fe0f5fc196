"""A learner that refits, as a plugin beside a test's store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firstmover.core import plugins

PLUGIN = """
from firstmover.learners import LEARNERS, LearnerEntry
from tests.matches.refitting import Tuned

LEARNERS.add("tuned", LearnerEntry("refits", lambda s, _: Tuned.start(s.game), response_belief=True, fits=True))
"""


@pytest.fixture
def tuned(tmp_path: Path) -> Iterator[str]:
    """The path of a plugin with the learner `tuned`; it is removed afterwards."""
    path = tmp_path / "tuned.py"
    path.write_text(PLUGIN, "utf-8")
    yield str(path)
    for table, name in plugins._LOADED.pop(str(path)).added:
        table.remove(name)
