"""The report of a match prints on exactly one page, whatever it has to show."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Opener
from tests.browser.serving import Service, serving
from tests.browser.ugly import NAME, long_ugly_match, ugly_match


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Ugly matches with no, one and thirty rounds."""
    folder = tmp_path_factory.mktemp("reports")
    for rounds in (0, 1, 30):
        ugly_match(folder / "matches.db", rounds, f"{rounds} {NAME}")
    with serving(folder) as running:
        yield running


def shown(opened: Opener, reports: Service, rounds: int, **more: str) -> Page:
    page = opened(f"/match/{quote(f'{rounds} {NAME}', safe='')}/report", running=reports, **more)
    button = page.get_by_role("button", name="Print / save as PDF")
    expect(button).to_be_visible(timeout=60_000)  # a thousand rounds are read first
    if rounds > 1:
        expect(page.locator(".chart > svg")).to_be_visible()
    return page


def pages(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True)))


@pytest.mark.parametrize("rounds", [0, 1, 30])
def test_a_report_prints_on_one_page(opened: Opener, reports: Service, rounds: int) -> None:
    page = shown(opened, reports, rounds, scheme="dark")
    expect(page.locator(".report")).to_contain_text(f"{rounds:,} told")
    assert pages(page) == 1
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print / save as PDF")).to_be_hidden()
    expect(page.get_by_role("heading", name="Are we winning?")).to_be_visible()


@pytest.mark.slow
def test_a_report_of_a_thousand_rounds_prints_on_one_page(opened: Opener, tmp_path: Path) -> None:
    long_ugly_match(tmp_path / "matches.db", 1000, f"1000 {NAME}")
    with serving(tmp_path) as running:
        page = shown(opened, running, 1000)
        expect(page.locator(".report")).to_contain_text("1,000 told")
        assert pages(page) == 1


def test_a_report_with_all_that_it_has_place_for_prints_on_one_page(opened: Opener, reports: Service) -> None:
    """Three alarms of many, long names everywhere, and a certificate with all its remarks."""
    words = "Check what was recorded, and correct it if it is wrong, or tell those who record it what is meant. " * 2

    def full(route: Route) -> None:
        record = route.fetch().json()
        alarm = {"name": "types without effect", "measured": words, "remedy": words, "since": "x" * 80}
        record |= {"alarms": [alarm] * 3, "alarm_count": 9, "lost": [words] * 5, "title": words, "about": words * 3}
        record["last"] = [each | {"round_id": "x" * 80} for each in record["last"]]
        earned = record["earnings"]
        earned["answers"] = [each | {"words": words, "value": "−123,400,000"} for each in earned["answers"]]
        route.fulfill(body=json.dumps(record), content_type="application/json")

    page = opened("/", running=reports)
    page.route("**/views/report", full)
    page.goto(f"{reports.url}/#/match/{quote(f'30 {NAME}', safe='')}/report")
    expect(page.locator(".report")).to_contain_text("6 further alarms: see Today.")
    expect(page.locator(".chart > svg")).to_be_visible()
    assert pages(page) == 1


def test_a_report_names_who_made_it_and_what_it_covers(opened: Opener, reports: Service) -> None:
    page = shown(opened, reports, 30)
    footer = page.locator(".report footer")
    expect(footer).to_contain_text("by page.")
    expect(footer).to_contain_text(re.compile(r"event 69 of 70 has the hash [0-9a-f]{64};"))
    expect(page.get_by_role("region", name="What was learnt").get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("region", name="The latest rounds").get_by_role("row")).to_have_count(7)
    expect(page.locator(".report")).to_contain_text("you have lost at most")
