"""`python -m benchmarks.peers`: beliefs and their peers side by side."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.peers import Record, Step, benchmark, make_folder, steps_of, table, write
from firstmover.core.errors import FirstmoverError

app = typer.Typer(add_completion=False)


@app.command()
def bench(
    workload: Annotated[
        str | None, typer.Argument(help="W1, W2, W3 or W3-million; all of the programme if left out.")
    ] = None,
    *,
    rounds: Annotated[int | None, typer.Option(help="Length of a run.", show_default="those of the programme")] = None,
    peers: Annotated[
        str | None,
        typer.Option(help="installed, none, or names with commas.", show_default="installed, but for the longest runs"),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Runs of each method, while its time lasts.")] = 9,
    budget: Annotated[
        float | None,
        typer.Option(help="Seconds for each peer; slower ones are stopped and extrapolated.", show_default="10 to 20"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for performance.json, its page and its figure; other parts are kept.")
    ] = None,
) -> None:
    """Time firstmover's beliefs against their peers, on one thread, and measure the error of each."""
    try:
        _measure(steps_of(workload, rounds), peers, repeats, budget, out)
    except FirstmoverError as error:
        typer.echo(error, err=True)
        raise typer.Exit(error.exit_code) from None


def _measure(steps: list[Step], peers: str | None, repeats: int, budget: float | None, out: Path | None) -> None:
    def say(line: str) -> None:
        typer.echo(line, err=True)

    if out is not None:
        make_folder(out)
    for step in steps:
        chosen, seconds = step.peers if peers is None else peers, step.budget if budget is None else budget
        part = benchmark(step.workload, step.rounds, chosen, repeats=repeats, budget=seconds, say=say)
        typer.echo(f"{part.workload}, {part.horizon:,} rounds; {part.title}\n\n{table(part)}")
        if out is not None:
            write(Record.read(out).with_part(part), out)


if __name__ == "__main__":
    app()
