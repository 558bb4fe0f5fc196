"""What the bits of a number depend on, and how an action is drawn."""

import platform
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from threadpoolctl import ThreadpoolController

from firstmover.compiled import loops
from firstmover.records import Vector

_LIBRARIES = ("firstmover", "numpy", "scipy", "scikit-learn")


@cache
def _threads() -> Any:
    _load_blas()
    return ThreadpoolController()


def _load_blas() -> None:
    """SciPy's own BLAS, which the controller must find, without the modules around it: they take half a second."""
    folder = Path(scipy.__file__).parent / "linalg"
    found = next((path for suffix in EXTENSION_SUFFIXES if (path := folder / f"_fblas{suffix}").exists()), None)
    if found is None:
        import_module("scipy.linalg.blas")
    else:
        CDLL(str(found))


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: two would give other last bits."""
    with _threads().limit(limits=1):
        yield


def fingerprint() -> str:
    """What the last bits depend on, in one line: versions, the BLAS and its core type, CPU features, compiled loops."""
    return _libraries() if loops() is None else f"{_libraries()}; numba {version('numba')}"


@cache
def _libraries() -> str:
    blas = sorted(
        f"{entry['internal_api']} {entry['version']} {entry.get('architecture', '')}".strip()
        for entry in _threads().info()
        if entry["user_api"] == "blas"
    )
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    libraries = [f"{name} {version(name)}" for name in _LIBRARIES]
    features = [platform.machine(), *simd.get("baseline", []), *simd.get("found", [])]
    return "; ".join([f"python {platform.python_version()}", *libraries, *blas, " ".join(features), "1 thread"])


def uniform() -> float:
    """A number in [0, 1) of 53 random bits from the operating system."""
    return secrets.randbits(53) * 2.0**-53


def drawn(strategy: Vector, number: float) -> int:
    """The action at which the distribution function first exceeds the number: inverse of F(i) = p[0] + … + p[i].

    An action of probability 0 is never drawn. Where rounding leaves F below 1, the last action that has any probability
    takes the rest.

    >>> [drawn(np.array([0.25, 0.0, 0.75, 0.0]), u) for u in (0.0, 0.2499, 0.25, 0.9999)]
    [0, 0, 2, 2]
    """
    reached = int(np.searchsorted(np.cumsum(strategy), number, side="right"))
    return min(reached, int(np.flatnonzero(strategy)[-1]))
