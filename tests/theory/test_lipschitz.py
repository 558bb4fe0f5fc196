from dataclasses import replace

import numpy as np
import pytest

from firstmover import GAMES, Box, Game, InvalidInput, increasing
from firstmover.core.arrays import Matrix, Vector
from firstmover.theory import estimate_reward_lipschitz


def test_the_flock_s_constant() -> None:
    """r = 1 − ‖y − (0.8, 0.6)‖² on the unit square: the steepest slope is 2 · 0.8 at y₁ = 0."""
    found = estimate_reward_lipschitz(GAMES["flock"].build())
    assert found.value == pytest.approx(1.6, rel=0.01)
    assert found.value <= 1.6 + 1e-9
    assert found.settled


def test_a_reward_that_jumps_is_noticed() -> None:
    """Rangers' rewards jump at the borders of cells: no constant bounds their slope."""
    assert not estimate_reward_lipschitz(GAMES["wildlife"].build()).settled


def test_a_constant_reward() -> None:
    game = Game("calm", np.zeros((1, 1)), increasing(lambda _, y: np.zeros(len(y))), Box([0.0], [1.0]))
    found = estimate_reward_lipschitz(game)
    assert found.value == 0
    assert found.settled


def test_an_output_that_cannot_change_has_no_slope() -> None:
    game = replace(GAMES["shore"].build(), response_domain=Box([0.3], [0.3]))
    assert estimate_reward_lipschitz(game).value == 0


def test_an_unbounded_domain_needs_a_box() -> None:
    game = replace(GAMES["shore"].build(), response_domain=Box([-np.inf], [np.inf]))
    with pytest.raises(InvalidInput, match="unbounded response_domain: give a finite box"):
        estimate_reward_lipschitz(game)
    assert estimate_reward_lipschitz(game, Box([0.0], [9.0])).value == pytest.approx(0.9996, abs=1e-3)


def test_the_reward_is_never_asked_about_responses_outside_of_the_box() -> None:
    asked = []

    def reward(_: Matrix, y: Matrix) -> Vector:
        asked.append(y)
        return y[:, 0]

    game = Game("inside", np.zeros((1, 1)), increasing(reward), Box([2.0, -1.0], [3.0, 1.0]))
    assert estimate_reward_lipschitz(game).value == pytest.approx(1.0)
    every = np.vstack(asked)
    assert np.all(every >= [2.0, -1.0])
    assert np.all(every <= [3.0, 1.0])


@pytest.mark.parametrize("unit", [1e-320, 1e-300, 1e-12, 1e300])
def test_a_line_has_a_slope_in_every_unit(unit: float) -> None:
    """Rewards of 1e-320 have two digits: what rounding does to them is no jump."""
    game = Game("line", np.zeros((1, 1)), increasing(lambda _, y: unit * y[:, 0]), Box([0.0], [1.0]))
    found = estimate_reward_lipschitz(game)
    assert found.settled
    assert found.value == pytest.approx(unit, rel=0.3 if unit == 1e-320 else 1e-9)


def test_a_small_jump_on_a_line_is_still_noticed() -> None:
    step = increasing(lambda _, y: 1e-6 * y[:, 0] + 1e-6 * (y[:, 0] > 0.5))
    game = Game("step", np.zeros((1, 1)), step, Box([0.0], [1.0]))
    assert not estimate_reward_lipschitz(game).settled


@pytest.mark.parametrize(("units", "rounding"), [(3, True), (4, True), (6, False)])
def test_four_units_in_the_last_place_are_rounding(units: int, rounding: bool) -> None:
    noisy = increasing(lambda _, y: 1 + units * np.spacing(1.0) * (np.sin(1e6 * y[:, 0]) > 0))
    game = Game("noisy", np.zeros((1, 1)), noisy, Box([0.0], [1.0]))
    assert (estimate_reward_lipschitz(game).value == 0) == rounding
