"""Small cities in each format, and random damage to their files."""

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.city_formats import read_city

TNTP = {
    "town_net.tntp": """<NUMBER OF ZONES> 3
<NUMBER OF NODES>\t6
<FIRST THRU NODE> 4 ~ zones are 1 to 3
<NUMBER OF LINKS> 6
<ORIGINAL HEADER>~ Init node Term node ;
<END OF METADATA>

~ \tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;
\t1\t4\t0\t0\t0\t0\t0\t0\t0\t1\t;
\t4\t2\t900.5\t2.5\t1.25\t0.15\t4\t0\t0\t1\t;
\t1\t6\t800\t3\t2\t1\t1.5\t0\t0\t1;
 6 2 700 1 1 0.5 1 0 0 1 ;
\t2\t4\t600\t1\t1\t0.15\t4\t0\t0\t1\t;
\t4\t1\t600\t1\t1\t0.15\t4\t0\t0\t1\t;
""",
    "town_trips.tntp": """<NUMBER OF ZONES> 3
<TOTAL OD FLOW> 110.75
<END OF METADATA>

Origin \t1
    1 :      7.5;     2 :    100.25; 3 : 0.0 ;

Origin 2
 2 : 0.0 ; 1 : 3 ;
origin 3
""",
    "town_node.tntp": """Node\tX\tY\t;
6\t0.5\t-1\t;
1\t0\t0\t;
2\t1\t0\t;
3\t2\t2\t;
4\t0.5\t1\t;
""",
}
"""Six numbers of nodes, of which 5 is not used; zone 3 has no links, and 7.5 trips stay in zone 1."""

GEOJSON = """{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"id": 6}, "geometry": {"type": "Point", "coordinates": [0.5, -1]}},
{"type": "Feature", "properties": {"id": 1}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
{"type": "Feature", "properties": {"id": 2}, "geometry": {"type": "Point", "coordinates": [1, 0]}},
{"type": "Feature", "properties": {"id": 3}, "geometry": {"type": "Point", "coordinates": [2, 2]}},
{"type": "Feature", "properties": {"id": 4}, "geometry": {"type": "Point", "coordinates": [0.5, 1, 30]}}
]}
"""

GMNS = {
    "node.csv": "name,node_id,x_coord,y_coord,zone_id\na,11,0,0,1\nb,12,1,0,\nc,13,2,0,2\nd,14,3,1,NaN\n",
    "link.csv": """id,from_node_id,to_node_id,directed,length,free_speed,capacity,lanes,vdf_alpha,vdf_beta,vdf_fftt,ref
1,11,12,0,2.5,50,900,2,,,,"a, b"
2,12,13,true,1,30,800,,0.5,2,,
3,13,11,1,3,,700,1,0,NaN,4.5,
4,11,14,TRUE,1,60,600,1,0.15,4,0,
""",
    "demand.csv": "o_zone_id,d_zone_id,volume\n1,2,100.5\n2,1,0\n2,2,7\n",
}

TABLES = {
    "nodes.csv": "node,x,y,through\n30,0,0,0\n10,1,0,1\n20,2,5,1\n",
    "links.csv": "from,to,capacity,length,free_flow_time,b,power\n30,10,7,4,5,0.15,4\n10,20,8,3,3.1,0,0\n",
    "demand.csv": "from,to,trips\n30,20,6.7\n10,20,0\n",
}


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files into a folder, which is made."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def changed(files: Mapping[str, str], name: str, old: str, new: str) -> dict[str, str]:
    """The files with one passage of one file replaced."""
    assert old in files[name], old
    return {**files, name: files[name].replace(old, new, 1)}


CELLS = [
    "0",
    "-1",
    "nan",
    "inf",
    "1e308",
    "-1e-320",
    "1e999",
    "x",
    "",
    "9" * 400,
    "1_0",
    "٣",
    '"',
    ";",
    ":",
    "~",
    "<",
    "\x00",
    "0.5",
]


def refusals(folder: Path, files: Mapping[str, str], count: int, seed: int) -> list[str]:
    """The sentences with which files are refused, of which random bytes, cells and lines are changed, `count` times."""
    said = []
    for content in _damaged(files, count, seed):
        try:
            read_city(write(folder, content))
        except InvalidInput as error:
            said.append(str(error))
    return said


def _damaged(files: Mapping[str, str], count: int, seed: int) -> Iterator[dict[str, bytes]]:
    rng = random.Random(seed)
    for _ in range(count):
        content = {name: text.encode() for name, text in files.items()}
        for _ in range(rng.randint(1, 3)):
            name = rng.choice(sorted(content))
            content[name] = rng.choice([_bytes, _lines, _cells, _cells])(content[name], rng)
        yield content


def _bytes(content: bytes, rng: random.Random) -> bytes:
    """One byte replaced or left out, or the end cut off."""
    at = rng.randrange(len(content) + 1)
    return rng.choice(
        [content[:at], content[:at] + content[at + 1 :], content[:at] + rng.randbytes(1) + content[at + 1 :]]
    )


def _lines(content: bytes, rng: random.Random) -> bytes:
    """One line left out, doubled or moved to the end."""
    lines = content.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    return b"".join(rng.choice([lines[:at] + lines[at + 1 :], [*lines, lines[at]], lines[: at + 1] + lines[at:]]))


def _cells(content: bytes, rng: random.Random) -> bytes:
    """One number replaced."""
    numbers = list(re.finditer(rb"[\d.-]+", content)) or [re.match(b"", content)]
    found = rng.choice(numbers)
    return content[: found.start()] + rng.choice(CELLS).encode() + content[found.end() :]
