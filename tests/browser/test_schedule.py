"""When a round is due, on Today and Home, and notifications of the browser, which are asked for by a click only."""

from playwright.sync_api import expect

from tests.browser.accessibility import arrived, go, wait_until
from tests.browser.conftest import Opener, begin
from tests.browser.serving import Service

FAKE = """
window.asked = 0; window.notes = [];
class Fake { constructor(title, { body }) { window.notes.push(`${title}: ${body}`); } }
Fake.permission = "default";
Fake.requestPermission = async () => { window.asked += 1; Fake.permission = "granted"; return "granted"; };
window.Notification = Fake; true
"""


def test_an_owner_sets_a_schedule_and_home_says_when_a_round_is_due(opened: Opener, service: Service) -> None:
    begin(service, "planned", "routing", rounds=1)
    page = opened("/match/planned/today")
    page.get_by_text("Schedule of rounds").click()
    page.get_by_label("Times").fill("25:00")
    page.get_by_role("button", name="Set the schedule").click()
    expect(page.locator(".complaint:visible")).to_contain_text("a time of the day such as 07:00")
    page.get_by_label("Times").fill("07:00, 19:00")
    page.get_by_label("Days").select_option("on weekdays")
    page.get_by_label("Time zone").fill("Europe/Zurich")
    page.get_by_role("button", name="Set the schedule").click()
    expect(page.locator(".due")).to_contain_text("Next round due")
    expect(page.locator("main")).to_contain_text("Rounds are due on weekdays at 07:00, 19:00 (Europe/Zurich).")
    go(page, "/match/planned/learning")  # its journal is read, so that Home knows it
    go(page, "/")
    expect(page.locator(".card").filter(has_text="planned")).to_contain_text("Next round due")
    reader = opened("/match/planned/today", token=service.reader())
    expect(reader.locator(".due")).to_contain_text("Next round due")
    expect(reader.get_by_text("Schedule of rounds")).to_have_count(0)


def test_permission_is_asked_by_a_click_and_outcomes_of_others_are_notified(opened: Opener, service: Service) -> None:
    begin(service, "noted", "routing")
    service.call("PUT", "/matches/noted/rounds/monday")
    page = opened("/")
    arrived(page)
    page.evaluate(FAKE)
    go(page, "/match/noted/today")
    assert page.evaluate("window.asked") == 0
    outcome = {"opponent_type": {"demand": "low"}, "response": {"congestion": 2.0}}
    service.call("PUT", "/matches/noted/rounds/monday/outcome", outcome)
    expect(page.locator(".place-last")).to_contain_text("congestion 2")
    assert page.evaluate("window.notes") == []
    page.get_by_label("Notify me").check()
    assert page.evaluate("window.asked") == 1
    expect(page.get_by_text("only while this page is open")).to_be_visible()
    service.call("PUT", "/matches/noted/rounds/tuesday")
    service.call("PUT", "/matches/noted/rounds/tuesday/outcome", outcome)
    wait_until(page, "window.notes.length > 0")
    assert page.evaluate("window.notes")[0] == "noted: Round tuesday was recorded by somebody else."
