"""Games in which a learner that is too sure of itself never looks where it should: Theorem 1's premises, b known."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from firstmover import (
    Adversary,
    Box,
    Game,
    LemmaWidth,
    MultiplicativeWeights,
    Opponent,
    StackelUCB,
    increasing,
    on_action,
    on_type,
    play_run,
    regret,
    true_rewards,
)
from firstmover.beliefs import belief_over, information_gain
from firstmover.core.contracts import Belief
from firstmover.games.opponent import Tabulated
from firstmover.kernels import bind, pairs
from firstmover.theory import KernelSum, Premises, greedy_gain, theorem_1

ACTIONS, ROUNDS, NORM, NOISE, DELTA = 60, 300, 1.0, 0.02, 0.1
FAR = 5.0
MENU = np.append(np.linspace(0, 0.02, ACTIONS - 1), FAR)[:, None]
"""Actions that are nearly the same, and one far away, of which the others say nothing."""

TYPES = np.array([[0.0], [0.1]])
KERNEL = on_action(RBF(1.0)) * on_type(RBF(1.0))
GAME = Game("treasure", MENU, increasing(lambda _, y: y[:, 0]), Box([0.0], [1.0]), (0.0, 1.0), TYPES)
PREMISES = Premises(DELTA, reward_lipschitz=1.0, regularization=1.0)


def treasure(seed: int) -> KernelSum:
    """b of norm 1: between 0.35 and 0.45 near 0, about 0.9 at the far action."""
    near = np.random.default_rng([7, seed]).uniform(0.38, 0.5)
    return KernelSum.of_norm(KERNEL, 1, np.array([[0.01, 0.05], [FAR, 0.05]]), np.array([[near], [1.0]]), NORM)


@cache
def largest_gain() -> float:
    """An upper bound on γ_T."""
    return float(greedy_gain(bind(KERNEL, 1), pairs(MENU, TYPES), 1.0, ROUNDS).upper[-1])


@cache
def prior() -> Belief:
    """What every learner believes at first: a value, which games share."""
    return belief_over(KERNEL, 1.0, MENU, 1, TYPES)


@dataclass(frozen=True)
class Scaled:
    """Lemma 4's width times a factor."""

    factor: float

    def __call__(self, gain: float) -> float:
        return self.factor * LemmaWidth(NORM, NOISE, regularization=1.0, failure_probability=DELTA)(gain)


def regret_and_bound(seed: int, factor: float) -> tuple[float, float]:
    """R(T) against an adaptive adversary, and Theorem 1's bound, with the same β in the learner and in the bound."""
    width, drawn = Scaled(factor), treasure(seed)
    b = Tabulated(MENU, TYPES, np.stack([drawn(MENU, kind) for kind in TYPES]))
    earned = true_rewards(GAME, b)
    learner = StackelUCB(GAME, prior(), width, MultiplicativeWeights.start(ACTIONS, (0.0, 1.0), ROUNDS))
    run = play_run(GAME, Opponent(Adversary(TYPES, earned), b, NOISE), learner, ROUNDS, seed)
    gram = bind(KERNEL, 1)(np.hstack([MENU[run.actions], run.opponent_types]))
    beta = width(information_gain(gram, 1.0))
    bound = theorem_1(PREMISES, ROUNDS, beta, largest_gain(), n_actions=ACTIONS).total[0]
    return float(regret(run, earned).cumulative[-1]), float(bound)
