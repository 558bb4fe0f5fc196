"""How quick a match is: rounds with the learner's share and the disk's, and opening after many rounds.

    python benchmarks/match_speed.py [ROUNDS] [ACTIONS]

Rounds to open from are written without waiting for the disk; the rounds that are timed are written safely, and what a
commit costs is shown apart. CPU time is what counts on a machine that does other things too.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.engine import default

from firstmover.matches import Match, database, state

TIMED = 50


def config(n_actions: int) -> dict[str, Any]:
    """Two types, one response, three features."""
    rng = np.random.default_rng(0)
    rows = [dict(zip("xyzv", rng.random(4).tolist(), strict=True)) for _ in range(n_actions)]
    return {
        "menu": {"rows": rows, "features": ["x", "y", "z"]},
        "reward": {"value": "v", "responses": {"cost": -1.0}},
        "responses": [{"name": "cost", "lower": 0.0, "upper": 5.0}],
        "types": [{"name": "demand", "levels": {"low": 0.0, "high": 1.0}}],
        "kernel": {"name": "rbf", "length_scale": 0.5},
        "regularization": 1.0,
        "confidence": {"width": 1.0},
    }


def play(match: Match, rounds: int) -> list[float]:
    """Seconds of each round, asked and told."""
    rng, seconds = np.random.default_rng(len(match.state().rounds)), []
    for number in range(rounds):
        start = time.perf_counter()
        match.tell(match.ask().round_id, ("low", "high")[number % 2], float(rng.random()))
        seconds.append(time.perf_counter() - start)
    return seconds


def timed(owner: Any, name: str, spent: list[tuple[float, float]]) -> None:
    """Let calls of a method, or readings of a property, add their wall and CPU seconds to a list."""
    plain = owner.__dict__[name]
    call = plain.fget if isinstance(plain, property) else plain

    def measured(*arguments: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            return call(*arguments)
        finally:
            spent.append((time.perf_counter() - wall, time.process_time() - cpu))

    setattr(owner, name, property(measured) if isinstance(plain, property) else measured)


def opening(path: Path) -> tuple[float, float]:
    """Wall and CPU seconds to open a match and to answer its first ask."""
    wall, cpu = time.perf_counter(), time.process_time()
    with Match.open(path, "m") as match:
        match.ask()
    return time.perf_counter() - wall, time.process_time() - cpu


def shares(match: Match) -> None:
    """What an ask and a tell cost from here on, the learner's part and the disk's."""
    match.tell(match.ask().round_id, "low", 0.5)  # what an opening leaves for the first tell
    learner, commits = list[tuple[float, float]](), list[tuple[float, float]]()
    before = state.State.strategy, state.State.next_learning, default.DefaultDialect.do_commit
    timed(state.State, "strategy", learner)
    timed(state.State, "next_learning", learner)
    timed(default.DefaultDialect, "do_commit", commits)
    start = time.process_time()
    total = play(match, TIMED)
    cpu = (time.process_time() - start) / TIMED
    state.State.strategy, state.State.next_learning, default.DefaultDialect.do_commit = before  # type: ignore[misc]
    (learner_wall, learner_cpu), (disk_wall, disk_cpu) = (np.sum(spent, axis=0) / TIMED for spent in (learner, commits))
    print(f"  ask and tell         {1e3 * np.median(total):.1f} ms wall, {1e3 * cpu:.1f} ms CPU")
    print(f"    the learner's      {1e3 * learner_wall:.1f} ms wall, {1e3 * learner_cpu:.1f} ms CPU")
    print(f"    two commits        {1e3 * disk_wall:.1f} ms wall, {1e3 * disk_cpu:.1f} ms CPU: the disk's")


def main(rounds: int = 10_000, n_actions: int = 525) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "m.db", Path(folder) / "copy.db"
        safe, unsafe = database.SAFE_SETTINGS, ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
        database.SAFE_SETTINGS = unsafe
        match = Match.create(path, "m", config(n_actions))
        for upto in sorted({min(1000, rounds), rounds}):
            database.SAFE_SETTINGS = unsafe
            play(match, upto - len(match.state().rounds))
            shutil.copy(path, copy)
            database.SAFE_SETTINGS = safe
            openings = np.array([opening(copy) for _ in range(20)])
            wall, cpu = np.quantile(openings, 0.99, axis=0)
            print(f"{upto:,} rounds, {n_actions} actions, {path.stat().st_size / 1e6:.0f} MB")
            print(f"  open and first ask   p99 {wall:.2f} s wall, {cpu:.2f} s CPU")
            shares(match)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
