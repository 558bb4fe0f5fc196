"""Whole runs, methods interleaved in one process on one thread; medians of CPU and wall time."""

import gc
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter, process_time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.peers.growth import estimated, growth_exponent
from benchmarks.peers.machine import ResidentPeak, measure_machine
from benchmarks.peers.methods import METHODS, OURS, Method, Stoppable, chosen, versions
from benchmarks.peers.reference import errors
from benchmarks.peers.results import Part, Row
from benchmarks.peers.workloads import WORKLOADS, Workload
from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import look_up

Say = Callable[[str], None]

SAMPLES = 5
"""Rounds that are played of those that a peer has no time for."""


@dataclass(frozen=True)
class Trial:
    """One run: cumulative times where they were read, those of single later rounds, and the last prediction."""

    rounds: list[int]
    cpu: list[float]
    later: dict[int, float]
    wall: float
    resident: float | None
    prediction: tuple[Matrix, Vector] | None
    failure: str | None


def benchmark(
    workload: str, rounds: int, peers: str = "installed", *, repeats: int = 9, budget: float = 40.0, say: Say = print
) -> Part:
    """Measure firstmover and its peers on one workload.

    Parameters
    ----------
    workload
        A name of WORKLOADS.
    rounds
        T, the length of a run.
    peers
        `installed`, `none`, or names of METHODS with commas.
    repeats
        Runs of each method, fewer when they take more than a quarter of the budget.
    budget
        Seconds of CPU time for each peer; of a run that takes longer a few more rounds are played, and it says so.
    say
        Called with one line per run.
    """
    build = look_up("workload", workload, WORKLOADS)
    for name, value in {"rounds": rounds, "repeats": repeats, "budget": budget}.items():
        positive(name, value)
    names, missing = chosen(peers)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers remark on the scale of their data
        load = build(rounds)
        left_out = [name for name in names if len(load.actions) > METHODS[name].largest_menu]
        names = [name for name in names if name not in left_out]
        machine = measure_machine(rounds)
        for name in names:  # packages load and compile outside the runs
            one_run(METHODS[name].start, _tiny(load))
        trials = interleaved(load, names, repeats, budget, say)
        rows = [_row(load, name, trials[name]) for name in names]
        memory = engine_memory(load)
    limit = load.least_seconds(machine, rounds)
    return Part(
        workload=workload, title=load.title, horizon=rounds, settled=load.settled, rows=rows, missing=missing,
        left_out=left_out, versions=versions(names), machine=machine, limit=limit, engine_memory=memory,
    )  # fmt: skip


def _tiny(load: Workload) -> Workload:
    """Three rounds of it with eight actions."""
    played = load.played[:3] % 8
    return replace(load, actions=load.actions[:8], played=played, seen=load.seen[:4], responses=load.responses[:3])


def interleaved(load: Workload, names: list[str], repeats: int, budget: float, say: Say) -> dict[str, list[Trial]]:
    """Runs of all methods in turn, again and again, each until its repeats or a quarter of its budget are used.

    firstmover's own runs are never stopped.
    """
    trials: dict[str, list[Trial]] = {name: [] for name in names}
    for _ in range(repeats):
        for name in names:
            before = trials[name]
            if before and (before[-1].failure or sum(trial.cpu[-1] for trial in before) > budget / 4):
                continue
            trial = one_run(METHODS[name].start, load, np.inf if name.startswith(OURS) else budget)
            before.append(trial)
            say(f"{load.name}: {name} played {trial.rounds[-1]:,} rounds in {trial.cpu[-1]:.3g} s of CPU time")
    return trials


def one_run(start: Callable[[Workload], Method], load: Workload, budget: float = np.inf) -> Trial:
    """A method from its construction to the last round; once its CPU time is over, some of the rounds that are left."""
    reads = set(np.geomspace(1, len(load.told), 80).astype(int).tolist())
    rounds, cpu, failure, prediction, later = [0], [0.0], None, None, dict[int, float]()
    peak = ResidentPeak()
    gc.collect()
    wall_start, cpu_start = perf_counter(), process_time()
    try:
        method = start(load)
        for t, (action, opponent_type, response) in enumerate(load.told, start=1):
            method.predict(opponent_type)
            method.observe(action, opponent_type, response)
            late = budget < np.inf and process_time() - cpu_start > budget
            if late or t in reads:
                rounds.append(t)
                cpu.append(process_time() - cpu_start)
            if late:
                break
        wall = perf_counter() - wall_start
        later = later_rounds(method, load, rounds[-1])
        prediction = method.predict(load.seen[-1])
    except Exception as error:  # a peer may fail in any way; its row then says how
        wall, failure = perf_counter() - wall_start, f"{type(error).__name__}: {error}".splitlines()[0][:160]
    return Trial(rounds, cpu, later, wall, peak.rise(), prediction, failure)


def later_rounds(method: Method, load: Workload, reached: int) -> dict[int, float]:
    """CPU seconds of a few rounds, evenly spread from the last one played to the end; those between are only told."""
    cpu: dict[int, float] = {}
    if reached == len(load.told):
        return cpu
    assert isinstance(method, Stoppable)
    wanted = set(np.linspace(reached, len(load.told), SAMPLES + 1)[1:].astype(int).tolist()) - {reached}
    for t in sorted(wanted):
        method.catch_up(load.told[reached : t - 1])
        action, opponent_type, response = load.told[t - 1]
        start = process_time()
        method.predict(opponent_type)
        method.observe(action, opponent_type, response)
        cpu[t], reached = process_time() - start, t
    return cpu


def _row(load: Workload, name: str, trials: list[Trial]) -> Row:
    """Medians of the trials, with the errors of the last one."""
    middle = sorted(trials, key=lambda trial: trial.cpu[-1])[len(trials) // 2]
    rounds, curve, last = np.array(middle.rounds, float), np.array(middle.cpu), trials[-1]
    reached, cpu = middle.rounds[-1], median(trial.cpu[-1] for trial in trials)
    total: float | None = cpu
    if reached < len(load.played):
        total = estimated(rounds[1:], curve[1:], middle.later, len(load.played)) if not middle.failure else None
    off = errors(load, len(load.played), *last.prediction) if last.prediction else (None, None, None)
    return Row(
        method=name, title=METHODS[name].title, reached=reached, cpu=cpu, wall=median(t.wall for t in trials),
        total=total, repeats=len(trials), exponent=growth_exponent(rounds, curve, load.settled, middle.later),
        mean_error=off[0], std_error=off[1], relative_std_error=off[2], resident=trials[0].resident,
        rounds=middle.rounds[1:], curve=middle.cpu[1:], later=middle.later, failure=last.failure,
    )  # fmt: skip


def engine_memory(load: Workload) -> float:
    """Bytes that firstmover's belief holds at most over a run, as Python's allocator counts them."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        one_run(METHODS[OURS].start, load)
        return float(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
