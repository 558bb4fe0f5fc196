"""Tables that several threads read at once, as those of a service do."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from firstmover.core import registry
from firstmover.core.registry import Table


@dataclass(frozen=True)
class Tool:
    """An entry."""

    summary: str


def test_no_thread_sees_a_table_without_the_entries_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    table: Table[Any] = Table("tool", {"hammer": Tool("beats")})
    registry.TABLES.remove(table)
    seen: list[bool] = []

    class Point:
        name, value, module, dist = "saw", "tools:saw", "tools", None

    def points(group: str) -> Iterator[type[Point]]:
        assert group == "firstmover.tools"
        if not seen:
            seen.append(False)
            with ThreadPoolExecutor(1) as other:
                seen[0] = other.submit(table.__contains__, "saw").result()
                other.submit(table.add, "drill", Tool("turns")).result()
        yield Point

    monkeypatch.setattr(registry, "entry_points", points)
    assert "saw" in table
    assert seen == [True]
    assert "drill" in table, "what another thread added stays"
