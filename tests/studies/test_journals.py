"""The study of journals: sizes, policies, the deviation of inverse propensity, and one small journal."""

import numpy as np
import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES
from studies.journals import (
    DEVELOPED,
    LEARNERS,
    OTHERS,
    JournalTask,
    drawn_policies,
    instance_of,
    noisy_squares,
    propensity_deviation,
    summarise_journals,
)
from studies.report import fresh_journals_aims

from firstmover.runs.arena.families import DEVELOPMENT, REPORT
from studies import journals


def test_sizes_are_those_that_were_announced() -> None:
    assert "fresh-journals" in ON_FAMILIES
    tasks = STUDIES["fresh-journals"].tasks()
    assert len(tasks) == (len(DEVELOPED) + len(OTHERS)) * len(LEARNERS) - 1
    assert all(task.seed in REPORT and task.rounds == 1000 for task in tasks)
    developed = STUDIES["fresh-journals"].tasks(develop=True)
    assert all(task.seed in DEVELOPMENT for task in developed)
    assert not any(task.label.startswith(OTHERS) for task in developed)


def test_policies_are_distributions() -> None:
    types = np.random.default_rng(0).random((50, 2))
    found = drawn_policies(types, 5, np.random.default_rng(1))
    for _, policy in zip(range(12), found, strict=False):
        assert policy.shape == (50, 5)
        np.testing.assert_allclose(policy.sum(axis=1), 1.0)


def test_the_deviation_of_inverse_propensity_is_that_of_many_records() -> None:
    """Over 20,000 records of 5 rounds; the relative standard error of a deviation is below 2 %."""
    rng = np.random.default_rng(2)
    strategies, policy = rng.dirichlet(np.full(3, 3.0), 5), rng.dirichlet(np.ones(3), 5)
    rewards = rng.normal(size=(5, 3))
    values = []
    for _ in range(20_000):
        actions = [int(np.searchsorted(np.cumsum(p), rng.random())) for p in strategies]
        at = np.arange(5), actions
        values.append(np.mean(policy[at] / strategies[at] * (rewards[at] + 0.5 * rng.standard_normal(5))))
    found = propensity_deviation(policy, strategies, rewards, rewards**2 + 0.25)
    assert found == pytest.approx(np.std(values), rel=0.05)
    strategies[0, 0] = 0.0
    assert propensity_deviation(policy, strategies, rewards, rewards**2) == np.inf


def test_noise_is_in_the_squared_rewards() -> None:
    instance = instance_of("shore", 3)
    found = noisy_squares(instance, np.array([[0.1], [0.3], [0.1]]), np.random.default_rng(0))
    assert found.shape == (3, 24)
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_small_journal(monkeypatch: pytest.MonkeyPatch, learner: str) -> None:
    monkeypatch.setattr(journals, "ROUNDS", 25)
    monkeypatch.setattr(journals, "POLICIES", 12)
    table = JournalTask("shore", learner, 5).play()
    row = table.row(0, named=True)
    assert 0 <= row["warned"] <= 1
    assert row["error"] > 0
    assert row["covered"] > 0.5
    summary = summarise_journals(pl.concat([table, table]))
    assert summary["journals"].to_list() == [2]
    assert [aim.measured.split(",")[0] for aim in fresh_journals_aims(table)] == ["journals", "journals", "1"]
