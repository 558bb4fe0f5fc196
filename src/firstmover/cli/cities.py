"""firstmover city: road networks that the user adds and calls by name."""

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firstmover.cli.matches.options import AsJson, answer, table
from firstmover.core.errors import InvalidInput

if TYPE_CHECKING:
    from firstmover.games.routing.network import Network

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the city.")]

HELP = """Manage road networks of cities, which are read once and then called by name.

They are stored in $FIRSTMOVER_CITIES, by default in ~/.local/share/firstmover/cities.

\b
Examples:
  firstmover city add ~/Downloads/Anaheim --name anaheim
      read a folder of files, check it, and store it
  firstmover city show anaheim
      show its size and the ranges of its numbers
"""  # the \b keeps the lines of the paragraph that follows it

GameName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the city, or sioux-falls, which is built in.")]
Document = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="TOML with the leader (fleet, tolls, closures, signals), the goal and what is observed; without it, tolls "
        "on the three links that lose most time.",
    ),
]
Level = Annotated[float, typer.Option(min=0.0, help="The demand, as a fraction of the largest.")]

city = typer.Typer(help=HELP, no_args_is_help=True, add_completion=False)


@city.command("add")
def add(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Files of one network: TNTP (*_net.tntp, *_trips.tntp), GMNS (node.csv, link.csv, demand.csv), or "
            "nodes.csv, links.csv and demand.csv.",
        ),
    ],
    name: Annotated[str, typer.Option(help="The name: small letters, digits, - and _.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a city of this name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a folder of files, check it, and store it under a name."""
    from firstmover.games.routing.cities import add_city
    from firstmover.games.routing.city_formats import read_city

    read = read_city(folder)
    path = add_city(name, read.network, replace=replace)
    size = _size(name, read.network)
    answer(
        as_json,
        {"file": str(path), "format": read.format, "notes": read.notes} | size,
        table([size]),
        *read.notes,
        f"Read as {read.format}; city {name!r} is stored in {path}.",
    )


@city.command("list")
def list_cities(as_json: AsJson = False) -> None:
    """List the cities and their sizes."""
    from firstmover.games.routing.cities import cities
    from firstmover.games.routing.cities import city as stored

    rows = [_size(name, stored(name)) for name in cities()]
    none = "There are no cities: add one with firstmover city add FOLDER --name NAME."
    answer(as_json, {"cities": rows}, table(rows) if rows else none)


@city.command("show")
def show(name: Name, as_json: AsJson = False) -> None:
    """Show the size of a city and the ranges of its numbers."""
    from firstmover.games.routing.cities import city as stored
    from firstmover.games.routing.cities import city_ranges, constant_share

    network = stored(name)
    ranges, share = city_ranges(network), constant_share(network)
    rows = [{"of": of, "smallest": low, "largest": high} for of, (low, high) in ranges.items()]
    size = _size(name, network)
    constant = f"{100 * share:.1f} % of the links have a constant time."
    answer(as_json, size | {"ranges": ranges, "constant_share": share}, table([size]), "", table(rows), "", constant)


@city.command("leading")
def leading(name: GameName, document: Document = None, level: Level = 1.0, as_json: AsJson = False) -> None:
    """Compare the best action of a leader with the equilibrium and with the system optimum."""
    from firstmover.games.routing.city_game import city_game
    from firstmover.games.routing.price_of_anarchy import value_of_leading

    found = value_of_leading(city_game(**_parameters(name, document)), level)
    rows = [
        {"traffic": "in equilibrium, without a leader", "total time": found.equilibrium},
        {"traffic": f"with the best action: {found.best_action}", "total time": found.best},
        {"traffic": "in the system optimum", "total time": found.optimum},
    ]
    closed = f"The best action closes {100 * found.closed:.1f} % of the gap." if not isnan(found.closed) else ""
    answer(
        as_json,
        asdict(found) | {"price_of_anarchy": found.price_of_anarchy, "closed": None if not closed else found.closed},
        table(rows),
        f"The price of anarchy is {found.price_of_anarchy:.4f}. {closed or 'There is no gap to close.'}",
    )


@city.command("match")
def match(
    name: GameName,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    document: Document = None,
    as_json: AsJson = False,
) -> None:
    """Write the configuration of a live match about a city, for `firstmover match new`."""
    from firstmover.core.files import atomic_file
    from firstmover.games.routing.city_game import CityParameters, city_game
    from firstmover.games.routing.city_match import match_document

    given = _parameters(name, document)
    text = match_document(city_game(**given), CityParameters.read(given))
    if out.exists():
        raise InvalidInput(f"{str(out)!r} exists: give --out another file.")
    with atomic_file(out) as file:
        file.write(text.encode())
    answer(as_json, {"file": str(out)}, f"Written to {out}: firstmover match new NAME --config {out} begins the match.")


def _parameters(name: str, document: Path | None) -> dict[str, Any]:
    """The parameters of a city's game: those of a document, or all by default."""
    from firstmover.core.documents import fields_of

    return ({} if document is None else fields_of(document, "City")) | {"city": name}


@city.command("remove")
def remove(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a city."""
    from firstmover.games.routing.cities import remove_city, stored_file

    path = stored_file(name)
    try:
        if not yes:
            typer.confirm(f"Delete {path}?", abort=True, err=True)
    except typer.Abort:
        typer.echo("\nStopped: nothing was removed.", err=True)
        raise typer.Exit(1) from None
    remove_city(name)
    answer(as_json, {"removed": name}, f"City {name!r} is removed.")


def _size(name: str, network: "Network") -> dict[str, Any]:
    """The name and the size of a city, as a row of a table."""
    from firstmover.games.routing.cities import city_size

    return {"name": name} | city_size(network)._asdict()
