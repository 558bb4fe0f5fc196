"""firstmover sweep status, collect and report: what there is so far, also while the sweep runs."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a sweep.")]

MOST_ERRORS = 5


def status(folder: Folder) -> None:
    """Say how far a sweep is."""
    from firstmover.core.errors import counted
    from firstmover.runs.sweeps import status_of

    found = status_of(folder)
    typer.echo(f"{found.title}: {found.progress.words}; it {'runs now' if found.runs_now else 'does not run now'}.")
    for error, count in found.errors[:MOST_ERRORS]:
        typer.echo(f"failed {counted(count, 'time')}: {error}")
    if len(found.errors) > MOST_ERRORS:
        typer.echo(
            f"and {counted(len(found.errors) - MOST_ERRORS, 'other error')}, which {folder / 'log.txt'} has too."
        )
    if found.errors:
        typer.echo("Try them again with: firstmover sweep run FILE --retry-failed")


def collect(folder: Folder) -> None:
    """Write one tidy table over all runs and one of paired comparisons, and sum them up."""
    from firstmover.figures.sweep_report import best_table, summary_table
    from firstmover.runs.summary import markdown
    from firstmover.runs.sweeps import Collected, best_of_arenas, compare_runs, summarise_runs
    from firstmover.runs.sweeps.collect import write_table

    found = Collected.of(folder)
    summary, pairs = summarise_runs(found.runs), compare_runs(found.runs)
    files = [*found.write(folder), write_table(folder / "comparisons.parquet", pairs)]
    typer.echo(f"Mean over seeds, ± is the 95 % interval:\n\n{markdown(summary_table(summary))}\n")
    typer.echo(f"Best of each game:\n\n{markdown(best_table(best_of_arenas(summary, pairs)))}\n")
    typer.echo(f"Written: {', '.join(map(str, files))}")


def report(folder: Folder) -> None:
    """Write tables and figures of a sweep on one page, DIR/report.html."""
    from firstmover.figures.sweep_report import sweep_report
    from firstmover.runs.experiment_store import whole_file

    page = sweep_report(folder)
    with whole_file(folder / "report.html") as file:
        file.write(page.encode())
    typer.echo(f"The report is {folder / 'report.html'}.")
