"""firstmover city: road networks that the user adds and calls by name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firstmover.cli.matches.options import AsJson, answer, table

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
