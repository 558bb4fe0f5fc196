"""Alarms of auto: healthy runs are counted, and each scenario raises its alarm."""

import polars as pl
import pytest
from studies.alarms import HEALTHY, SCENARIOS, AlarmTask, alarm_tasks, false_alarms, raised, summarise_alarms
from studies.report import fresh_alarms_aims

from firstmover.learners.alarms.checks import CHECKS
from firstmover.runs.arena.families import FAMILIES, REPORT


def test_a_hundred_healthy_runs_of_all_families_and_a_scenario_for_each_alarm() -> None:
    tasks = alarm_tasks()
    assert set(HEALTHY) == set(FAMILIES)
    assert (len(tasks), len(SCENARIOS)) == (108, len(CHECKS))
    assert [task.seed for task in tasks] == list(range(108))  # one label: a table of labels and seeds is complete
    assert {task.label for task in tasks} == {"auto"}
    assert {isinstance(task, AlarmTask) and task.instance in REPORT for task in tasks} == {True}


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_alarm_is_raised_in_its_scenario(name: str) -> None:
    table = AlarmTask(0, name, 1, rounds=160).play()
    assert raised(table) == (1, 1), table["alarms"]


def test_a_healthy_run_and_a_park_raise_none() -> None:
    for family, rounds in (("kiosk", 80), ("park", 12)):
        assert AlarmTask(0, family, 1, rounds).play().row(0) == (family, 1, False, "")


def test_alarms_are_counted_by_runs() -> None:
    made = pl.DataFrame(
        {
            "family": ["f", "f", "drift", "outlier"],
            "seed": [0, 1, 0, 0],
            "scenario": [False, False, True, True],
            "alarms": ["", "drift (9)", "outlier (3), drift (9)", "drift (9)"],
        }
    )
    assert (false_alarms(made), raised(made)) == ((1, 2), (1, 2))
    assert summarise_alarms(made)["family"].to_list() == ["f", "drift", "outlier"]
    assert [aim.verdict for aim in fresh_alarms_aims(made)] == ["missed", "missed"]
    assert fresh_alarms_aims(made)[0].found == "1 of 2"
