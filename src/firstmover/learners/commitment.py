"""Commitments to any mixture of the actions: the whole simplex, without a grid."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.logit_utilities import Deterrence, LinearUtilities, fit, log_choice
from firstmover.core.arrays import Matrix, Vector, distribution
from firstmover.core.cards import StrategyCard
from firstmover.core.choices import ChoiceReward, places_of
from firstmover.core.contracts import Game
from firstmover.core.places import SURPRISE, Places
from firstmover.core.records import Feedback

PLAUSIBLE = 0.2
"""A place is considered once its likelihood of some report is at least this times that of the likeliest place."""

GAIN = 0.02
"""An exploration succeeds if it adds this share of what the best commitment earns above equal weights."""

LINEAR_TURN = 4
"""Every fourth exploration without success assumes linear utilities."""

SPREAD = 0.3
"""The size of the random part of the prior mean of linear utilities, relative to the prior standard deviation."""

FLATTERY = np.log(2.0)
"""What the log likelihood of a place loses if it earns more than another plausible one."""

SMALLEST = 1e-300
"""Relative likelihoods below this count as this."""


@dataclass(frozen=True, eq=False, repr=False)
class Committing(StrategyCard):
    """Commits to mixtures p_t of n actions; the opponent sees p_t, which is its type θ_t, and chooses a place.

    The reward of a commitment is linear, r(p, y) = Σ_x p[x] r(x, y). A round either repeats the best commitment so far,
    by the places that all its reports point to, or explores: it plays the best commitment against utilities fitted to
    all reports (`Deterrence`; `LinearUtilities` when several explorations in a row did not succeed, and as long as they
    do). Places that no report points to are assumed never to be chosen, until one does. After k explorations in a row
    without success, k (k + 1) / 4 rounds repeat the best commitment. `start` builds the first learner.

    Parameters
    ----------
    game
        With places.
    points
        The g commitments played (g, n).
    counts, sums
        The number of reports of each (g,), and their sum (g, m).
    shares
        The probabilities of the places of each commitment, given all reports (g, c).
    rounds
        How many were played.
    failures
        Explorations in a row without success.
    wait
        Rounds until the next exploration.
    linear
        Whether the last success assumed linear utilities.

    Examples
    --------
    >>> from firstmover import Box, Game, Places, increasing
    >>> from firstmover.learners import Committing
    >>> quays = Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise_std=0.1)
    >>> reward = increasing(lambda x, y: x[:, 0] * y[:, 0])
    >>> Committing.start(Game("quays", [[1.0], [2.0]], reward, Box([0.0], [2.0]), places=quays)).strategy
    array([0.5, 0.5])
    """

    game: Game
    points: Matrix
    counts: Vector
    sums: Matrix
    shares: Matrix
    rounds: int = 0
    failures: int = 0
    wait: int = 0
    linear: bool = False

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the learner before the first round: equal weights.

        Parameters
        ----------
        game
            With places.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If the game has no places.
        """
        places, n = places_of(game), game.n_actions
        return cls(game, np.empty((0, n)), np.empty(0), np.empty((0, game.n_outputs)), np.empty((0, places.count)))

    @property
    def explores(self) -> bool:
        """Return whether this round explores."""
        return self.wait == 0

    @cached_property
    def payoffs(self) -> Matrix:
        """The leader's payoff of each action at the centre of each place (n, c), scaled to [0, 1] for each place."""
        rewards = ChoiceReward(self.game.reward, places_of(self.game).centres).coefficients(self.game.actions)
        span = np.ptp(rewards, axis=0)
        return (rewards - rewards.min(axis=0)) / np.where(span > 0, span, 1.0)

    @cached_property
    def locations(self) -> Matrix:
        """The expected location in each place (c, m): between its centre and the mean of its reports."""
        places = places_of(self.game)
        box, noise = places.box, places.noise_std**2
        prior = (box.upper - box.lower) ** 2 / 12  # the variance of a uniform location
        counted = (self.shares * self.counts[:, None]).sum(axis=0)[:, None]
        mean = (noise * places.centres + prior * (self.shares.T @ self.sums)) / (noise + prior * counted)
        return np.clip(mean, box.lower, box.upper)

    @cached_property
    def rewards(self) -> Matrix:
        """r(x, y_i) of every action and place (n, c), at the expected locations."""
        return ChoiceReward(self.game.reward, self.locations).coefficients(self.game.actions)

    @cached_property
    def values(self) -> Vector:
        """The expected reward of each commitment played (g,), given all reports."""
        return np.einsum("gi,gi->g", self.shares, self.points @ self.rewards)

    @cached_property
    def best(self) -> Vector:
        """The commitment played so far of the largest expected reward."""
        return self.points[int(np.argmax(self.values))]

    @cached_property
    def seen(self) -> NDArray[np.intp]:
        """The places that some report points to, by the reports of one commitment alone."""
        likelihood = _alone(places_of(self.game), self.sums, self.counts)
        return np.flatnonzero((likelihood >= PLAUSIBLE * likelihood.max(axis=1, keepdims=True)).any(axis=0))

    @cached_property
    def log_likelihood(self) -> Matrix:
        """log ℓ of the reports of each commitment from each place (g, c), given the reports of the others.

        A uniform location in a place without reports, otherwise near their mean, as `Readings` has it. Of the places
        that an unclear report may come from, all but the one that earns least count less.
        """
        places, counts = places_of(self.game), self.counts[:, None]
        weights = self.shares * counts
        others = weights.sum(axis=0) - weights
        totals = np.einsum("gi,gm->im", self.shares, self.sums) - self.shares[..., None] * self.sums[:, None]
        n = np.maximum(others, 1e-9)[..., None]
        near = np.clip(totals / n, places.box.lower, places.box.upper)
        variance = places.noise_std**2 * (1 / counts[..., None] + 1 / np.maximum(n, PLAUSIBLE))
        off = (self.sums / counts)[:, None] - near
        density = np.prod(np.exp(-0.5 * off**2 / variance) / np.sqrt(2 * np.pi * variance), axis=2)
        mixed = (_alone(places, self.sums, self.counts) + others * density) / (1 + others)
        largest, earned = mixed.max(axis=1, keepdims=True), self.points @ self.rewards
        least = np.where(mixed >= PLAUSIBLE * largest, earned, np.inf).min(axis=1, keepdims=True)
        return np.log(np.maximum(mixed, SMALLEST * largest)) - FLATTERY * (earned > least)

    @cached_property
    def strategy(self) -> Vector:
        """p_t, the commitment itself."""
        if self.rounds == 0:
            return np.full(self.game.n_actions, 1 / self.game.n_actions)
        if not self.explores:
            return self.best
        proposed = self._against_linear() if self.linear else self._against_deterrence()
        return self.best if proposed is None else proposed

    def _against_deterrence(self) -> Vector | None:
        model = Deterrence(self.payoffs[:, self.seen])
        return model.best(fit(model, self.points, self.log_likelihood[:, self.seen]), self.rewards[:, self.seen])

    def _against_linear(self) -> Vector | None:
        """The best commitment against one draw of the utilities, so that places never chosen are tried too."""
        model = LinearUtilities(self.payoffs)
        drawn = np.random.default_rng(self.rounds).standard_normal(len(model.scale))  # the same in every replay
        centre = model.centre + SPREAD * model.scale * drawn
        return model.best(fit(model, self.points, self.log_likelihood, centre), self.rewards)

    def _read(self) -> Self:
        """Return the learner with the places of all commitments read again, by utilities fitted to them together."""
        model = Deterrence(self.payoffs[:, self.seen])
        log_likelihood = self.log_likelihood[:, self.seen]
        parameters = fit(model, self.points, log_likelihood)
        chances = np.exp(log_choice(model.utilities(parameters, model.features(self.points)))) + SURPRISE
        shares = np.zeros_like(self.shares)
        shares[:, self.seen] = _normalised(np.log(chances) + log_likelihood)
        return replace(self, shares=shares)

    def observe(self, feedback: Feedback) -> Self:
        """Record the report for its commitment; after an exploration, read all places again."""
        seen = self.game.check(feedback)
        commitment = distribution("opponent_type", seen.opponent_type, self.game.n_actions)
        learner = self._with_report(commitment, seen.response)
        if not self.explores:
            return replace(learner, wait=self.wait - 1)
        learner = learner._read()
        if self.rounds == 0:
            return learner
        before, now = learner.values[: len(self.points)].max(), learner.values.max()
        found = np.setdiff1d(learner.seen, self.seen).size > 0 or now - before > GAIN * (now - learner.values[0])
        failures = 0 if found else self.failures + 1
        linear = self.linear if found else failures % LINEAR_TURN == LINEAR_TURN - 1
        return replace(learner, failures=failures, wait=failures * (failures + 1) // 4, linear=linear)

    def _with_report(self, commitment: Vector, response: Vector) -> Self:
        known = np.flatnonzero((self.points == commitment).all(axis=1))
        rounds = self.rounds + 1
        if len(known) == 0:
            points, counts = np.vstack([self.points, commitment]), np.append(self.counts, 1.0)
            sums, shares = np.vstack([self.sums, response]), np.vstack([self.shares, np.zeros(self.shares.shape[1])])
            learner = replace(self, points=points, counts=counts, sums=sums, shares=shares, rounds=rounds)
        else:
            one = np.arange(len(self.points)) == known[0]
            sums = self.sums + one[:, None] * response
            learner = replace(self, counts=self.counts + one, sums=sums, rounds=rounds)
        shares = learner.shares.copy()
        row = len(learner.points) - 1 if len(known) == 0 else known[0]
        shares[row] = _normalised(learner.log_likelihood[[row]])[0]
        return replace(learner, shares=shares)


def _alone(places: Places, sums: Matrix, counts: Vector) -> Matrix:
    """ℓ of the reports of each commitment from each place (g, c), without those of other commitments."""
    rows = np.empty((len(counts), places.count))
    for row, mean, count in zip(rows, sums / counts[:, None], counts, strict=True):
        row[:] = places.likelihood(mean, int(count))
        if row.max() <= 0:  # all underflow
            row[places.nearest(mean)] = 1.0
    return rows


def _normalised(logs: Matrix) -> Matrix:
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
