"""Matches side by side, and a match before and after a round, in a real browser."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener, begin
from tests.browser.serving import Service


def test_matches_side_by_side_and_before_with_after(opened: Opener, service: Service) -> None:
    begin(service, "compared", "routing", rounds=6)
    begin(service, "other unit", "pricing", rounds=2)
    for name in ("compared", "other unit"):
        service.call("GET", f"/matches/{name}/views/earnings")  # so that their journals are read
    page = opened("/compare")
    side = page.get_by_role("region", name="Matches with each other")
    expect(side).to_contain_text("compare only rows of the same table", timeout=30_000)
    row = side.get_by_role("row").filter(has_text="compared")
    expect(row).to_contain_text("6 rounds")
    expect(row).to_contain_text("at most", timeout=30_000)
    parts = page.get_by_role("region", name="Before and after")
    parts.get_by_label("Match").select_option("compared")
    parts.get_by_label("From round").fill("4")
    parts.get_by_role("button", name="Compare").click()
    expect(parts).to_contain_text("before, 3 rounds", timeout=30_000)
    expect(parts).to_contain_text("From round 4 on you earned")
    expect(parts).to_contain_text("The interval assumes")
    parts.get_by_label("From round").fill("nobody")
    parts.get_by_role("button", name="Compare").click()
    expect(parts.get_by_role("alert")).to_contain_text("round 'nobody' was not asked")
