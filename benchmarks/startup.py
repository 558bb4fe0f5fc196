"""Processor time of starting the command, of an ask and a tell, and of importing each public name.

Run `python -m benchmarks.startup`; each is measured in a process of its own, and the least of several times is printed.
Limits: `firstmover --help` 0.3 s, a public name of the core 0.4 s, `firstmover match tell` 1 s.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import firstmover

REPEATS = 5
OUTCOMES = {
    "pricing": ("--type", "customers=tourists", "--response", "sold=10"),
    "sioux-falls": ("--type", "traffic=usual", "--response", "congestion=1"),
}
"""An outcome to tell for each template."""


def cpu_seconds(command: Sequence[str]) -> float:
    """Processor time of one child process, user and system, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(*arguments: str) -> float:
    """Least processor time of several starts of Python with these arguments."""
    return min(cpu_seconds([sys.executable, *arguments]) for _ in range(REPEATS))


def rounds(template: str) -> tuple[float, float]:
    """Least processor time of an ask and of a tell from the command line, in a match of a template."""
    with tempfile.TemporaryDirectory() as folder:
        config, store = Path(folder, "match.toml"), str(Path(folder, "matches.db"))
        match = [sys.executable, "-m", "firstmover", "match"]
        config.write_bytes(subprocess.run([*match, "template", template], check=True, capture_output=True).stdout)
        cpu_seconds([*match, "new", "m", "--config", str(config), "--store", store])
        times = [
            [cpu_seconds([*match, *command, "--store", store]) for command in (["ask", "m"], ["tell", "m", *outcome])]
            for outcome in [OUTCOMES[template]] * (REPEATS + 1)
        ]
    asks, tells = zip(*times[1:], strict=True)  # the first round has no snapshot
    return min(asks), min(tells)


def main() -> None:
    """Print the times, slowest name first."""
    print(f"{best('-c', 'pass'):.2f} s  python")
    print(f"{best('-m', 'firstmover', '--help'):.2f} s  firstmover --help")
    for template in OUTCOMES:
        ask, tell = rounds(template)
        print(f"{ask:.2f} s  firstmover match ask, {template}\n{tell:.2f} s  firstmover match tell, {template}")
    times = {name: best("-c", f"from firstmover import {name}") for name in firstmover.__all__}
    for name, seconds in sorted(times.items(), key=lambda entry: -entry[1]):
        print(f"{seconds:.2f} s  from firstmover import {name}")


if __name__ == "__main__":
    main()
