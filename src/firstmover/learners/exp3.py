"""Exp3 and Exp3.P: bandit feedback, no model of the opponent."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.arrays import Vector, as_array, as_number, non_negative, positive
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Game, check_game, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.learners.reward_regression import observed_reward


@dataclass(frozen=True, eq=False, repr=False)
class Exp3(StrategyCard):
    """Exp3 (Auer et al. 2002): importance-weighted gains of the played action, rewards scaled to [0, 1].

    p_t = (1 − γ) w_t / Σ w_t + γ / K,   ĝ[x] = 1{x = x_t} g / p_t[x],   log w ← log w + η (ĝ + bonus / p_t)

    Exp3 has no bonus; Exp3.P adds one so that its bound holds with high probability. Response noise carries into g,
    which then may leave [0, 1]: the estimate stays unbiased, so it is not cut. A round in which another action than the
    drawn one was played teaches nothing: the probability of that action is unknown.

    Parameters
    ----------
    game
        With its reward range.
    exploration
        γ, from 0 to 1.
    learning_rate
        η, 0 or more.
    bonus
        0 for Exp3.
    log_weights
        log w of every action (n,).

    Raises
    ------
    InvalidInput
        If the game states no reward range, or a parameter is outside its range.

    Examples
    --------
    >>> from firstmover import GAMES, Exp3, Feedback
    >>> learner = Exp3.start(GAMES["shore"].build(), horizon=1000)
    >>> learner.observe(Feedback(3, [0.5], [0.2])).strategy[:4].round(4)
    array([0.0416, 0.0416, 0.0416, 0.0441])
    """

    game: Game
    exploration: float
    learning_rate: float
    bonus: float
    log_weights: Vector

    def __post_init__(self) -> None:
        if self.game.reward_range is None:
            raise InvalidInput(f"reward_range of game {self.game.name!r} is not stated: exp3 needs it.")
        if not 0 <= as_number("exploration", self.exploration) <= 1:
            raise InvalidInput(f"exploration is {self.exploration}: give a share between 0 and 1.")
        if non_negative("bonus", self.bonus) > 0 and not self.exploration:
            raise InvalidInput(f"bonus is {self.bonus}: give an exploration above 0 too, by which it is divided.")
        non_negative("learning_rate", self.learning_rate)  # 0 with one action
        weights = as_array("log_weights", self.log_weights, ndim=1, length=self.game.n_actions)
        object.__setattr__(self, "log_weights", weights)

    @classmethod
    def start(cls, game: Game, horizon: int) -> Self:
        """Return Exp3 with γ = min(1, √(K log K / ((e − 1) T))) and η = γ / K (their Corollary 3.2).

        Parameters
        ----------
        game
            With its reward range.
        horizon
            T, the number of rounds.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If the game states no reward range, or the horizon is not positive.
        """
        check_game(game)
        k = game.n_actions
        exploration = min(1.0, float(np.sqrt(k * np.log(k) / ((math.e - 1) * positive("horizon", horizon)))))
        return cls(game, exploration, exploration / k, 0.0, np.zeros(k))

    @classmethod
    def with_high_probability(cls, game: Game, horizon: int, failure_probability: float = 0.05) -> Self:
        """Return Exp3.P: γ = min(3/5, 2 √(3/5 · K log K / T)), α = 2 √(log(K T / δ)), η = γ / (3K), bonus α / √(KT).

        Parameters
        ----------
        game
            With its reward range.
        horizon
            T, the number of rounds.
        failure_probability
            δ.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If the game states no reward range, or a number is outside its range.
        """
        if not 0 < as_number("failure_probability", failure_probability) < 1:
            raise InvalidInput(f"failure_probability is {failure_probability}: give a number between 0 and 1.")
        check_game(game)
        k = game.n_actions
        exploration = min(0.6, 2 * float(np.sqrt(0.6 * k * np.log(k) / positive("horizon", horizon))))
        alpha = 2 * float(np.sqrt(np.log(k * horizon / failure_probability)))
        return cls(game, exploration, exploration / (3 * k), alpha / float(np.sqrt(k * horizon)), np.zeros(k))

    @property
    def strategy(self) -> Vector:
        """p_t."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        return (1 - self.exploration) * weights / weights.sum() + self.exploration / len(weights)

    def observe(self, feedback: Feedback) -> Self:
        """Credit the played action with its reward over its probability, if it was drawn."""
        seen = self.game.check(feedback)
        if seen.advised is not None:
            return self
        assert self.game.reward_range is not None
        low, high = self.game.reward_range
        gain = (observed_reward(self.game, seen)[0] - low) / (high - low)
        probability = decided(self, None, seen.allowed)[seen.action]
        if not probability > 0:
            raise InvalidInput(f"action is {seen.action}, of probability 0: name the action that was drawn as advised.")
        # A weight may underflow without exploration: 0 / 0 is no bonus.
        estimate = self.bonus / self.strategy if self.bonus else np.zeros(self.game.n_actions)
        estimate[seen.action] += gain / probability
        return replace(self, log_weights=self.log_weights + self.learning_rate * estimate)
