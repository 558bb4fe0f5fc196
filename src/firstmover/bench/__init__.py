"""The benchmark: firstmover's beliefs and their peers side by side, each speed with its error."""

from firstmover.bench.measure import benchmark
from firstmover.bench.methods import METHODS
from firstmover.bench.page import table, write
from firstmover.bench.results import Part, Record, Row
from firstmover.bench.workloads import WORKLOADS

__all__ = ["METHODS", "PROGRAMME", "WORKLOADS", "Part", "Record", "Row", "benchmark", "table", "write"]

PROGRAMME = (
    ("W1", 100, "installed"),
    ("W1", 1000, "installed"),
    ("W1", 100_000, "none"),
    ("W2", 100, "installed"),
    ("W2", 1000, "installed"),
    ("W2", 5000, "installed"),
    ("W3", 1000, "installed"),
    ("W3-million", 200, "none"),
)
"""Workload, rounds and peers of each part of the documented benchmark."""
