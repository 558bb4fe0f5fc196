"""firstmover arena: rank learners on fixed instances of games."""

from pathlib import Path
from typing import Annotated

import typer

ABOUT = """Rank learners on 33 fixed instances of games, with paired seeds: auto, baselines, and learners of your own.

Without a command it plays the instances or the part that is missing, prints a table with mean ranks, regrets, paired
comparisons with auto and processor time, and writes it to OUT.

\b
Examples:
  firstmover arena --quick
      one instance of each family, in a few minutes
  firstmover arena --plugin mine.py --learner mine
      enter a learner of your own beside all others
  firstmover arena --family prices --family kiosk --only --learner mine --plugin mine.py
      play it beside auto on two families
  firstmover arena show results/arena
      print the tables of a folder, also while it runs
  firstmover arena compare results/before results/after
      print how the regret of each learner changed
"""  # the \b keeps the lines of the paragraph that follows it

arena = typer.Typer(help=ABOUT, invoke_without_command=True, add_completion=False, rich_markup_mode=None)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of an arena.")]


@arena.callback(help=ABOUT)
def play_arena(
    context: typer.Context,
    *,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A learner to enter beside the default ones; repeatable. See firstmover list learners.",
        ),
    ] = None,
    only: Annotated[bool, typer.Option("--only", help="Play only the learners named, and auto.")] = False,
    family: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A family of instances; repeatable.", show_default="all, and Sioux Falls"),
    ] = None,
    city: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A city that was added, or sioux-falls; repeatable. See firstmover city list."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One instance of each family, 100 rounds and 3 seeds: a few minutes.")
    ] = False,
    rounds: Annotated[int | None, typer.Option(help="Rounds of a run.", show_default="250")] = None,
    seeds: Annotated[int | None, typer.Option(help="Paired runs of each learner.", show_default="10")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/arena or results/arena-quick")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of processes.", show_default="number of cores")] = None,
) -> None:
    """Play the instances, or the part that is missing; its help is ABOUT."""
    from firstmover.core.errors import InvalidInput

    if context.invoked_subcommand is not None:
        given = [name for name in context.params if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]
        if given:
            raise InvalidInput(f"--{given[0]} has no effect on {context.invoked_subcommand}: leave it out.")
        return
    from firstmover.cli.progress import shown
    from firstmover.core.errors import counted
    from firstmover.runs.arena import plan as planned
    from firstmover.runs.arena.contestants import ENTRANTS
    from firstmover.runs.arena.instances import places
    from firstmover.runs.arena.report import TEXT, arena_text, write_report
    from firstmover.runs.store import check_folder
    from firstmover.runs.sweep import play_into

    named = tuple(learner or ())
    if only and not named:
        raise InvalidInput("--only is given without a learner: name one with --learner.")
    plan = planned.arena_plan(
        places(tuple(family or ()), tuple(city or ()), planned.QUICK_INSTANCES if quick else None),
        named if only else (*ENTRANTS, *named),
        rounds=rounds if rounds is not None else planned.QUICK_ROUNDS if quick else planned.ROUNDS,
        seeds=seeds if seeds is not None else planned.QUICK_SEEDS if quick else planned.SEEDS,
    )
    folder = out or Path("results") / ("arena-quick" if quick else "arena")
    manifest = plan.manifest
    check_folder(folder, manifest, plan.table)
    typer.echo(f"{manifest.title}: {counted(len(plan.tasks), 'run')}", err=True)
    with shown("arena") as watch:
        progress = play_into(folder, manifest, plan, workers=workers, retry_failed=True, watch=watch)
    typer.echo(arena_text(write_report(folder)))
    typer.echo(f"Written to {folder / TEXT}; see it again with: firstmover arena show {folder}", err=True)
    if progress.failed:
        typer.echo(f"{counted(progress.failed, 'run')} failed; the reasons are in {folder / 'log.txt'}.", err=True)
        raise typer.Exit(1)


@arena.command()
def show(folder: Folder) -> None:
    """Print the tables of an arena, of what is done so far while it runs."""
    from firstmover.runs.arena.report import arena_record, arena_text

    typer.echo(arena_text(arena_record(folder)))


@arena.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="BEFORE", help="The folder of an arena.")],
    second: Annotated[Path, typer.Argument(metavar="AFTER", help="The folder of another.")],
) -> None:
    """Print how the regret of each learner changed from one arena to another, on the instances that both have."""
    from firstmover.runs.arena.report import compare_arenas

    typer.echo(compare_arenas(first, second))
