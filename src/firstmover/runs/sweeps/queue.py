"""What is still to do, given out in batches: a kill shall cost little, and so shall the way to a worker."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from firstmover.runs.sweeps.tasks import SweepTask

SECONDS, SECONDS_TOGETHER = 0.05, 1.0
"""Work that a batch holds at most, unless one task alone takes longer; more for runs that are played together, which
gain by it."""

SECONDS_A_WORKER = 0.005
"""Work that a batch may hold for each worker there is: the driver, who needs a third of that for a batch, keeps up with
as many as a cluster has."""

LITTLE = 0.01
"""Seconds of work that are not worth dividing among workers."""

MOST = 100
"""Tasks that a batch holds at most."""


class Costs:
    """Seconds a round, by family of tasks, as measured so far."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._rounds: dict[str, int] = defaultdict(int)

    def learn(self, tasks: Sequence[SweepTask], seconds: float) -> None:
        """Tasks of one family were played in so many seconds."""
        self._seconds[tasks[0].family] += seconds
        self._rounds[tasks[0].family] += sum(task.rounds for task in tasks)

    def of(self, task: SweepTask) -> float | None:
        """The seconds that a task will take; None where nothing is known of its family."""
        rounds = self._rounds.get(task.family)
        return None if not rounds else self._seconds[task.family] / rounds * task.rounds

    def total(self, rounds: Mapping[str, int]) -> float | None:
        """The seconds for so many rounds of each family, unknown ones as the average; None if nothing is known."""
        played = sum(self._rounds.values())
        if not played:
            return None
        average = sum(self._seconds.values()) / played
        rates = {name: self._seconds[name] / count for name, count in self._rounds.items()}
        return sum(count * rates.get(family, average) for family, count in rounds.items())


class Queue:
    """Tasks in order; a batch is of one family, about as long as SECONDS, and leaves enough for the other workers."""

    def __init__(self, tasks: Iterable[SweepTask], workers: int, costs: Costs) -> None:
        self.tasks, self._workers, self._costs = deque(tasks), workers, costs

    def take(self) -> list[SweepTask]:
        """The next batch; one task alone while nothing is known of its family."""
        batch = [self.tasks.popleft()]
        cost = self._costs.of(batch[0])
        if cost is None:
            return batch
        room = max(SECONDS if batch[0].group is None else SECONDS_TOGETHER, SECONDS_A_WORKER * self._workers)
        share = len(self.tasks) // (4 * self._workers) + 1
        while self.tasks and len(batch) < MOST and self._fits(batch[0], self.tasks[0]):
            cost += self._costs.of(self.tasks[0]) or 0.0
            if cost > room or (len(batch) >= share and cost > LITTLE):
                break
            batch.append(self.tasks.popleft())
        return batch

    @staticmethod
    def _fits(first: SweepTask, task: SweepTask) -> bool:
        return task.family == first.family and task.group == first.group
