"""Sequences of rewards in [0, 1], oblivious and adversarial, and the regret that weights have on them."""

from collections.abc import Callable

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Weights

Adversary = Callable[[Vector, int, np.random.Generator], Vector]
"""(p_t, t, random numbers) to the rewards of all actions."""


def _one(n: int, action: int) -> Vector:
    return np.eye(n)[action]


SEQUENCES: dict[str, Adversary] = {
    "uniform": lambda p, _t, rng: rng.uniform(size=len(p)),
    "bernoulli with gaps": lambda p, _t, rng: (rng.uniform(size=len(p)) < np.linspace(0.3, 0.7, len(p))).astype(float),
    "one good action": lambda p, _t, _rng: _one(len(p), 0),
    "all but one": lambda p, _t, _rng: 1 - _one(len(p), 0),
    "in turn": lambda p, t, _rng: _one(len(p), t % len(p)),
    "pays the least likely": lambda p, _t, _rng: _one(len(p), int(np.argmin(p))),
    "starves the most likely": lambda p, _t, _rng: 1 - _one(len(p), int(np.argmax(p))),
    "changes its mind": lambda p, t, _rng: _one(len(p), 0 if t < 100 else len(p) - 1),
    "pays where p is small": lambda p, _t, _rng: (p < np.median(p) + 1e-15).astype(float),
    "always the same": lambda p, _t, _rng: np.full(len(p), 0.4),
}


def play(weights: Weights, adversary: Adversary, rounds: int, scale: Callable[[int], float] = lambda _: 1.0) -> Matrix:
    """The rewards of all actions (T, n), and in a last column what the strategy earned; round t is times scale(t)."""
    rng = np.random.default_rng(0)
    rows = []
    for t in range(rounds):
        strategy = weights.strategy
        rewards = scale(t) * adversary(strategy, t, rng)
        rows.append([*rewards, strategy @ rewards])
        weights = weights.update(rewards)
    return np.array(rows)


def regret(played: Matrix) -> float:
    """max_i Σ_t r_t[i] − Σ_t p_t·r_t."""
    total = played.sum(axis=0)
    return float(np.max(total[:-1]) - total[-1])
