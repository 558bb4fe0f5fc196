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


def test_both_maps_begin_at_the_same_height_and_the_plan_lies_below_the_colours(opened: Opener, shown: Service) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    maps = page.locator("svg.marks")
    expect(maps).to_have_count(2)
    heights = [box["y"] for each in maps.all() if (box := each.bounding_box())]
    assert abs(heights[0] - heights[1]) < 1
    strokes = maps.nth(1).evaluate(
        "map => [...map.querySelectorAll('polyline')].map((line) => line.getAttribute('stroke'))"
    )
    plan = [place for place, stroke in enumerate(strokes) if stroke == "var(--day-0)"]
    roads = [place for place, stroke in enumerate(strokes) if stroke.startswith("rgb")]
    assert max(plan, default=-1) < min(roads)


def test_the_map_changes_when_the_opponent_answers_and_what_was_opened_stays_open(
    opened: Opener, shown: Service
) -> None:
    page = opened("/match/sioux-falls/map", running=shown)
    titles = page.locator("figcaption span:first-child")
    expect(titles).to_have_count(2)
    before = titles.nth(1).inner_text()
    page.locator("summary").nth(1).click()
    expect(page.get_by_role("table")).to_contain_text("t / t₀")
    page.get_by_role("button", name="Let it answer now").click()
    page.get_by_role("button", name="Let it answer now").click()
    expect(titles.nth(1)).not_to_have_text(before)
    expect(page.get_by_role("table")).to_be_visible()
    label = page.get_by_role("img", name=re.compile("^Without a plan")).get_attribute("aria-label")
    assert "Most congested: " in (label or "")


def test_curves_grow_follow_the_colours_and_show_their_numbers(opened: Opener, shown: Service) -> None:
    page = opened("/match/prices/learning", running=shown)
    expect(page.locator(".answers")).to_contain_text("Earned so far")
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
        titles[role] = page.locator("figcaption span:first-child").nth(1).inner_text()
    assert titles["owner"] == f"Round {waiting['round_id']} · {waiting['label']}"
    assert not titles["reader"].startswith(f"Round {waiting['round_id']} ")
    assert page.get_by_role("button", name="Let it answer now").count() == 0


def test_the_opponent_answers_by_itself(opened: Opener, shown: Service) -> None:
    page = opened("/match/prices/today", running=shown)
    before = page.locator(".place-last").inner_text()
    page.get_by_label("it answers").select_option("0.5")
    expect(page.locator(".place-last")).not_to_have_text(before)
    page.get_by_label("it answers").select_option("")
