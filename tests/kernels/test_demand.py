import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games import GAMES
from firstmover.kernels import kernel_from
from firstmover.kernels.domain_kernels import demand
from tests.contracts.checks_kernel import check_kernel

ROW, OTHER = [[0.2, 0.4, 0.3, 5.0, 2.0]], [[0.5, 0.2, 0.7, 4.0, 3.0]]


def test_a_value_worked_by_hand():
    """α x = (1, 2) and (2, 0.8), w apart by 0.4: −(1 + 1.44) / (2 · 4) − 0.16 / (2 · 0.25) = −0.625."""
    kernel = {"name": "demand", "length_scale": 2.0, "place_scale": 0.5, "variance": 0.1}
    assert kernel_from(kernel)(ROW, OTHER)[0, 0] == pytest.approx(0.1 * 6 * np.exp(-0.625), rel=1e-14)
    assert kernel_from(kernel).diag(ROW)[0] == pytest.approx(0.4, rel=1e-14)


def test_scales_and_variance_are_1_by_default():
    """−(1 + 1.44) / 2 − 0.16 / 2 = −1.3."""
    assert demand()(ROW, OTHER)[0, 0] == pytest.approx(6 * np.exp(-1.3), rel=1e-14)


def test_it_keeps_what_every_kernel_promises():
    rng = np.random.default_rng(0)
    check_kernel(demand(2.0, 0.5), np.hstack([rng.random((7, 3)), rng.random((7, 3)) + 0.2]))


def test_demand_is_in_proportion_to_the_size_of_a_segment():
    """Another segment of half the size, otherwise alike, is expected to ask for half of what the first one did."""
    from firstmover.beliefs import posterior

    seen, half = np.array([[0.3, 0.5, 4.0, 1.0]]), np.array([[0.3, 0.5, 4.0, 0.5]])
    prediction = posterior(demand(4.0, 0.7), 1e-6, seen, np.array([[0.8]]), half)
    assert prediction.mean[0, 0] == pytest.approx(0.4, rel=1e-5)


def test_the_game_of_prices_takes_it():
    game, entry = GAMES["prices"].build(), GAMES["prices"]
    z = np.hstack([game.actions[[0, 0]], game.types[[0, 3]]])
    assert 0 < entry.kernel(z)[0, 1] < np.sqrt(np.prod(entry.kernel.diag(z)))


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match="length_scale is 0"):
        demand(0.0)
    with pytest.raises(InvalidInput, match=r"was given 3 column\(s\): give prices, then the place"):
        demand()([[1.0, 2.0, 3.0]])
