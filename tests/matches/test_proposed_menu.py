"""Proposed menus: the usual action of the last rounds, grids, and names with properties."""

from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.column_kinds import Column
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import propose, propose_file
from firstmover.matches.proposed_menu import _nearest, grid, propose_menu


def test_the_usual_action_is_that_of_the_last_quarter() -> None:
    prices = [1.0] * 12 + [2.0, 3.0, 2.0, 3.0]
    menu = propose_menu([Column("price", "number", prices)])
    assert menu.usual(range(16)) == "3"  # of two that were played twice, the later one
    assert menu.usual(range(15, -1, -1)) == "1"
    assert propose_menu([Column("price", "number", [*prices, None, None])]).usual(range(18)) == "3"


def test_the_order_of_rounds_is_that_of_the_dates() -> None:
    rows = [f"2025-03-{31 - d:02},{'old' if d > 8 else 'new'},{d}" for d in range(31)]
    proposal = propose(read_csv("\n".join(["date,plan,visits", *rows]), "t"))
    assert proposal.order[:2] == [30, 29]
    assert '#baseline = "new"' in proposal.toml()


def test_actions_off_a_grid_count_for_the_nearest() -> None:
    rng = np.random.default_rng(1)
    prices = [*rng.uniform(1, 2, 90), *([1.513] * 10)]
    menu = propose_menu([Column("price", "number", prices)], 11)
    assert (menu.labels[0], menu.usual(range(100))) == ("1.0", "1.5")


def test_distances_are_in_units_of_the_range_of_each_number() -> None:
    actions = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 100.0]])
    rows = np.array([[1.0, 60.0], [0.4, 60.0], [np.nan, 0.0]])
    assert _nearest(rows, actions) == [1, 2, -1]  # 0.36 from the second action, and 1.16 from the third


def test_of_many_combinations_the_most_frequent_are_actions() -> None:
    distinct = [(float(a), 100.0 * b) for a in range(8) for b in range(9)]
    played = [*distinct[12:], *distinct]
    menu = propose_menu([Column(name, "number", [row[i] for row in played]) for i, name in enumerate("ab")])
    assert len(menu.labels) == 60
    assert menu.labels[0] == "1 / 300"


def test_actions_of_more_than_three_numbers_are_numbered() -> None:
    rows = [(1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 5.0), (0.0, 2.0, 3.0, 4.0)]
    columns = [Column(name, "number", [row[i] for row in rows]) for i, name in enumerate("abcd")]
    menu = propose_menu(columns)
    assert menu.labels == ["choice 1", "choice 2", "choice 3"]
    assert menu.played == [1, 2, 0]
    assert propose_menu(columns[:3]).labels == ["0 / 2 / 3", "1 / 2 / 3"]


def test_grids_over_ranges_that_are_narrow() -> None:
    assert grid(np.array([2.0] * 99 + [3.0]), 3).tolist() == [2.0, 2.5, 3.0]
    assert grid(np.array([2.0, 2.0]), 5).tolist() == [2.0]


def test_a_property_may_be_missing_in_some_rows_only() -> None:
    plan, north = Column("plan", "text", ["a", "b", "a"]), Column("north", "number", [None, 2.0, 5.0])
    assert propose_menu([plan, north]).columns["north"].tolist() == [5.0, 2.0]
    with pytest.raises(InvalidInput, match="'north' is empty wherever plan is 'b'"):
        propose_menu([plan, Column("north", "number", [1.0, None, None])])


def test_names_and_numbers_that_vary_freely_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{w},{('north', 'south')[w % 2]},{4 + w % 3},{w % 5}" for w in range(30)]
    path.write_text("\n".join(["week,sector patrolled,rangers,snares", *rows, "30,north,,4", "31,,5,4"]))
    proposal, usable = propose_file(path)
    menu = proposal.config()["menu"]
    assert menu["features"] == ["is north", "is south", "rangers"]
    assert menu["rows"][4] == {
        **{"sector patrolled / rangers": "south / 5", "is north": 0.0, "is south": 1.0, "rangers": 5.0}
    }
    assert usable is not None
    assert usable.decode().splitlines()[1] == "0,north,4,0,north / 4"
    path.write_bytes(usable)
    with Match.create(tmp_path / "m.db", "m", proposal.config()) as match:
        assert match.import_history(path).new == 30


def test_two_columns_of_names_have_features_of_their_own() -> None:
    a, b = Column("plan", "text", ["x", "y", "x", "x"]), Column("route", "text", ["u", "u", "v", "u"])
    menu = propose_menu([a, b])
    assert menu.labels == ["x / u", "x / v", "y / u"]
    assert list(menu.columns) == ["plan is x", "plan is y", "route is u", "route is v"]
    assert menu.columns["route is v"].tolist() == [0.0, 1.0, 0.0]
    assert menu.played == [0, 2, 1, 0]


def test_rare_combinations_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{w},{'abcdefgh'[w % 8]},{w // 8 % 8},{w}" for w in [*range(64), *range(60)]]
    path.write_text("\n".join(["week,plan,price,sold", *rows]))
    proposal, usable = propose_file(path)
    assert usable is not None
    assert len(usable.decode().splitlines()) == 121
    assert proposal.remarks[0] == "4 rows with a rare decision are left out: line 62, line 63, line 64, line 65."
