"""Carry out an experiment or a sweep: play the tasks that have no result yet, and store what they give."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Protocol

import polars as pl

from firstmover.core.errors import counted
from firstmover.core.files import canonical_json
from firstmover.core.numerics import one_thread
from firstmover.runs.engines import ENGINES
from firstmover.runs.grid import Plan, plan_of
from firstmover.runs.notebook_progress import default_watch
from firstmover.runs.pool import Clock, Progress, Watch, carry_out, duration, run_tasks
from firstmover.runs.spec import MOST_ROUNDS, ExperimentSpec
from firstmover.runs.store import (
    KIND,
    LOG,
    Manifest,
    Record,
    check_folder,
    claim,
    driving,
    is_driven,
    is_there,
    is_whole,
    ledger,
    make_folder,
    read_manifest,
    save_records,
    task_table,
    tidy_up,
)
from firstmover.runs.task import POINTS, SpecTask, Task

_LOG = logging.getLogger(__name__)

PROGRESS = "progress.json"

SECONDS, MOST_RECORDS = 0.2, 100
"""Results are stored together until they took so many seconds to play, or are so many: a flush takes milliseconds."""

EVERY = 30.0
"""Seconds between lines of progress in the log."""


class StoredTask(Task, Protocol):
    """One run whose result is stored."""

    @property
    def fields(self) -> dict[str, Any]:
        """The document that decides the result."""

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """The rows of the result that are stored."""


class StoredPlan(Protocol):
    """Tasks, the names of their results, and a table with one row per task: its key, document and place on the axes."""

    @property
    def tasks(self) -> Sequence[StoredTask]:
        """In the order of play."""

    @property
    def keys(self) -> Sequence[str]:
        """In the order of the tasks."""

    @property
    def table(self) -> pl.DataFrame:
        """In the order of the tasks."""


def run_experiment(spec: ExperimentSpec, workers: int | None = None, watch: Watch | None = None) -> pl.DataFrame:
    """Play all runs of an experiment and return all rounds in one table; nothing is stored.

    Parameters
    ----------
    spec
        The experiment.
    workers
        Processes; None: as many as are worth it.
    watch
        Called with the progress after each run.

    Returns
    -------
    pl.DataFrame
        One row per learner, seed and round.

    Raises
    ------
    InvalidInput
        If a learner cannot play, or `workers` is not positive.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, run_experiment
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 2, "learners": ["exp3"]})
    >>> run_experiment(spec, workers=1).height
    18
    """
    return pl.concat(table for _, table in run_tasks(plan_of(spec).tasks, workers, watch))


def manifest_of(plan: Plan) -> Manifest:
    """The manifest of the folder of an experiment."""
    spec, labels = plan.spec, tuple(dict.fromkeys(task.label for task in plan.tasks))
    return Manifest(KIND, spec.title, spec.document, labels, spec.seeds, max(spec.horizons), keep=spec.keep)


def run_sweep(
    plan: Plan,
    folder: Path,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> Progress:
    """Play the tasks of a sweep that have no result yet, and return the progress at the end.

    Parameters
    ----------
    plan
        The tasks, from `plan_of`.
    folder
        Of the results; it is created.
    workers
        Processes; None: one per core.
    engine
        Name of a joblib backend in ENGINES.
    address
        Of a cluster.
    retry_failed
        Whether failed tasks are played again.
    watch
        Called with the progress after each task.

    Returns
    -------
    Progress
        How many tasks are done and failed.

    Raises
    ------
    InvalidInput
        If the folder belongs to something else, or the engine is unknown.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import ExperimentSpec, plan_of, run_sweep
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_sweep(plan_of(spec), Path(folder, "results"), workers=1).done
    2
    """
    return play_into(
        folder,
        manifest_of(plan),
        plan,
        workers=workers,
        engine=engine,
        address=address,
        retry_failed=retry_failed,
        watch=watch,
    )


def play_into(
    folder: Path,
    manifest: Manifest,
    plan: StoredPlan,
    *,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> Progress:
    """Play the tasks of a plan that have no result in a folder yet, and return the progress at the end."""
    entry = ENGINES.find(engine)
    watch = watch or default_watch()
    entry.workers(workers, address)
    check_folder(folder, manifest, plan.table)
    make_folder(folder)
    log = _Log(folder)
    with driving(folder), entry.start(workers, address) as pool:
        claim(folder, manifest, table=plan.table)
        if broken := tidy_up(folder):
            log.say(f"{counted(broken, 'damaged result file')} removed")
        missing, failed = _missing(plan, folder, retry_failed)
        log.say(f"begun: {len(missing)} of {counted(len(plan.tasks), 'task')} to do on {counted(pool.count, 'worker')}")
        tasks = [plan.tasks[i] for i in missing]
        done = len(plan.tasks) - len(missing) - failed
        clock = Clock(len(plan.tasks), done, failed, sum(task.rounds for task in tasks))
        waiting: list[Record] = []
        try:
            for index, outcome in carry_out(tasks, pool, say=log.say):
                task, key = tasks[index], plan.keys[missing[index]]
                waiting.append(Record(key, outcome.seconds, outcome.table, outcome.error, task.fields))
                if outcome.error is not None:
                    log.say(f"{task.label} with seed {task.seed} failed: {outcome.error}")
                if sum(record.seconds for record in waiting) >= SECONDS or len(waiting) >= MOST_RECORDS:
                    save_records(folder, waiting)
                    waiting = []
                progress = clock.count(task.rounds, outcome.error is not None)
                log.keep(progress)
                watch(progress)
        finally:
            if waiting:
                save_records(folder, waiting)
        log.keep(clock.progress, now=True)
        watch(clock.progress)
        return clock.progress


def missing_tasks(plan: Plan, folder: Path, retry_failed: bool = False) -> list[SpecTask]:
    """Return the tasks that a run would play now.

    Parameters
    ----------
    plan
        All tasks.
    folder
        Of the results so far; it need not exist.
    retry_failed
        Whether failed tasks count as missing.

    Returns
    -------
    list[SpecTask]
        The tasks without a result.

    Raises
    ------
    InvalidInput
        If the folder was written by a newer version.

    Examples
    --------
    >>> from pathlib import Path
    >>> from firstmover.runs import ExperimentSpec, missing_tasks, plan_of
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> len(missing_tasks(plan_of(spec), Path("no-such-folder")))
    2
    """
    return [plan.tasks[i] for i in _missing(plan, folder, retry_failed)[0]]


def _missing(plan: StoredPlan, folder: Path, retry_failed: bool) -> tuple[list[int], int]:
    """The positions of the tasks to play, and how many failed and are not played again."""
    held = ledger(folder, is_whole)
    failed = set() if retry_failed else {key for key in plan.keys if key in held and held[key].error is not None}
    done = {key for key, entry in held.items() if entry.error is None} | failed
    return [i for i, key in enumerate(plan.keys) if key not in done], len(failed)


class _Log:
    """The log of an experiment and its last progress, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._said, self._kept = folder, monotonic(), 0.0

    def say(self, words: str) -> None:
        """Write one line with the time, and log it."""
        _LOG.info(words, extra={"folder": str(self._folder)})
        with (self._folder / LOG).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {words}\n")

    def keep(self, progress: Progress, now: bool = False) -> None:
        """Write the progress once per second, and to the log from time to time."""
        clock = monotonic()
        if now or clock - self._kept >= 1:
            self._kept = clock
            part = self._folder / f".{PROGRESS}.part"
            part.write_text(json.dumps(asdict(progress)), encoding="utf-8")
            part.replace(self._folder / PROGRESS)
        if now or clock - self._said >= EVERY:
            self._said = clock
            self.say(progress.words)


@dataclass(frozen=True)
class Status:
    """The state of an experiment on the disk.

    Parameters
    ----------
    title
        Of the experiment.
    progress
        Tasks in all, done and failed.
    runs_now
        Whether a process plays it now.
    errors
        Each error with the number of tasks.

    Examples
    --------
    >>> from firstmover.runs import Progress, Status
    >>> status = Status("sweep", Progress(total=4, done=3, failed=1), runs_now=False, errors=(("InvalidInput", 1),))
    >>> status.progress.words
    '3 of 4 done, 1 failed'
    """

    title: str
    progress: Progress
    runs_now: bool
    errors: tuple[tuple[str, int], ...]


def status_of(folder: Path) -> Status:
    """Count what is on the disk; rate and time left are those that the driver wrote within the last second.

    A result counts if its table is there to its end; `Collected` checks every byte.

    Parameters
    ----------
    folder
        Of an experiment.

    Returns
    -------
    Status
        The state.

    Raises
    ------
    InvalidInput
        If the folder has no results of firstmover.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import ExperimentSpec, plan_of, run_sweep, status_of
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_sweep(plan_of(spec), Path(folder, "results"), workers=1)
    ...     status = status_of(Path(folder, "results"))
    >>> status.progress.done, status.runs_now
    (2, False)
    """
    keys, driven, entries = task_table(folder)["key"], is_driven(folder), ledger(folder, is_there)
    mine = [entries[key] for key in keys if key in entries]
    errors = Counter(entry.error for entry in mine if entry.error is not None)
    try:
        last = Progress(**json.loads((folder / PROGRESS).read_bytes())) if driven else None
    except (OSError, ValueError, TypeError):
        last = None
    rate, left = (last.rate, last.left) if last else (None, None)
    progress = Progress(len(keys), len(mine) - errors.total(), errors.total(), rate, left)
    return Status(read_manifest(folder).title, progress, driven, tuple(errors.most_common()))


TRIAL_ROUNDS = 20
"""Rounds of each family that are played to measure the cost of a round."""

TRIAL_SECONDS = 5.0
"""Seconds that measuring may take; families beyond count as the average."""

BYTES = 3000
"""Bytes on the disk of a task beside its rounds, at most."""


@dataclass(frozen=True)
class Estimate:
    """Tasks, seconds of work for one worker, and bytes on the disk at most."""

    tasks: int
    seconds: float
    size: float

    def words(self, workers: int | None) -> str:
        """One line; where the number of workers is not known, the time is that of one.

        >>> Estimate(1200, 360.0, 5e6).words(workers=2)
        '1,200 tasks to do, about 3 min on 2 workers, at most 5.0 MB'
        """
        where = "of one worker's time" if workers is None else f"on {counted(workers, 'worker')}"
        time = duration(self.seconds / (workers or 1))
        return f"{counted(self.tasks, 'task')} to do, about {time} {where}, at most {self.size / 1e6:.1f} MB"


def estimate(tasks: Sequence[SpecTask]) -> Estimate:
    """Extrapolate time and size from a few rounds of each family; rounds that slow down during a run are not foreseen.

    Parameters
    ----------
    tasks
        As `missing_tasks` returns them.

    Returns
    -------
    Estimate
        Tasks, seconds of work for one worker, and bytes at most.

    Raises
    ------
    InvalidInput
        If a document has a number that is not finite.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, estimate, plan_of
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> estimate(plan_of(spec).tasks).tasks
    2
    """
    seconds: dict[str, float] = {}
    widths, started = [0.0], perf_counter()
    for task in tasks:
        if task.family in seconds or perf_counter() - started > TRIAL_SECONDS:
            continue
        try:
            with one_thread():
                _shortened(task, 1).play()  # what is built once and cached is not measured
                begun = perf_counter()
                table = (short := _shortened(task, TRIAL_ROUNDS)).play()
        except Exception:  # the sweep will record it; there is nothing to measure
            continue
        seconds[task.family] = (perf_counter() - begun) / short.rounds
        widths.append(table.estimated_size() / len(table))
    average = sum(seconds.values()) / max(1, len(seconds))
    work = sum(task.rounds * seconds.get(task.family, average) for task in tasks)
    most = {"summary": 1, "curves": POINTS, "rounds": MOST_ROUNDS}
    rows = sum(min(task.rounds, most[task.fields["keep"]]) for task in tasks)
    return Estimate(len(tasks), work, BYTES * len(tasks) + max(widths) * rows)


def _shortened(task: SpecTask, rounds: int) -> SpecTask:
    rounds = min(rounds, task.rounds)
    return replace(task, document=canonical_json(task.fields | {"rounds": rounds}), rounds=rounds)
