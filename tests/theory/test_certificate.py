"""The certificate: by hand, against a brute-force maximum over boxes, and valid where boxes hold."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import LemmaWidth, belief_over
from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games.opponent import Opponent, true_rewards
from firstmover.games.rewards import increasing
from firstmover.learners import StackelUCB
from firstmover.simulation import RandomTypes, play_run
from firstmover.simulation.hindsight import regret
from firstmover.theory import Intersection, box_of, random_response, regret_certificate
from firstmover.theory.replay import beliefs_of

ACTIONS, TYPES = np.linspace(0, 1, 5)[:, None], np.array([[0.0], [0.6], [1.0]])
GAME = Game("line", ACTIONS, increasing(lambda x, y: (1 + x[:, 0]) * y[:, 0]), Box([-3.0], [3.0]), types=TYPES)


def test_by_hand() -> None:
    """Two actions and one type: action 0 is in [1, 2], action 1 in [0, 4]; 0 was played three times, 1 once.

    Against 1: 3 (4 − 1) = 9 is possible, against 0: 2 − 0 = 2.
    """
    game = Game("two", np.array([[0.0], [1.0]]), increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]))
    found = regret_certificate(
        game, np.array([0, 0, 1, 0]), np.zeros((4, 1)), lambda _: Box([[1.0], [0.0]], [[2.0], [4.0]])
    )
    assert (found.regret, found.action, found.rounds, found.per_round) == (9.0, 1, 4, 2.25)


def test_it_is_the_largest_regret_that_boxes_leave_possible() -> None:
    rng = np.random.default_rng(0)
    low = rng.uniform(-1, 0, (3, 5, 1))
    high = low + rng.uniform(0, 1, (3, 5, 1))
    actions, which = rng.integers(5, size=20), rng.integers(3, size=20)
    found = regret_certificate(
        GAME,
        actions,
        TYPES[which],
        lambda kind: Box(low[int(np.argmax(kind == TYPES))], high[int(np.argmax(kind == TYPES))]),
    )
    possible = []
    for x in range(5):
        b = low.copy()  # the worst case against x: x at its best, all others at their worst
        b[:, x] = high[:, x]
        rewards = (1 + ACTIONS[:, 0]) * b[:, :, 0]
        possible.append(rewards[which, x].sum() - rewards[which, actions].sum())
    assert found.regret == pytest.approx(max(possible))
    assert found.action == int(np.argmax(possible))


def played(seed: int, factor: float = 1.0) -> tuple[float, float, float]:
    """The regret of a run, its certificate from the final boxes, and that of the boxes of all rounds."""
    kernel, noise, bound = RBF(0.5), 0.2, 2.0
    b = random_response(kernel, ACTIONS, TYPES, bound, n_outputs=1, rng=np.random.default_rng(seed))
    width = LemmaWidth(bound * factor, noise * factor, noise**2, 0.1)
    prior = belief_over(kernel, noise**2, ACTIONS, 1, TYPES)
    learner = StackelUCB.anytime(GAME, prior, width)
    run = play_run(GAME, Opponent(RandomTypes(TYPES), b, noise), learner, 40, seed)
    boxes = Intersection(GAME, TYPES)
    for last in beliefs_of(prior, run):
        boxes.add(box_of(GAME, last, width))
    found = [
        regret_certificate(GAME, run.actions, run.opponent_types, each) for each in (box_of(GAME, last, width), boxes)
    ]
    return float(regret(run, true_rewards(GAME, b)).cumulative[-1]), found[0].regret, found[1].regret


def test_certificates_hold_and_fail_with_narrow_boxes() -> None:
    """At δ = 0.1 at most a tenth may fail; with 0.03 of the width most must (20 runs, fixed seeds)."""
    runs = np.array([played(seed) for seed in range(20)])
    assert np.all(runs[:, 2] <= runs[:, 1] + 1e-9), "an intersection is never wider"
    assert np.mean(runs[:, 0] <= runs[:, 2]) >= 0.9
    narrow = np.array([played(seed, 0.03) for seed in range(20)])
    assert np.mean(narrow[:, 0] <= narrow[:, 1]) < 0.5


def test_the_range_of_rewards_cuts_the_bounds() -> None:
    game = replace(GAME, reward_range=(0.0, 1.0))
    wide = regret_certificate(
        game, np.array([0, 1]), TYPES[:2], lambda _: Box(np.full((5, 1), -3.0), np.full((5, 1), 3.0))
    )
    assert wide.regret == 2.0
