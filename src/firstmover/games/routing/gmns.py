"""Networks in the General Modeling Network Specification (GMNS), with demand as DTALite writes it.

A folder holds node.csv, link.csv and demand.csv, and may hold config.csv with the units of lengths and speeds.
Free-flow times are in minutes: vdf_fftt where it is given, otherwise length / free_speed. Without units in config.csv,
free_speed is in units of length per hour. A capacity of GMNS is per lane and hour: the network has that of all lanes.
"""

from pathlib import Path

import numpy as np

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.games.routing.city_files import City, between_zones
from firstmover.games.routing.network import network_of
from firstmover.games.routing.tables import Field, Table, read_cells, read_table

MISSING = ("", "NaN")
"""Cells that the specification reads as no value."""

NODES = (
    Field("node", ("node_id",), whole=True),
    Field("x", ("x_coord",)),
    Field("y", ("y_coord",)),
    Field("zone", ("zone_id",), default=np.nan, whole=True),
)
LINKS = (
    Field("from", ("from_node_id",), whole=True),
    Field("to", ("to_node_id",), whole=True),
    Field("capacity"),
    Field("length"),
    Field("free_speed", default=np.nan),
    Field("lanes", default=1.0),
    Field("directed", default=1.0, words={"true": 1.0, "false": 0.0}),
    Field("free_flow_time", ("vdf_fftt", "VDF_fftt1"), default=np.nan),
    Field("b", ("vdf_alpha", "VDF_alpha1"), default=0.15),
    Field("power", ("vdf_beta", "VDF_beta1"), default=4.0),
)
DEMAND = (
    Field("from", ("o_zone_id",), whole=True),
    Field("to", ("d_zone_id",), whole=True),
    Field("trips", ("volume",)),
)

KILOMETRES = (
    dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1.0)
    | dict.fromkeys(("mi", "mile", "miles"), 1.609344)
    | dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 0.001)
    | dict.fromkeys(("ft", "foot", "feet"), 0.0003048)
)
"""Units of length."""

KILOMETRES_PER_HOUR = (
    dict.fromkeys(("km/h", "kmh", "kph", "kmph", "km/hr"), 1.0)
    | dict.fromkeys(("mph", "mi/h", "mi/hr", "mile/h", "miles/h"), 1.609344)
    | {"m/s": 3.6}
)
"""Units of speed."""


def read_gmns(folder: Path) -> City:
    """Return the city of a GMNS folder; every zone with trips is one node, and every node may be passed.

    A link that is not directed is a link in each direction.
    """
    nodes = read_table(folder, "node.csv", NODES, MISSING)
    links = _links(folder)
    demand = read_table(folder, "demand.csv", DEMAND)
    demand.refuse_repeated("from", "to")
    demand, notes = between_zones(demand)
    if np.isnan(nodes.columns["zone"]).all():
        notes.append("node.csv has no zone_id: zones are nodes with the same number.")
        nodes = nodes.having(zone=nodes.columns["node"])
    nodes = nodes.having(through=np.ones(len(nodes.lines)))
    return City(network_of(nodes, links, _at_nodes(demand, nodes)), "GMNS", tuple(notes))


def _links(folder: Path) -> Table:
    """The links with the capacity of all lanes and free-flow times, both directions of those that are not directed."""
    links = read_table(folder, "link.csv", LINKS, MISSING)
    lanes, speed, time, directed = (links.columns[key] for key in ("lanes", "free_speed", "free_flow_time", "directed"))
    links.refuse(lanes <= 0, "lanes", "it must be above 0; leave out links without lanes")
    links.refuse(~np.isin(directed, (0, 1)), "directed", "give 1, or 0 for a link in both directions")
    needed = np.isnan(time)
    links.refuse(
        needed & np.isnan(speed), "free_speed", f"give it, or the time in minutes as {links.titles['free_flow_time']}"
    )
    links.refuse(needed & (speed <= 0), "free_speed", "it must be above 0")
    with np.errstate(all="ignore"):
        time = np.where(needed, links.columns["length"] / speed * 60 * _hours_per_unit(folder), time)
        capacity = links.columns["capacity"] * lanes
    links.refuse(np.isinf(time), "free_speed", "the free-flow time is too large; give a larger speed")
    links.refuse(np.isinf(capacity), "lanes", "the capacity is too large; give fewer")
    links = links.having(free_flow_time=time, capacity=capacity)
    both = links.rows(np.concatenate([np.arange(len(lanes)), np.flatnonzero(directed == 0)]))
    backward = np.arange(len(both.lines)) >= len(lanes)
    tails, heads = both.columns["from"], both.columns["to"]
    return both.having(**{"from": np.where(backward, heads, tails), "to": np.where(backward, tails, heads)})


def _hours_per_unit(folder: Path) -> float:
    """The hours in which a unit of length takes a unit of speed; 1 without config.csv."""
    if not (folder / "config.csv").exists():
        return 1.0
    header, rows = read_cells(folder, "config.csv")
    if len(rows) != 1:
        raise InvalidInput(f"config.csv has {len(rows)} rows: give one.")
    factors = []
    for column, units in (("long_length", KILOMETRES), ("speed", KILOMETRES_PER_HOUR)):
        unit = (rows[0][1].get(column) or "").strip().lower() if column in header else ""
        if unit and unit not in units:
            raise unknown_name(f"unit in column {column} of config.csv", unit, units)
        factors.append(units.get(unit))
    length, speed = factors
    return 1.0 if length is None or speed is None else length / speed


def _at_nodes(demand: Table, nodes: Table) -> Table:
    """The demand between the nodes of its zones."""
    given = ~np.isnan(nodes.columns["zone"])
    labels = nodes.columns["node"][given]
    zones, first, count = np.unique(nodes.columns["zone"][given], return_index=True, return_counts=True)
    ends = {}
    for column in ("from", "to"):
        wanted = demand.columns[column]
        demand.refuse(~np.isin(wanted, zones), column, "node.csv has no node with this zone_id")
        several = np.isin(wanted, zones[count > 1])
        demand.refuse(several, column, "node.csv gives this zone_id to several nodes; give it to one, its centroid")
        ends[column] = labels[first[np.searchsorted(zones, wanted)]]
    return demand.having(**ends)
