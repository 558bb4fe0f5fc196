"""Regret, Eq. (1), on noiseless responses, with the best fixed action in hindsight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.contracts import TrueRewards
from firstmover.core.errors import InvalidInput
from firstmover.core.html_repr import Curve, card, number
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

    Parameters
    ----------
    cumulative
        R(t) of every round (T,).
    best_action
        The action that is best over the rounds up to t (T,).
    best_reward
        The cumulative reward (T,) of the action that is best at T, the curve to compare a learner with.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Regret
    >>> Regret(np.array([1.0, 3.0]), np.array([0, 2]), np.array([2.0, 5.0])).time_averaged
    array([1. , 1.5])
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

    def _repr_html_(self) -> str:
        rounds = len(self.cumulative)
        rows = {"rounds": f"{rounds:,}", "R(t) / t": number(self.time_averaged[-1])}
        rows["best action"] = f"{self.best_action[-1]}, with hindsight"
        curve = Curve("R(t), the regret up to round t", np.arange(1.0, rounds + 1), self.cumulative)
        return card("Regret", rows, curve.draw())


def regret(run: Run, true_rewards: TrueRewards) -> Regret:
    """Return the regret of a finished run, Eq. (1), on noiseless responses; all actions are evaluated here.

    Parameters
    ----------
    run
        As `play_run` returns it.
    true_rewards
        θ to the rewards of all actions (n,), as `true_rewards` gives it.

    Returns
    -------
    Regret
        R(t) and the best actions in hindsight.

    Raises
    ------
    InvalidInput
        If the rewards have another length than the menu of the run.

    Examples
    --------
    >>> from firstmover import GAMES, Exp3, opponent_for, play_run, regret, true_rewards
    >>> game = GAMES["shore"].build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> run = play_run(game, opponent, Exp3.start(game, horizon=50), rounds=50, seed=0)
    >>> regret(run, true_rewards(game, opponent.respond))
    Regret(7.902 after 50 rounds, best action 23)
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


def policy_regret(run: Run, rewards: Matrix, contexts: Matrix) -> Vector:
    """Return R_Π(t) = Σ_c max_x Σ_{s≤t, c_s=c} r_s(x) − Σ_{s≤t} r_s(x_s), the regret against policies from contexts.

    Never below R(t): the best policy from contexts to actions may be one action for all.

    Parameters
    ----------
    run
        As `play_run` returns it.
    rewards
        What every action would have earned in every round (T, n).
    contexts
        Of every round (T, k).

    Returns
    -------
    Vector
        R_Π(t) for t = 1 … T (T,).

    Raises
    ------
    InvalidInput
        If the table has another shape than the run.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Run
    >>> from firstmover.simulation import policy_regret
    >>> none = np.zeros((2, 1))
    >>> run = Run(np.full((2, 2), 0.5), np.array([0, 0]), none, none, none, np.array([1.0, 0.0]))
    >>> policy_regret(run, np.array([[1.0, 0.0], [0.0, 3.0]]), contexts=np.array([[0.0], [1.0]]))
    array([0., 3.])
    """
    _check_table(run, rewards)
    kinds, place = np.unique(contexts, axis=0, return_inverse=True)
    of_each = np.where(place[:, None] == np.arange(len(kinds)), 1.0, 0.0)
    best = sum(np.cumsum(own[:, None] * rewards, axis=0).max(axis=1) for own in of_each.T)
    return np.asarray(best - np.cumsum(run.rewards), dtype=np.float64)


def ranking_regret(run: Run, rewards: Matrix) -> Vector:
    """Return the regret against a ranking, of which the first allowed action is played.

    Actions are ranked by their mean reward over the rounds in which they were allowed: the best ranking if what is
    closed does not depend on the types. Finding the best one is hard otherwise.

    Parameters
    ----------
    run
        As `play_run` returns it.
    rewards
        What every action would have earned in every round (T, n).

    Returns
    -------
    Vector
        The regret for t = 1 … T (T,).

    Raises
    ------
    InvalidInput
        If the table has another shape than the run.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Run
    >>> from firstmover.simulation import ranking_regret
    >>> none = np.zeros((2, 1))
    >>> run = Run(np.full((2, 2), 0.5), np.array([0, 0]), none, none, none, np.array([1.0, 0.0]))
    >>> ranking_regret(run, np.array([[1.0, 0.0], [0.0, 3.0]]))
    array([-1.,  2.])
    """
    _check_table(run, rewards)
    allowed = np.ones(rewards.shape, dtype=bool) if run.allowed is None else run.allowed
    mean = (rewards * allowed).sum(axis=0) / np.maximum(allowed.sum(axis=0), 1)
    first = np.where(allowed, mean, -np.inf).argmax(axis=1)
    return np.cumsum(rewards[np.arange(len(rewards)), first] - run.rewards)


def _check_table(run: Run, rewards: Matrix) -> None:
    if rewards.shape != run.strategies.shape:
        raise InvalidInput(f"rewards has shape {rewards.shape}: the run has rounds and actions {run.strategies.shape}.")


def dynamic_regret(run: Run, rewards: Matrix) -> Vector:
    """R_dyn(t) = Σ_{s≤t} (max_x r_s(x) − r_s(x_s)): against the best action of each round, given a table (T, n).

    Never below R(t), the regret against one action for all rounds; use it against opponents that drift.
    """
    _check_table(run, rewards)
    return np.cumsum(rewards.max(axis=1) - run.rewards)
