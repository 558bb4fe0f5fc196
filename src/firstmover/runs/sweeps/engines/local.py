"""The processes of this machine: a standard process pool of one worker for each core."""

import os
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process

from firstmover.core.errors import InvalidInput
from firstmover.runs.sweeps.batches import Batch, Outcome
from firstmover.runs.sweeps.work import carry_out
from firstmover.runs.workers import as_workers_inherit, check_workers

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

FILES, FILES_A_WORKER = 64, 12
"""Files that a driver has open, and that the pipes of each of its workers are."""


class LocalEngine:
    """Pools of one worker each, so that a worker that is killed breaks its own pool and disturbs no other.

    Each has one batch to work at and one that waits, so that it is never idle.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._pools = [_new_pool() for _ in range(make_room(workers))]
        self._running: dict[Future[Outcome], tuple[Batch, ProcessPoolExecutor]] = {}

    @property
    def workers(self) -> int:
        """One for each pool."""
        return len(self._pools)

    @property
    def capacity(self) -> int:
        """Two for each worker."""
        return 2 * self.workers

    def submit(self, batch: Batch) -> None:
        """Give a batch to the worker that has least to do."""
        held = [pool for _, pool in self._running.values()]
        pool = min(self._pools, key=held.count)
        with as_workers_inherit():  # a worker may start here
            try:
                future = pool.submit(_in_worker, batch)
            except BrokenProcessPool:  # it was killed while nobody looked
                pool = self._renewed(pool)
                future = pool.submit(_in_worker, batch)
        self._running[future] = batch, pool

    def finished(self, timeout: float) -> list[tuple[Batch, Outcome | None]]:
        """The batches that ended, those of killed workers with None."""
        told: list[tuple[Batch, Outcome | None]] = []
        for future in wait(self._running, timeout, FIRST_COMPLETED).done:
            batch, pool = self._running.pop(future)
            try:
                told.append((batch, future.result()))
            except BrokenProcessPool:
                told.append((batch, None))
                if pool in self._pools:  # not yet, by another batch of the same worker
                    self._renewed(pool)
        return told

    def close(self, at_once: bool = False) -> None:
        """Wait for the workers to leave; at once kills them first."""
        for pool in self._pools:
            if at_once:
                for process in list((pool._processes or {}).values()):  # no public name before Python 3.14
                    process.kill()
            pool.shutdown(cancel_futures=True)

    def _renewed(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        broken.shutdown()
        new = self._pools[self._pools.index(broken)] = _new_pool()
        return new


def make_room(workers: int | None = None) -> int:
    """Let this process open as many files as its workers need, or refuse; how many workers that are."""
    check_workers(workers)
    workers = workers or os.cpu_count() or 1
    if resource is None:
        return workers
    needed = FILES + FILES_A_WORKER * workers
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return workers
    if hard != resource.RLIM_INFINITY and hard < needed:
        most = max(1, (hard - FILES) // FILES_A_WORKER)
        raise InvalidInput(f"workers is {workers}: a process may have {hard} files open here, so give at most {most}.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return workers


def _new_pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin)


_busy = threading.Lock()


def _begin() -> None:
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """When the driver is gone, end this worker too, after the batch that it is at: what it did so far is not lost."""
    driver = parent_process()
    assert driver is not None
    driver.join()
    with _busy:
        os._exit(0)


def _in_worker(batch: Batch) -> Outcome:
    driver = parent_process()
    with _busy:
        if driver is not None and not driver.is_alive():  # nobody waits for what is still in the queue
            os._exit(0)
        return carry_out(batch)
