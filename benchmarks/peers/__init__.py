"""The benchmark: firstmover's beliefs and their peers side by side, each speed with its error."""

from typing import NamedTuple

from benchmarks.peers.measure import benchmark
from benchmarks.peers.methods import METHODS
from benchmarks.peers.page import table, write
from benchmarks.peers.results import Part, Record, Row, make_folder
from benchmarks.peers.workloads import WORKLOADS
from firstmover.core.arrays import as_count
from firstmover.core.errors import InvalidInput, look_up

__all__ = [
    "METHODS",
    "PROGRAMME",
    "WORKLOADS",
    "Part",
    "Record",
    "Row",
    "Step",
    "benchmark",
    "make_folder",
    "steps_of",
    "table",
    "write",
]


class Step(NamedTuple):
    """A part of the documented benchmark: workload, rounds, peers, and seconds for each of these."""

    workload: str
    rounds: int
    peers: str
    budget: float = 20.0


PROGRAMME = (
    Step("W1", 100, "installed"),
    Step("W1", 1000, "installed"),
    Step("W1", 100_000, "none"),
    Step("W2", 100, "installed"),
    Step("W2", 1000, "installed"),
    Step("W2", 5000, "installed", budget=15.0),
    Step("W3", 1000, "installed", budget=10.0),
    Step("W3-million", 200, "none"),
)
"""The documented benchmark."""


def steps_of(workload: str | None, rounds: int | None) -> list[Step]:
    """The whole programme, its parts on one workload, or one part with a number of rounds, as documented if it is.

    >>> [step.rounds for step in steps_of("W2", None)], steps_of("W2", 50)
    ([100, 1000, 5000], [Step(workload='W2', rounds=50, peers='installed', budget=20.0)])
    """
    if workload is None and rounds is not None:
        raise InvalidInput(
            f"rounds is {rounds} without a workload: name one of {', '.join(WORKLOADS)}, or leave it out."
        )
    if workload is None:
        return list(PROGRAMME)
    look_up("workload", workload, WORKLOADS)
    same = [step for step in PROGRAMME if step.workload == workload and rounds in (None, step.rounds)]
    return same or [Step(workload, 1000 if rounds is None else as_count("rounds", rounds), "installed")]
