"""Contests with contexts and closed actions, and their summaries by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES
from studies.contexts import (
    CLOSURES,
    HINTS,
    KIOSKS,
    NOTHING,
    ContextTask,
    Separate,
    best_policy,
    contest,
    context_tasks,
    hinted,
)
from studies.report import fresh_closures_aims, fresh_contexts_aims, fresh_hints_aims, fresh_kiosks_aims

from firstmover.core.records import Feedback
from firstmover.games.opponent import true_rewards
from firstmover.runs.arena.families import DEVELOPMENT, REPORT, kiosk
from firstmover.simulation.hindsight import reward_table
from studies import contexts


def test_sizes_are_those_that_were_announced() -> None:
    for name in ("fresh-hints", "fresh-kiosks", "fresh-contexts", "fresh-closures"):
        assert name in ON_FAMILIES
        tasks = STUDIES[name].tasks()
        assert len({task.seed for task in tasks}) == 20
        assert all(task.seed in REPORT for task in tasks)
        assert all(task.seed in DEVELOPMENT for task in STUDIES[name].tasks(develop=True))
        assert len({task.rounds for task in tasks[::10]}) == 1


def test_hints_are_right_four_times_in_five() -> None:
    for wrong, rows in ((None, 16), (contexts.PARTNER, 8)):
        types, chances = hinted(wrong)
        assert len(types) == rows
        assert chances.sum() == pytest.approx(1.0)
        segment = np.array([np.flatnonzero((kind[:3] == contexts.SEGMENTS).all(axis=1))[0] for kind in types])
        hint = types[:, 3:].argmax(axis=1)
        assert chances[segment == hint].sum() == pytest.approx(0.8)
        assert np.bincount(segment, weights=chances) == pytest.approx([0.25] * 4)


def test_the_best_policy_by_a_hint_earns_seven_per_cent_more() -> None:
    """No learner can earn 8 % more with hints that are wrong evenly."""
    game, opponent = contest("hint", 0)[:2]
    types, chances = hinted(None)
    table = reward_table(true_rewards(game, opponent.respond), types)
    single = (chances @ table).max()
    policy = chances @ best_policy(game, opponent, table, types[:, 3:])
    assert policy / single == pytest.approx(1.0717, abs=1e-4)


def test_each_context_has_a_learner_of_its_own() -> None:
    game = replace(kiosk(2).game, context=tuple(range(1, 8)))
    learner = Separate(game, {})
    day, other = np.array([20.0, *np.eye(7)[2], 0.0]), np.array([20.0, *np.eye(7)[3], 0.0])
    told = learner
    for _ in range(5):
        told = told.observe(Feedback(0, day, np.array([5.0])))
    assert [x.belief.count for x in told.learners.values()] == [5]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(told.decide(other[1:8]), learner.strategy)
    assert np.argmax(told.decide(day[1:8])) != 0


@pytest.mark.parametrize("label", [*HINTS[:2], *KIOSKS, *NOTHING, *CLOSURES])
def test_a_run_has_regrets_and_a_bound(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "contest", lambda *args: contest(*args)._replace(rounds=5))
    table = ContextTask(label, 3).play()
    assert table.height == 5
    assert (table["policy_regret"] >= table["cumulative_regret"] - 1e-9).all()
    assert (table["of_type"] >= table["reward"] - 1e-9).all()
    assert table["bound"].is_sorted()
    assert ContextTask(label, 3).play().equals(table)


def rows(label: str, seed: int, reward: list[float], **columns: float) -> pl.DataFrame:
    t = np.arange(1, len(reward) + 1)
    return pl.DataFrame({"label": label, "seed": seed, "t": t, "reward": reward, **columns})


def test_summaries_by_hand() -> None:
    hints = pl.concat(
        rows(label, seed, [0.0] + [float(seed)] * 100, single=2.0, of_type=4.0, policy=5.0)
        for label in HINTS
        for seed in (2, 3)
    )
    first = contexts.last_rounds(hints).row(0, named=True)
    assert (first["single"], first["of_type"], first["policy"]) == (1.25, 0.625, 0.5)
    assert [aim.verdict for aim in fresh_hints_aims(hints)] == ["missed", "met on average", "met on average"]
    days = pl.concat(rows(label, seed, [1.0 + (label == "weekday")] * 3) for label in KIOSKS for seed in (1, 2))
    assert contexts.ahead(days, *KIOSKS) == (2.0, 0.0)
    assert [aim.verdict for aim in fresh_kiosks_aims(days)] == ["met"]
    closed = pl.concat(
        rows(label, 1 + i, [0.0], ranking_regret=3.0 + (label == "open")) for label in CLOSURES for i in (0, 1)
    )
    assert contexts.relative(closed, "ranking_regret", *CLOSURES) == (0.75, 0.0)
    assert [aim.verdict for aim in fresh_closures_aims(closed)] == ["met"]
    regrets = pl.concat(
        rows(label, i, [0.0] * 25, cumulative_regret=2.0 if "label" in label else 1.0, policy_regret=3.0, bound=4.0)
        for label in NOTHING
        for i in (0, 1)
    )
    assert contexts.share_of_bound(regrets, "groups, adversary") == 0.75
    assert [aim.verdict for aim in fresh_contexts_aims(regrets)] == ["missed", "missed", "met"]


def test_tasks_are_numbered_from_the_first() -> None:
    assert [(task.label, task.seed) for task in context_tasks(CLOSURES, 2, 7)] == [
        *(("a fifth closed", 7), ("a fifth closed", 8)),
        *(("open", 7), ("open", 8)),
    ]
