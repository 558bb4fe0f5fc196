"""Every view of a match that is hard to show, at four widths: nothing overflows, and axe finds nothing."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.browser.accessibility import arrived, outside, violations
from tests.browser.conftest import Opener
from tests.browser.programs import axe_script
from tests.browser.serving import Service, serving
from tests.browser.ugly import NAME, ugly_match

WIDTHS = (390, 768, 1440, 2560)
MATCH = f"/match/{quote(NAME, safe='')}"
VIEWS = [
    "/",
    "/compare",
    "/begin",
    "/new",
    "/team",
    *(f"{MATCH}/{view}" for view in ("today", "learning", "map", "rounds", "report")),
]


@pytest.fixture(scope="module")
def ugly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("ugly")
    ugly_match(folder / "matches.db", 12)
    with serving(folder) as running:
        running.call("PUT", f"/matches/{quote(NAME, safe='')}/retired", {"action": 3, "retired": True})
        yield running


@pytest.mark.parametrize("view", VIEWS, ids=[view.rpartition("/")[2] or "home" for view in VIEWS])
def test_nothing_overflows_and_axe_finds_nothing_of_any_level(opened: Opener, ugly: Service, view: str) -> None:
    page = opened(view, running=ugly)
    page.set_default_timeout(60_000)  # the journal is read first
    arrived(page)
    page.evaluate(axe_script().read_text("utf-8"))
    page.wait_for_timeout(500)  # what is computed later is drawn
    for summary in page.locator("summary:visible").all():
        summary.click()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(200)  # charts follow the width
        assert outside(page) == [], width
        assert violations(page) == [], width
    page.emulate_media(color_scheme="dark")
    assert violations(page) == [], "dark"
