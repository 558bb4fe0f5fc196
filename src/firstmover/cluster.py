"""A Ray cluster: one that runs already, or one of our own that nobody else can reach."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firstmover.errors import InvalidInput, StoreUnavailable

LOOPBACK = "127.0.0.1"

LOCAL_ONLY = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # nodes take the loopback address, so that every socket is bound to it
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
}
"""What Ray must find in the environment before it is imported and a cluster of our own is started."""

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""The environment of workers: as many of them as cores, each with one BLAS thread."""

OBJECT_STORE = 256 * 2**20
"""Bytes of shared memory for a cluster of our own: what travels is small, except the menu of a sharded belief, once."""


def import_ray() -> Any:
    """The module, or one sentence on how to get it."""
    try:
        import ray  # noqa: PLC0415 - an extra, loaded when it is asked for
    except ModuleNotFoundError:
        raise InvalidInput(
            "Ray is not installed: pip install 'firstmover[cluster]', or use the local engine."
        ) from None
    return ray


def running_ray() -> Any:
    """The module, connected to a cluster; refused when there is none."""
    ray = import_ray()
    if not ray.is_initialized():
        raise InvalidInput("no Ray cluster is connected: do this inside `with firstmover.cluster.connected():`.")
    return ray


@contextmanager
def connected(
    address: str | None = None, workers: int | None = None, object_store: int = OBJECT_STORE
) -> Iterator[Any]:
    """Ray, connected to the cluster at an address, or to one of our own that ends with the block.

    A cluster of our own has as many workers as there are cores unless stated; dashboard and telemetry are off and
    every socket is bound to loopback, which is checked. Connections end with the block; a cluster that ran before
    stays. Ray passes Python objects by pickle: give the address of no cluster that others than you can write to.
    """
    if address is None:
        os.environ.update(LOCAL_ONLY)
    ray = import_ray()
    if ray.is_initialized():
        raise InvalidInput("Ray is connected already in this process: leave that `with` block, or call ray.shutdown().")
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "runtime_env": {"env_vars": ONE_THREAD}}
    if address is not None:
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise StoreUnavailable(f"no Ray cluster answers at {address}: {reason}") from None
    else:
        own = {"include_dashboard": False, "_node_ip_address": LOOPBACK, "object_store_memory": object_store}
        started = ray.init(num_cpus=workers or os.cpu_count(), **own, **quiet)
        if started.address_info["node_ip_address"] != LOOPBACK:
            ray.shutdown()
            raise InvalidInput(
                "Ray was imported before firstmover.cluster and would listen to the network: import it later, or set "
                "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0."
            )
    try:
        yield ray
    finally:
        ray.shutdown()
