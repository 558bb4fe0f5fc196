"""Weights of past observations: they give the mean, and rows go by the names that people know."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.matches import Match
from firstmover.matches.influence import influences
from firstmover.matches.observed_rows import observed_rows
from tests.matches.test_changes import ANYTIME
from tests.matches.test_explanation import ONE, started


def test_weights_of_a_fixed_kernel_give_the_posterior_mean(tmp_path: Path) -> None:
    with started(tmp_path, ANYTIME, 9) as match:
        state = match.state()
        rows, kind = observed_rows(state), match.setting.types.vector({"customers": "visitors"})
        for action in range(4):
            found = influences(state, rows, action, kind, len(rows))
            mean = sum(each.weight * each.response["sold"] for each in found)
            assert mean == pytest.approx(state.learning.belief.predict(kind).mean[action, 0])


def rows_off_the_menu() -> list[dict[str, Any]]:
    prices = (1.0, 2.5, 3.0, 3.5, 4.0)
    rows = [{"features": {"price": price}, "type": {}, "response": 40.0 - 8.0 * price} for price in prices]
    return [rows[0] | {"when": "2025-03-31"}, rows[1] | {"id": "till 4"}, *rows[2:]]


def test_rows_are_named_and_may_be_off_the_menu(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", ONE) as match:
        match.import_history(rows_off_the_menu())
        match.record("2", None, 23.0, record_id="by hand")
        match.ask("monday")
        match.tell("monday", None, 17.0, played="3")
        names = [(row.name, row.label) for row in observed_rows(match.state())]
        assert names == [
            ("2025-03-31", "1"),
            ("till 4", "price 2.5"),
            ("imported row 3", "3"),
            ("imported row 4", "price 3.5"),
            ("imported row 5", "4"),
            ("record by hand", "2"),
            ("round monday", "3"),
        ]
        belief: Any = match.state().learning.belief
        assert [seen.response[0] for seen in belief.seen] == [
            row.response["sold"] for row in observed_rows(match.state())
        ]
        match.ask("now", without=["1", "2", "4"])
        found = match.explain()
        weights = belief.influence(2, np.empty(0))
        assert found.influences[0].weight == pytest.approx(weights[np.argmax(np.abs(weights))])
        assert "sold=" in next(
            line for line in found.lines() if line.startswith("The prediction for '3' rests most on")
        )
