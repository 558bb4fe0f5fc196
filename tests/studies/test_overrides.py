"""Runs in which other actions than advised are played, and their summaries by hand."""

import numpy as np
import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES
from studies.menus import FAMILIES
from studies.overrides import (
    FOLLOWED,
    HABIT,
    LABELS,
    RANDOM,
    OverrideTask,
    error_of,
    error_ratio,
    learner_after,
    overriding,
    summarise_overrides,
)
from studies.report import fresh_overrides_aims

from firstmover.core.records import Feedback
from firstmover.learners.auto import Auto
from firstmover.runs.arena.families import DEVELOPMENT, REPORT, random_response
from studies import overrides


def test_sizes_are_those_that_were_announced() -> None:
    assert "fresh-overrides" in ON_FAMILIES
    tasks = STUDIES["fresh-overrides"].tasks()
    assert len(tasks) == len(FAMILIES) * len(LABELS) * 40
    assert all(task.seed in REPORT for task in tasks)
    assert all(task.seed in DEVELOPMENT for task in STUDIES["fresh-overrides"].tasks(develop=True))


@pytest.mark.parametrize("label", LABELS)
def test_three_in_ten_actions_are_others(label: str) -> None:
    """5 standard deviations of the share are 0.023; of a habit, one in 50 overrides is the advised action."""
    override = overriding(label, 50, np.random.default_rng(0))
    played = np.array([override(i % 50) for i in range(10_000)])
    other = played != np.arange(10_000) % 50
    assert np.mean(other) == pytest.approx(0.0 if label == FOLLOWED else 0.3, abs=0.03)
    if label != FOLLOWED:
        assert len(np.unique(played[other])) == (1 if label == HABIT else 50)


def test_the_learner_is_told_what_was_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overrides, "ROUNDS", 12)
    instance = random_response(7, "random")
    learner = learner_after(instance, RANDOM, 7)
    actions = np.array([seen.action for seen in learner.belief.seen])
    assert len(learner.advised) == 12
    assert 0 < np.sum(actions != learner.advised) < 12
    row = OverrideTask("response", RANDOM, 7).play().row(0, named=True)
    assert row["overridden"] == np.mean(actions != learner.advised)
    assert row["error"] == pytest.approx(error_of(learner, instance))
    followed = learner_after(instance, FOLLOWED, 7)
    types = [[seen.opponent_type.tolist() for seen in each.belief.seen] for each in (learner, followed)]
    assert types[0] == types[1]


def test_the_error_is_relative_to_the_spread_of_responses() -> None:
    instance = random_response(3, "random")
    assert instance.game.types is not None
    learner = Auto.start(instance.game)
    theta = instance.game.types[0]
    learner = learner.observe(Feedback(0, theta, instance.opponent.respond(instance.game.actions[[0]], theta)[0]))
    true = np.concatenate([instance.opponent.respond(instance.game.actions, kind) for kind in instance.game.types])
    mean = np.concatenate([learner.belief.predict(kind).mean for kind in instance.game.types])
    relative = (mean - true) / true.std(axis=0)
    assert error_of(learner, instance) == pytest.approx(np.sqrt(np.mean(relative**2)))


def test_summaries_by_hand() -> None:
    errors = {FOLLOWED: (1.0, 4.0), RANDOM: (0.5, 2.0), HABIT: (1.0, 4.84)}
    table = pl.concat(
        pl.DataFrame({"family": "kiosk", "advice": advice, "seed": seed, "overridden": 0.3, "error": each[seed]})
        for advice, each in errors.items()
        for seed in (0, 1)
    )
    assert error_ratio(table, RANDOM) == pytest.approx((0.5, 0.5, 0.5))
    ratio, low, high = error_ratio(table, HABIT)
    assert (ratio, low * high) == pytest.approx((1.1, 1.21))
    assert summarise_overrides(table).height == 4
    assert [aim.verdict for aim in fresh_overrides_aims(table)] == ["met", "missed"]
