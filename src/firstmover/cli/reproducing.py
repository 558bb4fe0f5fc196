"""firstmover reproduce: replay the paper's experiments and write a report."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.playing import Workers
from firstmover.errors import InvalidInput

if TYPE_CHECKING:
    from firstmover.experiments.reproduce import Replay

PRESETS, SEEDS = "both", 10


def reproduce(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="routing, wildlife, all of the paper, or beyond.")
    ] = "all",
    preset: Annotated[
        str, typer.Option(help="paper (as the text has it), released (as the authors' program has it) or both.")
    ] = PRESETS,
    seeds: Annotated[int, typer.Option(help="How many runs of each learner, with seeds 0, 1, 2 and so on.")] = SEEDS,
    out: Annotated[Path, typer.Option(help="Folder for report, results and figures.")] = Path("results"),
    workers: Workers = None,
) -> None:
    """Replay the paper's experiments and write a report.

    beyond replays what goes beyond the paper, under both presets and with seeds of its own.

    Every run is written to OUT/GAME-PRESET/LEARNER/SEED.parquet, in place of earlier ones, the figures beside them, and
    the page that shows all experiments of OUT, next to what was published, to OUT/report.html.
    """
    from time import perf_counter

    from firstmover.experiments.reproduce import finished_experiments
    from firstmover.experiments.store import whole_file
    from firstmover.experiments.summary import markdown
    from firstmover.report import report_of

    started = perf_counter()
    play_all(_replays(game, preset, seeds), out, workers)
    report = report_of(out, finished_experiments(out), perf_counter() - started)
    with whole_file(out / "report.html") as file:
        file.write(report.page.encode())
    for section in report.sections:
        for caption, table in section.tables:
            typer.echo(f"{section.title}: {caption}\n\n{markdown(table)}\n")
    for each in report.claims:
        typer.echo(f"{each.title}: {each.verdict}{each.scope}.")
    typer.echo(f"\nThe report is {out / 'report.html'}.")


def _replays(game: str, preset: str, seeds: int) -> "list[Replay]":
    from firstmover.experiments.beyond import BEYOND, beyond_replays
    from firstmover.experiments.reproduce import chosen_experiments, replays_of

    if game != BEYOND:
        return replays_of(chosen_experiments(game, preset), seeds)
    if (preset, seeds) != (PRESETS, SEEDS):
        raise InvalidInput("beyond has seeds and presets of its own: leave out --seeds and --preset.")
    return beyond_replays()


def play_all(replays: "Sequence[Replay]", out: Path, workers: int | None) -> None:
    """Play and store every run, each experiment in a folder of its own."""
    from firstmover.cli.progress import shown
    from firstmover.experiments import claim, run_tasks, save_run

    for replay in replays:
        claim(out / replay.name, replay.manifest, renew=True)
    jobs = [(out / replay.name, task) for replay in replays for task in replay.tasks]
    with shown() as progress:
        results = run_tasks([task for _, task in jobs], workers, progress)
        for (folder, _), (task, table) in zip(jobs, results, strict=True):
            save_run(folder, task, table)
