"""firstmover rehearse."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.matches.options import AsJson, Columns, Decimal, answer


def rehearse(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The configuration of a match, TOML or JSON.")],
    *,
    history: Annotated[Path, typer.Option(metavar="FILE", help="The table of the past: CSV, JSON or Parquet.")],
    model: Annotated[
        str, typer.Option(help="The model of the opponent: belief, or the name of a regressor of scikit-learn.")
    ] = "belief",
    seasons: Annotated[int, typer.Option(min=2, help="Number of simulated seasons.")] = 100,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds per season.")] = 104,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the seasons.")] = 0,
    column: Columns = None,
    decimal: Decimal = None,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("rehearsal.html"),
    as_json: AsJson = False,
) -> None:
    """Rehearse a match in simulated seasons, and write a page of what it earns and risks.

    The opponents of the seasons are drawn from a model that is fitted to a table of the past. The page compares the
    match with what was done before: expected gain, chances of being behind, when it pays, and what a floor costs. A
    model that forecasts no better than a constant is refused.
    """
    from firstmover.cli.matches.creation import named_columns
    from firstmover.cli.progress import shown
    from firstmover.core.errors import InvalidInput
    from firstmover.core.files import atomic_file
    from firstmover.matches.rehearsal import rehearse as played
    from firstmover.runs.pool import Progress

    if out.exists():
        raise InvalidInput(f"{out} exists: name another file with --out, or delete it.")
    if not out.parent.is_dir():
        raise InvalidInput(f"{out.parent} is no folder: name a file in an existing one with --out.")
    columns = named_columns(column)
    with shown("rehearsing") as progress:
        found = played(
            config,
            history,
            model=model,
            seasons=seasons,
            rounds=rounds,
            seed=seed,
            columns=columns,
            decimal=decimal,
            watch=lambda done, total: progress(Progress(total, done)),
        )
    answer(as_json, {"page": str(out), **found.as_dict()}, *found.lines())
    from firstmover.figures.rehearsal import rehearsal_page  # matplotlib is slow to import: bad input is told before

    with atomic_file(out) as file:
        file.write(rehearsal_page(found).encode())
    if not as_json:
        typer.echo(f"\nThe page is {out}.")
