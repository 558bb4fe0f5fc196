"""Off-policy evaluation: the value of policies that were not played, from a record of rounds that were."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.joint import JointPosterior
from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import Game, Reward
from firstmover.core.errors import InvalidInput

DRAWS = 400
"""Draws of the posterior by which values are averaged: the relative error of a standard deviation is 5 %."""

NINETEEN_TWENTIETHS = 1.959964
"""Half the width of a 95 % interval, in standard errors."""

COMMON = 0.5
"""The standard deviation of an error that all rounds and actions have in common, in those of their rewards."""

POLICIES = 16
"""Policies that are evaluated together."""


class Estimate(NamedTuple):
    """Values of policies (k,) with their standard errors (k,); NaN where there is none."""

    value: Vector
    error: Vector

    @property
    def lower(self) -> Vector:
        """The lower ends of 95 % intervals (k,)."""
        return self.value - NINETEEN_TWENTIETHS * self.error

    @property
    def upper(self) -> Vector:
        """The upper ends of 95 % intervals (k,)."""
        return self.value + NINETEEN_TWENTIETHS * self.error


def inverse_propensity(weights: Matrix, rewards: Vector) -> Estimate:
    """Return (1/T) Σ_t w_t r_t for weights w_t = π_t(x_t) / p_t(x_t) (k, T), unbiased where p_t > 0.

    >>> inverse_propensity(np.array([[2.0, 0.0]]), np.array([3.0, 9.0])).value
    array([3.])
    """
    return _averages(weights * rewards)


def _averages(terms: Matrix) -> Estimate:
    """The mean of the terms of each row, and its standard error."""
    t, none = terms.shape[1], np.full(len(terms), np.nan)
    if t < 2:
        return Estimate(terms[:, 0] if t else none, none)
    return Estimate(terms.mean(axis=1), terms.std(axis=1, ddof=1) / np.sqrt(t))


def self_normalised(weights: Matrix, rewards: Vector) -> Estimate:
    """Return v = Σ_t w_t r_t / Σ_t w_t, with the standard error √(Σ_t w_t² (r_t − v)²) / Σ_t w_t.

    It is biased by the order 1/T, and adding a constant to all rewards adds it to the value (Swaminathan and Joachims
    2015). Without any weight there is no value.
    """
    total = weights.sum(axis=1)
    total = np.where(total > 0, total, np.nan)
    value = weights @ rewards / total
    return Estimate(value, np.sqrt(np.sum((weights * (rewards - value[:, None])) ** 2, axis=1)) / total)


def doubly_robust(weights: Matrix, rewards: Vector, played: Vector, expected: Matrix) -> Estimate:
    """Return (1/T) Σ_t [Σ_x π_t(x) r̂_t(x) + w_t (r_t − r̂_t(x_t))] (Dudík, Langford and Li 2011).

    `played` (T,) is r̂_t(x_t), and `expected` (k, T) its mean over π_t. r̂_t must not have seen round t.
    """
    return _averages(expected + weights * (rewards - played))


def effective_sample_size(weights: Matrix) -> Vector:
    """Return (Σ_t w_t)² / Σ_t w_t² of each row (k,); 0 without any weight.

    >>> effective_sample_size(np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [3.0, 1.0, 0.0]
    """
    squares = np.sum(weights**2, axis=1)
    return np.divide(weights.sum(axis=1) ** 2, squares, out=np.zeros(len(weights)), where=squares > 0)


@dataclass(frozen=True, eq=False)
class Record:
    """Rounds that were played: p_t (T, n), the action (T,), its reward (T,), and whether it was drawn from p_t (T,).

    Where it was not, because another action than the drawn one was played, its propensity is unknown.
    """

    strategies: Matrix
    actions: NDArray[np.int_]
    rewards: Vector
    drawn: Mask

    def weights(self, policies: NDArray[np.float64]) -> Matrix:
        """Return π_t(x_t) / p_t(x_t) in the rounds whose action was drawn: policies (k, T, n) give (k, T')."""
        numbers = np.flatnonzero(self.drawn)
        actions = self.actions[numbers]
        return np.asarray(policies[:, numbers, actions] / self.strategies[numbers, actions], dtype=np.float64)

    def uncovered(self, policies: NDArray[np.float64]) -> Vector:
        """Return the share of each policy's probability on actions with p_t = 0, in rounds with a propensity (k,)."""
        impossible = (self.strategies <= 0) & self.drawn[:, None]
        return np.asarray(np.einsum("ktn,tn->k", policies, impossible) / max(self.drawn.sum(), 1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class RewardModel:
    """Draws of the rewards of all actions (s, n, c) in c cells, the cell of each round, and cross-fitted means (T, n).

    Rounds with the same type and the same reward share a cell. Row t of `without` is the reward of each action at the
    mean response that is predicted without round t.
    """

    draws: NDArray[np.float64]
    cells: NDArray[np.int_]
    without: Matrix

    def values(self, policies: NDArray[np.float64]) -> Estimate:
        """Return v = (1/T) Σ_t Σ_x π_t(x) r(x, b(x, θ_t)) of policies (k, T, n), with a standard deviation s.

        v is the mean over draws of b, and s² = Var(v) + (COMMON · (1/T) Σ_t Σ_x π_t(x) σ_r(x, θ_t))². All rounds and
        actions of a draw belong to one response function, so that errors partly cancel in Var(v). The second term does
        not trust that they cancel as far as the prior says: it is an error that all rewards have in common.
        """
        order = np.argsort(self.cells, kind="stable")
        starts = np.flatnonzero(np.diff(self.cells[order], prepend=-1))  # every cell has a round
        shares = np.add.reduceat(policies[:, order], starts, axis=1).transpose(0, 2, 1) / policies.shape[1]
        shares = shares.reshape(len(policies), -1)
        each, common = self._flat @ shares.T, shares @ self._deviations
        return Estimate(each.mean(axis=0), np.hypot(each.std(axis=0), COMMON * common))

    @cached_property
    def _flat(self) -> Matrix:
        """The draws (s, n c)."""
        return self.draws.reshape(len(self.draws), -1)

    @cached_property
    def _deviations(self) -> Vector:
        """σ_r of each action and cell (n c,)."""
        return np.asarray(self._flat.std(axis=0), dtype=np.float64)

    @property
    def deviations(self) -> Matrix:
        """σ_r of each round and action (T, n)."""
        return self._deviations.reshape(self.draws.shape[1:]).T[self.cells]


class Responses(NamedTuple):
    """The joint posterior at different types, the place of each round's type, and its number among observations."""

    posterior: JointPosterior
    places: NDArray[np.int_]
    numbers: NDArray[np.int_]


class Definitions(NamedTuple):
    """Rewards, and the number of the one that was in force in each round (T,)."""

    rewards: Sequence[Reward]
    number: NDArray[np.int_]


def reward_model(
    game: Game, responses: Responses, definitions: Definitions, rng: np.random.Generator, draws: int = DRAWS
) -> RewardModel:
    """Return the rewards of draws of b, cut to the response domain of the game."""
    actions, domain, (rewards, number) = game.actions, game.response_domain, definitions
    pairs, cells = np.unique(np.stack([responses.places, number]), axis=1, return_inverse=True)
    n = len(actions)

    def at(which: int, values: NDArray[np.float64]) -> Matrix:
        """The rewards (..., n) of responses (..., n, m) by one definition."""
        flat = np.clip(values, domain.lower, domain.upper).reshape(-1, values.shape[-1])
        return np.asarray(rewards[which](np.tile(actions, (len(flat) // n, 1)), flat)).reshape(values.shape[:-1])

    found = []
    for block in responses.posterior.draws(draws, rng):
        cell = [at(int(which), block[:, :, place]) for place, which in pairs.T]
        found.append(np.stack(cell, axis=-1))
    means, without = responses.posterior.without(responses.places, responses.numbers), np.empty((len(cells), n))
    for which in np.unique(number):
        without[number == which] = at(int(which), means[number == which])
    return RewardModel(np.concatenate(found), cells.ravel(), without)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Estimates of the values of policies per round, each (k,), with effective sample sizes and uncovered shares."""

    model: Estimate
    inverse_propensity: Estimate
    self_normalised: Estimate
    doubly_robust: Estimate
    effective_sample_size: Vector
    uncovered: Vector


def evaluate(record: Record, model: RewardModel, policies: Iterable[Matrix]) -> Evaluation:
    """Evaluate policies (T, n) of any number, some at a time.

    Estimates with propensities use the rounds whose action was drawn from p_t, the model all rounds.
    """
    rest = iter(policies)
    blocks = iter(lambda: list(islice(rest, POLICIES)), [])
    found = [_evaluated(record, model, np.stack(block)) for block in blocks]
    if not found:
        raise InvalidInput("policies is empty: give one or more.")
    joined: dict[str, Any] = {}
    for field in fields(Evaluation):
        parts = [getattr(each, field.name) for each in found]
        if isinstance(parts[0], Estimate):
            joined[field.name] = Estimate(*(np.concatenate(each) for each in zip(*parts, strict=True)))
        else:
            joined[field.name] = np.concatenate(parts)
    return Evaluation(**joined)


def _evaluated(record: Record, model: RewardModel, policies: NDArray[np.float64]) -> Evaluation:
    weights, drawn = record.weights(policies), record.drawn
    rewards, predicted = record.rewards[drawn], model.without[drawn]
    played = predicted[np.arange(len(predicted)), record.actions[drawn]]
    expected = np.einsum("ktn,tn->kt", policies[:, drawn], predicted)
    return Evaluation(
        model.values(policies),
        inverse_propensity(weights, rewards),
        self_normalised(weights, rewards),
        doubly_robust(weights, rewards, played, expected),
        effective_sample_size(weights),
        record.uncovered(policies),
    )
