import numpy as np
import pytest
from benchmarks.peers.machine import Machine
from benchmarks.peers.workloads import WORKLOADS, Workload, menu, park, routing

from firstmover.kernels import bind, pairs

SMALL = {"W1": park(30), "W2": routing(30), "W3": menu(30, n=200)}


@pytest.fixture(params=SMALL)
def load(request: pytest.FixtureRequest) -> Workload:
    return SMALL[request.param]


def test_the_formula_of_the_reference_is_the_kernel_of_the_methods(load: Workload) -> None:
    points = pairs(load.actions[:40], load.seen[:3])
    kernel = bind(load.kernel, load.actions.shape[1])
    formula = load.formula(points, points[:25], load.actions.shape[1])
    np.testing.assert_allclose(formula, kernel(points, points[:25]), rtol=1e-12, atol=1e-14)


def test_kernel_and_responses_lie_within_one_so_that_errors_need_no_scale(load: Workload) -> None:
    points = pairs(load.actions[:40], load.seen[:3])
    assert 0 < np.max(bind(load.kernel, load.actions.shape[1]).diag(points)) <= 1 + 1e-12
    assert np.abs(load.responses).max() == pytest.approx(1)


def test_a_run_asks_for_one_more_type_than_it_plays(load: Workload) -> None:
    assert len(load.seen) == len(load.played) + 1 == len(load.responses) + 1 == len(load.told) + 1


def test_the_park_has_525_patrols_over_25_cells_and_one_type() -> None:
    load = SMALL["W1"]
    assert load.actions.shape == (525, 25)
    np.testing.assert_allclose(load.actions.sum(axis=1), 1)
    assert load.types is not None
    assert len(load.types) == 1
    assert load.n_outputs == 2


def test_routing_brings_a_fresh_demand_of_552_pairs_to_41_plans() -> None:
    load = SMALL["W2"]
    assert load.actions.shape == (41, 76)
    assert load.types is None
    assert len(np.unique(load.seen, axis=0)) == 31
    assert load.seen.shape[1] == 552


def test_the_cubic_kernel_over_plans_on_three_routes_has_rank_20_as_its_limit_says() -> None:
    load = SMALL["W2"]
    gram = load.formula(pairs(load.actions, load.seen[:1]), pairs(load.actions, load.seen[:1]), 76)
    assert np.linalg.matrix_rank(gram) == 20


def test_the_menu_is_large_and_its_types_known() -> None:
    load = WORKLOADS["W3"](2)
    assert load.actions.shape == (100_000, 10)
    assert load.types is not None
    assert len(load.types) == 10


def test_limits_count_the_arithmetic_and_the_reading_of_a_run() -> None:
    machine = Machine(processor="one of round numbers", product_rate=1e10, thin_rate=1e9, read_bandwidth=1e8)
    assert SMALL["W1"].least_seconds(machine, 1000) == pytest.approx(1000 * 525**2 / 1e10)
    assert SMALL["W1"].least_seconds(machine, 100) == pytest.approx(100**2 * 525 / 1e10)
    solves, types = 41 * 30**3 / 3 / 1e9, 8 * 552 * 30**2 / 2 / 1e8
    assert SMALL["W2"].least_seconds(machine, 30) == pytest.approx(solves + types)
    reading = 8 * 200 * 30**2 / 2 / 1e8
    assert SMALL["W3"].least_seconds(machine, 30) == pytest.approx(reading)
