"""The rounds view: a long table of which few rows are drawn, who did what, outliers, and changes in place."""

import pytest
from playwright.sync_api import expect

from firstmover.matches import Match
from tests.browser.accessibility import arrived, looks, violations, wait_until
from tests.browser.conftest import Opener, begin
from tests.browser.programs import axe_script
from tests.browser.serving import Service
from tests.matches.played import ROUTES

MANY = 650


@pytest.fixture(scope="module")
def long(service: Service) -> Service:
    """A match with many rounds that wait, recorded by ann; the last ones were told by the page, one of them far off."""
    with Match.create(service.folder / "matches.db", "long", ROUTES, actor="ann") as match:
        for number in range(1, MANY + 1):
            match.ask(f"day {number}")
        for number in range(1, 13):
            match.tell(f"day {number}", "low", 2.0)
    body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 19.0}}
    service.call("PUT", f"/matches/long/rounds/day {MANY}/outcome", body)
    return service


@pytest.mark.usefixtures("long")
def test_only_rows_in_sight_are_drawn_and_the_scrollbar_is_that_of_all(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    table = page.get_by_role("table", name="The rounds")
    expect(table).to_have_attribute("aria-rowcount", str(MANY + 1))
    row = page.locator(".rounds .line").nth(1).evaluate("e => e.getBoundingClientRect().height")
    assert page.locator(".rounds .body").evaluate("e => e.clientHeight") == pytest.approx(row * MANY, rel=1e-3)
    assert page.locator(".rounds .place").count() < 40
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    table.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    expect(page.get_by_text("day 1", exact=True)).to_be_visible()
    assert page.locator(".rounds .place").count() < 40
    last = page.locator(".rounds .place").last.get_by_role("row")
    expect(last).to_have_attribute("aria-rowindex", str(MANY + 1))
    loaded = [url for url in asked if "/views/rounds" in url]
    assert 0 < len(loaded) <= 3, loaded
    assert all("limit=100" in url for url in loaded)


@pytest.mark.usefixtures("long")
def test_the_keyboard_walks_over_all_rows_and_opens_them(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    page.get_by_role("button", name=f"Details of round day {MANY}").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name=f"Details of round day {MANY - 1}")).to_be_focused()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("button", name=f"Details of round day {MANY - 11}")).to_be_focused()
    page.keyboard.press("End")
    first = page.get_by_role("button", name="Details of round day 1", exact=True)
    expect(first).to_be_focused()
    expect(first).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Who did what in round day 1")).to_contain_text("recorded: demand low")
    page.keyboard.press("Enter")
    expect(page.locator(".row-details")).to_have_count(0)
    page.keyboard.press("Tab")  # one stop for the whole table
    expect(page.get_by_role("button", name="Rounds as CSV")).to_be_focused()


@pytest.mark.usefixtures("long")
def test_a_row_tells_who_and_an_outlier_is_marked_with_words_and_figures(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    first = page.locator(".rounds .place").first
    expect(first).to_contain_text("page (owner) recorded")
    expect(first.locator(".mark-far")).to_contain_text("min was expected")
    expect(page.locator(".rounds .place").nth(1)).to_contain_text("ann asked")
    page.get_by_text("1 round with a response far outside of what was expected").click()
    page.get_by_role("button", name=f"Show round day {MANY}").click()
    expect(page.locator(".rounds .place")).to_have_count(1)
    assert page.locator(".mark-far").count() == 1
    page.get_by_role("button", name=f"Details of round day {MANY}").click()
    expect(page.locator(".row-details .mark-far")).to_contain_text("min was expected")


def test_a_round_is_voided_and_corrected_in_its_row_while_others_play(opened: Opener, long: Service) -> None:
    begin(long, "short", "routing", rounds=1)
    long.call("PUT", "/matches/short/rounds/next")
    page = opened("/match/short/rounds")
    page.get_by_role("button", name="Details of round next").click()
    page.get_by_role("button", name="Declare void round next").click()
    page.get_by_label("reason").fill("rain")
    long.call("PUT", "/matches/short/rounds/later")  # another row comes above, and the words stay
    expect(page.locator(".rounds .place")).to_have_count(3)
    expect(page.get_by_label("reason")).to_have_value("rain")
    expect(page.get_by_label("reason")).to_be_focused()
    page.get_by_role("button", name="Declare it void").click()
    expect(page.locator(".rounds .place").nth(1)).to_contain_text("void")
    expect(page.get_by_role("list", name="Who did what in round next")).to_contain_text("rain")
    page.get_by_role("button", name="Details of round 1").click()
    page.get_by_role("button", name="Correct round 1").click()
    page.get_by_role("textbox", name="congestion").fill("3")
    page.get_by_role("button", name="Record the correction").click()
    expect(page.get_by_text("reason is missing.")).to_be_visible()
    page.get_by_label("reason").fill("misread")
    page.get_by_role("button", name="Record the correction").click()
    expect(page.get_by_role("list", name="Who did what in round 1")).to_contain_text("corrected: congestion 2 → 3")


def test_what_is_in_sight_stays_when_a_round_comes_above(opened: Opener, long: Service) -> None:
    page = opened("/match/long/rounds")
    table = page.get_by_role("table", name="The rounds")
    table.evaluate("e => { e.scrollTop = 6000; }")
    looked = "() => { const t = document.querySelector('.rounds'); const y = t.getBoundingClientRect().top + 200;"
    looked += " return document.elementFromPoint(300, y)?.closest('.place')?.querySelector('strong')?.textContent; }"
    wait_until(page, f"Boolean(({looked})())")
    before = page.evaluate(looked)
    long.call("PUT", "/matches/long/rounds/extra")
    expect(table).to_have_attribute("aria-rowcount", str(MANY + 2))
    wait_until(page, f"({looked})() === {before!r}")
    long.call("PUT", "/matches/long/rounds/extra/void", {"reason": "a test"})


@pytest.mark.usefixtures("long")
def test_filters_and_search(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    page.get_by_label("Search").fill("day 77")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".rounds .place")).to_have_count(1)
    page.get_by_label("Search").fill("day 9999")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("main")).to_contain_text("No round fits.")
    page.get_by_role("button", name="All").click()
    page.get_by_label("Status").select_option("told")
    expect(page.locator(".finder")).to_contain_text("13 rounds, newest first")


@pytest.mark.usefixtures("long")
def test_the_table_prints_as_a_list_of_the_rows_around(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    arrived(page)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".rounds .place").count() == 100
    assert page.locator(".rounds .place").nth(1).evaluate("e => getComputedStyle(e).position") == "static"
    expect(page.locator("main")).to_contain_text("Rounds 1 to 100 of 65")
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".rounds .place").count() < 40


@pytest.mark.usefixtures("long")
def test_open_rows_and_forms_are_for_all_at_every_width(opened: Opener) -> None:
    page = opened("/match/long/rounds")
    page.evaluate(axe_script().read_text("utf-8"))
    page.get_by_role("button", name=f"Details of round day {MANY}").click()
    page.get_by_role("button", name=f"Correct round day {MANY}").click()
    page.get_by_role("button", name="Record the correction").click()
    for scheme, width in looks(page):
        assert violations(page) == [], f"{width} in {scheme}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for width in (768, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".rounds").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
