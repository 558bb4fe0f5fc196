"""What `firstmover reproduce` replays: the paper's two experiments, each as the text and as the program has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firstmover.errors import InvalidInput, look_up, unknown_name
from firstmover.experiments.preset import READINGS, Preset
from firstmover.experiments.routing import RoutingPreset, routing_tasks
from firstmover.experiments.run import Task
from firstmover.experiments.spec import MOST_SEEDS
from firstmover.experiments.store import Manifest
from firstmover.experiments.wildlife import WildlifePreset, wildlife_tasks


@dataclass(frozen=True)
class PaperExperiment:
    """A section of the paper: its preset, and the runs that a preset asks for."""

    title: str
    preset: type[Preset]
    tasks: Callable[[Any, int], tuple[list[Task], dict[str, Any]]]


EXPERIMENTS: dict[str, PaperExperiment] = {
    "routing": PaperExperiment("Routing vehicles through Sioux Falls", RoutingPreset, routing_tasks),
    "wildlife": PaperExperiment("Rangers against poachers", WildlifePreset, wildlife_tasks),
}


PARK_STEPS: dict[str, tuple[str, dict[str, Any]]] = {
    "wildlife-step-1": ("released, with the maximum over the whole box", {"optimism": "box"}),
    "wildlife-step-2": (
        "then σ without the noise, and no first observation",
        {"deviation": "posterior", "first_observation": False},
    ),
}
"""From the released program to the text, switch by switch; the last step, the density, is the preset `paper`."""


@dataclass(frozen=True)
class Replay:
    """One experiment under one reading: the name of its folder, what the folder will say, and its runs."""

    name: str
    manifest: Manifest
    tasks: list[Task]


def chosen_experiments(game: str, preset: str) -> list[tuple[str, str]]:
    """The pairs of a game and a reading that the two words of the command name.

    >>> chosen_experiments("routing", "both")
    [('routing', 'paper'), ('routing', 'released')]
    """
    if game not in {*EXPERIMENTS, "all"}:
        raise unknown_name("experiment", game, {*EXPERIMENTS, "all"})
    if preset not in {*READINGS, "both"}:
        raise unknown_name("preset", preset, {*READINGS, "both"})
    games = list(EXPERIMENTS) if game == "all" else [game]
    return [(name, reading) for name in games for reading in (READINGS if preset == "both" else [preset])]


def replay_of(game: str, reading: str, seeds: int) -> Replay:
    """Prepare the runs of a game under a reading: fit hyperparameters, and list every learner with every seed."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise InvalidInput(f"seeds is {seeds}: give how many, from 1 to {MOST_SEEDS}.")
    preset = look_up("experiment", game, EXPERIMENTS).preset.load(game, reading)
    return _replay(f"{game}-{reading}", f"preset {reading}", game, preset, seeds)


def park_steps(seeds: int) -> list[Replay]:
    """The readings of the park between the released program and the text, at the β of Figure 2."""
    preset = WildlifePreset.load("wildlife", "released")
    replays = []
    for name, (words, switches) in PARK_STEPS.items():
        preset = preset.model_copy(update={**switches, "widths": (preset.shown_width,), "reward_widths": ()})
        replays.append(_replay(name, words, "wildlife", preset, seeds))
    return replays


def _replay(name: str, words: str, game: str, preset: Preset, seeds: int) -> Replay:
    entry = EXPERIMENTS[game]
    tasks, notes = entry.tasks(preset, seeds)
    labels = tuple(dict.fromkeys(task.label for task in tasks))
    title = f"{entry.title}, {words}"
    return Replay(
        name, Manifest(game, title, preset.stored(), labels, tuple(range(seeds)), tasks[0].rounds, notes), tasks
    )
