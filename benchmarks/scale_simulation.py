"""A sweep on a cluster, simulated batch by batch from measured costs: how long it takes, and what holds it up.

    python benchmarks/scale_simulation.py [PICTURE]

The driver hands out batches one after another and hears of each when it is stored; a worker plays a batch, waits for
its turn at the file system, and takes the next one that waits for it. Costs are those of benchmarks/task_costs.py.
"""

import heapq
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

PAPER_RUNS = 210
"""The paper's two experiments with ten seeds: 6 learners on the roads and 15 settings of the two in the park."""

CORES = 16
"""Workers of a node."""


@dataclass(frozen=True)
class Costs:
    """Seconds and bytes, as measured on one core of an AMD EPYC, except where said.

    Parameters
    ----------
    play
        A run of 100 rounds: the mean over the paper's learners.
    driver_batch, driver_task
        CPU of the driver for each batch and for each task in it.
    store
        A worker's own time to write a batch.
    metadata
        What a batch takes of the file system's metadata service, one batch at a time: eight operations of a service
        that does 10,000 a second. Assumed, not measured: yours may be slower by ten.
    begin
        Until a new worker plays: importing Python's libraries.
    message
        Bytes of a task on its way.
    """

    play: float = 0.063
    driver_batch: float = 0.0017
    driver_task: float = 0.000018
    store: float = 0.006
    metadata: float = 0.0008
    begin: float = 3.0
    message: int = 320


@dataclass(frozen=True)
class Forecast:
    """How long a sweep takes, which share of the workers' time is play, and how busy what they share is."""

    seconds: float
    playing: float
    driver: float
    file_system: float
    batches: int
    in_flight: float
    """Bytes of tasks on their way at a time, at most: what the driver's node holds for the workers."""


class _Cluster:
    """The state of one simulation."""

    def __init__(self, tasks: int, workers: int, size: int, costs: Costs) -> None:
        self.costs, self.left, self.size = costs, tasks, size
        self.idle = workers
        self.waiting: deque[tuple[float, int]] = deque()
        self.events: list[tuple[float, int, int]] = []
        self.driver = self.service = 0.0
        self.driver_busy = self.service_busy = self.last = 0.0
        self.batches = 0

    def hand_out(self, now: float) -> None:
        """The driver's time for one batch: hearing of the last one and submitting the next."""
        size = min(self.size, self.left)
        if not size:
            return
        self.left, self.batches = self.left - size, self.batches + 1
        spent = self.costs.driver_batch + size * self.costs.driver_task
        self.driver, self.driver_busy = max(now, self.driver) + spent, self.driver_busy + spent
        if self.idle:
            self.idle -= 1
            self.begin(self.driver, size)
        else:
            self.waiting.append((self.driver, size))

    def begin(self, now: float, size: int) -> None:
        heapq.heappush(self.events, (max(now, self.costs.begin) + size * self.costs.play, 0, size))

    def step(self) -> None:
        """The next batch that was played, or that was stored."""
        now, stored, size = heapq.heappop(self.events)
        if not stored:
            self.service = max(now, self.service) + self.costs.metadata
            self.service_busy += self.costs.metadata
            heapq.heappush(self.events, (self.service + self.costs.store, 1, size))
            return
        self.last = now
        if self.waiting:
            submitted, waits = self.waiting.popleft()
            self.begin(max(now, submitted), waits)
        else:
            self.idle += 1
        self.hand_out(now)


def forecast(tasks: int, workers: int, batch_seconds: float, costs: Costs | None = None) -> Forecast:
    """What becomes of a sweep of tasks alike, in batches that take so long to play.

    >>> few = forecast(1000, workers=2, batch_seconds=0.05)
    >>> round(few.seconds, 1), round(few.playing, 2)
    (37.9, 0.83)
    """
    costs = costs or Costs()
    size = max(1, min(int(batch_seconds / costs.play), tasks // workers))
    cluster = _Cluster(tasks, workers, size, costs)
    for _ in range(2 * workers):
        cluster.hand_out(0.0)
    while cluster.events:
        cluster.step()
    seconds = max(cluster.last, cluster.driver)
    return Forecast(
        seconds,
        tasks * costs.play / (workers * seconds),
        cluster.driver_busy / seconds,
        cluster.service_busy / seconds,
        cluster.batches,
        2.0 * workers * size * costs.message,
    )


def fitting(tasks: int, workers: int, costs: Costs | None = None) -> float:
    """Seconds of a batch at which driver and file system are busy for at most four fifths of the time.

    Workers that never wait end workers / L batches of L seconds a second, and ask the driver for L / play tasks each;
    where that cannot be, one batch for each worker.

    >>> round(fitting(2_100_000, 160), 2), round(fitting(2_100_000, 16_000), 2)
    (0.36, 8.27)
    """
    costs = costs or Costs()
    spare = max(0.8 - workers * costs.driver_task / costs.play, 0.02)
    longest = tasks * costs.play / workers
    return min(max(0.05, workers * max(costs.driver_batch / spare, costs.metadata / 0.8)), longest)


def table(tasks: int, nodes: Sequence[int]) -> str:
    """Forecasts for clusters of some sizes, as a table in Markdown."""
    lines = ["| nodes | workers | batch | time | playing | driver | file system | batches | in flight |"]
    lines.append("| --- " * 9 + "|")
    for count in nodes:
        workers = count * CORES
        for batch in (0.05, 1.0, fitting(tasks, workers)):
            f = forecast(tasks, workers, batch)
            size = max(batch, Costs().play)
            lines.append(
                f"| {count:,} | {workers:,} | {size:.2g} s | {_time(f.seconds)} | {f.playing:.0%} | {f.driver:.0%} | "
                f"{f.file_system:.0%} | {f.batches:,} | {f.in_flight / 1e6:,.1f} MB |"
            )
    return "\n".join(lines)


def _time(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def draw(path: str, tasks: int, nodes: Sequence[int]) -> None:
    """The time of a sweep over the number of nodes, for batches of three lengths and for the other limits."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - for the picture alone

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    slow = replace(Costs(), metadata=0.008)
    for label, line, batch, costs in (
        ("batches of one task", "o-", lambda _: 0.05, Costs()),
        ("batches of 1 s", "s--", lambda _: 1.0, Costs()),
        ("batches that fit", "^-", lambda w: fitting(tasks, w), Costs()),
        ("the same, file system ten times slower", "v:", lambda w: fitting(tasks, w, slow), slow),
    ):
        minutes = [forecast(tasks, n * CORES, batch(n * CORES), costs).seconds / 60 for n in nodes]
        axes.loglog(nodes, minutes, line, label=label)
    ideal = [tasks * Costs().play / (n * CORES) / 60 for n in nodes]
    axes.loglog(nodes, ideal, "k:", linewidth=1, label="play alone")
    axes.set(xlabel=f"nodes of {CORES} cores", ylabel=f"minutes for {tasks:,} runs")
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    runs = PAPER_RUNS * 10_000
    print(table(runs, (10, 100, 1000)))
    if len(sys.argv) > 1:
        draw(sys.argv[1], runs, (1, 3, 10, 30, 100, 300, 1000))
