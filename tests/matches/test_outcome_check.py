"""An outcome beside its forecast, before it is recorded."""

from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.forecast import Interval
from firstmover.matches.outcome_check import OutcomeCheck, _is_far
from tests.cli.running import match as command
from tests.matches.played import ROUTES


@pytest.fixture
def roads(tmp_path: Path) -> Match:
    """Twelve rounds told, one pending."""
    match = Match.create(tmp_path / "matches.db", "roads", ROUTES)
    for number in range(1, 13):
        match.tell(match.ask(str(number)).round_id, "low", 2.0)
    match.ask("13")
    return match


@pytest.mark.parametrize(("value", "far"), [(24, False), (35, False), (46, False), (46.1, True), (12.9, True)])
def test_a_value_is_far_beyond_the_width_of_its_band(value: float, far: bool) -> None:
    assert _is_far(value, Interval(29.5, 24.0, 35.0)) is far


def test_nothing_is_far_while_nothing_is_known() -> None:
    assert not _is_far(1e9, Interval(None, 0.0, 60.0))
    assert not _is_far(1e9, Interval(3.0, None, 60.0))


def test_a_surprising_value_is_questioned_and_not_recorded(roads: Match) -> None:
    (usual,) = roads.check("13", "low", 2.0).responses
    assert not usual.surprising
    assert roads.check("13", "low", 2.0).questions == ()
    (value,) = roads.check("13", "low", 19.0).responses
    assert value.surprising
    band = f"{value.expected.lower:.4g} to {value.expected.upper:.4g}"
    (question,) = roads.check("13", "low", 19.0).questions
    assert question == f"congestion: 19 was entered, {band} min was expected: is that right?"
    assert "13" in roads.state().pending


def test_the_reward_is_that_of_the_action_played(roads: Match) -> None:
    other = roads.setting.menu.labels[0]
    assert roads.check("13", "low", 2.0, played=other).reward == pytest.approx(
        float(roads.setting.menu.columns["units"][0]) - 2 * 2.0
    )


def test_before_the_first_round_everything_is_possible(tmp_path: Path) -> None:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        match.ask("1")
        found = match.check("1", "low", 19.0)
        assert found.questions == ()
        assert found.lines()[0] == "congestion: 19 min, and 0 to 20 min was possible: nothing was known."
        with pytest.raises(InvalidInput, match="was never asked"):
            match.check("2", "low", 3.0)


def test_the_record_is_read_again(roads: Match) -> None:
    found = roads.check("13", "low", 19.0)
    assert OutcomeCheck.from_dict(found.as_dict()) == found


def test_the_command_records_nothing(roads: Match, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    said = command("tell", "roads", "--type", "demand=low", "--response", "congestion=19", "--check").splitlines()
    assert said[0].startswith("congestion: 19 min, and ")
    assert said[-2].endswith("is that right?")
    assert said[-1] == "Nothing was recorded."
    assert "13" in roads.state().pending
