"""What a worker does with a batch: play its tasks, and store what they came to."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from time import perf_counter

from firstmover.core.numerics import one_thread
from firstmover.runs.sweeps.batches import Batch, Outcome, Player
from firstmover.runs.sweeps.locks import working
from firstmover.runs.sweeps.store import Record, save_batch
from firstmover.runs.sweeps.tasks import SweepTask


def carry_out(batch: Batch) -> Outcome:
    """Play and store; a task that raises is recorded with its error, and the others go on.

    When this returns, everything is on the disk under its name; when it does not, nothing is.
    """
    folder = Path(batch.folder)
    with working(folder), one_thread():
        records = [record for tasks in _parts(batch.tasks) for record in _played(tasks, batch.play)]
        save_batch(folder, records)
    errors = tuple(record.error for record in records if record.error is not None)
    return Outcome(len(records) - len(errors), errors, sum(record.seconds for record in records))


def _parts(tasks: Sequence[SweepTask]) -> Iterator[list[SweepTask]]:
    """Neighbours that can be played together; every other task alone."""
    for group, neighbours in groupby(tasks, lambda task: task.group):
        if group is None:
            yield from ([task] for task in neighbours)
        else:
            yield list(neighbours)


def _played(tasks: list[SweepTask], play: Player) -> list[Record]:
    started = perf_counter()
    try:
        tables = play(tasks)
    except Exception as error:  # what a task raises is its result
        if len(tasks) > 1:  # which of them it was shows when each is played alone
            return [record for task in tasks for record in _played([task], play)]
        return [Record(tasks[0], perf_counter() - started, error=f"{type(error).__name__}: {error}")]
    seconds = (perf_counter() - started) / len(tasks)
    return [Record(task, seconds, table) for task, table in zip(tasks, tables, strict=True)]
