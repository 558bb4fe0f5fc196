"""The tasks of the arena: who plays where, what learners are told, and what their results depend on."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firstmover.core import plugins
from firstmover.core.contracts import Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.plugins import load_plugins
from firstmover.games.routing.cities import add_city
from firstmover.games.routing.network import sioux_falls
from firstmover.learners import GPMW, LEARNERS, LearnerEntry, Setup, uniform
from firstmover.runs.arena import plan as plan_module
from firstmover.runs.arena.contestants import AUTO, ENTRANTS, HAND, check_learner, contestant, uniform_sample
from firstmover.runs.arena.families import FAMILIES, REPORT
from firstmover.runs.arena.instances import INSTANCES, Described, Place, instance_of, places
from firstmover.runs.arena.plan import ArenaPlan, ArenaTask, arena_plan

KIOSK, PARK, CITY = Place("kiosk", 9000), Place("park", 9000), Place("city sioux-falls", 1000)


def test_the_arena_has_all_families_and_a_city() -> None:
    found = places()
    assert len(found) == sum(INSTANCES.values()) + 3 == 33
    assert {place.family for place in found} == {*FAMILIES, "city sioux-falls"}
    assert all(place.instance in REPORT for place in found if place.family in FAMILIES)
    assert [place.instance for place in found if place.family == "city sioux-falls"] == [1000, 1001, 1002]
    assert len(places(most=1)) == 9
    assert places(("kiosk",), most=2) == [KIOSK, Place("kiosk", 9001)]
    assert places(("kiosk",), ("sioux-falls",), most=1) == [KIOSK, CITY]
    assert places((), ("sioux-falls",)) == places()


def test_unknown_names_are_refused() -> None:
    for given, words in ((("kosk",), "family 'kosk': did you mean 'kiosk'"), ((), "city 'atlantis': Known: sioux")):
        with pytest.raises(InvalidInput, match=words):
            places(given, ("atlantis",))
    with pytest.raises(InvalidInput, match="no instance"):
        arena_plan([])
    for name, words in (
        ("hand-tune", "did you mean 'hand-tuned'"),
        ("optimum", "needs future_types, which the arena does not have"),
        ("best-offline", "needs history"),
        ("growing", "mixtures outside the menu"),
        ("fixed", "write fixed:ACTION"),
    ):
        with pytest.raises(InvalidInput, match=words):
            check_learner(name)
    for name in (*ENTRANTS, "fixed:0", "max-min", "exp3p"):
        check_learner(name)


def test_learners_that_cannot_play_are_left_out_with_the_reason() -> None:
    plan = arena_plan([PARK, KIOSK, CITY], ["gp-ucb", HAND, "choice", "hedge"], rounds=5, seeds=2)
    assert [(each.learner, each.family) for each in plan.left_out] == [
        ("gp-ucb", "kiosk"), ("choice", "kiosk"), ("gp-ucb", "city sioux-falls"), (HAND, "city sioux-falls"),
        ("choice", "city sioux-falls"),
    ]  # fmt: skip
    assert {each.reason for each in plan.left_out} == {
        "it plays against one known type only", "it does not suit the game", "there are no settings by hand",
    }  # fmt: skip
    played = [(task.place, task.learner) for task in plan.tasks if task.seed == 1]
    assert played == [
        *((PARK, name) for name in (AUTO, "gp-ucb", HAND, "choice", "hedge")),
        *((KIOSK, name) for name in (AUTO, HAND, "hedge")),
        *((CITY, name) for name in (AUTO, "hedge")),
    ]
    assert len(plan.tasks) == 2 * len(played)
    assert plan.table.height == len(plan.tasks)
    assert plan.instances[CITY].words.startswith("sioux-falls: ")
    assert plan.manifest.notes["told_rewards"] == ["hedge"]
    assert plan.manifest.title == "5 learners on 3 instances, 5 rounds, 2 seeds"


@pytest.fixture
def entered() -> Iterator[list[Setup]]:
    """Two learners, of which one declares oracle access, and the setups from which they are built."""
    setups: list[Setup] = []

    def build(setup: Setup, _: object) -> Learner:
        setups.append(setup)
        return uniform(setup.game.n_actions)

    LEARNERS.add("blind", LearnerEntry("sees nothing", build))
    LEARNERS.add("seeing", LearnerEntry("sees rewards", build, needs=("true_rewards",)))
    yield setups
    LEARNERS.remove("blind")
    LEARNERS.remove("seeing")


def test_learners_are_told_the_fitted_kernel_and_rewards_only_if_they_declare_it(entered: list[Setup]) -> None:
    for name in ("blind", "seeing"):
        contestant(name, *KIOSK, rounds=7)
    blind, seeing = entered
    instance = instance_of(*KIOSK)
    assert blind.true_rewards is None
    assert seeing.true_rewards is not None
    assert blind.kernel == seeing.kernel != instance.kernel
    assert (blind.horizon, blind.regularization) == (7, instance.noise_variance)
    assert blind.prior is seeing.prior is blind.belief()


def test_equal_tasks_give_equal_results_and_the_regret_is_that_of_the_range() -> None:
    first, again = (ArenaTask(KIOSK, "exp3", 3, 20) for _ in range(2))
    tables = [task.kept(task.play()) for task in (first, again)]
    assert tables[0].drop("cpu_ms").equals(tables[1].drop("cpu_ms"))
    row = tables[0].row(0, named=True)
    low, high = instance_of(*KIOSK).game.reward_range or (np.nan, np.nan)
    assert (row["t"], row["reward_range"]) == (20, high - low)
    assert 0 < row["cumulative_regret"] < 20 * (high - low)
    assert first.fields == {"family": "kiosk", "instance": 9000, "learner": "exp3", "seed": 3, "rounds": 20}


def test_the_cost_is_the_processor_time_of_a_round_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([7.0, 7.5])
    monkeypatch.setattr(plan_module, "process_time", lambda: next(times))
    assert set(ArenaTask(KIOSK, "uniform", 0, 20).play()["cpu_ms"]) == {25.0}


def test_learners_of_the_reward_are_told_its_noise() -> None:
    instance = instance_of(*KIOSK)
    points, responses, noise = uniform_sample(instance)
    prices, cost = (
        points[:, 0],
        instance.game.actions[0, 0] - instance.game.reward(instance.game.actions, np.ones((12, 1))),
    )
    variance = np.mean(((prices - cost[0]) * noise[:, 0]) ** 2)  # the reward is (price − cost) · sold
    learner = contestant("gp-mw", *KIOSK, rounds=7)
    assert isinstance(learner, GPMW)
    assert learner.belief.regularization == pytest.approx(variance)
    assert len(responses) == 100


PLUGIN = """
from firstmover.learners import LEARNERS, LearnerEntry, uniform
LEARNERS.add("lazy", LearnerEntry({summary!r}, lambda setup, _: uniform(setup.game.n_actions)))
"""


def test_a_changed_plugin_changes_the_keys_of_its_own_learners_only(tmp_path: Path) -> None:
    file = tmp_path / "lazy.py"
    keys = []
    try:
        for summary in ("one", "two"):
            file.write_text(PLUGIN.format(summary=summary))
            load_plugins([str(file)])
            plan = arena_plan([KIOSK], ["exp3", HAND, "lazy"], rounds=3, seeds=1)
            keys.append(dict(zip((task.learner for task in plan.tasks), plan.keys, strict=True)))
            assert list(plan.manifest.notes["plugins"]) == ["lazy.py"]
    finally:
        for table, name in plugins._LOADED.pop(str(file)).added:
            table.remove(name)
    assert {name for name in keys[0] if keys[0][name] != keys[1][name]} == {"lazy"}
    assert arena_plan([KIOSK], ["exp3"], rounds=3, seeds=1).keys[1] == keys[0]["exp3"]
    assert arena_plan([KIOSK], ["exp3"], rounds=4, seeds=1).keys[1] != keys[0]["exp3"]


def test_a_replaced_city_changes_the_keys_of_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "FIRSTMOVER_CITIES", str(tmp_path))
    network = sioux_falls()
    keys = []
    for factor in (1.0, 2.0):
        add_city("town", replace(network, capacity=factor * network.capacity), replace=True)
        place = places((), ("town",))[-1]
        assert place == Place("city town", 1002)
        instances = {each: Described("", instance_of(*KIOSK).game) for each in (place, KIOSK)}
        tasks = tuple(ArenaTask(each, AUTO, 0, 3) for each in instances)
        keys.append(ArenaPlan((AUTO,), instances, 3, (0,), tasks, ()).keys)
    assert keys[0][0] != keys[1][0]
    assert keys[0][1] == keys[1][1]
