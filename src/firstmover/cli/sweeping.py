"""firstmover sweep: run, monitor and compare combinations of learners, games, seeds and parameters."""

from pathlib import Path
from typing import Annotated

import typer

ABOUT = """Run every combination of learners, games, opponents, kernels, horizons and seeds of a file, and compare them.

\b
Examples:
  firstmover sweep run FILE --dry-run
      print the number of tasks, the time and the disk space
  firstmover sweep run FILE
      run the missing tasks; repeat it after an interruption
  firstmover sweep status DIR
      print the progress, also while it runs
  firstmover sweep report DIR
      write tables and figures to one page, also while it runs
"""  # the \b keeps the lines of the paragraph that follows it

sweep = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a sweep.")]

MOST_ERRORS = 5


@sweep.command("run")
def run_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file: games, learners, horizons, seeds, …")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/NAME of the file")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check the file and print the number of tasks, time and disk space.")
    ] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run failed tasks again.")] = False,
    workers: Annotated[int | None, typer.Option(help="Number of processes.", show_default="number of cores")] = None,
    engine: Annotated[str, typer.Option(help="Backend of the workers; see firstmover list engines.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of a running Ray or Dask cluster.", show_default=False)
    ] = None,
) -> None:
    """Run the missing tasks of a sweep; repeat the command after an interruption.

    Results are written to OUT/results; the key of a task is a hash of its document and of the code. The log is
    OUT/log.txt.
    """
    from firstmover.cli.progress import shown
    from firstmover.core.errors import counted
    from firstmover.runs import ENGINES, ExperimentSpec, estimate, missing_tasks, plan_of, run_sweep
    from firstmover.runs.store import check_folder
    from firstmover.runs.sweep import manifest_of

    plan = plan_of(ExperimentSpec.from_toml(file))
    folder = out or Path("results") / file.stem
    check_folder(folder, manifest_of(plan), plan.table)
    count = ENGINES.find(engine).workers(workers, address)
    words = f"{plan.spec.title}: {estimate(missing_tasks(plan, folder, retry_failed)).words(count)}"
    typer.echo(words, err=not dry_run)
    if dry_run:
        return
    with shown(plan.spec.title) as watch:
        progress = run_sweep(plan, folder, workers, engine, address, retry_failed=retry_failed, watch=watch)
    tasks = f"{counted(progress.total, 'task')} {'is' if progress.total == 1 else 'are'}"
    typer.echo(f"{progress.done} of {tasks} done, {progress.failed} failed. Results are in {folder}.")
    typer.echo(f"Compare them with: firstmover sweep report {folder}")
    if progress.failed:
        typer.echo(f"Reasons are in {folder / 'log.txt'}; run failed tasks again with --retry-failed.", err=True)
        raise typer.Exit(1)


@sweep.command()
def status(folder: Folder) -> None:
    """Print the progress of a sweep."""
    from firstmover.core.errors import counted
    from firstmover.runs import status_of

    found = status_of(folder)
    typer.echo(f"{found.title}: {found.progress.words}; it {'runs now' if found.runs_now else 'does not run now'}.")
    for error, count in found.errors[:MOST_ERRORS]:
        typer.echo(f"failed {counted(count, 'time')}: {error}")
    if len(found.errors) > MOST_ERRORS:
        typer.echo(f"and {counted(len(found.errors) - MOST_ERRORS, 'other error')}, listed in {folder / 'log.txt'}.")
    if found.errors:
        typer.echo("Play them again with: firstmover sweep run FILE --retry-failed")


@sweep.command()
def collect(folder: Folder) -> None:
    """Write tidy tables of runs, curves and paired comparisons, and print summaries."""
    from firstmover.figures.sweep_report import best_table, summary_table
    from firstmover.runs import Collected, best_of_arenas, compare_runs, summarise_runs
    from firstmover.runs.comparison import markdown
    from firstmover.runs.store import write_table

    found = Collected.of(folder)
    summary, pairs = summarise_runs(found.runs), compare_runs(found.runs)
    files = [*found.write(folder), write_table(folder / "comparisons.parquet", pairs)]
    typer.echo(f"Mean over seeds, ± is the 95 % interval:\n\n{markdown(summary_table(summary))}\n")
    typer.echo(f"Best of each game:\n\n{markdown(best_table(best_of_arenas(summary, pairs)))}\n")
    typer.echo(f"Written: {', '.join(map(str, files))}")


@sweep.command()
def report(folder: Folder) -> None:
    """Write tables and figures of a sweep to one page, DIR/report.html."""
    from firstmover.core.files import atomic_file
    from firstmover.figures.sweep_report import sweep_report

    page = sweep_report(folder)
    with atomic_file(folder / "report.html") as file:
        file.write(page.encode())
    typer.echo(f"The report is {folder / 'report.html'}.")
