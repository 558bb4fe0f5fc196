"""firstmover play and firstmover run: run an experiment and print its summary."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firstmover.core.records import Alarm
    from firstmover.runs import ExperimentSpec
    from firstmover.runs.task import SpecTask

MOST_REPLAYED = 2000
"""Rounds that are played again to compute alarms."""

Workers = Annotated[
    int | None,
    typer.Option(
        help="Number of processes; by default one for short experiments, else one per core.", show_default=False
    ),
]


def play(  # noqa: PLR0917 - one parameter per option
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="A game; see firstmover list games. Payoff tables: bimatrix:A.csv,B.csv."),
    ],
    learner: Annotated[
        list[str], typer.Option(help="A learner; repeat to compare several. See firstmover list learners.")
    ] = [  # noqa: B006 - typer copies it
        "auto",
        "hedge",
        "exp3",
    ],
    opponent: Annotated[str, typer.Option(help="Arrival of types; see firstmover list opponents.")] = "random",
    rounds: Annotated[int, typer.Option(help="Number of rounds per run.")] = 200,
    seeds: Annotated[int, typer.Option(help="Number of runs per learner; seeds are 0, 1, 2, …")] = 5,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/GAME-OPPONENT")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="Weights of learners that take them; see list strategies.", show_default="fixed-rate"),
    ] = None,
    confidence_width: Annotated[
        float | None,
        typer.Option(help="Confidence width β of learners that take one.", show_default="the game's"),
    ] = None,
    workers: Workers = None,
) -> None:
    """Simulate learners in a game and print a summary.

    All rounds are written to OUT/results; OUT/manifest.json describes the experiment. A repeated command runs only the
    missing runs.
    """
    from firstmover.core.errors import InvalidInput
    from firstmover.learners import LEARNERS
    from firstmover.runs import ExperimentSpec
    from firstmover.runs.spec import kind_of
    from firstmover.strategies import STRATEGIES

    if strategy is not None:
        STRATEGIES.find(strategy)
    given = {"strategy": strategy, "confidence_width": confidence_width}
    choices = {name: value for name, value in given.items() if value is not None}
    spec = ExperimentSpec.read(
        {
            "game": game,
            "opponent": opponent,
            "rounds": rounds,
            "seeds": seeds,
            "learners": [{"name": name, **choices} for name in learner],
        }
    )
    for option in choices:
        unread = [choice.name for choice in spec.learners if option not in LEARNERS.takes(kind_of(choice))]
        words = f"--{option.replace('_', '-')} has no effect on {', '.join(unread)}"
        if len(unread) == len(spec.learners):
            raise InvalidInput(f"{words}: leave it out, or name a learner that takes it, such as stackelucb.")
        if unread:
            typer.echo(f"{words}.", err=True)
    carry_out(spec, out or Path("results") / re.sub(r"[^\w-]+", "-", f"{game}-{opponent}"), workers)


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A TOML file: game, opponent, rounds, seeds and [[learners]].")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/NAME of the file")
    ] = None,
    workers: Workers = None,
) -> None:
    """Run the experiment of a TOML file, or the part that is missing."""
    from firstmover.runs import ExperimentSpec

    carry_out(ExperimentSpec.from_toml(file), out or Path("results") / file.stem, workers)


def alarms_of_first_runs(tasks: "Sequence[SpecTask]") -> "dict[str, tuple[Alarm, ...]]":
    """The alarms of the first run of each learner that has a belief about responses, if there are any.

    Each is played again, unless that would take long.
    """
    from firstmover.learners.alarms import alarms, has_model
    from firstmover.simulation import play_run

    first = {task.label: task for task in reversed(tasks)}
    if sum(task.rounds for task in first.values()) > MOST_REPLAYED:
        return {}
    stages = {label: (task, task.stage()) for label, task in reversed(first.items())}
    found = {
        label: alarms(stage.learner, play_run(stage.game, stage.opponent, stage.learner, task.rounds, task.seed))
        for label, (task, stage) in stages.items()
        if has_model(stage.learner)
    }
    return {label: raised for label, raised in found.items() if raised}


def carry_out(spec: "ExperimentSpec", folder: Path, workers: int | None) -> None:
    """Run the missing tasks, store their results, and print the summary."""
    from firstmover.cli.progress import shown
    from firstmover.cli.sweeping import collect
    from firstmover.core.errors import counted
    from firstmover.runs import as_markdown, plan_of, read, run_sweep, status_of, summarise
    from firstmover.runs.comparison import COLUMNS
    from firstmover.runs.pool import worthwhile

    plan = plan_of(spec)
    count = worthwhile(plan.tasks) if workers is None else workers
    with shown() as watch:
        progress = run_sweep(plan, folder, count, retry_failed=True, watch=watch)
    if progress.failed:
        typer.echo(f"{counted(progress.failed, 'run')} failed: {status_of(folder).errors[0][0]}", err=True)
        raise typer.Exit(1)
    if len(spec.games) * len(spec.opponents) * len(spec.horizons) > 1 or spec.keep != "rounds":
        collect(folder)
        return
    typer.echo(f"{spec.title}, ± is the 95 % interval over seeds:\n")
    drift = ["dynamic_regret"] if spec.opponents[0].name.startswith("drifting") else []
    typer.echo(as_markdown(summarise(read(folder, COLUMNS + drift))))
    for label, found in alarms_of_first_runs(plan.tasks).items():
        typer.echo("\n".join(["", *(f"Alarm of {label}, {alarm}" for alarm in found)]))
    typer.echo(f"\nResults are in {folder}. See them with: firstmover plot regret {folder}")
