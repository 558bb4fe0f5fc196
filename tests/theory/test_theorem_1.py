"""Theorem 1 on games whose b has a known norm: R(T) above the bound in at most a share 2δ of them."""

import pytest

from firstmover.theory import Proportion
from tests.theory.treasures import DELTA, ROUNDS, regret_and_bound


def share_above(games: int, factor: float = 1.0) -> Proportion:
    played = [regret_and_bound(seed, factor) for seed in range(games)]
    return Proportion(sum(lost > bound for lost, bound in played), games)


@pytest.mark.parametrize(("games", "largest"), [(40, 0.09), pytest.param(200, 2 * DELTA, marks=pytest.mark.slow)])
def test_theorem_1_holds_in_many_games(games: int, largest: float) -> None:
    share = share_above(games)
    assert share.interval[1] <= largest  # the interval's upper end too: 0 of 40 gives 8.8 %, 0 of 200 1.8 %


def test_the_bound_says_something() -> None:
    """No regret can exceed T, so a bound above T would hold of any learner."""
    _, bound = regret_and_bound(0, factor=1.0)
    assert bound < ROUNDS


def test_a_fifth_of_the_width_breaks_it() -> None:
    """With 0.2 β in the learner and in the bound, the far action looks worse than it is, and is rarely tried."""
    share = share_above(30, factor=0.2)
    assert share.interval[0] > 2 * DELTA
