"""The methods that are measured, firstmover and its peers: each predicts the whole menu and observes one response."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, runtime_checkable

from benchmarks.peers.methods.conditioned import Conditioned
from benchmarks.peers.methods.direct import FullCholesky, HalfSolve
from benchmarks.peers.methods.gpy import OneByOne, Vectorised
from benchmarks.peers.methods.ours import Ours
from benchmarks.peers.methods.scikit import Refit
from benchmarks.peers.methods.torch import Rebuilt, Reset
from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import unknown_name


class Method(Protocol):
    """A way to compute μ and σ, round after round."""

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean (n, m) and standard deviation (n,) of all actions at one type."""
        ...

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Observe one response."""
        ...


@runtime_checkable
class Stoppable(Method, Protocol):
    """A method whose run may be stopped: it can observe rounds that it did not play."""

    def catch_up(self, told: list[Told]) -> None:
        """Observe the responses of several rounds, so that it can predict the next."""
        ...


@dataclass(frozen=True)
class Entry:
    """A method of the table: its title, the packages it needs, its constructor, and the largest menu it can handle."""

    title: str
    packages: tuple[str, ...]
    start: Callable[[Workload], Method]
    largest_menu: float = float("inf")

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that are not installed."""
        return tuple(name for name in self.packages if find_spec(name) is None)


OURS = "firstmover"

METHODS: dict[str, Entry] = {
    OURS: Entry("firstmover", ("numpy", "scipy"), Ours),
    "numpy": Entry(
        "NumPy and SciPy, full Cholesky and two solves, Gram matrix cached", ("numpy", "scipy"), FullCholesky
    ),
    "numpy-half": Entry(
        "NumPy and SciPy, full Cholesky and one solve, Gram matrix cached", ("numpy", "scipy"), HalfSolve
    ),
    "scikit-learn": Entry("scikit-learn, refitted", ("sklearn",), Refit),
    "gpy": Entry("GPy, all actions at once", ("GPy",), Vectorised),
    "gpy-loop": Entry("GPy, one action at a time, as in the authors' program", ("GPy",), OneByOne, largest_menu=10_000),
    "gpytorch": Entry("GPyTorch, new training data every round", ("gpytorch", "torch"), Reset),
    "botorch": Entry("BoTorch, rebuilt", ("botorch", "gpytorch", "torch"), Rebuilt),
    "botorch-conditioned": Entry("BoTorch, condition_on_observations", ("botorch", "gpytorch", "torch"), Conditioned),
}
"""Name to method; the first is what the others are compared with."""


def chosen(peers: str) -> tuple[list[str], list[str]]:
    """Names of the methods to run and of those that are missing, for `installed`, `none` or names with commas.

    >>> chosen("none")
    (['firstmover'], [])
    >>> chosen("numpy")
    (['firstmover', 'numpy'], [])
    """
    if peers in ("installed", "none"):
        wanted = [name for name in METHODS if name != OURS] if peers == "installed" else []
    else:
        wanted = [name.strip() for name in peers.split(",")]
    for name in wanted:
        if name not in METHODS:
            raise unknown_name("peer", name, [*METHODS, "installed", "none"])
    missing = [name for name in wanted if METHODS[name].missing]
    return [OURS, *(name for name in wanted if name not in missing and name != OURS)], missing


def versions(names: list[str]) -> dict[str, str]:
    """The version of every package that these methods need."""
    packages = sorted({package for name in names for package in METHODS[name].packages}, key=str.lower)
    return {package: str(import_module(package).__version__) for package in packages}
