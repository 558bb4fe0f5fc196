"""Learners for responses that are a choice among places."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from firstmover.beliefs.choice import ChoiceBelief
from firstmover.beliefs.utilities import UtilityBelief
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.choices import ChoiceReward, choice_game, places_of, with_locations
from firstmover.core.contracts import Game, Weights
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.places import Reports
from firstmover.core.records import Box, Feedback
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import best_possible, credited
from firstmover.strategies import AdaHedge

OPTIMISM = 0.3
"""Optimistic rewards of untried actions are means over the best 30 % of what may be chosen."""

PLAUSIBLE = 0.02
"""A reading counts as possible from this share of the likeliest on."""

DETERRED = 4.0
"""The log prior odds of utilities that fall with a place's own feature, as in every security game."""

UNFORESEEN = 0.01
"""The probability that each belief leaves to all places alike when beliefs are compared."""


class Known(NamedTuple):
    """What is known of an opponent of one type: its reports, and beliefs about its utilities, perhaps none."""

    opponent_type: Vector
    reports: Reports
    utilities: tuple[UtilityBelief, ...]
    likelihoods: Matrix


@dataclass(frozen=True, eq=False, repr=False)
class ByChoice(StrategyCard):
    """Reads responses as choices among places, and plays by optimistic rewards of these.

    Beliefs about the choice compete: utilities that fall, or rise, with a place's own feature (if actions have one
    feature per place), and a smooth dependence on the whole action. The best one predicts. With q its probabilities,

    r̃(x) = max Σ_i r(x, y_i) p_i over p in the simplex with p_i ≤ q_i / 0.3,

    or over [μ − σ / 2c, μ + σ / 2c] for the smooth belief, with y_i the expected location in place i. An action that
    was played counts as it was read, and, of several possible readings, as the one that earns least: a report near a
    border must not flatter the learner.

    Against one type the action of the largest r̃ is played, otherwise `weights` follow r̃. `start` builds the first
    learner.

    Parameters
    ----------
    game
        With places and known types.
    indicators
        The same game with indicators of places as responses.
    smooth
        The smooth belief after the reports so far.
    prior
        The smooth belief before them.
    read
        The place that each report was read as, by type and action.
    known
        What is known of each type.
    scores
        Log likelihoods of the first report of every action, each predicted before it was made, of each belief.
    weights
        p_t; None against one type.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> from firstmover.learners import ByChoice
    >>> ByChoice.start(GAMES["wildlife"].build())
    ByChoice(Game('wildlife', 525 actions, 2 outputs, 1 type), 0 actions played)
    """

    game: Game
    indicators: Game
    smooth: ChoiceBelief
    prior: ChoiceBelief
    read: dict[tuple[bytes, int], int]
    known: dict[bytes, Known]
    scores: Vector
    weights: Weights | None

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the learner before any report, with AdaHedge weights if there are several types.

        Parameters
        ----------
        game
            With places and known types.

        Returns
        -------
        Self
            The learner of round 1.

        Raises
        ------
        InvalidInput
            If the game has no places or no known types.
        """
        places = places_of(game)
        if game.types is None:
            raise InvalidInput(f"game {game.name!r} has no known types: this learner needs them.")
        weights = AdaHedge.opened(best_possible(game)) if len(game.types) > 1 else None
        own_feature = game.actions.shape[1] == places.count
        utilities = tuple(UtilityBelief.prior(game.actions, sign) for sign in (-1, 1)) if own_feature else ()
        nothing = np.empty((0, places.count))
        known = {kind.tobytes(): Known(kind, Reports.start(places), utilities, nothing) for kind in game.types}
        smooth = ChoiceBelief.prior(game.actions, game.types, places.count)
        indicators = choice_game(game, places.centres)
        scores = np.array([DETERRED, 0.0, 0.0] if own_feature else [0.0])
        return cls(game, indicators, smooth, smooth, {}, known, scores, weights)

    def __repr__(self) -> str:
        played = sum(len(known.reports.actions) for known in self.known.values())
        return f"ByChoice({self.game!r}, {counted(played, 'action')} played)"

    @cached_property
    def strategy(self) -> Vector:
        """p_t."""
        if self.weights is not None:
            return self.weights.strategy
        (known,) = self.known.values()
        return always(int(np.argmax(self.optimistic(known))), self.game.n_actions)

    def readings(self, known: Known) -> Matrix:
        """The share of each place at the actions played (k, c), by the belief that predicts."""
        best = int(np.argmax(self.scores))
        if best < len(known.utilities):
            return known.utilities[best].readings
        return known.likelihoods / known.likelihoods.sum(axis=1, keepdims=True)

    def chances(self, known: Known, action: int) -> Matrix:
        """The probabilities of the places at one action, by each belief."""
        smooth = self.smooth.predict(known.opponent_type).mean[action].clip(0.0)
        return np.array([*(belief.chances_at(action) for belief in known.utilities), smooth / smooth.sum()])

    def optimistic(self, known: Known) -> Vector:
        """r̃ of every action (n,)."""
        best, readings, actions = int(np.argmax(self.scores)), self.readings(known), list(known.reports.actions)
        if best < len(known.utilities):
            upper = np.minimum(known.utilities[best].chances / OPTIMISM, 1.0)
            lower = np.zeros_like(upper)
        else:
            mean, std = self.smooth.predict(known.opponent_type)
            reach = std[:, None] / (2 * readings.shape[1])
            lower, upper = (mean - reach).clip(0.0, 1.0), (mean + reach).clip(0.0, 1.0)
        reward = with_locations(self.indicators, known.reports.locations(readings)).reward
        assert isinstance(reward, ChoiceReward)
        possible = readings >= PLAUSIBLE * readings.max(axis=1, keepdims=True)
        earned = np.where(possible, reward.coefficients(self.game.actions)[actions], np.inf)
        lower[actions] = upper[actions] = earned == earned.min(axis=1, keepdims=True)
        rewards = reward.best_in_box(self.game.actions, Box.unchecked(lower, upper))
        return rewards if self.game.reward_range is None else np.clip(rewards, *self.game.reward_range)

    def observe(self, feedback: Feedback) -> Self:
        """Update the weights by r̃ before this round, then read all reports of the type with the new one."""
        seen = self.game.check(feedback)
        key = seen.opponent_type.tobytes()
        if key not in self.known:
            raise InvalidInput(f"opponent_type is {seen.opponent_type.tolist()}: give one of the game's types.")
        known, action = self.known[key], seen.action
        weights = self.weights
        if weights is not None:
            weights = weights.update(credited(self, self.optimistic(known), seen.allowed))
        new = action not in known.reports.actions
        reports = known.reports.add(action, seen.response)
        readings = self.readings(known)
        likelihoods = reports.likelihoods(np.vstack([readings, np.zeros((1, readings.shape[1]))]) if new else readings)
        scores = self.scores
        if new:
            chances = self.chances(known, action)
            uniform = UNFORESEEN / chances.shape[1]
            scores = scores + np.log(((1 - UNFORESEEN) * chances + uniform) @ likelihoods[-1])
        utilities = tuple(belief.given(reports.actions, likelihoods) for belief in known.utilities)
        known = Known(seen.opponent_type, reports, utilities, likelihoods)
        smooth, read = self._smooth(known)
        return replace(self, smooth=smooth, read=read, known={**self.known, key: known}, scores=scores, weights=weights)

    def _smooth(self, known: Known) -> tuple[ChoiceBelief, dict[tuple[bytes, int], int]]:
        """The smooth belief after the likeliest place of each action; from the start if an earlier one has changed."""
        key = known.opponent_type.tobytes()
        places = known.likelihoods.argmax(axis=1).tolist()
        now = self.read | {(key, action): place for action, place in zip(known.reports.actions, places, strict=True)}
        changed = any(now[at] != place for at, place in self.read.items())
        smooth, todo = self.smooth, [at for at in now if at not in self.read]
        if changed:
            smooth, todo = self.prior, list(now)
        for kind, action in todo:
            smooth = smooth.condition(
                action, self.known[kind].opponent_type, np.eye(smooth.n_places)[now[kind, action]]
            )
        return smooth, now
