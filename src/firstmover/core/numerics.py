"""Threads, memory, the numeric fingerprint of this machine, and sampling from a strategy."""

import hashlib
import os
import platform
import secrets
from contextlib import AbstractContextManager
from ctypes import CDLL
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.core.files import sources_hash
from firstmover.core.plugins import plugin_sources

MEMINFO = Path("/proc/meminfo")
LIBRARIES = ("firstmover", "numpy", "scipy", "scikit-learn")
NUMERIC_PACKAGES = ("core", "kernels", "beliefs", "strategies", "learners", "games", "matches")
"""The packages that compute p_t in a match."""


def one_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread while the block lasts.

    The last bits of a result depend on the number of threads. NumPy's and SciPy's pools also wait for each other, which
    takes 3 to 10 times longer.
    """
    return _blas_controller().limit(limits=1)


@cache
def _blas_controller() -> ThreadpoolController:
    _load_scipy_blas()
    return ThreadpoolController()  # searching for libraries takes as long as a short run


def _load_scipy_blas() -> None:
    """Load SciPy's BLAS without `scipy.linalg`, whose import takes half a second: the controller must find it."""
    scipy = find_spec("scipy")
    folder = Path(scipy.origin if scipy is not None and scipy.origin is not None else "").parent / "linalg"
    found = next((path for suffix in EXTENSION_SUFFIXES if (path := folder / f"_fblas{suffix}").exists()), None)
    if found is None:
        import_module("scipy.linalg.blas")
    else:
        CDLL(str(found))


def fingerprint() -> str:
    """Everything that a result depends on to the last bit; only where it is equal are equal bits expected.

    Sources, plugins, versions, C library and its tunables, BLAS, CPU features and threads. Computed at the first call.
    """
    plugins = plugin_sources()
    if not plugins:
        return _machine()
    return f"{_machine()}; plugins {hashlib.sha256(b''.join(path.read_bytes() for path in plugins)).hexdigest()[:16]}"


@cache
def _machine() -> str:
    """The fingerprint without plugins."""
    blas = sorted(
        f"{entry['internal_api']} {entry['version']} {entry.get('architecture', '')}".strip()
        for entry in _blas_controller().info()
        if entry["user_api"] == "blas"
    )
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    features = [platform.machine(), *simd.get("baseline", []), *simd.get("found", [])]
    source = f"source {sources_hash(NUMERIC_PACKAGES)[:16]}"
    parts = [f"python {platform.python_version()}", *libraries, source, c_library(), *blas, " ".join(features)]
    return "; ".join([*parts, "1 thread"])


def c_library() -> str:
    """The C library, whose exp and log differ in last bits by version and by the CPU features that it may use."""
    name = " ".join(platform.libc_ver()).strip() or f"{platform.system()} {platform.release()}"
    tunables = os.environ.get("GLIBC_TUNABLES")
    return f"{name} with {tunables}" if tunables else name


def available_memory() -> float:
    """Bytes that can be allocated without swapping; infinite where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        return 1024.0 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def check_memory(needed: float, purpose: str, remedy: str) -> None:
    """Raise InvalidInput if more memory is needed than is available.

    >>> check_memory(1e18, "a table of all pairs", "give a smaller menu")
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: a table of all pairs takes 1,000,000,000,000 MB, ...
    """
    available = available_memory()
    if needed > available:
        raise InvalidInput(
            f"{purpose} takes {needed / 1e6:,.0f} MB, and only {available / 1e6:,.0f} MB are available: {remedy}."
        )


def system_uniform() -> float:
    """A number in [0, 1) of 53 random bits from the operating system."""
    return secrets.randbits(53) * 2.0**-53


def sample_action(strategy: Vector, uniform: float) -> int:
    """The first action whose cumulative probability F(i) = p[0] + … + p[i] exceeds a uniform number in [0, 1).

    An action of probability 0 is never drawn. If rounding leaves F(n − 1) below 1, the last action with a positive
    probability takes the rest.

    >>> [sample_action(np.array([0.25, 0.0, 0.75, 0.0]), u) for u in (0.0, 0.2499, 0.25, 0.9999)]
    [0, 0, 2, 2]
    """
    action = int(np.cumsum(strategy).searchsorted(uniform, side="right"))
    return action if action < len(strategy) else int(np.flatnonzero(strategy)[-1])
