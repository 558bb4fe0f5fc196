"""The pool that plays tasks, by joblib: what a lost worker had in flight is played again.

A worker is sent a batch only when it has finished the one before (pre_dispatch is the number of workers), and no task
is sent while `most_in_flight` others are in flight: sent, and their results not yet taken by the driver. So much is
played again at most after a kill; a killed driver also loses results that it had taken and not yet stored.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import polars as pl
from joblib import Parallel, cpu_count, delayed, parallel_config

from firstmover.core.errors import FirstmoverError, counted
from firstmover.core.numerics import one_thread
from firstmover.core.plugins import load_plugins, loaded_plugins
from firstmover.runs.engines import Workers, check_workers, local
from firstmover.runs.notebook_progress import default_watch
from firstmover.runs.task import Task

ROUNDS_WORTH_A_PROCESS = 30_000
"""Rounds per process from which starting it pays: about 9 s of play, against 3 to 5 s of CPU for its imports and games.

With two processes instead of one, the paper's 57,000 rounds take 24 s instead of 27 s and 39 s of CPU instead of 28 s.
"""

ROUNDS_WORTH_A_CALL = 50
"""Below so many rounds per task, joblib sends several tasks to a worker at once: a batch, of about 0.2 to 2 seconds."""

MOST_IN_A_BATCH = 50

TRIES = 2
"""A task that was lost with its worker so often is played alone; lost twice as often, it fails."""

LOST = "its worker process ended every time: give fewer workers if memory is short"


@dataclass(frozen=True)
class Progress:
    """How far an experiment is.

    Parameters
    ----------
    total, done, failed
        Numbers of tasks.
    rate
        Tasks per second, where known.
    left
        Seconds left, where known.

    Examples
    --------
    >>> from firstmover.runs import Progress
    >>> Progress(total=10, done=4, failed=1, rate=2.0).words
    '4 of 10 done, 1 failed, 2 per second'
    """

    total: int
    done: int
    failed: int = 0
    rate: float | None = None
    left: float | None = None

    @property
    def words(self) -> str:
        """One line."""
        failed = f", {self.failed} failed" if self.failed else ""
        rate = "" if self.rate is None else f", {self.rate:.3g} per second"
        left = "" if self.left is None else f", {duration(self.left)} left"
        return f"{self.done} of {self.total} done{failed}{rate}{left}"


Watch = Callable[[Progress], None]
"""Called with the progress after each task."""


def duration(seconds: float) -> str:
    """A time as text.

    >>> duration(3.2), duration(200), duration(9000)
    ('3 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Clock:
    """Counts finished tasks, and extrapolates the time left from the rounds that were played."""

    def __init__(self, total: int, done: int, failed: int, rounds: int) -> None:
        self.progress = Progress(total, done, failed)
        self._before, self._started, self._rounds, self._played = done + failed, perf_counter(), rounds, 0

    def count(self, rounds: int, error: bool = False) -> Progress:
        """One more task of so many rounds is finished."""
        self._played += rounds
        seconds, last = perf_counter() - self._started, self.progress
        done, failed = last.done + (not error), last.failed + error
        left = seconds * (self._rounds - self._played) / self._played
        self.progress = Progress(last.total, done, failed, (done + failed - self._before) / seconds, left)
        return self.progress


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a task as a worker returns it: table or error, and the seconds that it took."""

    table: pl.DataFrame | None
    seconds: float
    error: str | None = None


def worthwhile(tasks: Sequence[Task]) -> int:
    """The number of processes that is worth starting."""
    return max(1, min(cpu_count(), sum(task.rounds for task in tasks) // ROUNDS_WORTH_A_PROCESS))


def run_tasks(
    tasks: Sequence[Task], workers: int | None = None, watch: Watch | None = None
) -> Iterator[tuple[Task, pl.DataFrame]]:
    """Play tasks in processes, and return an iterator over their tables in order, as they are finished.

    The runs of a lost worker are played again. An error of a task is raised.

    Parameters
    ----------
    tasks
        Runs to play.
    workers
        Processes; None: as many as are worth it.
    watch
        Called with the progress after each task; None: a notebook shows a bar.

    Returns
    -------
    Iterator[tuple[Task, pl.DataFrame]]
        Each task with one row per round.

    Raises
    ------
    InvalidInput
        If `workers` is not positive.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, plan_of, run_tasks
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 2, "learners": ["exp3"]})
    >>> [(task.seed, table.height) for task, table in run_tasks(plan_of(spec).tasks, workers=1)]
    [(0, 9), (1, 9)]
    """
    check_workers(workers)
    count = min(workers or worthwhile(tasks), len(tasks))
    return _in_order(tasks, carry_out(tasks, local(max(count, 1)), raising=True), watch or default_watch())


def _in_order(
    tasks: Sequence[Task], outcomes: Iterator[tuple[int, Outcome]], watch: Watch
) -> Iterator[tuple[Task, pl.DataFrame]]:
    clock = Clock(len(tasks), 0, 0, sum(task.rounds for task in tasks))
    waiting: dict[int, pl.DataFrame] = {}
    for index, outcome in outcomes:
        if outcome.table is None:
            raise FirstmoverError(
                f"The run of {tasks[index].label!r} with seed {tasks[index].seed} failed: {outcome.error}."
            )
        waiting[index] = outcome.table
        while (next_one := clock.progress.done) in waiting:
            yield tasks[next_one], waiting.pop(next_one)
            progress = clock.count(tasks[next_one].rounds)
            watch(progress)  # after the caller has stored it and asks for the next


def carry_out(
    tasks: Sequence[Task], workers: Workers, *, raising: bool = False, say: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[int, Outcome]]:
    """Play tasks, and yield the position and the outcome of each as it is finished.

    With `raising`, errors of tasks are raised and whole tables returned; else an error is an outcome, and what a task
    keeps of its table is returned. What was in flight when a worker was lost is played again; see TRIES.
    """
    groups, losses = [list(range(len(tasks)))], Counter[int]()
    lost_in_a_row = 0
    while groups:
        group, sent, done = groups.pop(0), list[int](), set[int]()
        try:
            for index, outcome in _played(tasks, group, workers, sent, raising):
                done.add(index)
                lost_in_a_row = 0
                yield index, outcome
        except workers.lost:
            lost = [i for i in sent if i not in done]
            say(f"a worker process ended unexpectedly: {counted(len(lost), 'task')} in flight to play again")
            lost_in_a_row += len(group) > 1
            if lost_in_a_row > 2 * TRIES:
                raise FirstmoverError(
                    "Worker processes end as soon as they start: give fewer if memory is short, and in a script "
                    "start the experiment under if __name__ == '__main__'."
                ) from None
            losses.update(lost)
            groups.insert(0, [i for i in lost if losses[i] < TRIES] + group[len(sent) :])
            groups += [[i] for i in lost if TRIES <= losses[i] < 2 * TRIES]
            yield from ((i, Outcome(None, 0.0, LOST)) for i in lost if losses[i] >= 2 * TRIES)


def most_in_flight(workers: int, rounds: int) -> int:
    """The largest number of tasks in flight: for each worker two batches, one played and one waiting for the driver."""
    return 2 * max(2, workers) * (1 if rounds >= ROUNDS_WORTH_A_CALL else MOST_IN_A_BATCH)


def _played(
    tasks: Sequence[Task], positions: Sequence[int], workers: Workers, sent: list[int], raising: bool
) -> Iterator[tuple[int, Outcome]]:
    """Have tasks played; the positions of those that were sent to workers are added to `sent`."""
    plugins = loaded_plugins()
    if workers.count == 1 and workers.backend == "loky":
        for i in positions:
            sent.append(i)
            yield play_task(i, tasks[i], plugins, raising)
        return
    count, taken = max(2, workers.count), 0  # joblib plays in this process where there is one job
    rounds = min((tasks[i].rounds for i in positions), default=0)

    def calls() -> Iterator[Any]:
        """The next tasks; ends when too many are in flight."""
        while len(sent) < len(positions) and len(sent) - taken < most_in_flight(count, rounds):
            sent.append(i := positions[len(sent)])
            yield delayed(play_task)(i, tasks[i], plugins, raising)

    size = 1 if rounds >= ROUNDS_WORTH_A_CALL else "auto"
    kind = "list" if workers.backend == "ray" else "generator_unordered"  # Ray's backend returns whole lists only
    with (
        parallel_config(workers.backend, n_jobs=count, **dict(workers.options)),
        Parallel(return_as=kind, batch_size=size, pre_dispatch=count) as parallel,
    ):
        while len(sent) < len(positions):
            results = parallel(calls())
            try:
                for result in results:
                    taken += 1
                    yield result
            finally:
                if kind != "list":
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # joblib warns of tasks that are cancelled
                        results.close()


def play_task(index: int, task: Task, plugins: Sequence[str], raising: bool) -> tuple[int, Outcome]:
    """Play a task in this process, after its plugins were loaded; return its position with its outcome."""
    load_plugins(plugins)
    started = perf_counter()
    try:
        with one_thread():
            table = task.play()
            table = table if raising else task.kept(table)  # type: ignore[attr-defined]
    except Exception as error:  # an error of a task is its result
        if raising:
            raise
        words = str(error) if isinstance(error, FirstmoverError) else f"{type(error).__name__}: {error}"
        return index, Outcome(None, perf_counter() - started, words)
    return index, Outcome(table, perf_counter() - started)
