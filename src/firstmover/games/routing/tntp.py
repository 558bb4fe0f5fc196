"""Networks in the TNTP format of "Transportation Networks for Research".

A folder holds NAME_net.tntp (links), NAME_trips.tntp (demand) and, if there are coordinates, NAME_node.tntp or a
.geojson file of points with the property `id`. Numbers keep the units of the files: times are usually in minutes.
"""

import json
import re
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import InvalidInput, counted
from firstmover.games.routing.city_files import City, between_zones, on_circle
from firstmover.games.routing.network import DEMAND, LINKS, NODES, Indices, network_of
from firstmover.games.routing.tables import Field, Row, Table, read_text

TITLES = {
    "from": "init_node", "to": "term_node", "capacity": "capacity", "length": "length",
    "free_flow_time": "free_flow_time", "b": "b", "power": "power",
}  # fmt: skip
"""The first values of a row of links, in the order of the file; speed, toll and type may follow."""

MOST_VALUES = 10
SAME_FLOW = 1e-6
"""The relative difference between TOTAL OD FLOW and the sum of the trips that rounding explains."""

ENTRIES = (DEMAND[0]._replace(names=("Origin",)), DEMAND[1]._replace(names=("destination",)), DEMAND[2])
COORDINATES = NODES[:3]
_ORIGIN = re.compile(r"origin\s+(\S+)", re.IGNORECASE)


def read_tntp(folder: Path) -> City:
    """Return the city of a TNTP folder; a node below FIRST THRU NODE may not be passed.

    Numbers of nodes that have neither links nor trips are left out.
    """
    net, trips = _Document.read(folder, "_net.tntp"), _Document.read(folder, "_trips.tntp")
    links, n_nodes = _links(net)
    n_zones, first_through = net.count("NUMBER OF ZONES"), net.count("FIRST THRU NODE")
    if not 1 <= n_zones <= n_nodes:
        raise net.error("NUMBER OF ZONES", f"give 1 to {n_nodes}, the number of nodes")
    if not 1 <= first_through <= n_nodes + 1:
        raise net.error("FIRST THRU NODE", f"give 1 to {n_nodes + 1}")
    demand, notes = _demand(trips, n_zones)
    ends = [table.columns[column] for table in (links, demand) for column in ("from", "to")]
    labels = np.unique(np.concatenate(ends))
    if len(labels) < n_nodes:
        notes.append(f"Left out: {counted(n_nodes - len(labels), 'node')} without links and trips.")
    nodes = _coordinates(folder, labels)
    if nodes is None:
        notes.append("There are no coordinates: nodes are placed on a circle.")
        x, y = on_circle(len(labels)).T
        titles = {field.key: field.key for field in NODES}
        nodes = Table(net.name, {"node": labels, "x": x, "y": y}, [0] * len(labels), titles)
    nodes = nodes.having(through=(labels >= first_through).astype(float))
    return City(network_of(nodes, links, demand), "TNTP", tuple(notes))


class _Document(NamedTuple):
    """A file: its metadata as (line, value), and the lines below them that are neither empty nor comments."""

    name: str
    metadata: dict[str, tuple[int, str]]
    lines: list[tuple[int, str]]

    @classmethod
    def read(cls, folder: Path, ending: str) -> "_Document":
        """Read the one file of a folder with this ending."""
        found = sorted(path for path in folder.iterdir() if path.name.endswith(ending))
        if len(found) != 1:
            names = ", ".join(path.name for path in found) or "none"
            raise InvalidInput(f"folder {str(folder)!r} needs one file *{ending}, and has {names}.")
        name = found[0].name
        metadata: dict[str, tuple[int, str]] = {}
        lines = iter(_lines(found[0]))
        for line, text in lines:
            key, closed, value = text.removeprefix("<").partition(">")
            if not text.startswith("<") or not closed:
                break
            if key.strip().upper() == "END OF METADATA":
                return cls(name, metadata, list(lines))
            metadata[key.strip().upper()] = (line, value.strip())
        raise InvalidInput(f"{name} has no line <END OF METADATA> below its metadata: add it.")

    def value(self, key: str, whole: bool) -> float:
        """A number of the metadata."""
        if key not in self.metadata:
            raise InvalidInput(f"{self.name} has no line <{key}>: add it with its number.")
        line, value = self.metadata[key]
        return Field(key, whole=whole).number(f"{self.name} line {line}", key, value)

    def count(self, key: str) -> int:
        """A whole number of the metadata."""
        return int(self.value(key, whole=True))

    def error(self, key: str, remedy: str) -> InvalidInput:
        """The error about a number of the metadata."""
        line, value = self.metadata[key]
        return InvalidInput(f"{self.name} line {line} has {key} {value}: {remedy}.")


def _lines(file: Path) -> list[tuple[int, str]]:
    """Numbered lines without comments; empty ones are left out."""
    texts = ((number, line.partition("~")[0].strip()) for number, line in enumerate(read_text(file).splitlines(), 1))
    return [(number, text) for number, text in texts if text]


def _links(net: _Document) -> tuple[Table, int]:
    """The links, and the number of nodes."""
    titles = list(TITLES.values())
    rows: list[Row] = []
    width = 0
    for line, text in net.lines:
        values = text.removesuffix(";").split()
        ended = text.endswith(";")
        if not ended or not len(titles) <= len(values) <= MOST_VALUES:
            raise InvalidInput(
                f"{net.name} line {line} has {counted(len(values), 'value')}{'' if ended else ' and no ;'}: "
                f"give {', '.join(titles)}, at most {MOST_VALUES} values, and a ; at the end."
            )
        if width not in (0, len(values)):
            raise InvalidInput(
                f"{net.name} line {line} has {counted(len(values), 'value')}, and those above have {width}: "
                "give as many."
            )
        width = len(values)
        rows.append((line, dict(zip(titles, values, strict=False))))
    fields = [field._replace(names=(TITLES[field.key],), default=None) for field in LINKS]
    links = Table.of(net.name, titles, rows, fields)
    n_nodes = net.count("NUMBER OF NODES")
    if net.count("NUMBER OF LINKS") != len(rows):
        raise net.error("NUMBER OF LINKS", f"the file has {counted(len(rows), 'link')}; check that it is complete")
    for column in ("from", "to"):
        numbers = links.columns[column]
        links.refuse((numbers < 1) | (numbers > n_nodes), column, f"give 1 to {n_nodes}, the NUMBER OF NODES")
    largest = max(int(links.columns[column].max()) for column in ("from", "to"))
    if largest != n_nodes:
        raise net.error(
            "NUMBER OF NODES", f"the largest node of the links is {largest}; check that the file is complete"
        )
    return links, n_nodes


def _demand(trips: _Document, n_zones: int) -> tuple[Table, list[str]]:
    """The demand between different zones, and notes."""
    if trips.count("NUMBER OF ZONES") != n_zones:
        raise trips.error("NUMBER OF ZONES", f"the file of links has {n_zones}; give the same number in both")
    demand = Table.of(trips.name, ("Origin", "destination", "trips"), list(_entries(trips)), ENTRIES)
    for column in ("from", "to"):
        numbers = demand.columns[column]
        demand.refuse((numbers < 1) | (numbers > n_zones), column, f"give 1 to {n_zones}, the NUMBER OF ZONES")
    demand.refuse_repeated("from", "to")
    between, notes = between_zones(demand)
    total = sum(demand.columns["trips"].tolist())
    if not isclose(trips.value("TOTAL OD FLOW", whole=False), total, rel_tol=SAME_FLOW):
        raise trips.error("TOTAL OD FLOW", f"the trips add up to {total:.10g}; check that the file is complete")
    return between, notes


def _entries(trips: _Document) -> Iterator[Row]:
    """The entries `destination : trips ;` below lines `Origin number`."""
    origin = None
    for line, text in trips.lines:
        if found := _ORIGIN.fullmatch(text):
            origin = found[1]
            continue
        *entries, rest = text.split(";")
        parts = [entry.split(":") for entry in entries]
        if origin is None or rest.strip() or any(len(part) != 2 for part in parts):
            raise InvalidInput(
                f"{trips.name} line {line} is no list of trips: give entries such as 5 : 402.1 ; below a line Origin 3."
            )
        for to, number in parts:
            yield line, {"Origin": origin, "destination": to, "trips": number}


def _coordinates(folder: Path, labels: Indices) -> Table | None:
    """The rows of the nodes in a file of coordinates, if there is one, in the order of the labels."""
    files = [path for path in sorted(folder.iterdir()) if path.name.endswith("_node.tntp")]
    files = files or [path for path in sorted(folder.iterdir()) if path.suffix == ".geojson"]
    if not files:
        return None
    if len(files) > 1:
        raise InvalidInput(f"folder {str(folder)!r} has coordinates in {files[0].name} and {files[1].name}: keep one.")
    table = (_points if files[0].suffix == ".geojson" else _node_rows)(files[0])
    table.refuse_repeated("node")
    missing = np.setdiff1d(labels, table.columns["node"])
    if len(missing):
        raise InvalidInput(f"{table.name} has no coordinates of node {missing[0]}: add them, or remove the file.")
    order = np.argsort(table.columns["node"])
    return table.rows(order[np.searchsorted(table.columns["node"], labels, sorter=order)])


def _node_rows(file: Path) -> Table:
    """The rows `node x y ;` of a file, below a header."""
    rows: list[Row] = []
    for line, text in _lines(file):
        values = text.removesuffix(";").split()
        if values and values[0].lower() == "node":
            continue
        if len(values) != len(COORDINATES):
            raise InvalidInput(f"{file.name} line {line} has {counted(len(values), 'value')}: give node, x and y.")
        rows.append((line, {field.key: value for field, value in zip(COORDINATES, values, strict=True)}))
    return Table.of(file.name, [field.key for field in COORDINATES], rows, COORDINATES)


def _points(file: Path) -> Table:
    """The points of a GeoJSON file."""
    try:
        content = json.loads(read_text(file, "GeoJSON"))
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file.name} cannot be read as GeoJSON: {parse_error_text(error)}.") from None
    rows: list[Row] = []
    try:
        for number, feature in enumerate(content["features"], 1):
            x, y = feature["geometry"]["coordinates"][:2]
            rows.append((number, {"node": str(feature["properties"]["id"]), "x": str(x), "y": str(y)}))
    except (LookupError, TypeError, ValueError):
        raise InvalidInput(f"{file.name} feature {len(rows) + 1} is no point with a property id: remove it.") from None
    return Table.of(file.name, [field.key for field in COORDINATES], rows, COORDINATES, unit="feature")
