"""Calls per second that the service answers, beside the cost of a commit.

    python benchmarks/service_speed.py [ROUNDS] [CLIENTS]

A service is started on a store of its own. One client, then many, ask and tell rounds of one match; then they repeat
asks of told rounds, which writes nothing. A commit is timed alone, on the same disk and with the same settings: every
ask and every tell is one commit, and those of one match are sequential.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import text

from firstmover.matches.database import engine_for, transaction
from firstmover.service.client import Client

CONFIG: dict[str, Any] = {"menu": {"game": "shore"}, "horizon": 10_000}


def commit_seconds(folder: Path, times: int = 50) -> float:
    """The median of commits of a few hundred bytes."""
    engine, seconds = engine_for(folder / "commits.db", create=True), []
    with transaction(engine, writing=True) as connection:
        connection.execute(text("CREATE TABLE lines (line TEXT)"))
    for _ in range(times):
        start = time.perf_counter()
        with transaction(engine, writing=True) as connection:
            connection.execute(text("INSERT INTO lines VALUES (:line)"), {"line": "x" * 500})
        seconds.append(time.perf_counter() - start)
    engine.dispose()
    return float(np.median(seconds))


def timed(address: str, token: str, clients: int, rounds: int, call: Callable[[Any, str], int]) -> float:
    """Calls per second; the rounds are divided among clients that start together."""
    ready, done = threading.Barrier(clients + 1), list[int]()

    def work(own: range) -> None:
        with Client(address, token) as client:
            match = client.open("bay")
            ready.wait()
            done.extend(call(match, f"{clients}-{number}") for number in own)

    threads = [threading.Thread(target=work, args=(range(i, rounds, clients),)) for i in range(clients)]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - start)


def play(match: Any, round_id: str) -> int:
    """One round: two calls, two commits."""
    match.ask(round_id)
    match.tell(round_id, {"type": "1"}, {"y1": 0.25})
    return 2


def again(match: Any, round_id: str) -> int:
    """The same round asked again: no commit."""
    match.ask(round_id)
    return 1


def main(rounds: int = 400, clients: int = 64) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from firstmover.cli import main; main()", "serve", "--port", "0"]
        service = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, env=os.environ)
        assert service.stdout is not None
        found = re.fullmatch(r"Open (http://\S+)/#token=(\S+)\n", service.stdout.readline())
        assert found is not None
        address, token = found.groups()
        try:
            time.sleep(1.0)
            with Client(address, token) as client:
                client.create("bay", CONFIG)
            commit = commit_seconds(Path(folder))
            print(f"a commit takes {1e3 * commit:.2f} ms here: at most {1 / commit:.0f} a second for one match")
            for count in (1, clients):
                speed = timed(address, token, count, rounds, play)
                print(f"{count:3} client(s): {speed:6.0f} asks and tells a second")
                print(f"{count:3} client(s): {timed(address, token, count, rounds, again):6.0f} asks again a second")
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
