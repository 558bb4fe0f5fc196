"""firstmover list: the tables of names."""

from pkgutil import resolve_name
from typing import Annotated

import typer

TABLES = {
    "games": "firstmover.games:GAMES",
    "learners": "firstmover.learners:LEARNERS",
    "opponents": "firstmover.simulation:OPPONENTS",
    "strategies": "firstmover.strategies:STRATEGIES",
    "kernels": "firstmover.kernels:KERNELS",
    "plots": "firstmover.figures:FIGURES",
    "engines": "firstmover.runs:ENGINES",
}
FILES = {
    "games": ("bimatrix:FILES", "a finite Stackelberg game: bimatrix:LEADER,FOLLOWER, payoff tables"),
    "opponents": ("script:FILE", "types from a CSV file with a header, one type per row"),
}


def list_names(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help=f"{', '.join(TABLES)}; all if left out.")] = None,
) -> None:
    """List the entries of each table with a one-line summary."""
    from firstmover.core.errors import MissingExtra, look_up, naming_extras

    chosen = TABLES if kind is None else {kind: look_up("list", kind, TABLES)}
    for heading, reference in chosen.items():
        typer.echo(f"{heading}:")
        try:
            with naming_extras():
                rows = [(name, entry.summary) for name, entry in resolve_name(reference).items()]
        except MissingExtra as error:
            typer.echo(f"  {error}")
            continue
        if heading in FILES:
            rows.append(FILES[heading])
        for name, summary in rows:
            typer.echo(f"  {name:<18} {summary}")
