"""A person plays a match in the browser, from the template to the export, over a server that is killed in between."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, begin
from tests.browser.serving import Service
from tests.service.test_beginning import sales


def ask(page: Page) -> str:
    """Ask for the next action; its round."""
    page.get_by_role("button", name="Ask for the next action").click()
    expect(page.get_by_role("heading", name="What happened?")).to_be_visible()
    return str(page.locator(".hero").get_attribute("data-round"))


def tell(page: Page, demand: str, congestion: str) -> None:
    page.get_by_label(demand, exact=True).check()
    page.get_by_role("textbox", name="congestion").fill(congestion)
    page.get_by_role("button", name="Record what happened").click()


def test_from_template_to_export(opened: Opener, service: Service, downloads: Path) -> None:
    page = opened("/new")
    page.get_by_label("Name").fill("harbour 2027")
    page.get_by_role("radio", name=re.compile("^pricing")).check()
    expect(page.get_by_label("Configuration")).to_have_value(re.compile("Daily price"))
    page.get_by_role("radio", name=re.compile("^routing")).check()
    expect(page.get_by_label("Configuration")).to_have_value(re.compile("Daily routing"))
    page.get_by_role("button", name="Begin the match").click()
    ask(page)
    expect(page.locator(".place-why")).to_contain_text("probability")
    expect(page.get_by_role("heading", name="Forecast")).to_be_visible()
    tell(page, "high", "3.2")
    expect(page.locator(".place-last")).to_contain_text("demand high, congestion 3.2 min")

    ask(page)
    service.kill()
    expect(page.locator("#connection")).to_contain_text("The server is unreachable")
    page.get_by_role("textbox", name="congestion").fill("4.5")
    service.start()
    expect(page.locator("#connection")).to_be_empty()
    expect(page.get_by_role("textbox", name="congestion")).to_have_value("4.5")
    tell(page, "low", "4.5")
    expect(page.locator(".place-last")).to_contain_text("congestion 4.5")

    page.get_by_role("button", name="Undo or correct").click()
    page.get_by_role("dialog").get_by_role("textbox", name="congestion").fill("5.5")
    page.get_by_role("button", name="Record the correction").click()
    expect(page.get_by_role("dialog")).to_contain_text("reason is missing.")
    page.get_by_role("dialog").get_by_label("reason").fill("misread")
    page.get_by_role("button", name="Record the correction").click()
    expect(page.locator(".place-last")).to_contain_text("congestion 5.5")

    page.get_by_role("link", name="Rounds").click()
    expect(page.locator(".rounds .place")).to_have_count(2)
    expect(page.locator(".rounds .place").first).to_contain_text("corrected")
    page.get_by_role("button", name="Check the journal").click()
    expect(page.locator(".found").first).to_contain_text("2 rounds replayed")
    with page.expect_download() as download:
        page.get_by_role("button", name="Rounds as CSV").click()
    download.value.save_as(downloads / "rounds.csv")
    assert pl.read_csv(downloads / "rounds.csv")["response congestion"].to_list() == [3.2, 5.5]
    with page.expect_download() as download:
        page.get_by_role("button", name="Whole journal").click()
    download.value.save_as(downloads / "journal.json")
    kinds = [event["kind"] for event in json.loads((downloads / "journal.json").read_text())]
    assert kinds == ["created", "asked", "told", "asked", "told", "corrected"]


def test_a_wrong_tell_is_refused_with_the_right_words(opened: Opener) -> None:
    page = opened("/match/roads/today")
    ask(page)
    page.get_by_role("textbox", name="congestion").fill("3.2 km")
    words = "“3.2 km” is not a number: give it alone, in min."
    expect(page.locator(".complaint:visible")).to_have_text(words)
    page.get_by_role("textbox", name="congestion").fill("70")
    expect(page.locator(".complaint:visible")).to_have_count(0)
    page.get_by_role("button", name="Record what happened").click()
    expect(page.get_by_label("low")).to_be_focused()
    expect(page.locator("fieldset .complaint")).to_contain_text("demand is missing.")
    page.get_by_label("low").check()
    page.get_by_role("button", name="Record what happened").click()
    words = (
        "response 'congestion' is 70, outside the allowed range (from 0 up to 60 min): give the measured value, in "
        "that unit."
    )
    expect(page.locator(".field .complaint:visible")).to_have_text(words)  # the service said it, of this field
    expect(page.get_by_role("textbox", name="congestion")).to_be_focused()
    tell(page, "low", "7")
    expect(page.locator(".place-last")).to_contain_text("congestion 7")


def test_a_second_window_sees_the_same_and_a_conflict_names_both_values(opened: Opener, service: Service) -> None:
    begin(service, "two", "routing")
    first, second = opened("/match/two/today"), opened("/match/two/today")
    expect(second.get_by_role("button", name="Ask for the next action")).to_be_visible()
    ask(first)
    headline = first.locator(".hero h1").inner_text()
    expect(second.locator(".hero h1")).to_have_text(headline)
    second.get_by_role("textbox", name="congestion").fill("9")
    tell(first, "high", "3")
    expect(second.locator(".place-last")).to_contain_text("congestion 3")
    expect(second.get_by_role("button", name="Ask for the next action")).to_be_visible()


def test_a_round_can_be_void_and_the_round_still_be_told(opened: Opener, service: Service) -> None:
    begin(service, "void", "routing")
    page = opened("/match/void/today")
    round_id = ask(page)
    page.get_by_role("button", name="Nothing was observed").click()
    page.get_by_role("dialog").get_by_label("reason").fill("the counter was broken")
    page.get_by_role("button", name="Declare it void", exact=True).click()
    expect(page.locator(".place-last")).to_contain_text("the counter was broken")
    page.get_by_role("link", name="Rounds").click()
    page.get_by_role("button", name=f"Details of round {round_id}").click()
    page.get_by_role("button", name=f"Correct round {round_id}").click()
    expect(page.get_by_role("dialog")).to_have_count(0)  # it is corrected in its row
    page.locator(".row-details").get_by_label("usual").check()
    page.get_by_role("textbox", name="congestion").fill("6")
    page.get_by_label("reason").fill("found the paper")
    page.get_by_role("button", name="Record the correction").click()
    expect(page.locator(".rounds .place").first).to_contain_text("told")
    expect(page.get_by_role("button", name=f"Details of round {round_id}")).to_be_focused()
    trail = page.get_by_role("list", name=f"Who did what in round {round_id}").get_by_role("listitem")
    expect(trail).to_have_count(3)
    expect(trail.nth(1)).to_contain_text("declared void by page (owner)")
    expect(trail.nth(1)).to_contain_text("the counter was broken")
    expect(trail.nth(2)).to_contain_text("corrected: demand usual, congestion 6 by page (owner)")
    expect(trail.nth(2)).to_contain_text("found the paper")
    assert service.call("GET", f"/matches/void/rounds/{round_id}")["response"] == {"congestion": 6.0}


def test_a_reader_watches_without_forms_and_without_the_action(opened: Opener, service: Service) -> None:
    begin(service, "watched", "routing", rounds=1)
    decision = service.call("POST", "/matches/watched/ask")
    page = opened("/match/watched/today", token=service.reader())
    expect(page.locator(".hero")).to_contain_text("is being played")
    assert page.locator("main form, main button").count() == 0
    assert page.get_by_role("link", name="New match").count() == 0
    assert str(decision["label"]) not in page.locator(".hero").inner_text()
    page.get_by_role("link", name="Rounds").click()
    expect(page.locator(".rounds .place").first).to_contain_text("shows when closed")
    assert page.get_by_role("button", name="Correct").count() == 0


def test_history_is_imported_from_csv(opened: Opener, service: Service, tmp_path: Path) -> None:
    begin(service, "past", "routing")
    page = opened("/match/past/rounds")
    page.get_by_text("Import history from a file").click()
    (tmp_path / "bad.csv").write_text("action,demand,congestion\nall by north,high,3.0\nall by south,low,99\n")
    page.get_by_label("CSV file").set_input_files(tmp_path / "bad.csv")
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".importer .complaint")).to_contain_text("line 3: response 'congestion' is 99, outside")
    (tmp_path / "good.csv").write_text('action,demand,congestion\n"all by north",high,3.0\r\nall by south,low,9\n')
    page.get_by_label("CSV file").set_input_files(tmp_path / "good.csv")
    expect(page.locator(".importer pre")).to_contain_text("all by south,low,9")
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".importer .found")).to_have_text(
        "2 rows imported: the belief is updated, the weights of actions count rounds only."
    )
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".importer .found")).to_have_text("These rows were imported before: nothing changed.")


def test_a_wrong_configuration_is_refused_in_its_place(opened: Opener) -> None:
    page = opened("/new")
    page.get_by_role("button", name="Begin the match").click()
    expect(page.get_by_label("Name")).to_be_focused()
    page.get_by_label("Name").fill("wrong")
    page.get_by_role("radio", name=re.compile("^routing")).check()
    area = page.get_by_label("Configuration")
    expect(area).to_have_value(re.compile("Daily routing"))
    text = area.input_value()
    area.fill(text.replace("upper = 60.0", "upper = nan"))
    page.get_by_role("button", name="Begin the match").click()
    expect(page.locator(".complaint:visible")).to_contain_text("upper")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    chosen = "(area => area.value.slice(area.selectionStart, area.selectionEnd))(document.querySelector('textarea'))"
    assert page.evaluate(chosen) == "upper = nan"
    area.fill(text.replace("[menu]", "[menu"))
    page.get_by_role("button", name="Begin the match").click()
    expect(page.locator(".complaint:visible")).to_contain_text("line")


@pytest.mark.parametrize("template", ["routing", "patrol", "pricing"])
def test_the_sheet_prints_on_one_page(opened: Opener, service: Service, template: str) -> None:
    begin(service, f"sheet {template}", template, rounds=2)
    service.call("POST", f"/matches/sheet {template}/ask")
    page = opened(f"/match/sheet%20{template}/today")
    expect(page.get_by_role("heading", name="What happened?")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".paper")).to_be_visible()
    expect(page.locator(".top")).to_be_hidden()
    expect(page.get_by_role("button", name="Record what happened")).to_be_hidden()
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1


def test_a_surprising_value_is_questioned_before_it_is_recorded(opened: Opener, service: Service) -> None:
    begin(service, "surprise", "routing", rounds=12)
    page = opened("/match/surprise/today")
    round_id = ask(page)
    tell(page, "low", "59")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("congestion: 59 was entered, ")
    expect(dialog).to_contain_text("was expected: is that right?")
    dialog.get_by_role("button", name="No, let me look again").click()
    assert service.call("GET", f"/matches/surprise/rounds/{round_id}")["status"] == "pending"
    tell(page, "low", "59")
    dialog.get_by_role("button", name="Yes, record it").click()
    expect(page.locator(".compared")).to_contain_text("59")
    expect(page.locator(".compared .outside").first).to_contain_text("expected")
    assert service.call("GET", f"/matches/surprise/rounds/{round_id}")["response"] == {"congestion": 59.0}


def test_a_draft_outlives_another_view_news_of_others_and_the_window(opened: Opener, service: Service) -> None:
    begin(service, "drafts", "routing", rounds=1)
    page = opened("/match/drafts/today")
    round_id = ask(page)
    page.get_by_label("high", exact=True).check()
    page.get_by_role("textbox", name="congestion").fill("4,5")
    service.call("PUT", "/matches/drafts/rounds/beside")  # by another operator
    service.call("PUT", "/matches/drafts/rounds/beside/void", {"reason": "a test"})
    expect(page.locator(".place-last")).to_contain_text("round beside")
    expect(page.get_by_role("textbox", name="congestion")).to_have_value("4,5")
    page.get_by_role("link", name="Rounds").click()
    page.get_by_role("link", name="Today").click()
    expect(page.get_by_role("textbox", name="congestion")).to_have_value("4,5")
    page.reload()
    expect(page.get_by_role("textbox", name="congestion")).to_have_value("4,5")
    expect(page.get_by_label("high", exact=True)).to_be_checked()
    page.get_by_role("button", name="Record what happened").click()
    expect(page.locator(".place-last")).to_contain_text("congestion 4.5 min")
    assert service.call("GET", f"/matches/drafts/rounds/{round_id}")["response"] == {"congestion": 4.5}


def test_something_else_was_done_and_something_is_not_available(opened: Opener, service: Service) -> None:
    begin(service, "instead", "routing", rounds=1)
    page = opened("/match/instead/today")
    page.get_by_text("Not available today").click()
    page.get_by_label("all by north", exact=True).check()
    ask(page)
    expect(page.locator(".hero")).to_contain_text("1 action not available")
    page.get_by_text("We did something else").click()
    other = "all by south" if "All by south" not in page.locator(".hero h1").inner_text() else "nothing"
    page.get_by_label("What was done instead").select_option(other)
    tell(page, "low", "3")
    expect(page.locator(".place-last")).to_contain_text(other)


def test_a_second_tab_needs_no_token_and_an_operator_creates_no_match(opened: Opener, service: Service) -> None:
    begin(service, "team", "routing")
    made = service.call("POST", "/tokens", {"role": "operator", "label": "night shift"})
    page = opened("/match/team/today", token=str(made["token"]))
    expect(page.get_by_role("button", name="Ask for the next action")).to_be_visible()
    second = page.context.new_page()
    second.goto(f"{service.url}/#/match/team/today")
    expect(second.get_by_role("button", name="Ask for the next action")).to_be_visible()
    expect(second.get_by_role("link", name="New match")).to_have_count(0)
    assert "fm_" not in second.evaluate("document.cookie + JSON.stringify({...localStorage, ...sessionStorage})")


def test_from_a_spreadsheet_to_the_first_decision(opened: Opener, service: Service, tmp_path: Path) -> None:
    """In seven clicks: the way there, the file, one role, the rehearsal, the start, the ask."""
    (tmp_path / "kiosk.csv").write_text(sales())
    page = opened("/")
    page.get_by_role("link", name="New match").click()
    page.get_by_label("A table of the past").set_input_files(tmp_path / "kiosk.csv")
    expect(page.get_by_role("region", name="What the columns are")).to_contain_text("Menu: 4 actions")
    page.get_by_label("What week is").select_option("ignored")
    expect(page.get_by_role("region", name="What the columns are")).to_contain_text("Not used: week")
    page.get_by_label("In the names of the columns").fill("price * sale")
    page.get_by_label("In the names of the columns").press("Tab")
    expect(page.locator(".complaint:visible")).to_contain_text("sale")
    page.get_by_label("In the names of the columns").fill("price * sold - 0.4 * sold")
    page.get_by_label("In the names of the columns").press("Tab")
    expect(page.locator(".complaint:visible")).to_have_count(0)
    page.get_by_role("button", name="Rehearse").click()
    expect(page.locator(".big-figure")).to_contain_text("per round over what is done now", timeout=120_000)
    page.get_by_label("Name of the match").fill("kiosk 2027")
    page.get_by_role("button", name="Start").click()
    ask(page)
    expect(page.locator(".hero h1")).to_contain_text("Set price to")
    expect(page.locator(".hero .confidence")).to_contain_text("60 observations")
    assert service.call("GET", "/matches/kiosk 2027/status")["imported"] == 60


def test_an_owner_makes_a_token_for_an_operator_and_revokes_it(opened: Opener, service: Service) -> None:
    begin(service, "shift", "routing")
    page = opened("/team")
    page.get_by_label("Name").fill("late shift")
    page.get_by_role("button", name="Make the token").click()
    address = page.get_by_label("The new token").locator(".code").inner_text()
    assert address.startswith(f"{service.url}/#token=fm_")
    operator = opened("/match/shift/today", token=address.partition("#token=")[2])
    ask(operator)
    expect(operator.get_by_role("link", name="Team")).to_have_count(0)
    page.get_by_role("button", name="Revoke late shift").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Revoke late shift")).to_have_count(0)
    operator.reload()
    expect(operator.get_by_role("heading", name="This page needs a token")).to_be_visible()
