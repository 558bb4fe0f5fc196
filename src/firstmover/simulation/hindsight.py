"""Regret, Eq. (1), on noiseless responses, with the best fixed action in hindsight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.contracts import TrueRewards
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Run


def reward_table(true_rewards: TrueRewards, opponent_types: Matrix) -> Matrix:
    """r(x, b(x, θ_t)) of every round and action (T, n); each distinct type is evaluated once."""
    keys = [opponent_type.tobytes() for opponent_type in opponent_types]
    distinct = dict(zip(keys, opponent_types, strict=True))
    rows = {key: as_array("true_rewards", true_rewards(theta), ndim=1) for key, theta in distinct.items()}
    return np.stack([rows[key] for key in keys])


@dataclass(frozen=True, repr=False)
class Regret:
    """R(t) for t = 1 … T, and the action that was best in hindsight at each t.

    R(t) = max_x Σ_{s≤t} r(x, b(x, θ_s)) − Σ_{s≤t} r(x_s, b(x_s, θ_s))      Eq. (1)
    """

    cumulative: Vector
    best_action: NDArray[np.int64]
    best_reward: Vector

    @property
    def time_averaged(self) -> Vector:
        """R(t) / t."""
        return self.cumulative / np.arange(1, len(self.cumulative) + 1)

    def __repr__(self) -> str:
        rounds, best = len(self.cumulative), self.best_action[-1]
        return f"Regret({self.cumulative[-1]:.4g} after {rounds} rounds, best action {best})"


def regret(run: Run, true_rewards: TrueRewards) -> Regret:
    """The regret of a finished run; all actions are evaluated here, not while playing.

    `best_reward` is the cumulative reward of the action that is best at T, the curve to compare a learner with.
    """
    return regret_of_table(run, reward_table(true_rewards, run.opponent_types))


def regret_of_table(run: Run, rewards: Matrix) -> Regret:
    """The regret of a finished run, given what every action would have earned in every round (T, n)."""
    if rewards.shape != run.strategies.shape:
        raise InvalidInput(
            f"true_rewards gave {rewards.shape[1]} numbers: the run has {run.strategies.shape[1]} actions."
            if len(rewards) == len(run.rewards)
            else f"rewards has {len(rewards)} rounds: the run has {len(run.rewards)}."
        )
    totals = np.cumsum(rewards, axis=0)
    best = np.argmax(totals, axis=1)
    cumulative = totals[np.arange(len(totals)), best] - np.cumsum(run.rewards)
    return Regret(cumulative, best, totals[:, best[-1]])


def dynamic_regret(run: Run, rewards: Matrix) -> Vector:
    """R_dyn(t) = Σ_{s≤t} (max_x r_s(x) − r_s(x_s)): against the best action of each round, given a table (T, n).

    Never below R(t), the regret against one action for all rounds; use it against opponents that drift.
    """
    if rewards.shape != run.strategies.shape:
        raise InvalidInput(f"rewards has shape {rewards.shape}: the run has rounds and actions {run.strategies.shape}.")
    return np.cumsum(rewards.max(axis=1) - run.rewards)
