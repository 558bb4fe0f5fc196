"""Cities by name: road networks that a user added, each a zip file of three tables in a folder of the user's data."""

import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firstmover.core.errors import InvalidInput, first_line, shown, unknown_name
from firstmover.core.files import atomic_file
from firstmover.games.routing.network import Network, load_network, network_tables

FOLDER = "FIRSTMOVER_CITIES"
"""The environment variable that names the folder of cities."""

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


def cities_folder() -> Path:
    """The folder of cities: $FIRSTMOVER_CITIES, else firstmover/cities in the user's data folder."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])
    data = os.environ.get("XDG_DATA_HOME", "")
    try:
        return (Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share") / "firstmover" / "cities"
    except RuntimeError:
        raise InvalidInput(f"The user has no home folder: set {FOLDER} to a folder for cities.") from None


def cities() -> list[str]:
    """The names of the cities, in alphabetical order."""
    folder = cities_folder()
    try:
        found = sorted(path.stem for path in folder.iterdir() if path.suffix == ".zip") if folder.exists() else []
    except OSError as error:
        raise InvalidInput(f"folder {str(folder)!r} of cities cannot be read: {error.strerror}.") from None
    return [name for name in found if _PLAIN.fullmatch(name)]


def city(name: str) -> Network:
    """Return the network of a city that was added."""
    path = stored_file(name)
    try:
        with zipfile.ZipFile(path) as file:
            return load_network(zipfile.Path(file))
    except InvalidInput:
        raise
    except (OSError, zipfile.BadZipFile, zlib.error, LookupError, EOFError, RuntimeError, ValueError) as error:
        reason = first_line(error)
        raise InvalidInput(f"city file {str(path)!r} is damaged: {reason}; add the city with --replace.") from None


def add_city(name: str, network: Network, replace: bool = False) -> Path:
    """Store a network under a name, atomically, and return its file; an existing city is kept unless `replace`."""
    if not _PLAIN.fullmatch(name):
        raise InvalidInput(
            f"name is {shown(name)}: give 1 to 80 small letters, digits, - and _, the first one a letter or a digit."
        )
    path = _path(name)
    if path.exists() and not replace:
        raise InvalidInput(f"There is a city {name!r} already: give another name, or --replace to replace it.")
    with atomic_file(path) as file, zipfile.ZipFile(file, "w") as tables:
        for table, content in network_tables(network).items():
            tables.writestr(zipfile.ZipInfo(table), content, zipfile.ZIP_DEFLATED)
    return path


def remove_city(name: str) -> None:
    """Delete a city that was added."""
    path = stored_file(name)
    try:
        path.unlink()
    except OSError as error:
        raise InvalidInput(f"city file {str(path)!r} cannot be deleted: {error.strerror}.") from None


def _path(name: str) -> Path:
    return cities_folder() / f"{name}.zip"


def stored_file(name: str) -> Path:
    """The file of a city that was added."""
    known = cities()
    if not known:
        raise InvalidInput("There are no cities: add one with firstmover city add FOLDER --name NAME.")
    if name not in known:
        raise unknown_name("city", name, known)
    return _path(name)


class CitySize(NamedTuple):
    """The size of a city; zones are the nodes at which pairs begin or end."""

    nodes: int
    links: int
    zones: int
    pairs_with_demand: int
    trips: float


def city_size(network: Network) -> CitySize:
    """Count a network."""
    zones = np.union1d(network.origins, network.destinations)
    pairs = int((network.demand > 0).sum())
    return CitySize(len(network.nodes), network.n_links, len(zones), pairs, sum(network.demand.tolist()))


def city_ranges(network: Network) -> dict[str, tuple[float, float]]:
    """The smallest and the largest capacity, free-flow time, b and power of links, and coordinates of nodes."""
    values = {name: getattr(network, name) for name in ("capacity", "free_flow_time", "b", "power")}
    values |= dict(zip(("x", "y"), network.positions.T, strict=True))
    return {name: (float(each.min()), float(each.max())) for name, each in values.items()}


def constant_share(network: Network) -> float:
    """The share of links whose time does not depend on their flow."""
    return float(((network.b == 0) | (network.power == 0) | (network.free_flow_time == 0)).mean())
