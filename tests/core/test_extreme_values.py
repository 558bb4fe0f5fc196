"""Numbers too large or too small, and names too long: one sentence each, and no exception of Python."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

import firstmover as fm
from firstmover.core.errors import InvalidInput
from firstmover.games import shore_game
from firstmover.games.stackelberg.simplex import grid_size, radius_for_size, simplex_grid

GAME = shore_game()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fm.ConstantWidth(10**400), r"confidence_width is 1000.*: give a finite number"),
        (lambda: fm.Feedback(10**400, [1.0], [1.0]), r"action is 1000.*: give a whole number"),
        (lambda: fm.polynomial(3, scale=1e-200), "polynomial has degree 3 and scale 1e-200: give a degree of at most"),
        (lambda: fm.polynomial(3, scale=1e200), "polynomial has degree 3 and scale 1e.200"),
        (lambda: fm.polynomial(1001), "polynomial has degree 1001 and scale 1"),
        (lambda: fm.polynomial(10**400), "degree is 1000.*: give a whole number"),
        (lambda: fm.polynomial(2, bias="much"), "bias is 'much': give a finite number, 0 or more"),
        (lambda: simplex_grid(3, 1e-310), "radius 1e-310 asks for more steps than a float holds: give a larger one"),
        (lambda: simplex_grid(10**300, 0.1), r"over 1e\+300 leader actions has more than 10.6000 mixed"),
        (lambda: simplex_grid(10**9, 0.1), "has more than 10.6000 mixed strategies: give a larger radius"),
        (lambda: grid_size(10**9, 0.1), "has more than 10.6000 mixed strategies"),
        (lambda: simplex_grid(10**400, 0.1), "n_leader_actions is 1000.*: give a whole number"),
        (lambda: simplex_grid(3, 10**400), "radius is 1000.*: it must be a finite number above 0"),
        (lambda: fm.Match.open("x" * 5000, "roads"), "store 'xx.*xx' does not exist: create a match in it first"),
        (lambda: fm.Match.open(Path("x" * 5000), "roads"), "store 'xx.*xx' does not exist"),
        (lambda: fm.Match.create("x" * 5000, "roads", {"menu": {"game": "shore"}}), "File name too long"),
    ],
)
def test_it_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        call()


def test_the_limits_themselves_are_taken():
    """From the other side: the largest and smallest scales, and the finest grid that can be counted."""
    assert fm.polynomial(3, scale=1.01e-25)([[1e-25]])[0, 0] == pytest.approx((1 + 1.01**-2) ** 3)
    assert fm.polynomial(1000)([[0.0]])[0, 0] == 1.0
    assert grid_size(2, 2e-15) == 500_000_000_000_001
    assert grid_size(10_001, 1.0) > 10**2000
    assert radius_for_size(10**6, 2.0) == 2.0


@pytest.mark.parametrize("kernel", [RBF(), Matern(nu=2.5), Matern(nu=0.5)])
@pytest.mark.parametrize("largest", [1e-300, 1e100, 1e150])
def test_a_menu_with_a_large_number_gives_probabilities(kernel, largest):
    """1e308 gave NaN: differences and squares of features overflowed."""
    game = fm.Game(
        "far", [[1.0], [2.0], [largest]], fm.increasing(lambda _, y: y[:, 0]), fm.Box([0], [1]), (0, 1), [[1.0]]
    )
    learner = fm.StackelUCB.start(game, kernel, 1.0, 1.0, horizon=9)
    for action in (0, 1, 2, 2):
        learner = learner.observe(fm.Feedback(action, [1.0], [0.5]))
    assert abs(learner.strategy.sum() - 1) < 1e-12
    assert np.all(learner.strategy > 0)


def test_a_menu_beyond_the_limit_is_refused():
    with pytest.raises(InvalidInput, match=r"actions has the value 1e\+308 at position 1, 0: every number must be fin"):
        fm.Game("far", [[1.0], [1e308]], fm.increasing(lambda _, y: y[:, 0]), fm.Box([0], [1]))
