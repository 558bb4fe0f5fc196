"""The studies of learners of the field: each arena is played for some rounds, and the spill by hand."""

from math import exp, pi, sqrt

import numpy as np
import pytest
from studies.composite import TRUTH, composite_problem, concentrations, plain_problem
from studies.field import PARTS, Contest, tides


@pytest.mark.parametrize("name", PARTS)
def test_the_first_arena_of_each_part_is_played(name: str) -> None:
    contest = Contest("short", PARTS[name][0].arena, rounds=3)
    rows = contest.rows(range(1))
    assert [row["learner"] for row in rows] == list(contest.arena(0).learners)
    assert all(np.isfinite(row["regret"]) for row in rows)


def test_raiders_come_with_the_tide() -> None:
    arena = tides(())
    source = arena.opponent.types
    assert source.probabilities.sum() == pytest.approx(1.0)
    assert source.probabilities[[0, 5, 9]].tolist() == [0.2, 0.0, 0.2]
    assert arena.game.types[[0, 5], 1].tolist() == [0.0, 1.0]


def test_a_concentration_by_hand() -> None:
    """At place 1 and time 45, 14.8475 after the second spill, which was 0.505 away."""
    first = 10 / sqrt(4 * pi * 0.07 * 45) * exp(-1 / (4 * 0.07 * 45))
    second = 10 / sqrt(4 * pi * 0.07 * 14.8475) * exp(-(0.505**2) / (4 * 0.07 * 14.8475))
    found = concentrations(TRUTH[None])[0].reshape(3, 4)
    assert found[1, 2] == pytest.approx(first + second, rel=1e-9)
    assert found[1, 1] == pytest.approx(10 / sqrt(4 * pi * 0.07 * 30) * exp(-1 / (4 * 0.07 * 30)), rel=1e-9)


def test_the_truth_is_the_best_setting() -> None:
    settings = np.vstack([TRUTH, TRUTH * 1.01])
    responses, value = composite_problem(settings)
    assert value(responses)[0] == 0.0 > value(responses)[1]
    np.testing.assert_array_equal(plain_problem(settings)[0][:, 0], value(responses))
