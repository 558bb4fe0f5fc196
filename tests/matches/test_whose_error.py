"""An error of the learner is the learner's, and one of the store is the store's."""

from pathlib import Path

import pytest
from numpy.linalg import LinAlgError

from firstmover.core.errors import DamagedStore, PrecisionLost
from firstmover.matches import Match, journal
from firstmover.matches.learner_state import Learning
from tests.matches.played import new


@pytest.mark.parametrize(
    "error", [OverflowError("too large"), FloatingPointError("lost"), ZeroDivisionError("none"), LinAlgError("odd")]
)
def test_an_error_of_the_learner_is_not_the_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    match = new(tmp_path)
    match.ask("a")

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Learning, "after", fail)
        with pytest.raises(PrecisionLost, match=f"cannot compute with these values .*{error}.*: nothing was recorded"):
            match.tell("a", "low", 1.0)
    assert match.tell("a", "low", 1.0) is True
    assert match.verify().events == 3
    assert match.ask("b").strategy.tobytes() == Match.open(tmp_path / "matches.db", "roads").ask("b").strategy.tobytes()


def test_what_no_row_of_ours_can_hold_is_damage_inside_a_block_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = new(tmp_path)

    def unreadable(*_: object) -> None:
        raise OverflowError("Python int too large")

    monkeypatch.setattr(journal.Journal, "_line", unreadable)
    with pytest.raises(DamagedStore, match="cannot be read"):
        match.ask()
