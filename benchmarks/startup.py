"""Processor time of starting the command and of importing each public name, each in a process of its own.

Run `python -m benchmarks.startup`. Limits: `firstmover --help` 0.3 s, a public name of the core 0.4 s.
"""

import resource
import subprocess
import sys
from collections.abc import Sequence

import firstmover

REPEATS = 5


def cpu_seconds(command: Sequence[str]) -> float:
    """Processor time of one child process, user and system, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(*code: str) -> float:
    """Least processor time of several starts of Python with these arguments."""
    return min(cpu_seconds([sys.executable, *code]) for _ in range(REPEATS))


def main() -> None:
    """Print the times, slowest name first."""
    print(f"{best('-c', 'pass'):.2f} s  python")
    print(f"{best('-m', 'firstmover', '--help'):.2f} s  firstmover --help")
    times = {name: best("-c", f"from firstmover import {name}") for name in firstmover.__all__}
    for name, seconds in sorted(times.items(), key=lambda entry: -entry[1]):
        print(f"{seconds:.2f} s  from firstmover import {name}")


if __name__ == "__main__":
    main()
