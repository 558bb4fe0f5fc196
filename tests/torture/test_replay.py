"""The same events lead to the same state in every process: bit for bit with the same numerics, to 1e-9 with others."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.numerics import fingerprint
from firstmover.matches import Match, state_hash
from tests.matches.played import answer
from tests.torture.children import change
from tests.torture.grown import grown
from tests.torture.sizes import sizes

PROMISE = "replay"
NEEDED = {"Nehalem": "sse4_2", "Prescott": "sse3", "Haswell": "avx2", "SkylakeX": "avx512vl"}
"""OpenBLAS kernels, and what a processor must have for them: OpenBLAS starts them without a look."""


def cores() -> tuple[str | None, ...]:
    """Our own kernel, and those others that this processor can run."""
    known = Path("/proc/cpuinfo")
    flags = set(known.read_text("utf-8").replace("pni", "sse3").split()) if known.exists() else set()
    return (None, *(core for core, needed in NEEDED.items() if needed in flags))


def folded(path: Path, threads: int, core: str | None, fold: str) -> list[dict[str, Any]]:
    """What a fresh process makes of the store, with this many threads and this kind of core."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    env = {**os.environ, **dict.fromkeys(names, str(threads))} | ({"OPENBLAS_CORETYPE": core} if core else {})
    env["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "tests.torture.folding", str(path), fold]
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    return [json.loads(line) for line in said.stdout.splitlines()]


def play_changing(match: Match, rounds: int) -> None:
    """Play further rounds, with a change of menu, reward or levels after every fourth."""
    for number in range(1, rounds + 1):
        decision = match.ask()
        match.tell(decision.round_id, *answer(decision, number))
        change(match, number)


def replays(
    folder: Path, matches: int, runs: Iterable[tuple[int, str | None]], fold: str = "pure"
) -> tuple[int, int, float]:
    """Folds with equal hashes, folds elsewhere, and how far these were off at most."""
    path, expected = folder / "matches.db", {}
    for number in range(matches):
        grown(path, 20 + number % 30, f"m{number}")
        with Match.open(path, f"m{number}") as match:
            play_changing(match, 4 * (number % 5))
            expected[f"m{number}"] = state_hash(match.state()), match.state().strategy
    equal, elsewhere, largest = 0, 0, 0.0
    for threads, core in runs:
        for found in folded(path, threads, core, fold):
            mark, strategy = expected[found["name"]]
            if found["fingerprint"] == fingerprint():
                assert found["hash"] == mark, f"{threads} threads, {core}: another state from the same events"
                equal += 1
            else:
                elsewhere += 1
                largest = max(largest, float(np.max(np.abs(found["strategy"] - strategy))))
    assert largest <= 1e-9
    return equal, elsewhere, largest


@pytest.mark.parametrize(("matches", "processes"), sizes("matches replayed"))
def test_replay_in_fresh_processes(memory: Path, matches: int, processes: int, reached: Callable[[str], None]) -> None:
    """Every other process has our own kernel, with one to four threads."""
    kernels = [each for core in cores()[1:] for each in (None, core)] or [None]
    runs = [(1 + number // 2 % 4, kernels[number % len(kernels)]) for number in range(processes)]
    equal, elsewhere, largest = replays(memory, matches, runs)
    assert equal >= matches
    reached(f"{equal:,} / {equal:,} equal hashes; {elsewhere:,} elsewhere within {largest:.1g}")


def test_teeth_a_fold_in_no_order(memory: Path) -> None:
    with pytest.raises(AssertionError, match="another state from the same events"):
        replays(memory, 3, [(1, None)], "impure")
