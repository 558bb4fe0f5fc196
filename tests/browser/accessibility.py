"""Navigation between views, and the findings of axe-core."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

from playwright.sync_api import Page


def arrived(page: Page) -> None:
    page.wait_for_selector("html[data-painted]")


def go(page: Page, view: str) -> None:
    """From one view to another, without loading the page again."""
    arrived(page)
    page.evaluate("view => { delete document.documentElement.dataset.painted; location.hash = view; }", f"#{view}?")
    arrived(page)


def wait_until(page: Page, expression: str) -> None:
    """Wait until an expression is true; the page's own policy forbids Playwright's polling, which uses eval."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


def looks(page: Page) -> Iterator[tuple[str, int]]:
    """The same view in both schemes at both widths."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, width in product(schemes, (390, 1280)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        yield scheme, width


def violations(page: Page) -> list[str]:
    """What axe-core finds serious or critical, in words."""
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run(document)).violations")
    return [
        f"{entry['id']}: {entry['help']} ({node['html']}) {node['failureSummary']}"
        for entry in found
        if entry["impact"] in ("serious", "critical")
        for node in entry["nodes"]
    ]
