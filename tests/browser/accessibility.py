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
    for _ in range(600):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def looks(page: Page) -> Iterator[tuple[str, int]]:
    """The same view in both schemes at both widths."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, width in product(schemes, (390, 1280)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(TWO_FRAMES)  # rows of the new width are measured in the first
        yield scheme, width


def violations(page: Page) -> list[str]:
    """What axe-core finds, of any level, in words."""
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run(document)).violations")
    return [
        f"{entry['id']}: {entry['help']} ({node['html']}) {node['failureSummary']}"
        for entry in found
        for node in entry["nodes"]
    ]


OUTSIDE = """() => [...document.body.querySelectorAll("*")].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    const seen = element.checkVisibility({ visibilityProperty: true }) && width > 1;
    const scrolled = element.closest(".scroll, .rounds, .hidden, .skip, [class*=checks], svg svg, svg *");
    return seen && !scrolled && (right > window.innerWidth + 0.5 || left < -0.5);
}).map((element) => element.outerHTML.slice(0, 200))"""


def outside(page: Page) -> list[str]:
    """Elements that reach beyond the window and are in no part that scrolls by itself, and the page if it scrolls."""
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return [*page.evaluate(OUTSIDE), *(["the page scrolls sideways"] if wide else [])]
