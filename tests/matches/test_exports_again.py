"""The export of a match, imported into a new one: the same belief."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Imported, Match
from firstmover.matches.files import exported
from tests.matches.played import ROUTES, answer
from tests.matches.test_commitment import INSPECTIONS, QUAYS

AUTO = {
    name: value for name, value in ROUTES.items() if name not in ("kernel", "regularization", "confidence", "strategy")
}
FREE = AUTO | {"types": [{"name": "load"}]}


def played(folder: Path, config: dict[str, Any], rounds: int = 14) -> Match:
    """A match with rounds that were told late, void and corrected."""
    match = Match.create(folder / "matches.db", "played", config)
    free = config["types"][0].get("levels") is None
    for number in range(rounds):
        decision = match.ask(f"r{number}")
        demand, congestion = answer(decision, number)
        if number % 5 == 2:
            match.tell(match.ask(f"r{number} first").round_id, 0.125 if free else "high", 0.1 + 0.2)
        match.tell(decision.round_id, number % 3 / 3 if free else demand, congestion)
    match.ask("void")
    match.void("void", "rain")
    match.ask("pending")
    return match


def written(match: Match, path: Path) -> Path:
    path.write_bytes(exported(path.suffix, match.history(), match.setting, match.journal.read()))
    return path


def distance(one: Match, other: Match) -> float:
    """The largest difference of mean and standard deviation over all types."""
    beliefs = [match.state().learning.belief for match in (one, other)]
    game = one.setting.game
    types = np.array([[0.1], [0.9]]) if game.types is None else game.types
    pairs = [[belief.predict(kind) for belief in beliefs] for kind in types]
    return max(float(np.max(np.abs(np.asarray(a[i]) - np.asarray(b[i])))) for a, b in pairs for i in (0, 1))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
@pytest.mark.parametrize("config", [ROUTES, AUTO, FREE], ids=["kernel", "auto", "auto, any type"])
def test_an_export_gives_the_same_belief(tmp_path: Path, config: dict[str, Any], suffix: str) -> None:
    match = played(tmp_path, config)
    path = written(match, tmp_path / f"export.{suffix}")
    with Match.create(tmp_path / "matches.db", "again", config) as again:
        assert again.import_history(path) == Imported(match.state().told)
        assert distance(match, again) <= 1e-12
        assert again.ask("1").strategy.shape == (4,)
        assert again.verify().exact == 1
        assert again.import_history(path) == Imported(0, match.state().told)
    with Match.open(tmp_path / "matches.db", "again") as again:
        assert distance(match, again) <= 1e-12
    assert match.import_history(path) == Imported(0, match.state().told), "its own rounds are on record"


def test_a_journal_brings_corrections_imports_and_fits(tmp_path: Path) -> None:
    match = played(tmp_path, AUTO)
    match.correct("r3", "low", 19.0, reason="misread")
    off = {"features": {"north": 2.5, "south": 2.5}, "type": "low", "response": 1.5}
    match.import_history([off, off | {"type": None}, {"action": "both", "type": "low", "response": 2.0}])
    path = written(match, tmp_path / "journal.json")
    with Match.create(tmp_path / "matches.db", "again", AUTO) as again:
        assert again.import_history(path) == Imported(match.state().told + 3, without_type=1)
        assert distance(match, again) <= 1e-12
    with Match.open(tmp_path / "matches.db", "again") as again:
        assert distance(match, again) <= 1e-12
        assert again.verify().events == 2
    (tmp_path / "other").mkdir()
    old = written(played(tmp_path / "other", AUTO), tmp_path / "other.csv")
    assert match.import_history(old).on_record == 0, "rounds of another match are others, whatever their names"


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_what_was_played_and_recorded_is_learnt_again_once(tmp_path: Path, suffix: str) -> None:
    match = played(tmp_path, AUTO)
    advised = match.ask("other").label
    instead = next(label for label in match.setting.menu.labels if label != advised)
    match.tell("other", "high", 7.0, played=instead)
    if suffix == "json":
        match.record(instead, "low", 3.5, record_id="seen")
    path = written(match, tmp_path / f"export.{suffix}")
    rows = match.state().told + (suffix == "json")
    with Match.create(tmp_path / "matches.db", "again", AUTO) as again:
        assert again.import_history(path) == Imported(rows)
        assert again.state().latest_rows(99) == match.state().latest_rows(99)
        assert distance(match, again) <= 1e-12
        assert again.import_history(path) == Imported(0, rows)
    assert match.import_history(path) == Imported(0, rows), "rounds and records are on record"


def test_a_journal_of_another_learner_brings_its_rounds(tmp_path: Path) -> None:
    match = played(tmp_path, AUTO)
    path = written(match, tmp_path / "journal.json")
    with Match.create(tmp_path / "matches.db", "again", ROUTES) as again:
        assert again.import_history(path).new == again.learner().belief.count == match.state().told


def test_an_old_export_of_a_corrected_match_is_a_conflict(tmp_path: Path) -> None:
    match = played(tmp_path, ROUTES)
    path = written(match, tmp_path / "export.csv")
    match.correct("r3", "low", 19.0, reason="misread")
    with pytest.raises(
        Conflict, match=r"has other values for the row '.* r3' than those on record: nothing was changed"
    ):
        match.import_history(path)


def test_rounds_of_the_service_and_of_commitments(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "matches.db", "quays", INSPECTIONS)
    for number in range(5):
        match.tell(match.ask().round_id, None, QUAYS[number % 3])
    rounds = json.loads(json.dumps([each.as_dict() for each in match.history()]))
    (tmp_path / "rounds.json").write_text(json.dumps(rounds))
    for number, name in enumerate(["rounds.json", "rounds.csv", "journal.json"]):
        path = tmp_path / name
        if number:
            written(match, path)
        with Match.create(tmp_path / "matches.db", f"again {number}", INSPECTIONS) as again:
            assert again.import_history(path) == Imported(5)
            assert again.state().latest_rows(9) == match.state().latest_rows(9)
            assert again.state().learning.belief.count == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "change",
    [
        lambda events: events[1:],
        lambda events: [events[0], *events[2:]],
        lambda events: [event | {"payload": {}} for event in events],
        lambda events: [events[0], events[1] | {"kind": "close"}],
        lambda events: [*events, events[-1] | {"kind": "refitted", "payload": {"learner": {"count": "many"}}}],
    ],
    ids=["without its head", "without an ask", "without payloads", "of another kind", "with a fit that is none"],
)
def test_what_is_no_whole_journal_is_refused(tmp_path: Path, change: Any) -> None:
    path = written(played(tmp_path, AUTO, rounds=4), tmp_path / "journal.json")
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with (
        Match.create(tmp_path / "matches.db", "again", AUTO) as again,
        pytest.raises(InvalidInput, match=r"^history is no whole journal: export it again, as \.json\.$"),
    ):
        again.import_history(path)
