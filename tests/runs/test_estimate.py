from itertools import count

import pytest

from firstmover.runs import estimate, sweep
from firstmover.runs.sweep import BYTES, Estimate
from tests.runs.small import plan, playing


def test_an_estimate_counts_tasks_time_and_room() -> None:
    found = estimate(plan(horizons=[40, 80], keep="summary").tasks)
    assert found.tasks == 12
    assert 0.001 < found.seconds < 60
    assert found.size == pytest.approx(12 * (BYTES + 4 * 8), rel=0.1)


def test_more_rounds_take_longer_and_more_that_is_kept_takes_more_room() -> None:
    short, long = (estimate(plan(horizons=[h], keep="rounds").tasks) for h in (20, 2000))
    assert long.seconds > 20 * short.seconds
    assert long.size > 10 * short.size


def test_it_is_said_in_one_line() -> None:
    assert Estimate(3, 0.4, 12_345.0).words(1) == "3 tasks to do, about 0 s on 1 worker, at most 0.0 MB"
    assert Estimate(1, 90.0, 12_345.0).words(None) == "1 task to do, about 90 s of one worker's time, at most 0.0 MB"


def test_a_learner_that_cannot_play_a_round_is_left_to_the_sweep() -> None:
    with playing(failing="hedge"):
        found = estimate(plan().tasks)
    assert found.tasks == 12
    assert found.seconds > 0


def test_a_learner_that_could_not_be_measured_takes_as_long_as_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes 0.1 s at each look, a round of the two learners of 20 rounds takes 0.005 s."""
    looks = count()
    monkeypatch.setattr(sweep, "perf_counter", lambda: 0.1 * next(looks))
    with playing(failing="hedge"):
        found = estimate(plan(learners=["stackelucb", "exp3", "hedge"], horizons=[20, 40]).tasks)
    assert found.seconds == pytest.approx(6 * (20 + 40) * 0.005)
