"""What the machine can do: rates of products and of reading, and how much memory a run takes."""

import gc
import os
import platform
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from pydantic import BaseModel, ConfigDict

from firstmover.core.arrays import positive

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Machine(BaseModel):
    """Rates on one thread, in CPU time.

    Parameters
    ----------
    processor
        Its name and the number of cores.
    product_rate
        Floating-point operations a second of the product of two square matrices.
    thin_rate
        The same of a (T, T) matrix and 20 columns, which must read the whole matrix for little work.
    read_bandwidth
        Bytes a second when a long array is read once.
    """

    model_config = ConfigDict(frozen=True)

    processor: str
    product_rate: float
    thin_rate: float
    read_bandwidth: float


def measure_machine(rounds: int) -> Machine:
    """The rates now, the best of several tries each."""
    positive("rounds", rounds)
    rng, side = np.random.default_rng(0), min(max(rounds, 64), 5000)
    square, thin, columns = rng.random((1024, 1024)), rng.random((side, side)), rng.random((side, 20))
    array = rng.random(2**24)
    return Machine(
        processor=f"{_processor()}, {os.cpu_count()} cores",
        product_rate=2 * 1024**3 / _quickest(lambda: square @ square),
        thin_rate=2 * side**2 * 20 / _quickest(lambda: thin @ columns),
        read_bandwidth=array.nbytes / _quickest(lambda: array @ array),
    )


def _quickest(work: Callable[[], object], tries: int = 9) -> float:
    """CPU seconds of the quickest of several tries, each long enough for the clock."""
    work()
    times = []
    for _ in range(tries):
        start, repeats = process_time(), 0
        while process_time() - start < 0.005:
            work()
            repeats += 1
        times.append((process_time() - start) / repeats)
    return min(times)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


class ResidentPeak:
    """How far resident memory rises above where it stood, where the system can tell (Linux)."""

    def __init__(self) -> None:
        gc.collect()
        try:
            _CLEAR.write_text("5")  # the peak starts anew from what is resident now
            self._start: int | None = _status("VmRSS")
        except OSError:
            self._start = None

    def rise(self) -> float | None:
        """Bytes, or None where the system does not tell."""
        return None if self._start is None else float(max(_status("VmHWM") - self._start, 0))


def _status(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])
