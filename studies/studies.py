"""What `firstmover reproduce beyond` plays: every figure beyond the paper, each study in a folder of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from firstmover.paper.experiments import Replay, finished
from firstmover.runs.store import Manifest, read
from firstmover.runs.task import Task
from studies.adversary import adversary_tasks
from studies.choice import choice_tasks
from studies.drift import drift_tasks
from studies.growing import growing_tasks
from studies.prices import prices_tasks
from studies.rationality import rationality_tasks
from studies.routing import regret_tasks
from studies.simplex import SearchTask, commitment_tasks

BEYOND = "beyond"
"""The kind of these results, and how their folders' names begin."""


@dataclass(frozen=True)
class Study:
    """A question, and the runs that answer it: the same number of rounds for every label and seed."""

    title: str
    tasks: Callable[[], list[Task]]


@dataclass(frozen=True)
class WithoutTypes:
    """A run of which only how it went is kept: 552 demands a round would fill the disk."""

    task: Task

    @property
    def label(self) -> str:
        """The run's own."""
        return self.task.label

    @property
    def seed(self) -> int:
        """The run's own."""
        return self.task.seed

    @property
    def rounds(self) -> int:
        """The run's own."""
        return self.task.rounds

    def play(self) -> pl.DataFrame:
        """Play it, and keep its table without the types."""
        return self.task.play().drop("opponent_type")


STUDIES: dict[str, Study] = {
    "menus-paper": Study("Choice beliefs on fresh menus, preset paper", lambda: choice_tasks("paper")),
    "menus-released": Study("Choice beliefs on fresh menus, preset released", lambda: choice_tasks("released")),
    "drift": Study("Poachers whose camp moves", drift_tasks),
    "rationality-park": Study("Poachers of falling rationality", lambda: rationality_tasks("park")),
    "rationality-bimatrix": Study(
        "A finite game, followers of falling rationality", lambda: rationality_tasks("bimatrix")
    ),
    "rationality-roads": Study("Road users of falling rationality", lambda: rationality_tasks("roads")),
    "prices-random": Study("Prices, segments by chance", lambda: prices_tasks("random")),
    "prices-adversary": Study("Prices, an adaptive adversary", lambda: prices_tasks("adversary")),
    "routing": Study("Routing with no horizon and no range", lambda: [WithoutTypes(t) for t in regret_tasks()]),
    "adversary": Study("Routing against adversaries", adversary_tasks),
    "simplex": Study("The whole simplex", commitment_tasks),
    "growing": Study("A menu that grows, poachers of three camps", growing_tasks),
    "search": Study("The optimum over the simplex, searched for independently", lambda: [SearchTask()]),
}
"""In the order in which they are played: the longest first."""


def beyond_replays() -> list[Replay]:
    """All studies, ready to be played and stored."""
    return [_replay(name, study) for name, study in STUDIES.items()]


def _replay(name: str, study: Study) -> Replay:
    tasks = study.tasks()
    labels, seeds = (tuple(dict.fromkeys(values)) for values in zip(*((t.label, t.seed) for t in tasks), strict=True))
    manifest = Manifest(BEYOND, study.title, {"study": name}, labels, seeds, tasks[0].rounds)
    return Replay(f"{BEYOND}-{name}", manifest, tasks)


def beyond_folders(out: Path) -> dict[str, str]:
    """The folders of a place that hold all runs of a study, whole, each with the study's name."""
    names = {f"{BEYOND}-{name}": name for name in STUDIES}
    return {folder: name for folder, name in names.items() if finished(out / folder)}


def beyond_results(out: Path) -> dict[str, pl.DataFrame]:
    """The tables of all studies whose results stand whole in a folder."""
    return {name: read(out / folder) for folder, name in beyond_folders(out).items()}
