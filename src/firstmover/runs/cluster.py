"""A Ray cluster: one that runs already, or one of our own that nobody else can reach."""

import os
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from firstmover.core.errors import InvalidInput, StoreUnavailable, installing

LOOPBACK = "127.0.0.1"

LOCAL_ONLY = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # nodes take the loopback address, so that every socket is bound to it
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # workers are as important as those of any other engine
}
"""What Ray must find in the environment before it is imported and a cluster of our own is started."""

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""The environment of workers: as many of them as cores, each with one BLAS thread."""

OBJECT_STORE = 256 * 2**20
"""Bytes of shared memory for a cluster of our own: what travels is small, except the menu of a sharded belief, once."""


def check_installed() -> None:
    """Nothing where Ray is, or one sentence on how to get it; it is not loaded."""
    if sys.modules.get("ray") is None and find_spec("ray") is None:
        raise InvalidInput(f"Ray is not installed: {installing('cluster')}, or use the local engine.")


def import_ray() -> Any:
    """The module, or one sentence on how to get it."""
    check_installed()
    import ray  # noqa: PLC0415 - an extra, loaded when it is asked for

    return ray


def running_ray() -> Any:
    """The module, connected to a cluster; refused when there is none, and not loaded for that.

    Ray reads its environment once, when it is loaded: `connected` sets it before.
    """
    check_installed()
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        raise InvalidInput("no Ray cluster is connected: do this inside `with firstmover.cluster.connected():`.")
    return ray


@contextmanager
def connected(
    address: str | None = None, workers: int | None = None, object_store: int = OBJECT_STORE
) -> Iterator[Any]:
    """Ray, connected to the cluster at an address, or to one of our own that ends with the block.

    A cluster of our own has as many workers as there are cores unless stated; dashboard and telemetry are off, every
    socket is bound to loopback, which is checked, and only who knows its token, made for it alone, is let in. A cluster
    that ran before stays, and wants the token that Ray's own variables name (RAY_AUTH_TOKEN). Ray passes Python objects
    by pickle: give the address of no cluster that others than you can write to.
    """
    if address is not None:
        check_address(address)
    if "ray" not in sys.modules:  # it reads its environment once
        _prepare(address)
    ray = import_ray()
    if ray.is_initialized():
        raise InvalidInput("Ray is connected already in this process: leave that `with` block, or call ray.shutdown().")
    try:
        if address is None:
            _start(ray, workers, object_store)
        else:
            _connect(ray, address)
        yield ray
    finally:
        ray.shutdown()


def check_address(address: str) -> None:
    """Refuse at once an address where nobody answers: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdigit() and int(port) < 2**16):
        raise InvalidInput(f"address is {address!r}: give host and port of a Ray cluster, such as 10.0.0.1:6379.")
    try:
        socket.create_connection((host, int(port)), timeout=5.0).close()
    except OSError as error:
        raise StoreUnavailable(f"no Ray cluster answers at {address}: {error.strerror or error}.") from None


def _prepare(address: str | None) -> None:
    """Set what Ray must find when it is imported."""
    if address is None or address.rpartition(":")[0] in (LOOPBACK, "localhost"):
        os.environ.update(LOCAL_ONLY)
    named = {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & set(os.environ)
    if address is None and not named:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))


_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "runtime_env": {"env_vars": ONE_THREAD}}


def _start(ray: Any, workers: int | None, object_store: int) -> None:
    own = {"include_dashboard": False, "_node_ip_address": LOOPBACK, "object_store_memory": object_store}
    try:
        started = ray.init(num_cpus=workers or os.cpu_count(), **own, **_QUIET)
    except Exception as error:  # Ray has no class of its own for a start that takes longer than its thirty seconds
        raise StoreUnavailable(f"a Ray cluster could not be started: {_first_line(error)}; try again.") from None
    if started.address_info["node_ip_address"] != LOOPBACK:
        raise InvalidInput(
            "Ray was imported before firstmover.runs.cluster and would listen to the network: import it later, or set "
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 before."
        )


def _connect(ray: Any, address: str) -> None:
    try:
        ray.init(address=address, **_QUIET)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise StoreUnavailable(f"no Ray cluster lets us in at {address}: {_first_line(error)}.") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().partition("\n")[0] or type(error).__name__).rstrip(".")
