"""A person's path through a match, from the template to the last check, and the mistakes on the way."""

import json
import random
from pathlib import Path

import polars as pl
import pytest

from tests.cli.running import assumed, begun, match
from tests.matches.test_contexts import KIOSK

PLANS = ["half by north", "half by south", "all by north", "all by centre", "north and south", "a third each"]
WIDE = {"low": 4.0, "usual": 9.0, "high": 15.0}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = iter([0.5, 0.1, 0.9, 0.3, 0.7] * 4)
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: next(numbers))


def history_file() -> None:
    draws = random.Random(1)
    rows = [(draws.choice(PLANS), draws.choice(list(WIDE))) for _ in range(100)]
    lines = [f"{plan},{demand},{WIDE[demand] + draws.random():.2f}" for plan, demand in rows]
    Path("history.csv").write_text("\n".join(["action,demand,congestion", *lines]))


def test_a_person_plays_a_match() -> None:
    Path("match.json").write_text(assumed(match("template", "routing")))
    assert match("new", "roads", "--config", "match.json") == (
        "Match 'roads' is in matches.db: 11 actions; types by demand; responses congestion.\n"
        "Ask for the first action with: firstmover match ask roads"
    )
    history_file()
    assert match("import", "roads", "history.csv") == (
        "100 rows imported into the belief; the weights of actions count rounds only."
    )
    assert match("import", "roads", "history.csv") == "These rows were imported before: nothing changed."
    shown = (
        "Round 1: play 'north and centre' (no. 8 of 11), which had probability 14.3%.\n"
        "north  centre  south\n"
        "150    150     0\n"
        "Then tell what happened: firstmover match tell roads --round 1 --type demand=… --response congestion=…"
    )
    assert match("ask", "roads") == shown
    assert match("ask", "roads") == shown
    told = ["tell", "roads", "--round", "1", "--type", "demand=high", "--response"]
    assert match(*told, "congestion=3.2") == "1 round told; 0 pending."
    assert match(*told, "congestion=3.2") == "0 rounds told, 1 recorded before; 0 pending."
    assert match(*told, "congestion=13.2", code=3) == (
        "round '1' was told demand=high, congestion=3.2, and now demand=high, congestion=13.2 is given: nothing was "
        "changed; if what was recorded is wrong, use correct, with a reason."
    )
    right = ["correct", "roads", "--round", "1", "--type", "demand=high", "--response", "congestion=13.2"]
    assert match(*right, "--reason", "a digit was lost") == "Round 1 is corrected, and the learner was computed again."
    assert match("ask", "roads", "--round", "tuesday").startswith("Round tuesday: play 'all by south' (no. 7")
    assert match("void", "roads", "--round", "tuesday", "--reason", "road works") == "Round tuesday is void."
    assert match("ask", "roads").startswith("Round 3: play ")
    assert match("export", "roads", "--out", "rounds.csv") == "Wrote rounds.csv, 3 rounds."
    table = pl.read_csv("rounds.csv")
    assert table["status"].to_list() == ["told", "void", "pending"]
    assert table["response congestion"].to_list() == [13.2, None, None]
    assert match("verify", "roads").splitlines()[:2] == [
        "Sound: 8 events in an unbroken chain, 3 rounds replayed.",
        "p_t was bit-identical in 3 of them; the largest difference is 0.0e+00.",
    ]


def test_a_person_looks_at_a_match() -> None:
    begun()
    assert match("history", "roads") == "No round was asked yet."
    match("ask", "roads")
    match("tell", "roads", "--type", "high", "--response", "12")
    match("ask", "roads")
    assert match("history", "roads") == (
        "round_id  status   label             probability  reward  delay  type demand  response congestion\n"
        "1         told     north and centre  0.142857     180     0      high         12\n"
        "2         pending                                         0"
    )
    assert match("history", "roads", "--last", "1").splitlines()[1].startswith("2         pending")
    assert match("status", "roads").splitlines() == [
        "Match 'roads'",
        "2 rounds asked: 1 told, 1 pending (2), 0 void; 0 corrected.",
        "0 rows of history imported; hyperparameters not fitted to data so far.",
        "Total delay: 0, the rounds asked while others were pending.",
        "Concentration: effective number of actions 7.0.",
        "Calibration: 1 of 1 responses lay inside their bounds; 87% should.",
        "No alarms.",
        "Caution: a constant β is a choice, not a bound: Theorem 1 needs the width of its lemma.",
    ]
    assert match("replay", "roads", "--until", "1").splitlines()[0] == (
        "After 1 event, 0 rounds asked and 0 told; p_t, largest first:"
    )
    whole = json.loads(match("replay", "roads", "--json"))
    assert whole["state_hash"] == json.loads(match("verify", "roads", "--json"))["state_hash"]


def test_a_response_that_contradicts_what_is_known_is_recorded_with_a_doubt() -> None:
    unbounded = [{"name": "congestion", "unit": "min", "lower": 0.0}]
    Path("match.json").write_text(assumed(match("template", "routing"), responses=unbounded))
    match("new", "roads", "--config", "match.json")
    for number in range(3):
        match("ask", "roads", "--round", f"r{number}")
        match("tell", "roads", "--type", "high", "--response", str(12 + number))
    match("ask", "roads", "--round", "half day")
    told = match("tell", "roads", "--type", "high", "--response", "1e12").splitlines()
    assert told[0] == "1 round told; 0 pending."
    assert told[1].startswith("The response of one round contradicts what was known: it lies ")
    assert told[1].endswith(
        "It is recorded as told; if it is wrong, run firstmover match correct roads --round 'half day' with the right "
        "values and a reason."
    )
    assert "Alarm: outlier, since round half day: " in match("status", "roads")
    right = ["--type", "high", "--response", "12", "--reason", "typing error"]
    match("correct", "roads", "--round", "half day", *right)
    assert "No alarms." in match("status", "roads")


def test_programs_get_json() -> None:
    begun()
    decision = json.loads(match("ask", "roads", "--round", "a", "--json"))
    assert (decision["round"], decision["action"], decision["label"]) == ("a", 7, "north and centre")
    assert sum(decision["strategy"]) == pytest.approx(1.0)
    said = json.loads(match("tell", "roads", "--type", "low", "--response", "1", "--json"))
    assert said == {"told": 1, "recorded_before": 0, "pending": 0}
    assert json.loads(match("status", "roads", "--json"))["told"] == 1
    certificate = json.loads(match("certificate", "roads", "--json"))
    assert (certificate["rounds"], certificate["confidence"], certificate["proved"]) == (1, 0.9, False)
    assert match("certificate", "roads").startswith("With 90% confidence you have lost at most ")
    assert json.loads(match("history", "roads", "--json"))["rounds"][0]["response congestion"] == 1.0
    match("export", "roads", "--out", "journal.json")
    assert [event["kind"] for event in json.loads(Path("journal.json").read_text())] == ["created", "asked", "told"]
    match("export", "roads", "--out", "rounds.parquet")
    assert len(pl.read_parquet("rounds.parquet")) == 1


def test_many_rounds_are_told_from_a_file_and_a_second_time_nothing_changes() -> None:
    begun()
    for name in "abc":
        match("ask", "roads", "--round", name)
    Path("told.csv").write_text("round,demand,congestion\na,low,1\nb,high,14.5\n")
    assert match("tell", "roads", "--from", "told.csv") == "2 rounds told; 1 pending."
    assert match("tell", "roads", "--from", "told.csv") == "0 rounds told, 2 recorded before; 1 pending."
    document = json.dumps({"round": "c", "type": {"demand": "usual"}, "response": {"congestion": 7}})
    assert match("tell", "roads", "--from", "-", stdin=document) == "1 round told; 0 pending."
    Path("told.csv").write_text("round,demand,congestion\na,low,1\nb,high,15\n")
    refused = match("tell", "roads", "--from", "told.csv", code=3)
    assert refused.startswith("1 row recorded; row 2: round 'b' was told")
    assert refused.endswith(" Correct it and give the whole file again: recorded rows are not counted twice.")
    Path("told.csv").write_text("round,demand,congest\na,low,1\n")
    assert match("tell", "roads", "--from", "told.csv", code=2).startswith("Unknown column 'congest'")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--type", "demand=hgh", "--response", "congestion=3.2"],
            "Unknown level of type 'demand' 'hgh': did you mean 'high'? Known: high, low, usual.",
        ),
        (
            ["--type", "demand=high", "--response", "congestion=3.2 km"],
            "response 'congestion' is '3.2 km': give a number alone, in min, as in congestion=3.2.",
        ),
        (
            ["--round", "7", "--type", "demand=high", "--response", "congestion=3.2"],
            "round '7' was never asked: ask for it first, or name a pending round ('1').",
        ),
        (["--type", "high"], "response 'congestion' is missing: give it, such as congestion=…."),
        (["--type", "high", "--response", "a=1", "--response", "a=2"], "--response gives 'a' twice: give it once."),
        (["--from", "x.csv", "--type", "high"], "--from names a file that holds everything: leave --round, --type and"),
        (["--from", "x.csv"], "file 'x.csv' cannot be read: "),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(arguments: list[str], sentence: str) -> None:
    begun()
    match("ask", "roads")
    assert match("tell", "roads", *arguments, code=2).startswith(sentence)


def test_a_menu_file_with_nan_a_missing_store_and_a_damaged_one() -> None:
    begun()
    Path("menu.csv").write_text("plan,north,centre,south,units\na,1,2,3,4\nb,1,NaN,3,4\n")
    text = Path("match.toml").read_text()
    start, stop = text.index("rows = ["), text.index("\n]\n") + 3
    Path("file.toml").write_text(text[:start] + 'file = "menu.csv"\n' + text[stop:])
    assert match("new", "x", "--config", "file.toml", code=2) == (
        "menu file 'menu.csv' has 'NaN' in column 'centre', row 2: give every action a finite number there."
    )
    assert match("ask", "roads", "--store", "other.db", code=2).startswith("store 'other.db' does not exist")
    assert match("new", "roads", "--config", "match.toml", code=3).startswith("match 'roads' exists already")
    assert match("tell", "roads", code=2).startswith("--round is missing: name the round (none is pending)")
    assert match("correct", "roads", "--round", "1", "--reason", "x", code=2).startswith("correct needs either")
    content = bytearray(Path("matches.db").read_bytes())
    content[content.index(b"Daily routing")] ^= 1
    Path("matches.db").write_bytes(content)
    assert match("status", "roads", code=4).startswith("Event 1 of the journal is not what was recorded")


@pytest.mark.parametrize("variable", [None, "other.db"])
def test_hints_name_a_store_that_they_would_not_find(variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    begun()
    if variable:
        monkeypatch.setenv("FIRSTMOVER_STORE", variable)
    for store, option in {"a b.db": " --store 'a b.db'", "other.db": "" if variable else " --store other.db"}.items():
        said = match("new", "roads", "--config", "match.toml", "--store", store)
        assert said.endswith(f"firstmover match ask roads{option}")
        assert f"firstmover match tell roads{option} --round 1 " in match("ask", "roads", "--store", store)


def test_hints_can_be_pasted_and_tables_keep_their_lines() -> None:
    begun()
    match("new", "the roads", "--config", "match.toml")
    assert "tell 'the roads' --round 'half day; x' --type" in match("ask", "the roads", "--round", "half day; x")
    match("void", "the roads", "--round", "half day; x", "--reason", "line one\nline two\x1b[31m")
    lines = match("history", "the roads").splitlines()
    assert len(lines) == 2
    assert lines[1].endswith(r"line one\nline two\x1b[31m")


def test_numbers_that_are_too_large_for_the_machine() -> None:
    begun()
    assert match("replay", "roads", "--until", "9" * 30).startswith("After 1 event, 0 rounds asked and 0 told")
    Path("one.csv").write_text(f"action,demand,congestion\n{'9' * 5000},low,1\n")
    assert match("import", "roads", "one.csv", code=2).startswith("line 2: action is '999")
    Path("one.csv").write_text("action;demand;congestion\n1;low;1,5\n")
    assert match("import", "roads", "one.csv").startswith("1 row imported")


def test_another_action_than_advised_and_one_that_nobody_asked_for() -> None:
    begun()
    assert "half by north" not in match("ask", "roads")
    values = ["--type", "demand=low", "--response", "congestion=3"]
    told = match("tell", "roads", *values, "--played", "half by north", "--reason", "road works")
    assert told == "1 round told, with 'half by north' as the action played; 0 pending."
    history = match("history", "roads")
    assert "half by north" in history.splitlines()[1]
    assert "road works" in history
    assert "Advice followed in 0 of 1 told rounds." in match("status", "roads")
    record = ["record", "roads", "--action", "all by north", *values, "--id", "17"]
    assert match(*record) == "'all by north' is recorded into the belief; the weights of actions count rounds only."
    assert match(*record) == "That is recorded already."
    wrong = ["--round", "1", *values, "--reason", "misread", "--played", "half by south"]
    assert match("correct", "roads", *wrong) == "Round 1 is corrected, and the learner was computed again."
    assert "half by south" in match("history", "roads").splitlines()[1]
    assert "1 observation recorded outside of rounds" in match("status", "roads")


def test_a_person_lists_renames_archives_and_deletes_matches(tmp_path: Path) -> None:
    begun()
    match("ask", "roads")
    assert match("list") == "name   kind  asked  told  pending  void\nroads  menu  1      0     1        0"
    assert match("rename", "roads", "old roads") == "Match 'roads' is called 'old roads' now."
    assert match("archive", "old roads") == "Match 'old roads' is archived."
    assert match("archive", "old roads") == "Match 'old roads' is archived already: nothing changed."
    assert match("list") == "There is no match in this store."
    assert match("list", "--archived").splitlines()[1].split() == ["old", "roads", "menu", "1", "0", "1", "0", "yes"]
    assert json.loads(match("list", "--archived", "--json"))["matches"][0]["pending"] == ["1"]
    assert match("ask", "old roads", "--round", "2", code=2).startswith("match 'old roads' is archived")
    assert match("unarchive", "old roads") == "Match 'old roads' goes on."
    deletion = ["delete", "old roads", "--export", "kept.json", "--confirm"]
    assert match(*deletion, "roads", code=2).startswith("confirm is 'roads': give the name of the match, 'old roads'")
    assert match(*deletion, "old roads") == "Match 'old roads' is deleted; its journal is in kept.json."
    assert len(json.loads((tmp_path / "kept.json").read_text())) == 5
    assert match("list") == "There is no match in this store."


def test_a_context_and_closed_actions() -> None:
    Path("kiosk.json").write_text(json.dumps(KIOSK))
    match("new", "kiosk", "--config", "kiosk.json")
    assert match("ask", "kiosk", code=2) == "context is missing for round '1': give weekday, known before the action."
    asked = match("ask", "kiosk", "--context", "weekday=sun", "--without", "4.0")
    assert asked.startswith("Round 1: play '3.0' (no. 3 of 4), which had probability 100.0%.")
    assert asked.endswith("firstmover match tell kiosk --round 1 --type weather=… --response sold=…")
    assert match("ask", "kiosk", "--allowed", "3.0") == asked
    assert match("ask", "kiosk", "--allowed", "4.0", code=3).startswith(
        "round '1' was asked without 1.0, 2.0, 4.0, and"
    )
    assert match(
        "ask", "kiosk", "--round", "2", "--context", "mon", "--allowed", "1.0", "--without", "2.0", code=2
    ) == ("allowed and without are both given: give one of them.")
    Path("told.csv").write_text("round,weather,sold\n1,wet,3\n")
    assert match("tell", "kiosk", "--from", "told.csv") == "1 round told; 0 pending."
    assert json.loads(match("history", "kiosk", "--json"))["rounds"][0]["type weekday"] == "sun"
