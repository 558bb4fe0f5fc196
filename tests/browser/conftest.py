from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect, sync_playwright

from tests.browser.programs import FLAGS, chromium
from tests.browser.serving import Service, serving

Opener = Callable[..., Page]

expect.set_options(timeout=30_000)  # a busy machine draws late; what is fast is measured by benchmarks


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker; every context has an empty profile of its own."""
    program = chromium()
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A demonstration, whose opponents answer on a click."""
    with serving(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a small routing match named roads."""
    with serving(tmp_path_factory.mktemp("service")) as running:
        begin(running, "roads", "routing")
        yield running


def begin(running: Service, name: str, template: str, rounds: int = 0) -> None:
    """A match from a template, with some rounds played."""
    toml = running.call("GET", f"/templates/{template}")["toml"]
    running.call("PUT", f"/matches/{name}", {"toml": toml})
    for i in range(rounds):
        decision = running.call("POST", f"/matches/{name}/ask")
        outcome = outcomes(template, i)
        running.call("PUT", f"/matches/{name}/rounds/{decision['round_id']}/outcome", outcome)


def outcomes(template: str, i: int) -> "dict[str, object]":
    """What happened in round i of a match from a template."""
    return {
        "routing": {
            "opponent_type": {"demand": ("low", "usual", "high")[i % 3]},
            "response": {"congestion": 2.0 + i % 5},
        },
        "patrol": {"opponent_type": {"type": "1"}, "response": {"east": 1.0 + i % 3, "north": 2.5}},
        "pricing": {
            "opponent_type": {"customers": ("residents", "tourists")[i % 2]},
            "response": {"sold": 20.0 + 3 * (i % 4)},
        },
    }[template]


class Watched:
    """What a page did that it should not: words on the console, errors, calls to other hosts."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.elsewhere: list[str] = []

    def follow(self, context: BrowserContext, home: str) -> None:
        def on_console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.said.append(message.text)

        def on_route(route: Route) -> None:
            if route.request.url.startswith((home, "blob:", "data:")):
                route.continue_()
            else:
                self.elsewhere.append(route.request.url)
                route.abort()

        context.on("console", on_console)
        context.on("weberror", lambda error: self.said.append(str(error.error)))
        context.route("**/*", on_route)


@pytest.fixture
def opened(browser: Browser, service: Service) -> Iterator[Opener]:
    """Opens windows at a place of the page; at the end nothing may have gone elsewhere, or wrong unexpectedly."""
    contexts: list[BrowserContext] = []
    watched = Watched()

    def open_window(
        place: str = "/",
        *,
        width: int = 1280,
        scheme: str = "light",
        token: str | None = None,
        running: Service | None = None,
    ) -> Page:
        running = running or service
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        watched.follow(context, running.url)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{running.url}/#token={token or running.token}&{place}")
        return page

    open_window.watched = watched  # type: ignore[attr-defined]
    yield open_window
    for context in contexts:
        context.close()
    assert watched.elsewhere == []
    expected = ("the server responded with a status of 4", "Failed to load resource: net::ERR")
    assert [words for words in watched.said if not any(part in words for part in expected)] == []


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """Where exported files go."""
    return tmp_path
