"""Time until each view of the web app is painted, over matches of many rounds.

    python -m benchmarks.page_paint [ROUNDS]

Run it from the project's root. A new window opens each view several times; the time is from the start of the navigation
to the frame that shows the view's own content. Two openings are listed apart: one directly after the start of the
server, and the first after the server has preloaded its matches.
"""

import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright
from tests.browser.programs import FLAGS, chromium
from tests.browser.serving import Service, serving
from tests.figures.long_match import long_match

from firstmover.matches.template import template

TIMES = 5
MATCHES: dict[str, tuple[str, list[Any]]] = {
    "routing": ("sioux-falls", ["light", "usual", "heavy"]),
    "patrol": ("patrol", ["1"]),
}


def views() -> dict[str, str]:
    """Addresses of the views by name."""
    of_match = {f"{view} of {name}": f"/match/{name}/{view}" for name in MATCHES for view in VIEWS}
    return {"matches": "/", **of_match, "compare": "/compare", "new": "/new"}


VIEWS = ("today", "map", "learning", "rounds")


def paint(browser: Browser, service: Service, place: str) -> tuple[float, float, float]:
    """Milliseconds until the view is painted, until the first paint of anything, and kilobytes received."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{service.url}/#token={service.token}&{place}")
    page.wait_for_selector("html[data-painted]", timeout=120_000)
    view, first, received = page.evaluate(
        """() => [
            performance.getEntriesByType("mark").find((mark) => mark.name.startsWith("painted:")).startTime,
            performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
            performance.getEntriesByType("resource").reduce((sum, entry) => sum + entry.transferSize, 0) / 1000,
        ]"""
    )
    context.close()
    return float(view), float(first), float(received)


def at_the_start(browser: Browser, service: Service, place: str) -> float:
    """Milliseconds until the view is painted directly after the start of the server."""
    service.kill()
    service.start()
    return paint(browser, service, place)[0]


def prepared(service: Service) -> float:
    """Seconds from a start until all matches are preloaded."""
    service.kill()
    service.start()
    began = time.monotonic()
    for name in MATCHES:
        while service.call("GET", f"/matches/{name}/views/map?brief=true").get("partial"):
            time.sleep(0.5)
    return time.monotonic() - began


def report(browser: Browser, service: Service) -> float:
    """Print one line per view; return the slowest median."""
    cold = {name: at_the_start(browser, service, place) for name, place in views().items()}
    print(f"All matches were preloaded {prepared(service):.1f} s after a start.")
    print(f"{'view':<22}{'at start, ms':>13}{'first, ms':>11}{'then, ms':>11}{'any paint, ms':>15}{'received, kB':>14}")
    slowest = 0.0
    for name, place in views().items():
        once = paint(browser, service, place)
        again, any_paint, received = np.median([paint(browser, service, place) for _ in range(TIMES)], axis=0)
        print(
            f"{name:<22}{cold[name]:>13.0f}{once[0]:>11.0f}{again:>11.0f}{any_paint:>15.0f}{received:>14.0f}",
            flush=True,
        )
        slowest = max(slowest, float(again))
    return slowest


def main(rounds: int = 10_000) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for match, (source, levels) in MATCHES.items():
            with long_match(folder, tomllib.loads(template(source)), rounds, levels, match) as made:
                made.tell(made.ask().round_id, levels[0], [1.0] * len(made.setting.responses.names))
                made.ask()  # the journal now ends with a snapshot and a pending round
        with serving(folder) as service, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            slowest = report(browser, service)
            browser.close()
    print(f"Slowest median over {rounds:,} rounds: {slowest:.0f} ms.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
