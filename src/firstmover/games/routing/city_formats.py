"""Read the road network of a city in any known format."""

from pathlib import Path

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.city_files import City
from firstmover.games.routing.gmns import read_gmns
from firstmover.games.routing.network import load_network
from firstmover.games.routing.tntp import read_tntp

FORMATS = {
    "tables": "nodes.csv, links.csv and demand.csv",
    "TNTP": "*_net.tntp and *_trips.tntp",
    "GMNS": "node.csv, link.csv and demand.csv",
}
"""The files by which a format is known."""

MOST_NAMES = 8


def read_city(folder: Path) -> City:
    """Return the city of a folder of files; the names of the files tell their format."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InvalidInput(
            f"folder {str(folder)!r} cannot be read: {error.strerror}; give a folder of files."
        ) from None
    found = [
        format_
        for format_, known in (
            ("tables", {"nodes.csv", "links.csv"} & set(names)),
            ("TNTP", [name for name in names if name.endswith(".tntp")]),
            ("GMNS", {"node.csv", "link.csv"} & set(names)),
        )
        if known
    ]
    if len(found) != 1:
        several = f", files of {' and '.join(found)}" if found else ""
        listed = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        expected = "; or ".join(f"{files} ({format_})" for format_, files in FORMATS.items())
        raise InvalidInput(f"folder {str(folder)!r} has {listed or 'no files'}{several}: give {expected}.")
    if found == ["tables"]:
        return City(load_network(folder), "tables", ())
    return read_tntp(folder) if found == ["TNTP"] else read_gmns(folder)
