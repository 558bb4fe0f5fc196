"""The runs of `firstmover reproduce`: both experiments of the paper, each as in the text and as in the program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.paper.menus import OTHER_MENUS, menu_tasks
from firstmover.paper.preset import READINGS, Preset
from firstmover.paper.routing import RoutingPreset, routing_tasks
from firstmover.paper.wildlife import WildlifePreset, wildlife_tasks
from firstmover.runs.spec import MOST_SEEDS
from firstmover.runs.store import Manifest, read, read_manifest
from firstmover.runs.task import Task


@dataclass(frozen=True)
class PaperExperiment:
    """A section of the paper: its preset, and a function from preset and number of seeds to tasks and notes."""

    title: str
    preset: type[Preset]
    tasks: Callable[[Any, int], tuple[list[Task], dict[str, Any]]]


ROUTING = PaperExperiment("Routing vehicles through Sioux Falls", RoutingPreset, routing_tasks)
WILDLIFE = PaperExperiment("Rangers against poachers", WildlifePreset, wildlife_tasks)
EXPERIMENTS: dict[str, PaperExperiment] = {"routing": ROUTING, "wildlife": WILDLIFE}


PARK_STEPS: dict[str, tuple[str, dict[str, Any]]] = {
    "wildlife-step-1": ("released, with the maximum over the whole box", {"optimism": "box"}),
    "wildlife-step-2": (
        "then σ without the noise, and no first observation",
        {"deviation": "posterior", "first_observation": False},
    ),
}
"""From the released program to the text, switch by switch; the last step, the density, is the preset `paper`."""

MENUS = "menus"
"""The kind of the results on other menus, and the prefix of their folders."""


@dataclass(frozen=True)
class Replay:
    """One experiment under one reading: the name of its folder, its manifest and its runs."""

    name: str
    manifest: Manifest
    tasks: list[Task]


def chosen_experiments(game: str, preset: str) -> list[tuple[str, str]]:
    """Return the pairs of a game and a reading that the two arguments of the command select.

    >>> chosen_experiments("routing", "both")
    [('routing', 'paper'), ('routing', 'released')]
    """
    if game not in {*EXPERIMENTS, "all"}:
        raise unknown_name("experiment", game, {*EXPERIMENTS, "all"})
    if preset not in {*READINGS, "both"}:
        raise unknown_name("preset", preset, {*READINGS, "both"})
    games = list(EXPERIMENTS) if game == "all" else [game]
    return [(name, reading) for name in games for reading in (READINGS if preset == "both" else [preset])]


def replays_of(chosen: Sequence[tuple[str, str]], seeds: int) -> list[Replay]:
    """Prepare all runs: each game under each reading; for the park also the intermediate readings and other menus."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise InvalidInput(f"seeds is {seeds}: give how many, from 1 to {MOST_SEEDS}.")
    replays = [
        _replay(f"{game}-{reading}", f"preset {reading}", game, EXPERIMENTS[game].preset.load(game, reading), seeds)
        for game, reading in chosen
    ]
    readings = [reading for game, reading in chosen if game == "wildlife"]
    steps = _park_steps(seeds) if len(readings) == len(READINGS) else []
    return replays + steps + [_menus(reading) for reading in readings]


def finished(folder: Path) -> bool:
    """Return whether a folder holds all runs of its experiment, intact."""
    try:
        return len(read(folder, ["t"])) > 0
    except InvalidInput:
        return False


def finished_experiments(out: Path) -> list[tuple[str, str]]:
    """Return the pairs of a game and a reading whose complete results were played with the present presets."""
    return [
        (game, reading)
        for game, reading in chosen_experiments("all", "both")
        if finished(out / f"{game}-{reading}")
        and read_manifest(out / f"{game}-{reading}").spec == EXPERIMENTS[game].preset.load(game, reading).stored()
    ]


def _park_steps(seeds: int) -> list[Replay]:
    """The readings of the park between the released program and the text, at the β of Figure 2."""
    preset = WildlifePreset.load("wildlife", "released")
    replays = []
    for name, (words, switches) in PARK_STEPS.items():
        preset = preset.model_copy(update={**switches, "widths": (preset.shown_width,), "reward_widths": ()})
        replays.append(_replay(name, words, "wildlife", preset, seeds))
    return replays


def _menus(reading: str) -> Replay:
    """The park on other menus, one game of each algorithm per menu."""
    preset = WildlifePreset.load("wildlife", reading)
    tasks = menu_tasks(preset, 1, OTHER_MENUS)
    menus = tuple(task.seed for task in tasks)
    title = f"The park on {len(menus)} other menus, preset {reading}"
    manifest = Manifest(MENUS, title, preset.stored(), (tasks[0].label,), menus, tasks[0].rounds)
    return Replay(f"{MENUS}-{reading}", manifest, tasks)


def _replay(name: str, words: str, game: str, preset: Preset, seeds: int) -> Replay:
    tasks, notes = EXPERIMENTS[game].tasks(preset, seeds)
    labels = tuple(dict.fromkeys(task.label for task in tasks))
    title = f"{EXPERIMENTS[game].title}, {words}"
    manifest = Manifest(game, title, preset.stored(), labels, tuple(range(seeds)), tasks[0].rounds, notes)
    return Replay(name, manifest, tasks)
