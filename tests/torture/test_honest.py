"""Actions are drawn with the probabilities that are recorded beside them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from firstmover.core import numerics
from firstmover.core.arrays import Vector
from firstmover.matches import Match, commands
from firstmover.matches.events import unpacked
from tests.matches.played import new, play
from tests.torture.sizes import sizes

PROMISE = "honest randomness"
STATES = 10
"""Strategies that are drawn from, from the even one of the first round on."""


ENOUGH = 20
"""Draws that are expected of what is counted by itself: of an action that is expected once in 200 times, one draw
would already look impossible to χ²."""


def chance(folder: Path, draws: int) -> float:
    """How likely actions as far from their probabilities as these are, if all is well: Σ (n_i − n p_i)² / (n p_i)."""
    statistic, freedom = 0.0, 0
    with new(folder) as match:
        for state in range(STATES):
            counts, strategy = drawn_counts(match, draws // STATES)
            possible = strategy > 0
            assert counts[~possible].sum() == 0
            found, expected = pooled(counts[possible], strategy[possible] * counts.sum())
            statistic += float(np.sum((found - expected) ** 2 / expected))
            freedom += len(expected) - 1
            play(match, range(3 * state, 3 * state + 3))
    return float(chi2.sf(statistic, freedom))


def pooled(counts: Vector, expected: Vector) -> tuple[Vector, Vector]:
    """The same with rare actions counted together, and with the next if even so they are few."""
    order = np.argsort(expected)
    few = max(int(np.sum(expected < ENOUGH)) - 1, int(np.searchsorted(np.cumsum(expected[order]), ENOUGH)))
    starts = np.append(0, np.arange(few + 1, len(order)))
    return np.add.reduceat(counts[order], starts), np.add.reduceat(expected[order], starts)


def drawn_counts(match: Match, draws: int) -> tuple[Vector, Vector]:
    """Asks as they would be recorded, and the strategy that stands in them."""
    state, drafts = match.state(), []
    for _ in range(draws):
        draft, _ = commands.asking(state, "a round")
        assert draft is not None
        drafts.append((draft.payload["action"], draft.payload["strategy"], draft.payload["probability"]))
    actions, strategies, probabilities = zip(*drafts, strict=True)
    assert len(set(strategies)) == 1
    strategy = unpacked(strategies[0])
    assert np.array_equal(strategy[list(actions)], probabilities)
    return np.bincount(actions, minlength=len(strategy)), strategy


def test_rare_actions_are_counted_together() -> None:
    found, expected = pooled(np.array([50, 1, 0, 949]), np.array([45.0, 0.01, 4.99, 950.0]))
    assert found.tolist() == [51, 949]
    assert expected.tolist() == [50.0, 950.0]
    found, expected = pooled(np.array([50, 15, 20]), np.array([45.0, 15.0, 25.0]))
    assert found.tolist() == [35, 50]
    assert expected.tolist() == [40.0, 45.0]


@pytest.mark.parametrize("draws", sizes("draws"))
def test_actions_follow_the_recorded_probabilities(memory: Path, draws: int, reached: Callable[[str], None]) -> None:
    found = chance(memory, draws)
    reached(f"{draws:,} draws from {STATES} strategies, p = {found:.3g}")
    assert found > 1e-6


def test_teeth_a_draw_that_favours_the_first_actions(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        commands, "sample_action", lambda strategy, number: numerics.sample_action(strategy, 0.9 * number)
    )
    assert chance(memory, 20_000) < 1e-6
