"""The driver of a sweep: gives out what is missing, until every task has a result or an error."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from firstmover.core.errors import FirstmoverError, counted
from firstmover.runs.sweeps.batches import Batch, Outcome, Player
from firstmover.runs.sweeps.engines import Engine
from firstmover.runs.sweeps.folder import check_folder, claim_folder, make_folder
from firstmover.runs.sweeps.grid import Plan
from firstmover.runs.sweeps.locks import driving
from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.progress import Diary, Progress, Watch
from firstmover.runs.sweeps.queue import Costs, Queue
from firstmover.runs.sweeps.store import RESULTS, Record, is_whole, ledger, save_batch, tidy_up
from firstmover.runs.sweeps.tasks import SweepTask

PATIENCE = 2
"""How often a task may take its worker down with it beside others, and then alone, before it counts as failed."""

GONE = "its worker ended in the middle of it every time: give fewer workers if memory is short"


def run_sweep(
    plan: Plan,
    folder: Path,
    engine: Engine,
    *,
    document: dict[str, Any],
    retry_failed: bool = False,
    watch: Watch = lambda _: None,
    play: Player = play_tasks,
) -> Progress:
    """Carry out the tasks that have no result yet, and close the engine; how far the sweep is then.

    Tasks that failed before are left as they are, unless they are to be tried again.
    """
    try:
        check_folder(folder, plan)
        make_folder(folder)
        diary = Diary(folder)
        with driving(folder, diary.say):
            claim_folder(folder, plan, document)
            (folder / RESULTS).mkdir(exist_ok=True)
            if broken := tidy_up(folder):
                diary.say(f"{counted(broken, 'damaged result file')} removed")
            progress = _Driver(plan, folder, engine, diary=diary, watch=watch, play=play).run(retry_failed)
    except BaseException:
        engine.close(at_once=True)
        raise
    engine.close()
    return progress


def missing_tasks(plan: Plan, folder: Path, retry_failed: bool = False) -> list[SweepTask]:
    """The tasks that a run would carry out now."""
    held = ledger(folder, is_whole)
    done = {key for key, entry in held.items() if entry.error is None or not retry_failed}
    return [task for task in plan.tasks if task.key not in done]


class _Driver:
    """The state of one session: what is where, and what it cost so far."""

    def __init__(self, plan: Plan, folder: Path, engine: Engine, *, diary: Diary, watch: Watch, play: Player) -> None:
        self._plan, self._folder, self._engine, self._play = plan, folder, engine, play
        self._diary, self._watch = diary, watch
        self._costs, self._started = Costs(), monotonic()
        self._done, self._failed, self._session, self._lost = 0, 0, 0, 0
        self._flying = 0
        self._left: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()

    def run(self, retry_failed: bool) -> Progress:
        """Go through what is missing, then through what took its worker down, one by one."""
        held = ledger(self._folder)
        for task in self._plan.tasks:
            if (entry := held.get(task.key)) is not None and entry.error is None:
                self._costs.learn([task], entry.seconds)
        missing = [task for task in self._plan.tasks if task.key not in held]
        failed = [task for task in self._plan.tasks if task.key in held and held[task.key].error is not None]
        todo = missing + failed if retry_failed else missing
        self._failed = 0 if retry_failed else len(failed)
        self._done = len(self._plan.tasks) - len(todo) - self._failed
        for task in todo:
            self._left[task.family] += task.rounds
        whole, hands = counted(len(self._plan.tasks), "task"), counted(self._engine.workers, "worker")
        self._diary.say(f"begun: {len(todo)} of {whole} to do on {hands}")
        queue = Queue(todo, self._engine.workers, self._costs)
        suspects = self._go_through(queue, self._engine.capacity)
        for task in suspects:
            self._go_through(Queue([task], 1, self._costs), 1)
        progress = self._tell()
        self._diary.keep(progress, now=True)
        return progress

    def _go_through(self, queue: Queue, capacity: int) -> list[SweepTask]:
        """Empty a queue with so many batches on the way at a time; tasks that are better tried alone."""
        suspects: list[SweepTask] = []
        flying = 0
        while queue.tasks or flying:
            while queue.tasks and flying < capacity:
                self._submit(queue.take())
                flying += 1
            for batch, outcome in self._engine.finished(timeout=0.5):
                flying -= 1
                self._flying -= len(batch.tasks)
                if outcome is None:
                    suspects += self._lose(batch, queue, alone=capacity == 1)
                else:
                    self._account(batch, outcome)
            self._diary.keep(self._tell())
        return suspects

    def _submit(self, tasks: list[SweepTask]) -> None:
        self._flying += len(tasks)
        self._engine.submit(Batch(str(self._folder), tuple(tasks), self._play))

    def _account(self, batch: Batch, outcome: Outcome) -> None:
        self._done += outcome.done
        self._failed += len(outcome.errors)
        self._session += len(batch.tasks)
        self._settle(batch.tasks)
        if outcome.done:
            self._costs.learn(batch.tasks, outcome.seconds)
        for error in outcome.errors:
            self._diary.say(f"failed: {error}")

    def _lose(self, batch: Batch, queue: Queue, alone: bool) -> list[SweepTask]:
        """A worker is gone: what it had stored is done, the rest is tried again; tasks that are better tried alone."""
        held = ledger(self._folder)
        again = [task for task in batch.tasks if task.key not in held or held[task.key].error is not None]
        self._done += len(batch.tasks) - len(again)
        self._settle(task for task in batch.tasks if task not in again)
        self._lost += 1
        self._diary.say(f"a worker ended before its batch did: {counted(len(again), 'task')} to try again")
        if not self._session and self._lost > 4 * self._engine.capacity:
            raise FirstmoverError(
                "Workers end as soon as they begin: give fewer if memory is short, and in a script start the sweep "
                "under if __name__ == '__main__'."
            )
        self._losses.update(task.key for task in again)
        worn = [task for task in again if self._losses[task.key] >= PATIENCE]
        if alone:
            worn = [task for task in again if self._losses[task.key] >= 2 * PATIENCE]
            self._give_up(worn)
        queue.tasks.extendleft(reversed([task for task in again if task not in worn]))
        return worn

    def _give_up(self, tasks: Sequence[SweepTask]) -> None:
        self._settle(tasks)
        for task in tasks:
            save_batch(self._folder, [Record(task, 0.0, error=GONE)])
            self._failed += 1
            self._diary.say(f"failed: {GONE}")

    def _settle(self, tasks: Iterable[SweepTask]) -> None:
        for task in tasks:
            self._left[task.family] -= task.rounds

    def _tell(self) -> Progress:
        seconds = monotonic() - self._started
        rate = self._session / seconds if self._session else None
        cost = self._costs.total(self._left)
        left = None if cost is None else cost / self._engine.workers
        progress = Progress(len(self._plan.tasks), self._done, self._failed, self._flying, rate, left)
        self._watch(progress)
        return progress
