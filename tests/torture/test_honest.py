"""Actions are drawn with the probabilities that are recorded beside them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from firstmover.matches import Match, drafting, numerics
from firstmover.matches.events import unpacked
from firstmover.records import Vector
from tests.matches.played import new, play
from tests.torture.children import sizes

PROMISE = "honest randomness"
STATES = 10
"""Strategies that are drawn from, from the even one of the first round on."""


def chance(folder: Path, draws: int) -> float:
    """How likely actions as far from their probabilities as these are, if all is well: Σ (n_i − n p_i)² / (n p_i)."""
    statistic, freedom = 0.0, 0
    with new(folder) as match:
        for state in range(STATES):
            counts, strategy = drawn_counts(match, draws // STATES)
            possible = strategy > 0
            expected = strategy[possible] * counts.sum()
            assert counts[~possible].sum() == 0
            statistic += float(np.sum((counts[possible] - expected) ** 2 / expected))
            freedom += int(possible.sum()) - 1
            play(match, range(3 * state, 3 * state + 3))
    return float(chi2.sf(statistic, freedom))


def drawn_counts(match: Match, draws: int) -> tuple[Vector, Vector]:
    """Asks as they would be recorded, and the strategy that stands in them."""
    state, drafts = match.state(), []
    for _ in range(draws):
        draft, _ = drafting.asking(state, "a round")
        assert draft is not None
        drafts.append((draft.payload["action"], draft.payload["strategy"], draft.payload["probability"]))
    actions, strategies, probabilities = zip(*drafts, strict=True)
    assert len(set(strategies)) == 1
    strategy = unpacked(strategies[0])
    assert np.array_equal(strategy[list(actions)], probabilities)
    return np.bincount(actions, minlength=len(strategy)), strategy


@pytest.mark.parametrize("draws", sizes(20_000, 1_000_000))
def test_actions_follow_the_recorded_probabilities(memory: Path, draws: int, reached: Callable[[str], None]) -> None:
    found = chance(memory, draws)
    reached(f"{draws:,} draws from {STATES} strategies, p = {found:.3g}")
    assert found > 1e-6


def test_teeth_a_draw_that_favours_the_first_actions(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "drawn", lambda strategy, number: numerics.drawn(strategy, 0.9 * number))
    assert chance(memory, 20_000) < 1e-6
