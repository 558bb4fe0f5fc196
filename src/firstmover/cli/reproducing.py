"""firstmover reproduce: replay the standard experiments and write a report."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.playing import Workers


def reproduce(
    out: Annotated[Path, typer.Option(help="Folder for report, tables and figures.")] = Path("results"),
    workers: Workers = None,
) -> None:
    """Replay the standard experiments and write a report.

    Tables and figures of the toy games, with the standard learners against random types and the adversary, are written
    to OUT/reproduce, and the page that shows them to OUT/report.md.
    """
    from firstmover.cli.plotting import draw
    from firstmover.cli.progress import shown
    from firstmover.experiments import Manifest, claim, run_tasks, save_run, tasks_of
    from firstmover.experiments.reproduce import toy_experiments, write_report
    from firstmover.plots import PLOTS

    experiments = toy_experiments()
    folders = {name: out / "reproduce" / name for name in experiments}
    jobs = [(folders[name], task) for name, spec in experiments.items() for task in tasks_of(spec)]
    with shown() as progress:
        results = run_tasks([task for _, task in jobs], workers, progress)
        for name, spec in experiments.items():
            claim(folders[name], Manifest.of(spec))
        for (folder, _), (task, table) in zip(jobs, results, strict=True):
            save_run(folder, task, table)
    for folder in folders.values():
        for plot in PLOTS:
            draw(plot, folder, folder / plot)
    write_report(out / "report.md", folders, list(PLOTS))
    typer.echo(f"The report is {out / 'report.md'}.")
