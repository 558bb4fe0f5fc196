"""The runs of `firstmover reproduce`: both experiments of the paper, each as in the text and as in the program."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.paper.menus import OTHER_MENUS, menu_tasks
from firstmover.paper.preset import READINGS, Preset
from firstmover.paper.routing import RoutingPreset
from firstmover.paper.wildlife import WildlifePreset
from firstmover.runs import Manifest, Task, claim, run_tasks, save_run
from firstmover.runs.pool import Watch
from firstmover.runs.spec import MOST_SEEDS

EXPERIMENTS: dict[str, type[Preset]] = {"routing": RoutingPreset, "wildlife": WildlifePreset}

PARK_STEPS: dict[str, tuple[str, dict[str, Any]]] = {
    "wildlife-step-1": ("released, with the maximum over the whole box", {"optimism": "box"}),
    "wildlife-step-2": (
        "then σ without the noise, and no first observation",
        {"deviation": "posterior", "first_observation": False},
    ),
}
"""From the released program to the text, switch by switch; the last step, the density, is the preset `paper`."""

MENUS = "menus"  # kind of the results on other menus, and the prefix of their folders


class Replay(NamedTuple):
    """Runs to play and store: the name of their folder, its manifest and its tasks."""

    name: str
    manifest: Manifest
    tasks: list[Task]

    @classmethod
    def of(cls, name: str, kind: str, title: str, spec: dict[str, Any], tasks: list[Task], **notes: Any) -> "Replay":
        """Return a replay of tasks with the same number of rounds, for every label with every seed."""
        labels, seeds = (
            tuple(dict.fromkeys(values)) for values in zip(*((t.label, t.seed) for t in tasks), strict=True)
        )
        return cls(name, Manifest(kind, title, spec, labels, seeds, tasks[0].rounds, notes), tasks)


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
        _replay(f"{game}-{reading}", f"preset {reading}", EXPERIMENTS[game].load(reading), seeds)
        for game, reading in chosen
    ]
    readings = [reading for game, reading in chosen if game == "wildlife"]
    if len(readings) == len(READINGS):
        preset = WildlifePreset.load("released")
        for name, (words, switches) in PARK_STEPS.items():
            preset = preset.model_copy(update={**switches, "widths": (preset.shown_width,), "reward_widths": ()})
            replays.append(_replay(name, words, preset, seeds))
    for reading in readings:
        preset = WildlifePreset.load(reading)
        title = f"The park on {len(OTHER_MENUS)} other menus, preset {reading}"
        tasks = menu_tasks(preset, 1, OTHER_MENUS)
        replays.append(Replay.of(f"{MENUS}-{reading}", MENUS, title, preset.stored(), tasks))
    return replays


def _replay(name: str, words: str, preset: Preset, seeds: int) -> Replay:
    tasks, notes = preset.tasks(seeds)
    return Replay.of(name, preset.game, f"{preset.title}, {words}", preset.stored(), tasks, **notes)


def play_all(replays: Sequence[Replay], out: Path, workers: int | None = None, progress: Watch | None = None) -> None:
    """Play and store every run, each replay in its own folder of `out`."""
    for replay in replays:
        names = Counter((task.label, task.seed) for task in replay.tasks)
        twice = [name for name, count in names.items() if count > 1]
        if twice:
            raise InvalidInput(
                f"two runs of {replay.name} have label {twice[0][0]!r} and seed {twice[0][1]}: rename one."
            )
        claim(out / replay.name, replay.manifest, renew=True)
    jobs = [(out / replay.name, task) for replay in replays for task in replay.tasks]
    results = run_tasks([task for _, task in jobs], workers, progress)
    for (folder, _), (task, table) in zip(jobs, results, strict=True):
        save_run(folder, task, table)
