"""Processes and their sockets, as /proc shows them."""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

LISTENS, UNCONNECTED = "0A", "07"


def descendants(pid: int) -> set[int]:
    """A process and all that it started, directly or not."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _inodes(pids: Iterable[int]) -> set[str]:
    held = set()
    for pid in pids:
        try:
            for fd in Path(f"/proc/{pid}/fd").iterdir():
                if match := re.fullmatch(r"socket:\[(\d+)\]", str(fd.readlink())):
                    held.add(match[1])
        except OSError:
            continue
    return held


def _address(text: str) -> IPv4Address | IPv6Address:
    raw = bytes.fromhex(text)
    words = b"".join(raw[i : i + 4][::-1] for i in range(0, len(raw), 4))
    address = ip_address(words)
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def listening(pids: Iterable[int]) -> list[IPv4Address | IPv6Address]:
    """The addresses at which some processes wait for connections or datagrams."""
    held, found = _inodes(pids), []
    for table, state in (("tcp", LISTENS), ("tcp6", LISTENS), ("udp", UNCONNECTED), ("udp6", UNCONNECTED)):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == state and fields[9] in held:
                found.append(_address(fields[1].partition(":")[0]))
    return found
