"""Every view in both schemes and at two widths: readable for all, from this server alone, and small."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import arrived, go, looks, violations
from tests.browser.conftest import Opener, begin
from tests.browser.programs import axe_script
from tests.browser.serving import Service

PAGE = Path(__file__).parents[2] / "src" / "firstmover" / "service" / "page"
LARGEST, LARGEST_COMPRESSED = 200 << 10, 600_000
"""Bytes of our own scripts, and of all files as they are sent."""
VIEWS = [
    "/",
    "/new",
    "/begin",
    "/team",
    "/match/seen/learning",
    "/match/seen/today",
    "/match/seen/rounds",
    "/match/park/today",
    "/match/empty/today",
    "/match/first/today",
    "/match/wrong/today",
]


@pytest.fixture(scope="module")
def seen(service: Service) -> Service:
    """A service with matches in all states: a pending round, a late one, a void one, a corrected one."""
    begin(service, "seen", "routing", rounds=3)
    begin(service, "park", "patrol", rounds=2)
    begin(service, "empty", "pricing")
    begin(service, "first", "pricing")
    begin(service, "wrong", "routing", rounds=30)
    service.call("PUT", "/matches/wrong/rounds/monday")
    outlier = {"opponent_type": {"demand": "low"}, "response": {"congestion": 60.0}}
    service.call("PUT", "/matches/wrong/rounds/monday/outcome", outlier)
    for name in ("seen", "park", "first", "wrong"):
        service.call("POST", f"/matches/{name}/ask")
    service.call("PUT", "/matches/seen/rounds/late")
    service.call("PUT", "/matches/seen/rounds/late/void", {"reason": "the counter was broken"})
    correction = {"opponent_type": {"demand": "low"}, "response": {"congestion": 4.0}, "reason": "misread"}
    service.call("POST", "/matches/seen/rounds/2/corrections", correction)
    return service


@pytest.mark.slow
@pytest.mark.usefixtures("seen")
def test_every_view_is_for_all_and_stays_inside_the_window(opened: Opener) -> None:
    page = opened("/")
    page.evaluate(axe_script().read_text("utf-8"))
    for view in VIEWS:
        go(page, view)
        for scheme, width in looks(page):
            assert violations(page) == [], f"{view} at {width} in {scheme}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_changes_of_a_match_are_listed_below_its_rounds(opened: Opener, seen: Service) -> None:
    page = opened("/match/seen/rounds")
    changes = page.get_by_role("region", name="Changes of this match")
    expect(changes).to_have_count(0)
    body = {"action": "all by north", "retired": True, "reason": "road works <b>"}
    seen.call("PUT", "/matches/seen/retired", body)
    expect(changes.get_by_role("listitem")).to_have_count(1)
    expect(changes).to_contain_text("menu: retired all by north (road works <b>)")
    seen.call("PUT", "/matches/seen/retired", body | {"retired": False})
    expect(changes.get_by_role("listitem")).to_have_count(2)


@pytest.mark.usefixtures("seen")
def test_an_alarm_stands_above_all_and_names_its_round_and_a_remedy(opened: Opener) -> None:
    page = opened("/match/wrong/today")
    card = page.get_by_role("region", name="This match needs attention")
    expect(card).to_contain_text("outlier, since round monday.")
    expect(card).to_contain_text("Check what was recorded, and correct it if it is wrong.")
    go(page, "/match/seen/today")
    expect(page.get_by_role("heading", name="Forecast")).to_be_visible()
    assert page.locator(".alarm").count() == 0


@pytest.mark.usefixtures("seen")
def test_before_any_data_the_forecast_is_the_domain(opened: Opener) -> None:
    page = opened("/match/first/today")
    table = page.locator("table.expected").filter(has_text="sold (pieces)")
    expect(table.get_by_role("row").nth(1)).to_contain_text("not known yet: anything from 0 to 100")
    assert page.locator(".expected .mark").count() == 0


def test_axe_finds_nothing_serious_in_dialogs_and_refusals(opened: Opener, seen: Service) -> None:
    page = opened("/match/seen/today")
    page.get_by_role("textbox", name="congestion").fill("99")
    page.get_by_role("button", name="Undo or correct").click()
    page.get_by_role("button", name="Record the correction").click()
    page.evaluate(axe_script().read_text("utf-8"))
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(f"{seen.url}/#/match/nobody/today")
    expect(page.get_by_role("heading", name="This view cannot be shown")).to_be_visible()
    assert violations(page) == []
    page.reload()
    expect(page.get_by_role("heading", name="This view cannot be shown")).to_be_visible()
    expect(page.get_by_role("link", name="New match")).to_be_visible()


def test_a_reader_is_never_offered_a_new_match(opened: Opener, seen: Service) -> None:
    token = seen.reader()
    for place in ("/", "/compare", "/match/seen/today", "/new"):
        page = opened(place, token=token)
        arrived(page)
        expect(page.get_by_role("link", name="Matches", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="New match")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("Your token only reads")
    expect(opened("/").get_by_role("link", name="New match")).to_be_visible()


def test_the_keyboard_alone_is_enough(opened: Opener, seen: Service) -> None:
    begin(seen, "keys", "routing")
    page = opened("/match/keys/today")
    arrived(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Ask for the next action")).to_be_focused()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#do")).to_be_focused()
    for _ in range(3):  # the print button, the list with another round, then the first radio
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    expect(page.locator(".place-last")).to_contain_text("demand low, congestion 2.5 min")


def test_the_switch_of_colours_is_kept(opened: Opener) -> None:
    page = opened("/")
    arrived(page)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("Colours").select_option("dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.reload()
    arrived(page)
    assert page.evaluate(paper) == dark


def test_the_token_leaves_the_address_and_a_wrong_one_is_refused(opened: Opener, service: Service) -> None:
    page = opened("/")
    arrived(page)
    assert service.token not in page.url
    wrong = opened("/", token="wrong")
    expect(wrong.locator(".complaint:visible")).to_contain_text("The token is missing or unknown")
    wrong.get_by_label("Token").fill(service.token)
    wrong.get_by_role("button", name="Open").click()
    expect(wrong.get_by_role("heading", name="Matches")).to_be_visible()


def test_names_are_data_and_never_html(opened: Opener, seen: Service) -> None:
    name = "<img src=x onerror=alert(1)> & 100% ä/b"
    toml = seen.call("GET", "/templates/routing")["toml"]
    page = opened("/new")
    page.get_by_label("Name").fill(name)
    page.get_by_role("radio", name=re.compile("^routing")).check()
    expect(page.get_by_label("Configuration")).to_have_value(str(toml))
    page.get_by_role("button", name="Begin the match").click()
    expect(page.locator(".matchname")).to_have_text(name)
    assert page.locator("main img").count() == 0


def test_the_page_is_small_and_loads_nothing_from_elsewhere() -> None:
    whole = [path for path in PAGE.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg")]
    own = [path for path in whole if PAGE / "vendor" not in path.parents]
    assert 0 < sum(path.stat().st_size for path in own if path.suffix == ".js") < LARGEST
    assert sum(len(gzip.compress(path.read_bytes())) for path in whole) < LARGEST_COMPRESSED
    for path in own:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), path
