"""Processes that play runs: how many, and what they begin with."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from firstmover.core.errors import InvalidInput

THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
"""The matrices and tables are small: several threads only get in each other's way."""


def check_workers(workers: int | None) -> None:
    """Refuse a number of processes that is none."""
    if workers is not None and workers < 1:
        raise InvalidInput(f"workers is {workers}: give 1 or more.")


@contextmanager
def as_workers_inherit() -> Iterator[None]:
    """One BLAS thread, set before NumPy is loaded, and deaf to Ctrl-C, which the parent answers for all."""
    before = {name: os.environ.get(name) for name in THREAD_SETTINGS}
    os.environ.update(dict.fromkeys(THREAD_SETTINGS, "1"))
    deaf = {signal.SIGINT} if hasattr(signal, "pthread_sigmask") else set()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, deaf) if deaf else set()
    try:
        yield
    finally:
        if deaf:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
