"""Studies of cities: what an instance is, and the tables."""

import numpy as np
import polars as pl
import pytest
from studies.contestants import EXP3, HEDGE, PAPER

from firstmover.games.routing.city_game import CityGame
from firstmover.runs.arena import cities as city_instances
from firstmover.runs.arena.contestants import AUTO
from studies import cities, tolls


def test_an_instance_has_a_fleet_that_matters_and_its_own_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(city_instances, "DEMANDS", 2)
    instance, other = (city_instances.city_instance("sioux-falls", seed) for seed in (0, 1))
    game = instance.game
    assert isinstance(game, CityGame)
    users = game.users
    load = users.controls.fleet[users.controls.units == users.controls.units.max()].max(axis=0)
    used = load > 0
    assert (load[used] / users.network.capacity[used]).max() == 1.5
    congestion = users(game.actions, np.array([0.5]))[:, 0]
    trade_off = -game.worth[0, 0]
    assert trade_off * (congestion.max() - congestion[0]) == pytest.approx(0.5 * users.controls.units.max())
    assert instance.words != other.words
    assert instance.noise_variance > 0


def test_differences_to_auto_have_a_star_where_it_is_not_ahead() -> None:
    regrets = {AUTO: [0.01, 0.03], HEDGE: [0.05, 0.08], PAPER: [0.02, 0.02], EXP3: [0.0, 0.0]}
    rows = [
        ("town", "town: 1 to 2", 7, learner, run, regret, 1.0)
        for learner, of_runs in regrets.items()
        for run, regret in enumerate(of_runs)
    ]
    columns = ["city", "instance", "seed", "learner", "run", "regret", "seconds"]
    row = cities.table_of(pl.DataFrame(rows, columns, orient="row")).splitlines()[-1]
    half = 12.706 * 0.5  # the 97.5 % point of Student's t with one degree of freedom, times the standard error
    wide = f"{2 * half:.2f}"
    assert row == f"| town: 1 to 2 | 2.00 ± {wide} | 4.50 ± {half:.2f} * | 0.00 ± {wide} * | -2.00 ± {wide} * |"


def test_total_times_are_relative_to_the_best_fixed_tolls() -> None:
    rows = [("6→8", 0, 1.02, 1.0, 1.5), ("6→8", 1, 1.04, 1.0, 1.5), ("9→10", 0, 1.0, 1.1, 1.2)]
    frame = pl.DataFrame(rows, ["tolls on", "run", AUTO, "no toll", "random tolls"], orient="row")
    lines = tolls.table_of(frame.filter(pl.col("tolls on") == "6→8")).splitlines()
    assert lines[-1] == f"| 6→8 | 1.0300 ± {12.706 * 0.01:.4f} | 1.0400 | 1.0000 | 1.5000 |"
