"""firstmover sweep run: carry out the tasks that have no result yet."""

from pathlib import Path
from typing import Annotated

import typer


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file: games, learners, horizons, seeds, …")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/NAME of the file")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and say how many tasks, how long, how large; no more.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try tasks again that raised an error before.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Processes.", show_default="as many as cores")] = None,
    engine: Annotated[str, typer.Option(help="Where workers live: a name of firstmover list engines.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of a cluster, for engines that have one.", show_default=False)
    ] = None,
) -> None:
    """Carry out a sweep; the same command again runs only what is missing.

    Every result is written to OUT/results under the hash of what it is, OUT/log.txt says what happened.
    """
    from firstmover.cli.sweeps.watching import watched
    from firstmover.core.documents import fields_of
    from firstmover.core.errors import counted, look_up
    from firstmover.runs.sweeps import ENGINES, SweepSpec, estimate, missing_tasks, plan_of, run_sweep
    from firstmover.runs.sweeps.folder import check_folder

    document = fields_of(file, "Sweep")
    plan = plan_of(SweepSpec.read(document))
    folder = out or Path("results") / file.stem
    check_folder(folder, plan)
    entry = look_up("engine", engine, ENGINES)
    hands = entry.workers(workers, address)
    words = f"{plan.title}: {estimate(missing_tasks(plan, folder, retry_failed)).words(hands)}"
    if dry_run:
        typer.echo(words)
        return
    started = entry.start(workers, address)
    typer.echo(words, err=True)
    with watched(plan.title) as watch:
        progress = run_sweep(plan, folder, started, document=document, retry_failed=retry_failed, watch=watch)
    tasks = f"{counted(progress.total, 'task')} {'is' if progress.total == 1 else 'are'}"
    typer.echo(f"{progress.done} of {tasks} done, {progress.failed} failed. Results are in {folder}.")
    typer.echo(f"Compare them with: firstmover sweep report {folder}")
    if progress.failed:
        raise typer.Exit(1)
