"""Take screenshots of the web app: every view, on a desktop and a phone, light and dark.

Run from the project's root: `python -m docs.images.make_page FOLDER`; without a folder, the screenshots of the
documentation are written beside this file.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.browser.conftest import begin
from tests.browser.programs import FLAGS, chromium
from tests.browser.serving import Service, serving

from firstmover.games.routing.city_game import CityParameters, city_game
from firstmover.games.routing.city_match import match_document

HERE = Path(__file__).parent
WIDTHS = {"desk": (1280, 1000), "phone": (390, 844)}
SCHEMES = ("light", "dark")
ANSWERS = 25
COLOURS = 128
"""Colours of a stored picture, which halve its size without a visible difference."""
MATCHES = ("sioux-falls", "park", "prices", "roads")
CITY = {"leader": {"kind": "fleet", "origin": 12, "destination": 18, "units": 5000.0}}
"""A fleet through Sioux Falls, whose drivers are in equilibrium."""
VIEWS = {
    "matches": "/",
    "new": "/new",
    "compare": "/compare",
    **{f"{view}-{name}": f"/match/{name}/{view}" for name in MATCHES for view in ("today", "map", "learning")},
    "rounds-roads": "/match/roads/rounds",
    "map-city": "/match/city/map",
}
IN_DOCS = {
    "page-today.png": ("today-sioux-falls", "desk", "light"),
    "page-patrol-dark.png": ("today-park", "desk", "dark"),
    "page-map.png": ("map-sioux-falls", "desk", "light"),
    "page-learning.png": ("learning-sioux-falls", "desk", "light"),
    "page-phone.png": ("today-roads", "phone", "light"),
    "page-rounds.png": ("rounds-roads", "desk", "light"),
    "page-city.png": ("map-city", "desk", "light"),
}


@contextmanager
def played() -> Iterator[Service]:
    """Serve the demonstration and one more match after some rounds, with a pending round in each."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--demo") as service:
        begin(service, "roads", "routing", rounds=24)
        correction = {"opponent_type": {"demand": "high"}, "response": {"congestion": 4.5}, "reason": "misread"}
        service.call("POST", "/matches/roads/rounds/23/corrections", correction)
        service.call("POST", "/matches/roads/rounds/21/corrections", {"reason": "the counter was broken"})
        for name in MATCHES:
            for _ in range(ANSWERS if name != "roads" else 0):
                service.call("POST", f"/matches/{name}/answer")
            service.call("POST", f"/matches/{name}/ask")
        play_city(service)
        service.call("PUT", "/matches/roads/rounds/friday")
        late = {"opponent_type": {"demand": "low"}, "response": {"congestion": 1.5}}
        service.call("PUT", "/matches/roads/rounds/25/outcome", late)
        yield service


def play_city(service: Service) -> None:
    """Play some days of a match about a city, and ask for the next one."""
    parameters = CityParameters.read(CITY)
    game = city_game(**CITY)
    service.call("PUT", "/matches/city", {"toml": match_document(game, parameters)})
    for day in range(ANSWERS):
        level = parameters.levels[day % len(parameters.levels)]
        decision = service.call("POST", "/matches/city/ask")
        congestion = game.users(game.actions[[decision["action"]]], np.array([level]))[0, 0]
        outcome = {"opponent_type": {"traffic": f"{100 * level:g} %"}, "response": {"congestion": float(congestion)}}
        service.call("PUT", f"/matches/city/rounds/{decision['round_id']}/outcome", outcome)
    service.call("POST", "/matches/city/ask")


def window(browser: Browser, service: Service, width: str, scheme: str) -> Page:
    """Open a page that is signed in."""
    across, down = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": across, "height": down}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(f"{service.url}/#token={service.token}")
    page.wait_for_selector("html[data-painted]")
    return page


def shot(page: Page, place: str, picture: Path, *, whole: bool) -> None:
    """Take a screenshot of one view."""
    page.evaluate("place => { delete document.documentElement.dataset.painted; location.hash = '#/none' }")
    page.wait_for_selector("html[data-painted]")
    page.evaluate("place => { delete document.documentElement.dataset.painted; location.hash = '#' + place }", place)
    page.wait_for_selector("html[data-painted]", timeout=20_000)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_selector(".chart.waiting", state="detached", timeout=20_000)
    if place.endswith("today"):
        page.wait_for_selector(".place-expected > *", timeout=20_000)  # painted last
    if place.endswith("map"):
        page.wait_for_selector(".picture", timeout=20_000)  # after the posterior
    page.wait_for_timeout(150)
    page.screenshot(path=picture, full_page=whole)


def all_views(folder: Path, only: str = "") -> None:
    """Write every view to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with played() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for width in WIDTHS:
            for scheme in SCHEMES:
                page = window(browser, service, width, scheme)
                for name, place in VIEWS.items():
                    if only in name:
                        shot(page, place, folder / f"{name}-{width}-{scheme}.png", whole=True)
        browser.close()


def documented() -> None:
    """Write the screenshots of the documentation."""
    with played() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for picture, (view, width, scheme) in IN_DOCS.items():
            shot(
                window(browser, service, width, scheme),
                VIEWS[view],
                HERE / picture,
                whole=view.startswith(("today", "map")),
            )
            with Image.open(HERE / picture) as taken:
                taken.convert("RGB").quantize(COLOURS).save(HERE / picture, optimize=True)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        all_views(Path(sys.argv[1]), *sys.argv[2:3])
    else:
        documented()
