"""Proposed menus: the usual action of the last rounds, grids, and names with properties."""

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches.column_kinds import Column
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import propose
from firstmover.matches.proposed_menu import grid, propose_menu


def test_the_usual_action_is_that_of_the_last_quarter() -> None:
    prices = [1.0] * 12 + [3.0, 2.0, 2.0, 3.0]
    menu = propose_menu([Column("price", "number", prices)], None, range(16))
    assert menu.usual == "3"  # of two that were played twice, the later one
    assert propose_menu([Column("price", "number", prices)], None, range(15, -1, -1)).usual == "1"
    assert propose_menu([Column("price", "number", [*prices, None, None])], None, range(18)).usual == "3"


def test_the_order_of_rounds_is_that_of_the_dates() -> None:
    rows = [f"2025-03-{31 - d:02},{'old' if d > 8 else 'new'},{d}" for d in range(31)]
    assert propose(read_csv("\n".join(["date,plan,visits", *rows]), "t")).menu.usual == "new"


def test_actions_off_a_grid_count_for_the_nearest() -> None:
    rng = np.random.default_rng(1)
    prices = [*rng.uniform(1, 2, 90), *([1.513] * 10)]
    menu = propose_menu([Column("price", "number", prices)], 11, range(100))
    assert (menu.labels[0], menu.usual) == ("1.0", "1.5")


def test_distances_are_in_units_of_the_range_of_each_number() -> None:
    distinct = [(float(a), 100.0 * b) for a in range(8) for b in range(9)]
    played = [*(distinct * 2), *(distinct[:58] * 3), *([(7.0, 700.0)] * 60)]
    columns = [Column(name, "number", [row[i] for row in played]) for i, name in enumerate("ab")]
    menu = propose_menu(columns, None, range(len(played)))
    assert len(menu.labels) == 60
    assert menu.usual == "7 / 700"


def test_grids_over_ranges_that_are_narrow() -> None:
    assert grid(np.array([2.0] * 99 + [3.0]), 3).tolist() == [2.0, 2.5, 3.0]
    assert grid(np.array([2.0, 2.0]), 5).tolist() == [2.0]


def test_a_property_may_be_missing_in_some_rows_only() -> None:
    plan, north = Column("plan", "text", ["a", "b", "a"]), Column("north", "number", [None, 2.0, 5.0])
    assert propose_menu([plan, north], None, range(3)).columns["north"].tolist() == [5.0, 2.0]
    with pytest.raises(InvalidInput, match="'north' is empty wherever plan is 'b'"):
        propose_menu([plan, Column("north", "number", [1.0, None, None])], None, range(3))
