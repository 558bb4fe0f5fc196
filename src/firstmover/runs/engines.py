"""Where tasks are played: processes of this machine (loky), or a Ray or Dask cluster, as backends of joblib."""

import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from joblib import cpu_count
from joblib.externals.loky.process_executor import BrokenProcessPool

from firstmover.core.errors import InvalidInput, StoreUnavailable, first_line, installing
from firstmover.core.registry import Table

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Workers:
    """Where tasks are played: how many at once, a backend of joblib, and the errors that mean a lost worker."""

    count: int
    backend: str = "loky"
    options: tuple[tuple[str, Any], ...] = ()
    lost: tuple[type[Exception], ...] = (BrokenProcessPool,)


def check_workers(workers: int | None) -> None:
    """Refuse a number of processes below 1."""
    if workers is not None and workers < 1:
        raise InvalidInput(f"workers is {workers}: give 1 or more.")


@dataclass(frozen=True)
class EngineEntry:
    """An entry of the ENGINES table: a context manager that connects for the time of a `with` block.

    `module` is that of the library of a cluster, and `library` its name.
    """

    summary: str
    connect: Callable[[int | None, str | None], AbstractContextManager[Workers]]
    module: str | None = None
    library: str = ""

    def workers(self, workers: int | None, address: str | None) -> int | None:
        """Check both, start nothing, and return how many workers there will be; None if only the cluster knows."""
        check_workers(workers)
        if self.module is None and address is not None:
            raise InvalidInput(f"address is {address!r}: engine 'local' has none, so leave it out.")
        if self.module is not None and sys.modules.get(self.module) is None and find_spec(self.module) is None:
            raise InvalidInput(f"{self.library} is not installed: {installing('cluster')}, or use the local engine.")
        if address is None:
            return workers or cpu_count()
        _check_address(self.library, address)
        return workers

    def start(self, workers: int | None, address: str | None) -> AbstractContextManager[Workers]:
        """Check both, and connect."""
        self.workers(workers, address)
        return self.connect(workers, address)


def local(count: int | None) -> Workers:
    """Processes of this machine with one BLAS thread each, as many as cores; one worker is this process itself."""
    options = (("inner_max_num_threads", 1), ("initializer", _begin), ("initargs", (os.getpid(),)))
    return Workers(count or cpu_count(), "loky", options)


def _begin(driver: int) -> None:
    """Leave Ctrl-C to the driver, and end this worker when the driver is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(0.5)
    os._exit(0)


def _check_address(name: str, address: str) -> None:
    """Refuse at once an address where nothing answers: a cluster's own client would try for minutes."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not (host and port.isdigit() and int(port) < 2**16):
        raise InvalidInput(f"address is {address!r}: give host and port of a {name} cluster, such as 10.0.0.1:6379.")
    try:
        socket.create_connection((host, int(port)), timeout=5.0).close()
    except OSError as error:
        raise StoreUnavailable(f"no {name} cluster answers at {address}: {error.strerror or error}.") from None


_RAY_LOCAL = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # nodes take the loopback address, so that every socket is bound to it
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # workers have the priority of those of any other engine
}
"""The environment that Ray must find when it is imported, before a cluster of our own is started."""


@contextmanager
def on_ray(workers: int | None, address: str | None) -> Iterator[Workers]:
    """Workers of the cluster at an address, or of one of our own that ends with the block.

    Every socket of a cluster of our own is bound to loopback, which is checked; dashboard and telemetry are off, and a
    client needs the token made for it. Ray passes Python objects by pickle: an address must be that of a cluster that
    only its user can write to.
    """
    if "ray" not in sys.modules:  # Ray reads its environment once
        if address is None or address.rpartition(":")[0] in (LOOPBACK, "localhost"):
            os.environ.update(_RAY_LOCAL)
        if address is None and not {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & set(os.environ):
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    ray: Any = import_module("ray")
    if ray.is_initialized():
        raise InvalidInput("Ray is connected already in this process: call ray.shutdown() first.")
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    own: dict[str, Any] = {"num_cpus": workers or cpu_count(), "include_dashboard": False, "_node_ip_address": LOOPBACK}
    where = own if address is None else {"address": address}
    try:
        try:
            started = ray.init(**where, log_to_driver=False, logging_level="ERROR", runtime_env={"env_vars": threads})
        except Exception as error:  # Ray has no class of its own for a start that fails
            words = first_line(error).rstrip(".")
            raise StoreUnavailable(f"no Ray cluster could be reached: {words}; try again.") from None
        if address is None and started.address_info["node_ip_address"] != LOOPBACK:
            raise InvalidInput(
                "Ray was imported before firstmover started it and would listen to the network: import it later, or "
                "set RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 before."
            )
        import_module("ray.util.joblib").register_ray()
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield Workers(min(workers or cores, cores), "ray", (), (ray.exceptions.RayError,))
    finally:
        ray.shutdown()


@contextmanager
def on_dask(workers: int | None, address: str | None) -> Iterator[Workers]:
    """Workers of the Dask scheduler at an address, or of one of our own on loopback, without a dashboard."""
    dask: Any = import_module("distributed")
    own = {"n_workers": workers or cpu_count(), "threads_per_worker": 1, "host": LOOPBACK, "dashboard_address": None}
    with nullcontext(address) if address else dask.LocalCluster(**own) as where, dask.Client(where) as client:
        cores = sum(client.ncores().values())
        yield Workers(min(workers or cores, cores), "dask", (("client", client),), (dask.KilledWorker,))


ENGINES: Table[EngineEntry] = Table(
    "engine",
    {
        "local": EngineEntry(
            "processes of this machine, as many as it has cores", lambda workers, _: nullcontext(local(workers))
        ),
        "ray": EngineEntry("a Ray cluster: at an address, or one of its own on this machine", on_ray, "ray", "Ray"),
        "dask": EngineEntry(
            "a Dask cluster: at an address, or one of its own on this machine", on_dask, "distributed", "Dask"
        ),
    },
)
