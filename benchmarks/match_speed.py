"""How quick a match is: rounds with the learner's share and the disk's, and opening after many rounds.

    python benchmarks/match_speed.py [ROUNDS] [ACTIONS]
    python benchmarks/match_speed.py free [ROUNDS] [ACTIONS]
    python benchmarks/match_speed.py correction [ROUNDS] [ACTIONS]

The third one plays another match of the same store, in another process, while a round of such a match is corrected. The
second command opens matches whose type is a number, new in every round. Their journals are written without playing:
the actions are drawn from a fixed distribution, and the snapshot has the weights of the first round.

Rounds to open from are written without waiting for the disk; the rounds that are timed are written safely, and what a
commit costs is shown apart. CPU time is what counts on a machine that does other things too.
"""

import multiprocessing
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.engine import default

from firstmover.core.numerics import fingerprint, sample_action
from firstmover.matches import Match, database, state
from firstmover.matches.events import Draft, Event, packed, utc_clock
from firstmover.matches.learner_state import Learning

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


def write_free(path: Path, rounds: int, n_actions: int, power: float) -> None:
    """Write a match with a new type in every round, whose action i is played with a probability ∝ 1 / i^power."""
    match = Match.create(path, "m", config(n_actions) | {"types": [{"name": "demand"}]})
    played, rng = match.state(), np.random.default_rng(1)
    strategy = np.arange(1.0, n_actions + 1) ** -power
    strategy /= strategy.sum()
    common = {"strategy": packed(strategy), "config": played.setting.mark, "fingerprint": fingerprint()}
    sequence, mark, rows = played.sequence, played.mark, list[Event]()
    for number in map(str, range(1, rounds + 1)):
        uniform = float(rng.random())
        action = sample_action(strategy, uniform)
        asked = {**common, "action": action, "probability": float(strategy[action]), "uniform": uniform}
        told = {"type": {"demand": float(rng.random())}, "response": {"cost": float(rng.random())}}
        for draft in (
            Draft("asked", asked, number, f"asked:{number}"),
            Draft("told", told, number, f"closed:{number}"),
        ):
            rows.append(Event.following(mark, sequence + 1, utc_clock(), draft, "benchmark"))
            sequence, mark = rows[-1].sequence, rows[-1].hash
    snapshot, match_id = Learning.start(played.setting).snapshot(sequence, mark), match.journal.match_id
    match.close()
    with sqlite3.connect(path) as store:
        places = ", ".join("?" * (1 + len(Event._fields)))
        store.executemany(f"INSERT INTO firstmover_events VALUES ({places})", [(match_id, *row) for row in rows])
        store.execute("UPDATE firstmover_matches SET length = ?, head = ?, snapshot = ?", (sequence, mark, snapshot))


def free_opening(path: Path) -> tuple[float, float, float]:
    """CPU seconds to open a match with its first ask and tell, those of the next ask and tell, and bytes stored."""
    start = time.process_time()
    with Match.open(path, "m") as match:
        match.tell(match.ask().round_id, 0.12, 0.5)
        first = time.process_time()
        match.tell(match.ask().round_id, 0.34, 0.5)
        after = time.process_time()
        return first - start, after - first, float(len(match.journal.stored_base() or b""))


def free(rounds: int = 10_000, n_actions: int = 525) -> None:
    """Print how long it takes to reopen matches of free types, without and with a stored decomposition."""
    database.SAFE_SETTINGS = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
    with tempfile.TemporaryDirectory() as folder:
        for power in (2.0, 2.0, 0.0):  # the first one imports what is needed
            path = Path(folder) / "free.db"
            path.unlink(missing_ok=True)
            write_free(path, rounds, n_actions, power)
            found = [free_opening(path) for _ in range(4)]
            reopened, following, stored = np.median(found[1:], axis=0)
            print(
                f"{rounds:,} rounds of free types, {n_actions} actions, p ∝ 1/i^{power:.0f}: CPU of open, ask and tell"
            )
            print(f"  nothing stored       {found[0][0]:.2f} s")
            print(f"  reopened             {reopened:.2f} s (median of 3), then {following:.2f} s for ask and tell")
            print(f"  stored               {stored / 1e6:.1f} MB")


def correct_first(path: Path) -> None:
    """Correct the first round of the match with free types."""
    with Match.open(path, "m") as match:
        start = time.process_time()
        match.correct("1", 0.5, 0.25, reason="misread")
        print(f"  the correction       {time.process_time() - start:.1f} s CPU")


def correction(rounds: int = 3_000, n_actions: int = 525) -> None:
    """Print how long the asks of another match take while a round is corrected."""
    with tempfile.TemporaryDirectory() as folder:
        path, waits = Path(folder) / "m.db", list[float]()
        write_free(path, rounds, n_actions, 0.0)
        with Match.create(path, "other", config(n_actions)) as other:
            play(other, 5)
            correcting = multiprocessing.get_context("spawn").Process(target=correct_first, args=(path,))
            print(f"{rounds:,} rounds of free types, {n_actions} actions: a round is corrected, another match asks")
            correcting.start()
            while correcting.is_alive():
                start = time.perf_counter()
                asked = other.ask()
                waits.append(time.perf_counter() - start)
                other.tell(asked.round_id, "low", 0.5)
                correcting.join(0.05)
        print(f"  {len(waits):,} asks             median {np.median(waits):.3f} s, longest {max(waits):.3f} s wall")


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
    modes = {"free": free, "correction": correction}
    if sys.argv[1:2] and sys.argv[1] in modes:
        modes[sys.argv[1]](*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
