"""Threads and sampling."""

import numpy as np
from threadpoolctl import threadpool_info

from firstmover.core.numerics import one_thread, sample_action


def test_blas_runs_on_one_thread_inside_the_block() -> None:
    with one_thread():
        assert {entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"} == {1}


def test_actions_of_probability_zero_are_never_drawn() -> None:
    rng = np.random.default_rng(3)
    for weights in rng.dirichlet(np.ones(6), size=50):
        weights[2] = 0.0
        strategy = weights / weights.sum()
        uniform = rng.random()
        action = sample_action(strategy, uniform)
        assert strategy[:action].sum() <= uniform < strategy[: action + 1].sum()
        assert action != 2


def test_the_last_possible_action_takes_the_rounding_error() -> None:
    short = np.array([0.5, 0.5 - 1e-12, 0.0])
    assert sample_action(short, 1 - 1e-13) == 1
