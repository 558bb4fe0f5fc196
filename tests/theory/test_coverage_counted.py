import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, DotProduct

from firstmover import Box, ConstantWidth, Game, InvalidInput, LemmaWidth, Opponent, RandomTypes, increasing, play_run
from firstmover.beliefs import FiniteBelief, posterior
from firstmover.kernels import pairs
from firstmover.learners import StackelUCB, uniform
from firstmover.simulation.intervals import share_interval
from firstmover.strategies import AdaHedge
from firstmover.theory import (
    KernelSum,
    Proportion,
    coverage_of,
    covers,
    responses_everywhere,
    width_used,
    width_used_as_played,
)

ACTIONS, TYPES = np.linspace(0, 1, 5)[:, None], np.array([[0.0], [0.6]])


def game_with(respond: KernelSum, rounds: int = 12) -> tuple[Game, FiniteBelief, object]:
    game = Game("drawn", ACTIONS, increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]), types=TYPES)
    run = play_run(game, Opponent(RandomTypes(TYPES), respond, 0.3), uniform(5), rounds, seed=1)
    return game, FiniteBelief.prior(respond.kernel, 0.5, ACTIONS, TYPES, 1), run


def test_the_width_used_is_that_of_the_plain_equations() -> None:
    respond = KernelSum.of_norm(RBF(0.4), 1, np.array([[0.2, 0.0]]), np.array([[1.0]]), 2.0)
    game, belief, run = game_with(respond)
    used = width_used(belief, ConstantWidth(1.7), run, TYPES, responses_everywhere(game, respond, TYPES))
    assert len(used) == 13
    points, domain = np.hstack([ACTIONS[run.actions], run.opponent_types]), pairs(ACTIONS, TYPES)
    for t in (4, 12):
        said = posterior(respond.kernel, 0.5, points[:t], run.responses[:t], domain)
        assert used[t] == pytest.approx(np.max(np.abs(said.mean - respond.at(domain))[:, 0] / said.std) / 1.7, rel=1e-6)


def test_the_width_used_as_played_looks_at_the_type_that_came() -> None:
    respond = KernelSum.of_norm(RBF(0.4), 1, np.array([[0.2, 0.0]]), np.array([[1.0]]), 2.0)
    game, belief, run = game_with(respond)
    learner = StackelUCB(game, belief, ConstantWidth(1.7), AdaHedge.start(5))
    used = width_used_as_played(learner, run, respond)
    assert len(used) == 12
    points = np.hstack([ACTIONS[run.actions], run.opponent_types])
    for t in (1, 4, 11):
        domain = pairs(ACTIONS, run.opponent_types[t][None])
        said = posterior(respond.kernel, 0.5, points[:t], run.responses[:t], domain)
        assert used[t] == pytest.approx(np.max(np.abs(said.mean - respond.at(domain))[:, 0] / said.std) / 1.7, rel=1e-6)
    assert covers(used).tolist() == (used <= 1).tolist()


def test_before_any_data_a_function_of_one_kernel_needs_exactly_its_norm() -> None:
    respond = KernelSum.of_norm(RBF(0.4), 1, np.array([[0.25, 0.0]]), np.array([[1.0]]), 2.0)
    game, belief, run = game_with(respond)
    used = width_used(belief, ConstantWidth(2.0), run, TYPES, responses_everywhere(game, respond, TYPES))
    assert used[0] == pytest.approx(1.0)
    exact = LemmaWidth(2.0, 1e-9, 1.0, failure_probability=0.5)
    assert width_used(belief, exact, run, TYPES, responses_everywhere(game, respond, TYPES))[0] <= 1


def test_where_nothing_is_uncertain_nothing_is_used_and_a_width_of_nothing_misses() -> None:
    """A linear kernel knows b(0) = 0 for certain; β = 0 leaves no box at all."""
    respond = KernelSum.of_norm(DotProduct(0.0), 1, np.array([[1.0, 0.6]]), np.array([[1.0]]), 1.0)
    game, belief, run = game_with(respond)
    everywhere = responses_everywhere(game, respond, TYPES)
    assert np.all(np.isfinite(width_used(belief, ConstantWidth(5.0), run, TYPES, everywhere)))
    assert np.all(np.isinf(width_used(belief, ConstantWidth(0.0), run, TYPES, everywhere)))


def test_a_game_counts_only_when_the_box_held_b_throughout() -> None:
    share = coverage_of(np.array([[0.2, 0.9], [0.2, 1.1], [1.0, 1.0]]))
    assert (share.seen, share.trials, share.value) == (2, 3, pytest.approx(2 / 3))


@pytest.mark.parametrize(("seen", "trials"), [(0, 10), (3, 10), (10, 10), (181, 200)])
def test_clopper_and_pearson_by_their_definition(seen: int, trials: int) -> None:
    """At the ends, so few or so many as were seen have probability 2.5 %; found by summing the binomial."""
    from scipy.stats import binom

    low, high = share_interval(seen, trials)
    assert low == 0 if seen == 0 else binom.sf(seen - 1, trials, low) == pytest.approx(0.025)
    assert high == 1 if seen == trials else binom.cdf(seen, trials, high) == pytest.approx(0.025)
    assert Proportion(seen, trials).interval == (low, high)


def test_more_seen_than_tried_is_refused() -> None:
    with pytest.raises(InvalidInput, match="seen is 11: give an index from 0 to 10"):
        share_interval(11, 10)
