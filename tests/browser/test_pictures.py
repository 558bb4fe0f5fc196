"""Maps, curves and stored runs in a real browser, in a demonstration whose opponents answer on a click."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from firstmover.runs import ExperimentSpec, plan_of, run_sweep
from tests.browser.accessibility import go, looks, violations, wait_until
from tests.browser.conftest import Opener
from tests.browser.programs import axe_script
from tests.browser.serving import Service, serving

VIEWS = ["/match/sioux-falls/map", "/match/park/map", "/match/prices/map", "/match/park/learning", "/compare"]


@pytest.fixture(scope="module")
def shown(demo: Service) -> Service:
    demo.call("POST", "/matches/sioux-falls/ask")
    return demo


def drawn(page: Page, count: int) -> None:
    """Wait until so many charts are there."""
    expect(page.locator(".chart > svg")).to_have_count(count, timeout=30_000)


@pytest.mark.slow
def test_pictures_are_for_all_and_stay_inside_the_window(opened: Opener, shown: Service) -> None:
    page = opened("/", running=shown)
    page.evaluate(axe_script().read_text("utf-8"))
    for view in VIEWS:
        go(page, view)
        if view.endswith("learning"):
            page.get_by_text("For experts").click()
        if view.endswith(("learning", "compare")):
            drawn(page, 7 if "learning" in view else 1)
        for summary in page.locator("summary").all()[:2]:
            summary.click()
        for scheme, width in looks(page):
            assert violations(page) == [], f"{view} at {width} in {scheme}"
            expect(page.locator("html")).to_have_js_property("scrollWidth", width)  # charts follow a little later


def test_the_plan_lies_below_the_colours_and_tabs_show_what_it_changes(opened: Opener, shown: Service) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    drawing = page.locator("svg.marks")
    expect(drawing).to_have_count(1)
    strokes = "map => [...map.querySelectorAll('.above polyline')].map((line) => line.getAttribute('stroke'))"
    found = drawing.evaluate(strokes)
    plan = [place for place, stroke in enumerate(found) if stroke == "var(--line-0)"]
    roads = [place for place, stroke in enumerate(found) if stroke.startswith("rgb")]
    assert max(plan, default=-1) < min(roads)
    titles = page.locator("figcaption span:first-child")
    page.get_by_role("radio", name="Without the plan").check(force=True)
    expect(titles).to_have_text("Without a plan")
    page.get_by_role("radio", name="Difference").check(force=True)
    expect(titles).to_contain_text("What the plan changes")
    expect(page.locator(".legend")).to_contain_text("quicker: dashed")
    label = drawing.get_attribute("aria-label")
    assert "Most changed: " in (label or "")


def test_pointing_at_a_mark_highlights_its_row_and_the_other_way_round(opened: Opener, shown: Service) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    tip, pointed = page.locator(".tip"), page.locator("tr[data-pointed] th")
    expect(tip).to_be_hidden()
    row = page.locator("tbody tr").nth(3)
    name = row.locator("th").inner_text()
    row.hover()
    expect(tip).to_contain_text(name)
    expect(tip).to_contain_text("time (t / t₀)")
    expect(page.locator(".pointed polyline")).to_have_count(4)
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    page.locator("svg [data-row='3']").dispatch_event("pointermove", {"bubbles": True})
    expect(pointed).to_have_text(name)
    page.locator("h1").hover()
    row.focus()
    page.keyboard.press("ArrowDown")
    expect(pointed).to_have_text(page.locator("tbody tr").nth(4).locator("th").inner_text())
    page.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    second = page.locator("tbody tr").nth(1).locator("th").inner_text()
    expect(pointed).to_have_text(second)
    expect(page.locator("#announcer")).to_contain_text(second)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_maps_are_zoomed_by_buttons_keys_and_the_wheel_with_focus(opened: Opener, shown: Service) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    stage = page.locator(".stage")
    place = page.locator("svg [data-row='0']")
    wait_until(page, "window.d3 !== undefined")
    whole = place.get_attribute("points")
    stage.hover()
    page.mouse.wheel(0, -200)
    expect(place).to_have_attribute("points", whole or "")  # without focus the page scrolls
    zoom_in = page.get_by_role("button", name="Zoom in")
    zoom_in.click()
    expect(place).not_to_have_attribute("points", whole or "")
    expect(stage).to_have_class(re.compile("zoomed"))
    page.get_by_role("button", name="Reset the zoom").click()
    expect(place).to_have_attribute("points", whole or "")
    stage.focus()
    page.keyboard.press("+")
    expect(place).not_to_have_attribute("points", whole or "")
    zoomed = place.get_attribute("points")
    page.keyboard.press("Shift+ArrowRight")
    expect(place).not_to_have_attribute("points", zoomed or "")
    page.keyboard.press("0")
    expect(place).to_have_attribute("points", whole or "")
    stage.hover()
    page.mouse.wheel(0, -200)
    expect(place).not_to_have_attribute("points", whole or "")


def test_a_response_and_a_feature_are_chosen(opened: Opener, shown: Service) -> None:
    page = opened("/match/prices/map", running=shown)
    title, heading = page.locator("h2").first, page.locator("h2").last
    expect(heading).to_have_text("demand 1 (hundreds of drivers) over price 1")
    page.get_by_label("Response").select_option("demand 2")
    expect(heading).to_have_text("demand 2 (hundreds of drivers) over price 2")
    page.get_by_label("Feature").select_option("price 3")
    expect(heading).to_have_text("demand 2 (hundreds of drivers) over price 3")
    page.get_by_role("button", name="Let it answer now").click()
    expect(title).to_contain_text("Round 11", timeout=20_000)
    expect(heading).to_have_text("demand 2 (hundreds of drivers) over price 3")


def test_the_map_changes_when_the_opponent_answers_and_what_was_closed_stays_closed(
    opened: Opener, shown: Service
) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    titles = page.locator("figcaption span:first-child")
    expect(titles).to_have_count(1)
    before = titles.inner_text()
    expect(page.get_by_role("table")).to_contain_text("t / t₀")
    page.get_by_text("As a table").click()
    page.get_by_role("button", name="Let it answer now").click()
    page.get_by_role("button", name="Let it answer now").click()
    expect(titles).not_to_have_text(before)
    expect(page.get_by_role("table")).to_be_hidden()


def test_curves_grow_follow_the_colours_and_show_their_numbers(opened: Opener, shown: Service) -> None:
    page = opened("/match/prices/learning", running=shown)
    expect(page.locator(".answers")).to_contain_text("earned")
    expect(page.get_by_role("region", name="What was lost at most")).to_contain_text("against the best fixed action")
    page.get_by_text("For experts").click()
    drawn(page, 7)
    told = page.locator(".keyfigures dd").first
    before = int(told.inner_text())
    rewards = page.locator(".chart").nth(1)
    dots = rewards.locator("circle")
    expect(dots).to_have_count(before)
    page.get_by_role("button", name="Let it answer now").click()
    expect(told).to_have_text(str(before + 1))
    expect(dots).to_have_count(before + 1)
    dots.last.hover()
    expect(rewards.locator("[aria-label=tip]")).to_contain_text("rounds told")
    colour = "document.querySelector('.chart > svg').style.color"
    light = page.evaluate(colour)
    page.get_by_label("Colours").select_option("dark")
    wait_until(page, f"{colour} !== '{light}'")


def test_stored_runs_are_filtered_and_taken_away(opened: Opener, shown: Service, downloads: Path) -> None:
    page = opened("/compare", running=shown)
    drawn(page, 1)
    expect(page.locator(".numbers tbody tr")).to_have_count(3)
    page.get_by_label("Learner").select_option("exp3")
    expect(page.locator(".numbers tbody tr")).to_have_count(1)
    page.get_by_label("Curves of").select_option("rewards")
    expect(page.locator(".chart > svg")).to_contain_text("time-averaged reward")
    for button, ending, beginning in (("Curves as PNG", ".png", b"\x89PNG"), ("Curves as SVG", ".svg", b"<svg")):
        with page.expect_download() as caught:
            page.get_by_role("button", name=button).click()
        caught.value.save_as(downloads / f"curves{ending}")
        assert (downloads / f"curves{ending}").read_bytes().startswith(beginning)
    with page.expect_download() as caught:
        page.get_by_role("button", name="shore as CSV").click()
    caught.value.save_as(downloads / "shore.csv")
    assert (downloads / "shore.csv").read_text().splitlines()[0].startswith("learner,seeds,regret")
    page.get_by_role("checkbox").uncheck()
    expect(page.locator(".numbers")).to_contain_text("Choose runs above")


def test_a_sweep_is_filtered_by_its_parameters(opened: Opener, tmp_path: Path) -> None:
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 2.0]}, "hedge"]
    document = {"games": ["shore"], "learners": learners, "horizons": [5], "seeds": 2}
    run_sweep(plan_of(ExperimentSpec.read(document)), tmp_path / "runs" / "bold", workers=1)
    with serving(tmp_path, "--runs", "runs") as running:
        page = opened("/compare", running=running)
        drawn(page, 1)
        expect(page.locator(".numbers tbody tr")).to_have_count(3)
        page.get_by_label("β").select_option("2.0")
        expect(page.locator(".numbers tbody tr")).to_have_count(1)
        expect(page.locator(".numbers tbody tr")).to_contain_text("bold · stackelucb β 2.0")
        page.get_by_label("β").select_option("any")
        page.get_by_label("Learner").select_option("stackelucb")
        expect(page.locator(".numbers tbody tr")).to_have_count(2)


def test_a_reader_sees_no_pending_plan(opened: Opener, shown: Service) -> None:
    waiting = shown.call("POST", "/matches/sioux-falls/ask")
    titles = {}
    for role, token in (("owner", shown.token), ("reader", shown.reader())):
        page = opened("/match/sioux-falls/map", running=shown, token=token)
        titles[role] = page.locator("figcaption span:first-child").first.inner_text()
    assert titles["owner"] == f"Round {waiting['round_id']} · {waiting['label']}"
    assert not titles["reader"].startswith(f"Round {waiting['round_id']} ")
    assert page.get_by_role("button", name="Let it answer now").count() == 0


def test_the_opponent_answers_by_itself(opened: Opener, shown: Service) -> None:
    page = opened("/match/prices/today", running=shown)
    before = page.locator(".place-last").inner_text()
    page.get_by_label("it answers").select_option("0.5")
    expect(page.locator(".place-last")).not_to_have_text(before)
    page.get_by_label("it answers").select_option("")
