"""The demonstration: the map and the curves change when the simulated opponent answers, for all to see."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener
from tests.browser.looking import go, violations
from tests.browser.programs import axe_script
from tests.browser.serving import Service, serving

PICTURES = [
    "/match/sioux-falls/map",
    "/match/park/map",
    "/match/prices/map",
    "/match/sioux-falls/learning",
    "/match/park/learning",
    "/compare",
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The demonstration."""
    with serving(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


def drawn(page: Page) -> None:
    """All curves stand there."""
    expect(page.locator(".chart.waiting")).to_have_count(0, timeout=20_000)


def test_map_and_curves_change_with_an_answer(opened: Opener) -> None:
    roads, curves = opened("/match/sioux-falls/map"), opened("/match/sioux-falls/learning")
    expect(roads.locator("main svg").first).to_be_visible()
    drawn(curves)
    before = roads.locator("main").inner_text(), curves.locator("main").inner_text()
    points = curves.locator(".js-plotly-plot .point").count()
    roads.get_by_role("button", name="Let it answer now").click()
    expect(roads.locator("main")).not_to_have_text(before[0])
    expect(curves.locator("main")).not_to_have_text(before[1])
    expect(curves.locator(".js-plotly-plot .point")).not_to_have_count(points)


def test_it_answers_by_itself(opened: Opener) -> None:
    page = opened("/match/prices/rounds")
    go(page, "/match/prices/today")
    before = page.locator(".place-last").inner_text()
    page.get_by_label("it answers").select_option("0.5")
    expect(page.locator(".place-last")).not_to_have_text(before)
    page.get_by_label("it answers").select_option("")


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_pictures_are_for_all(opened: Opener, scheme: str, width: int) -> None:
    page = opened("/", scheme=scheme, width=width)
    page.evaluate(axe_script().read_text("utf-8"))
    for view in PICTURES:
        go(page, view)
        drawn(page)
        assert violations(page) == [], f"{view} at {width} in {scheme}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_a_reader_cannot_make_it_answer(opened: Opener, service: Service) -> None:
    page = opened("/match/park/map", token=service.reader())
    expect(page.locator("main svg").first).to_be_visible()
    assert page.get_by_role("button", name="Let it answer now").count() == 0
