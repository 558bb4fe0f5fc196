import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.strategies import FollowTheLeader
from tests.strategies.sequences import SEQUENCES, play, regret


def test_hand_worked():
    """Totals (0, −1, 2), then (0.5, 2, 2): of two leaders the first; then (0.5, 2, 2.1)."""
    weights = FollowTheLeader.start(3)
    assert weights.strategy.tolist() == [1.0, 0.0, 0.0]
    weights = weights.update(np.array([0.0, -1.0, 2.0]))
    assert weights.strategy.tolist() == [0.0, 0.0, 1.0]
    weights = weights.update(np.array([0.5, 3.0, 0.0]))
    assert weights.strategy.tolist() == [0.0, 1.0, 0.0]
    assert weights.update(np.array([0.0, 0.0, 0.1])).strategy.tolist() == [0.0, 0.0, 1.0]


def test_an_adversary_beats_it_for_ever():
    """Starving the leader gives it nothing at all, while the better of two actions earns half of the rounds."""
    assert regret(play(FollowTheLeader.start(2), SEQUENCES["starves the most likely"], rounds=300)) >= 150


def test_rewards_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match=r"rewards has 3 number\(s\): give 2."):
        FollowTheLeader.start(2).update(np.zeros(3))
    with pytest.raises(InvalidInput, match="rewards has the value inf at position 0"):
        FollowTheLeader.start(2).update(np.array([np.inf, 0.0]))
