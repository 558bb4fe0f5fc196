"""What pytest collects of the documentation, and the service that the examples of service.md call."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.serving import serving

collect_ignore_glob = ["conf.py", "gallery/*", "_gallery/*", "_build/*"]
"""Sphinx executes its configuration and the gallery; the other two are what it writes."""


@pytest.fixture(autouse=True)
def address(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any], tmp_path: Path) -> Iterator[None]:
    """A running service for service.md: the address that it prints, and the token of a reader."""
    if request.path.name != "service.md":
        yield
        return
    with serving(tmp_path) as service:
        doctest_namespace["address"] = f"{service.url}/#token={service.token}"
        doctest_namespace["reader"] = service.reader()
        yield
