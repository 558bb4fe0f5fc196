"""A sweep on a cluster, simulated batch by batch from measured costs: how long it takes, and what holds it up.

    python benchmarks/scale_simulation.py [PICTURE]

The driver hands out batches one after another and hears of each when it is stored; a worker plays a batch, waits for
its turn at the file system, and takes the next one that waits for it. Costs are those of benchmarks/task_costs.py.
"""

import heapq
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from firstmover.runs.sweeps.queue import MOST, SECONDS, SECONDS_A_WORKER

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

    def __init__(self, tasks: int, workers: int, room: float, costs: Costs) -> None:
        self.costs, self.left, self.workers, self.room = costs, tasks, workers, room
        self.idle = workers
        self.waiting: deque[tuple[float, int]] = deque()
        self.events: list[tuple[float, int, int]] = []
        self.driver = self.service = 0.0
        self.driver_busy = self.service_busy = self.last = 0.0
        self.batches = self.largest = 0

    def hand_out(self, now: float) -> None:
        """The driver's time for one batch: hearing of the last one and submitting the next, as long as Queue has it."""
        if not self.left:
            return
        size = max(1, min(MOST, self.left // (4 * self.workers) + 1, int(self.room / self.costs.play)))
        self.left, self.batches, self.largest = self.left - size, self.batches + 1, max(self.largest, size)
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


def forecast(tasks: int, workers: int, costs: Costs | None = None, room: float | None = None) -> Forecast:
    """What becomes of a sweep of tasks alike, in batches as `firstmover.runs.sweeps` forms them or of `room` seconds.

    >>> few = forecast(1000, workers=2)
    >>> round(few.seconds, 1), round(few.playing, 2)
    (37.9, 0.83)
    """
    costs = costs or Costs()
    room = max(SECONDS, SECONDS_A_WORKER * workers) if room is None else room
    cluster = _Cluster(tasks, workers, room, costs)
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
        2.0 * workers * cluster.largest * costs.message,
    )


def table(tasks: int, nodes: Sequence[int]) -> str:
    """Forecasts for clusters of some sizes, as a table in Markdown."""
    lines = ["| runs | nodes | time | playing | driver | file system | batches | in flight |"]
    lines.append("| --- " * 8 + "|")
    long = replace(Costs(), play=100 * Costs().play)
    for title, costs, room in (("one by one", Costs(), 0.0), ("in batches", Costs(), None), ("long", long, None)):
        for count in nodes:
            f = forecast(tasks, count * CORES, costs, room)
            lines.append(
                f"| {title} | {count:,} | {_time(f.seconds)} | {f.playing:.0%} | {f.driver:.0%} | "
                f"{f.file_system:.0%} | {f.batches:,} | {f.in_flight / 1e6:,.1f} MB |"
            )
    return "\n".join(lines)


def _time(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def draw(path: str, tasks: int, nodes: Sequence[int]) -> None:
    """The time of a sweep over the number of nodes, handed out one by one and in batches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    slow = replace(Costs(), metadata=0.008)
    lines = (
        ("one by one", "o-", Costs(), 0.0),
        ("in batches", "^-", Costs(), None),
        ("in batches, file system ten times slower", "v:", slow, None),
    )
    with ProcessPoolExecutor() as pool:
        asked = [[pool.submit(forecast, tasks, n * CORES, costs, room) for n in nodes] for _, _, costs, room in lines]
        for (label, line, _, _), forecasts in zip(lines, asked, strict=True):
            axes.loglog(nodes, [told.result().seconds / 60 for told in forecasts], line, label=label)
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
        draw(sys.argv[1], runs, (1, 10, 100, 1000))
