"""firstmover reproduce: replay the paper's experiments and write a report."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.playing import Workers


def reproduce(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="routing, wildlife or all.")] = "all",
    preset: Annotated[
        str, typer.Option(help="paper (as the text has it), released (as the authors' program has it) or both.")
    ] = "both",
    seeds: Annotated[int, typer.Option(help="How many runs of each learner, with seeds 0, 1, 2 and so on.")] = 10,
    out: Annotated[Path, typer.Option(help="Folder for report, results and figures.")] = Path("results"),
    workers: Workers = None,
) -> None:
    """Replay the paper's experiments and write a report.

    Every run is written to OUT/GAME-PRESET/LEARNER/SEED.parquet, the figures beside them, and the page that shows all
    of it, next to what was published, to OUT/report.html.
    """
    from time import perf_counter

    from firstmover.cli.progress import shown
    from firstmover.experiments import claim, run_tasks, save_run
    from firstmover.experiments.reproduce import chosen_experiments, replay_of

    started = perf_counter()
    replays = [replay_of(name, reading, seeds) for name, reading in chosen_experiments(game, preset)]
    jobs = [(out / replay.name, task) for replay in replays for task in replay.tasks]
    with shown() as progress:
        results = run_tasks([task for _, task in jobs], workers, progress)
        for replay in replays:
            claim(out / replay.name, replay.manifest)
        for (folder, _), (task, table) in zip(jobs, results, strict=True):
            save_run(folder, task, table)
    typer.echo(f"{perf_counter() - started}")
