"""Threads and sampling."""

import numpy as np
from threadpoolctl import threadpool_info

from firstmover.core.numerics import one_thread, sample_action, sample_actions


def test_blas_runs_on_one_thread_inside_the_block() -> None:
    with one_thread():
        assert {entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"} == {1}


def test_rows_are_sampled_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    strategies = rng.dirichlet(np.ones(6), size=50)
    strategies[:, 2] = 0.0
    strategies /= strategies.sum(axis=1, keepdims=True)
    uniforms = rng.random(50)
    expected = [sample_action(p, u) for p, u in zip(strategies, uniforms, strict=True)]
    assert sample_actions(strategies, uniforms).tolist() == expected


def test_the_last_possible_action_takes_the_rounding_error() -> None:
    short = np.array([0.5, 0.5 - 1e-12, 0.0])
    assert sample_action(short, 1 - 1e-13) == 1
    assert sample_actions(short[None], np.array([1 - 1e-13])).tolist() == [1]
