"""firstmover list: the tables of everything that has a name."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer


def _tables() -> dict[str, Mapping[str, Any]]:
    from firstmover.figures import FIGURES
    from firstmover.games import GAMES
    from firstmover.kernels import KERNELS
    from firstmover.learners import LEARNERS
    from firstmover.runs import ENGINES
    from firstmover.simulation import OPPONENTS
    from firstmover.strategies import STRATEGIES

    return {
        "games": GAMES,
        "learners": LEARNERS,
        "opponents": OPPONENTS,
        "strategies": STRATEGIES,
        "kernels": KERNELS,
        "plots": FIGURES,
        "engines": ENGINES,
    }


def list_names(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", help="games, learners, opponents, strategies, kernels, plots or engines; all if left out."
        ),
    ] = None,
) -> None:
    """Show what can be named, and what it is."""
    from firstmover.core.errors import look_up

    tables = _tables()
    chosen = tables if kind is None else {kind: look_up("list", kind, tables)}
    for heading, table in chosen.items():
        typer.echo(f"{heading}:")
        for name, entry in table.items():
            typer.echo(f"  {name:<18} {entry.summary}")
        if heading == "games":
            typer.echo(f"  {'bimatrix:FILES':<18} a finite Stackelberg game: bimatrix:LEADER,FOLLOWER, payoff tables")
        if heading == "opponents":
            typer.echo(f"  {'script:FILE':<18} types from a CSV file with a header, one type a row")
