"""Few keys record an outcome, and a click is answered at once however slow the network is."""

import time

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accessibility import arrived
from tests.browser.conftest import Opener, begin
from tests.browser.serving import Service

LATENCY, AT_ONCE, MOST_TABS = 2.5, 100, 6
"""Seconds of a call, milliseconds until a click shows, and presses of the tab key."""

REACTION = """(button) => new Promise((resolve) => {
    const start = performance.now();
    new MutationObserver(() => button.disabled && resolve(performance.now() - start))
        .observe(button, { attributes: true });
    button.click();
})"""


def slow(page: Page) -> None:
    """Delay every call that changes something."""

    def late(route: Route) -> None:
        if route.request.method != "GET":
            time.sleep(LATENCY)
        route.fallback()

    page.route("**/v1/**", late)


def reaction(button: Locator) -> float:
    """Milliseconds from a click until the button shows that it was pressed."""
    return float(button.evaluate(REACTION))


def test_an_outcome_is_recorded_with_few_tabs(opened: Opener, service: Service) -> None:
    begin(service, "tabs", "routing", rounds=1)
    service.call("POST", "/matches/tabs/ask")
    page = opened("/match/tabs/today")
    arrived(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to the content
    tabs = 1
    while not page.evaluate("document.activeElement.type === 'radio'"):
        page.keyboard.press("Tab")
        tabs += 1
        assert tabs < MOST_TABS
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    assert tabs + 1 <= MOST_TABS
    expect(page.locator(".place-last")).to_contain_text("demand low, congestion 2.5 min", timeout=30_000)


def test_ask_tell_and_correction_react_at_once_on_a_slow_network(opened: Opener, service: Service) -> None:
    begin(service, "slow", "routing", rounds=1)
    page = opened("/match/slow/today")
    arrived(page)
    slow(page)
    assert reaction(page.get_by_role("button", name="Ask for the next action")) < AT_ONCE
    page.get_by_label("low", exact=True).check(timeout=30_000)
    page.get_by_role("textbox", name="congestion").fill("3")
    assert reaction(page.get_by_role("button", name="Record what happened")) < AT_ONCE
    page.get_by_role("button", name="Undo or correct").click(timeout=30_000)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="congestion").fill("4")
    dialog.get_by_label("reason").fill("misread")
    assert reaction(dialog.get_by_role("button", name="Record the correction")) < AT_ONCE
    expect(dialog).to_have_count(0, timeout=30_000)
