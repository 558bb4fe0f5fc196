"""firstmover bench: beliefs and their peers side by side."""

from pathlib import Path
from typing import Annotated

import typer


def bench(
    workload: Annotated[
        str | None, typer.Argument(help="W1, W2, W3 or W3-million; all of the programme if left out.")
    ] = None,
    *,
    rounds: Annotated[int, typer.Option(help="Length of a run.")] = 1000,
    peers: Annotated[str, typer.Option(help="installed, none, or names with commas.")] = "installed",
    repeats: Annotated[int, typer.Option(help="Runs of each method, while its time lasts.")] = 9,
    budget: Annotated[
        float, typer.Option(help="Seconds for each method; slower ones are stopped and extrapolated.")
    ] = 120.0,
    out: Annotated[Path | None, typer.Option(help="Folder for performance.json, its page and its figure.")] = None,
) -> None:
    """Time firstmover's beliefs against their peers, on one thread, and measure the error of each."""
    from firstmover.bench import PROGRAMME, Record, benchmark, table, write

    def say(line: str) -> None:
        typer.echo(line, err=True)

    for name, length, who in PROGRAMME if workload is None else [(workload, rounds, "installed")]:
        chosen = peers if who == "installed" else who
        part = benchmark(name, length, chosen, repeats=repeats, budget=budget, say=say)
        typer.echo(f"{part.workload}, {part.horizon:,} rounds; {part.title}\n\n{table(part)}")
        if out is not None:
            write(Record.read(out).with_part(part), out)
