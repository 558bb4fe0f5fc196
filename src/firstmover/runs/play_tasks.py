"""Learners × seeds: each run is one task, and gives one tidy table whatever process plays it, alone or in a batch."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import chain, groupby
from multiprocessing import get_context
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from scipy.special import entr

from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import FirstmoverError
from firstmover.core.numerics import one_thread
from firstmover.core.records import Run
from firstmover.runs.experiment_spec import ExperimentSpec, LearnerSpec
from firstmover.runs.setup import checked_learners, learner_for, scene
from firstmover.runs.workers import as_workers_inherit, check_workers
from firstmover.simulation import Opponent, play_many, true_rewards
from firstmover.simulation.hindsight import Regret, dynamic_regret, regret_of_table, reward_table

ROUNDS_WORTH_A_POOL = 20_000
"""Below so many rounds in all, starting processes (1.5 s each) costs more than it saves."""

Progress = Callable[[int, int], None]
"""Told the number of finished runs and of all runs, after each."""


class Task(Protocol):
    """One run of a learner: the unit that any engine can carry to any machine; equal tasks give equal tables."""

    @property
    def label(self) -> str:
        """The learner's name in tables and figures."""
        ...

    @property
    def seed(self) -> int:
        """The run's seed."""
        ...

    @property
    def rounds(self) -> int:
        """T."""
        ...

    def play(self) -> pl.DataFrame:
        """Play the run: one row a round."""
        ...


@runtime_checkable
class SeededTask(Task, Protocol):
    """A run whose configuration can be played with several seeds at once."""

    @property
    def configuration(self) -> object:
        """What equals that of another seed's task; None where runs are played one by one."""
        ...

    def play_seeds(self, seeds: Sequence[int]) -> list[pl.DataFrame]:
        """The tables that the tasks of these seeds give alone."""
        ...


@dataclass(frozen=True, eq=False)
class Stage:
    """What stands ready before the first round of a run."""

    game: Game
    opponent: Opponent
    learner: Learner


@dataclass(frozen=True)
class SpecTask:
    """A run of an experiment that a specification describes."""

    spec: ExperimentSpec
    learner: LearnerSpec
    seed: int

    @property
    def label(self) -> str:
        """The learner's own label."""
        return self.learner.label

    @property
    def rounds(self) -> int:
        """T."""
        return self.spec.rounds

    def stage(self) -> Stage:
        """Build the scene and the learner."""
        game, opponent = scene(self.spec)
        return Stage(game, opponent, learner_for(self.spec, self.learner, game, opponent, self.seed))

    def play(self) -> pl.DataFrame:
        """Play on the stage."""
        return self.play_seeds([self.seed])[0]

    def play_seeds(self, seeds: Sequence[int]) -> list[pl.DataFrame]:
        """The same for several seeds, which a learner that is played together does not know before it plays."""
        game, opponent = scene(self.spec)
        learner = learner_for(self.spec, self.learner, game, opponent, seeds[0])
        runs = play_many(game, opponent, learner, self.rounds, seeds)
        return [judged_table(game, opponent, *played, self.label) for played in zip(runs, seeds, strict=True)]


def tasks_of(spec: ExperimentSpec) -> list[Task]:
    """Every learner with every seed, refused at once if some learner cannot play."""
    return [SpecTask(spec, learner, seed) for learner, _ in checked_learners(spec) for seed in spec.seeds]


def batches_of(tasks: Sequence[Task], workers: int = 1) -> list[list[Task]]:
    """Neighbours of one configuration in one batch for each worker; every other task alone."""
    batches: list[list[Task]] = []
    for common, neighbours in groupby(tasks, lambda task: getattr(task, "configuration", None)):
        same = list(neighbours)
        size = 1 if common is None else -(-len(same) // workers)
        batches += [same[first : first + size] for first in range(0, len(same), size)]
    return batches


def run_batch(batch: Sequence[Task]) -> list[pl.DataFrame]:
    """Play the runs of a batch; a function of its own, so that it can be sent to another process."""
    if len(batch) > 1 and isinstance(first := batch[0], SeededTask):
        return first.play_seeds([task.seed for task in batch])
    return [task.play() for task in batch]


def table_of(run: Run, loss: Regret, label: str, seed: int) -> pl.DataFrame:
    """One row a round; entropy is that of p_t, in nats."""
    rounds, outputs = run.responses.shape
    return pl.DataFrame(
        {
            "learner": pl.repeat(label, rounds, eager=True),
            "seed": pl.repeat(seed, rounds, dtype=pl.Int64, eager=True),
            "t": np.arange(1, rounds + 1),
            "action": run.actions,
            "probability": run.strategies[np.arange(rounds), run.actions],
            "opponent_type": pl.Series(run.opponent_types).cast(pl.List(pl.Float64)),
            **{f"response_{i}": run.responses[:, i] for i in range(outputs)},
            **{f"true_response_{i}": run.true_responses[:, i] for i in range(outputs)},
            "reward": run.rewards,
            "cumulative_regret": loss.cumulative,
            "time_averaged_regret": loss.time_averaged,
            "best_action": loss.best_action,
            "entropy": entr(run.strategies).sum(axis=1),
        }
    )


def judged_table(game: Game, opponent: Opponent, run: Run, seed: int, label: str) -> pl.DataFrame:
    """One row a round with its regret; where the opponent drifts, with the regret against each round's best too."""
    game = game if run.menu is None else replace(game, actions=run.menu)
    rewards = reward_table(true_rewards(game, opponent.respond), opponent.asked(run.opponent_types))
    table = table_of(run, regret_of_table(run, rewards), label, seed)
    return table.with_columns(dynamic_regret=dynamic_regret(run, rewards)) if opponent.drifts else table


def run_tasks(
    tasks: Sequence[Task], workers: int | None = None, progress: Progress | None = None
) -> Iterator[tuple[Task, pl.DataFrame]]:
    """Tasks with their tables, in order, as they are finished; `workers` processes, or as many as pay off."""
    check_workers(workers)
    count = min(workers or _worthwhile(tasks), len(tasks))
    batches = batches_of(tasks, max(count, 1))
    tables = map(_run_here, batches) if count <= 1 else _run_in_pool(batches, count)
    return _told(tasks, chain.from_iterable(tables), progress)


def run_experiment(spec: ExperimentSpec, workers: int | None = None, progress: Progress | None = None) -> pl.DataFrame:
    """All runs of an experiment in one table."""
    return pl.concat(table for _, table in run_tasks(tasks_of(spec), workers, progress))


def _told(
    tasks: Sequence[Task], tables: Iterator[pl.DataFrame], progress: Progress | None
) -> Iterator[tuple[Task, pl.DataFrame]]:
    for done, (task, table) in enumerate(zip(tasks, tables, strict=True), start=1):
        yield task, table
        if progress is not None:  # when the caller has stored it and asks for the next
            progress(done, len(tasks))


def _worthwhile(tasks: Sequence[Task]) -> int:
    return 1 if sum(task.rounds for task in tasks) < ROUNDS_WORTH_A_POOL else os.cpu_count() or 1


def _run_here(batch: Sequence[Task]) -> list[pl.DataFrame]:
    with one_thread():  # what surrounds the rounds too
        return run_batch(batch)


def _run_in_pool(batches: Sequence[Sequence[Task]], workers: int) -> Iterator[list[pl.DataFrame]]:
    pool = ProcessPoolExecutor(workers, get_context("spawn"))
    try:
        with as_workers_inherit():  # they start while the tasks are handed over
            tables = deque(pool.submit(run_batch, batch) for batch in batches)
        while tables:
            yield tables.popleft().result()
    except BrokenProcessPool:
        raise FirstmoverError(
            "A worker process ended before its run did: give fewer workers if memory is short, and in a script "
            "start the experiment under if __name__ == '__main__'."
        ) from None
    except BaseException:  # nobody will read what the workers still play
        for process in pool._processes.values():  # no public name before Python 3.14's terminate_workers
            process.terminate()
        raise
    finally:
        pool.shutdown()
