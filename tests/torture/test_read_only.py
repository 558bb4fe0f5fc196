"""A store that cannot be written, on a read-only file system or by its permissions: one sentence, and nothing lost."""

import os
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from firstmover.core.errors import FirstmoverError, StoreUnavailable
from firstmover.matches import Match
from tests.installing import missing
from tests.matches.played import new, play
from tests.torture.children import Child, Say
from tests.torture.sizes import sizes

PROMISE = "read-only file system"
NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount"]
"""Where every user may mount, root or not, and where the mounts end with the process."""

NOBODY = 65534
"""The user that root becomes: permissions do not bind root."""


def remounted(folder: Path, turns: int, seed: int, *careless: str) -> "subprocess.CompletedProcess[str]":
    """A process whose file system becomes read-only and writable again."""
    if subprocess.run([*NAMESPACES, "true"], check=False, capture_output=True).returncode != 0:
        missing("User namespaces are missing: unshare --user --map-root-user --mount must work.")
    command = [*NAMESPACES, sys.executable, "-m", "tests.torture.remounting", str(folder), str(turns), str(seed)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    root = Path(__file__).parents[2]
    return subprocess.run(
        [*command, *careless], env=env, cwd=root, capture_output=True, text=True, check=False, timeout=60 + 10 * turns
    )


@pytest.mark.parametrize(("part", "turns"), sizes("file systems made read-only"))
def test_a_read_only_file_system_loses_nothing(tmp_path: Path, part: int, turns: int, reached: Say) -> None:
    found = remounted(tmp_path, turns, part)
    assert found.returncode == 0, found.stderr
    reached(f"{found.stdout}: one sentence each, 0 lost, next call works")


def test_teeth_a_match_that_takes_a_refused_write_for_a_written_one(tmp_path: Path) -> None:
    found = remounted(tmp_path, 12, 0, "careless")
    assert "is lost" in found.stderr


def without_permission(sender: Connection, folder: str, modes: dict[str, int]) -> None:
    """Ask as a user who may not write, and say what came of it; then with permission again."""
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    path = Path(folder) / "matches.db"
    with Match.open(path, "roads") as match:
        for name, mode in modes.items():
            (Path(folder) / name).chmod(mode)
        try:
            sender.send(match.ask("new").round_id)
        except FirstmoverError as error:
            sender.send((type(error).__name__, str(error)))
        with Match.open(path, "roads", read_only=True) as reader:
            sender.send(len(reader.history()))
        (Path(folder)).chmod(0o700)
        path.chmod(0o600)
        sender.send(match.ask("new").round_id)


@pytest.mark.parametrize("modes", [{"matches.db": 0o400}, {".": 0o500}, {"matches.db": 0o400, ".": 0o500}])
def test_a_file_or_folder_without_permission_to_write(memory: Path, modes: dict[str, int]) -> None:
    with new(memory) as match:
        play(match, range(2))
    if os.geteuid() == 0:
        for path in (memory, memory / "matches.db"):
            os.chown(path, NOBODY, NOBODY)
    (refused, sentence), rounds, after = Child(without_permission, str(memory), modes).end()
    assert refused == StoreUnavailable.__name__, sentence
    assert sentence.startswith("The store is unavailable (")
    assert sentence.endswith("): repeat the call later; nothing is recorded twice.")
    assert (rounds, after) == (2, "new")
    with Match.open(memory / "matches.db", "roads") as match:
        assert match.verify().rounds == 3
