"""firstmover reproduce: run the paper's experiments again and write a report."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.playing import Workers


def reproduce(  # noqa: PLR0917 - one parameter per option
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="routing, wildlife, or all.")] = "all",
    preset: Annotated[
        str, typer.Option(help="paper (as in the text), released (as in the authors' program) or both.")
    ] = "both",
    seeds: Annotated[int, typer.Option(help="Number of runs of each learner; seeds are 0, 1, 2 and so on.")] = 10,
    out: Annotated[Path, typer.Option(help="Folder for report, results and figures.")] = Path("results"),
    workers: Workers = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw the figures of the report.")] = True,
) -> None:
    """Run the paper's experiments again and write a report.

    Every run is written to OUT/GAME-PRESET/LEARNER/SEED.parquet and replaces an earlier one. Figures are written beside
    the runs. OUT/report.html compares all experiments of OUT with the published figures.
    """
    from time import perf_counter

    from firstmover.cli.progress import shown
    from firstmover.core.files import atomic_file
    from firstmover.paper.experiments import chosen_experiments, play_all, replays_of
    from firstmover.runs.comparison import markdown

    started = perf_counter()
    with shown() as progress:
        play_all(replays_of(chosen_experiments(game, preset), seeds), out, workers, progress)

    from firstmover.paper.report import report_of

    report = report_of(out, perf_counter() - started, figures)
    with atomic_file(out / "report.html") as file:
        file.write(report.page.encode())
    for section in report.sections:
        for caption, table in section.tables:
            typer.echo(f"{section.title}: {caption}\n\n{markdown(table)}\n")
    for verdict in report.verdicts:
        typer.echo(f"{verdict.title}: {verdict.words}.")
    typer.echo(f"\nThe report is {out / 'report.html'}.")
