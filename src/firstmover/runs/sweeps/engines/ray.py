"""The workers of a Ray cluster: batches are its tasks, and where they run and what waits is Ray's business."""

import os
from contextlib import ExitStack
from typing import Any

from firstmover.runs.cluster import check_address, check_installed, connected
from firstmover.runs.sweeps.batches import Batch, Outcome
from firstmover.runs.sweeps.work import carry_out
from firstmover.runs.workers import check_workers


def ray_workers(workers: int | None, address: str | None) -> int | None:
    """How many workers a cluster of our own would have; of another, None unless stated, since only it knows."""
    check_workers(workers)
    check_installed()
    if address is None:
        return workers or os.cpu_count() or 1
    check_address(address)
    return workers


class RayEngine:
    """Submits to the cluster at an address, or to one of its own on this machine, which ends with the engine.

    Nodes need firstmover in this version, and the sweep's folder under its own path. Ray ends the tasks of a driver
    that is gone: a kill of the driver costs the batches that its workers are at (docs/decisions/0067-ray-engine.md).
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        check_workers(workers)
        self._connection = ExitStack()
        self._ray = self._connection.enter_context(connected(address, workers))
        cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._workers = cores if workers is None else min(workers, cores)
        self._carry_out = self._ray.remote(num_cpus=1, max_retries=0)(carry_out)
        self._running: dict[Any, Batch] = {}

    @property
    def workers(self) -> int:
        """One for each core of the cluster, as it was when the engine started."""
        return self._workers

    @property
    def capacity(self) -> int:
        """Two for each worker."""
        return 2 * self._workers

    def submit(self, batch: Batch) -> None:
        """Hand a batch to the cluster."""
        self._running[self._carry_out.remote(batch)] = batch

    def finished(self, timeout: float) -> list[tuple[Batch, Outcome | None]]:
        """The batches that ended, those of workers or nodes that were lost with None."""
        if not self._running:
            return []
        refs = list(self._running)
        self._ray.wait(refs, num_returns=1, timeout=timeout)
        ended, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        return [(self._running.pop(ref), self._outcome(ref)) for ref in ended]

    def _outcome(self, ref: Any) -> Outcome | None:
        errors = self._ray.exceptions
        try:
            return self._ray.get(ref)
        except errors.RayTaskError as error:  # raised by carry_out itself, such as a disk that is full
            raise error.cause from None
        except errors.RayError:
            return None

    def close(self, at_once: bool = False) -> None:  # noqa: ARG002 - Ray ends what is left in either case
        """Leave the cluster; one of its own ends, and so do tasks that are still at work."""
        self._connection.close()
