"""The released program's routing, against the figures published with the paper: means of 10 runs of 100 rounds.

Ours are means of 20 runs. A run of Hedge or StackelUCB varies by about 1.1 % of its reward, so the difference of the
two means does by 0.4 %: 1.5 % is met by the same game, whatever its random numbers. What was measured stands beside.
"""

from functools import cache

import numpy as np
import pytest

from firstmover.core.arrays import Vector
from firstmover.paper.routing import Prepared, RoutingPreset, RoutingTask

SEEDS = 20
PUBLISHED_RUNS = 10


@cache
def released() -> tuple[RoutingPreset, Prepared]:
    preset = RoutingPreset.load("released")
    return preset, Prepared.of(preset)


def task(label: str, seed: int) -> RoutingTask:
    preset, prepared = released()
    return RoutingTask(preset, label, seed, prepared)


@cache
def rewards(label: str) -> Vector:
    """Cumulative reward of each run."""
    return np.array([task(label, seed).play()["reward"].sum() for seed in range(SEEDS)])


def error_of_the_difference(ours: Vector) -> float:
    """Standard error of our mean less the published one, if a run varies there as it does here."""
    return float(ours.std(ddof=1) * np.sqrt(1 / SEEDS + 1 / PUBLISHED_RUNS))


@pytest.mark.parametrize(
    ("label", "published"),
    [
        ("Hedge", 26_138.48),  # measured: 25,977
        ("StackelUCB poly3", 25_330.55),  # 25,490
        ("StackelUCB poly4", 25_342.53),  # 25,571
        ("StackelUCB poly5", 25_327.34),  # 25,427
        ("shortest", 21_645.37),  # 21,667
    ],
)
def test_cumulative_rewards_within_one_and_a_half_percent(label: str, published: float) -> None:
    assert rewards(label).mean() == pytest.approx(published, rel=0.015)


def test_to_route_nothing_within_three_standard_errors() -> None:
    """Measured: −818.6 ± 4.8; the exact expectation is −817.5."""
    ours = rewards("none")
    assert abs(ours.mean() - -813.48) < 3 * error_of_the_difference(ours) < 0.05 * 813.48


def test_exp3_within_its_spread() -> None:
    """Measured: 19,332, with a deviation of 1,415; published 19,824, with 1,990."""
    ours = rewards("Exp3")
    assert abs(ours.mean() - 19_823.58) < 3 * error_of_the_difference(ours) < 0.1 * 19_823.58
    assert 0.5 < ours.std(ddof=1) / 1990 < 2


def test_the_learners_come_in_the_published_order() -> None:
    ours = [rewards(label).mean() for label in ("Hedge", "StackelUCB poly4", "shortest", "Exp3", "none")]
    assert ours == sorted(ours, reverse=True)
