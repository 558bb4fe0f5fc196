from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth, FiniteBelief, FreshBelief
from firstmover.core.errors import InvalidInput
from firstmover.games import shore_game
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.entries import FixedParameters

SETUP = Setup(shore_game(), RBF(0.25), 0.01, ConstantWidth(1.0))


@pytest.mark.parametrize("name", ["hedge", "optimum"])
def test_privileges_are_named_when_they_are_missing(name: str) -> None:
    with pytest.raises(InvalidInput, match="true_rewards is not given: this learner needs it"):
        LEARNERS[name].build(SETUP)


def test_what_else_is_missing_is_named() -> None:
    with pytest.raises(InvalidInput, match="future_types is not given"):
        LEARNERS["optimum"].build(replace(SETUP, true_rewards=lambda _: np.zeros(24)))
    for name in ("exp3", "exp3p"):
        with pytest.raises(InvalidInput, match="horizon is not given"):
            LEARNERS[name].build(SETUP)
    with pytest.raises(InvalidInput, match="strategy 'fixed-rate' needs a horizon"):
        LEARNERS["stackelucb"].build(SETUP)


def test_an_unknown_strategy_gets_the_closest_names() -> None:
    with pytest.raises(InvalidInput, match="Unknown strategy 'adahege': did you mean 'adahedge'"):
        replace(SETUP, strategy="adahege").weights()


def test_a_learner_of_one_type_says_how_many_there_are() -> None:
    with pytest.raises(InvalidInput, match="game 'shore' has 5 types"):
        SETUP.the_type()
    with pytest.raises(InvalidInput, match=r"game 'shore' has no known types: .* use another learner"):
        replace(SETUP, game=replace(SETUP.game, types=None)).the_type()
    np.testing.assert_array_equal(replace(SETUP, game=replace(SETUP.game, types=[[0.3]])).the_type(), [0.3])


def test_known_types_make_the_domain_finite() -> None:
    assert isinstance(SETUP.belief(), FiniteBelief)
    assert isinstance(replace(SETUP, game=replace(SETUP.game, types=None)).belief(), FreshBelief)


def test_the_fixed_learner_plays_the_given_action() -> None:
    assert LEARNERS["fixed"].build(SETUP, {"action": 7}).strategy[7] == 1.0
    assert FixedParameters(action=524).action == 524
