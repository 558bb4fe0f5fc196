"""A match read from its journal for pictures: its state, its learner, and what was predicted before each round."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, TrueRewards
from firstmover.core.numerics import one_thread
from firstmover.core.records import Box, Feedback
from firstmover.matches.events import Event, unpacked
from firstmover.matches.forecast import response_intervals, unknown_actions
from firstmover.matches.journal import Journal
from firstmover.matches.learner_state import Learning, Step, learn, observations
from firstmover.matches.outcome_check import ObservedValue, observed_values
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

MOST_POINTS = 500
"""Points of a curve: with more rounds, each point stands for 2, 4, 8 … of them."""

BATCH = 500
"""Rounds whose rewards are computed together."""


class Series:
    """Numbers of each told round, in the order of the tells, and p_t of every `every`-th of them.

    `expected` is the reward at the mean response, as predicted just before the tell; NaN while nothing was known.
    `every` is the smallest power of two that leaves at most MOST_POINTS points, whether rounds are added one by one or
    all at once.
    """

    def __init__(self) -> None:
        self.reward: list[float] = []
        self.optimistic: list[float] = []
        self.expected: list[float] = []
        self.entropy: list[float] = []
        self.regret: list[float] = []
        self.errors: list[Vector] = []
        self.every = 1
        self.strategies: list[Vector] = []

    def add(self, errors: Vector, strategy: Vector) -> None:
        """Add a told round: its standardised prediction errors and its p_t."""
        if len(self.entropy) % self.every == 0:
            self.strategies.append(strategy)
        self.errors.append(errors)
        self.entropy.append(entropy(strategy))
        if len(self.strategies) > MOST_POINTS:
            self.every, self.strategies = 2 * self.every, self.strategies[::2]


class Trace:
    """Follows a journal as it grows; `state`, `learning`, `series` and `played` are those after the last event.

    `surprises` has, by round, the responses that lay far outside of their bands just before the tell.

    With `truth`, which only a simulation knows, regret is counted too: R(t) = max_x Σ r(x, b(x, θ_s)) − Σ r(x_s, b).
    After a correction, or a change of the menu, the reward or the levels of a type, the journal is read again: rewards
    of past rounds are then those of the present definition. `between` is called before each step; it may wait, or stop
    the reading with an exception.
    """

    def __init__(
        self, journal: Journal, truth: TrueRewards | None = None, between: Callable[[], None] = lambda: None
    ) -> None:
        self.journal, self.truth, self.between = journal, truth, between
        self._restart()
        self.follow()

    def _restart(self) -> None:
        events = list(self.journal.read())
        self.state = State.folded(events)
        setting = self.state.setting
        n = setting.game.n_actions
        self.learning = Learning.start(setting)
        self.strategy: Vector = self.learning.learner.strategy
        """p_t of the round asked last; before the first, that of the learner without data."""
        self.told_strategy = self.strategy
        """p_t of the round told last, which readers may see: that of a pending round may be its action alone."""
        self.series, self.played = Series(), np.zeros(n, dtype=np.intp)
        self.surprises: dict[str, tuple[ObservedValue, ...]] = {}
        self._strategies: dict[str, Vector] = {}  # of rounds whose tell has not been learnt from
        self._done = 0
        self._totals, self._earned = np.zeros(n), 0.0
        self._batch: list[tuple[int, Vector, Vector, Vector, Vector, float]] = []
        self._read_strategies(events)

    def _read_strategies(self, events: Iterable[Event]) -> None:
        """Keep p_t of the rounds asked, 0 for actions that were added later."""
        for event in events:
            if event.kind == "asked":
                strategy = unpacked(event.payload["strategy"])
                self.strategy = np.append(strategy, np.zeros(len(self.played) - len(strategy)))
                self._strategies[str(event.round_id)] = self.strategy

    def follow(self) -> int:
        """Read the events recorded since; return the number of the last one."""
        fresh = list(self.journal.read(self.state.sequence, self.state.mark))
        if any(event.kind == "changed" or (event.kind == "corrected" and self._done) for event in fresh):
            self._restart()
        else:
            for event in fresh:
                self.state.apply(event)
            self._read_strategies(fresh)
        with one_thread():
            self.learning = learn(self.learning, self.state.steps, self._done, self._observe)
            self._done = len(self.state.steps)
            self.state.adopt(self.learning)
            self._compute_rewards()
        return self.state.sequence

    def _observe(self, learning: Learning, step: Step) -> None:
        """Compare a told round with what was predicted just before."""
        self.between()
        if not isinstance(step, MatchRound):
            return
        setting, belief = learning.setting, learning.belief
        [feedback] = observations(setting, [step])
        action = feedback.action
        prediction = belief.predict(feedback.opponent_type)
        mean, std = prediction.mean[action], prediction.std[action]
        width = setting.confidence(belief.information_gain)
        self.played[action] += 1
        if step.committed:
            box = confidence_box(prediction, width, setting.game.response_domain)
            best = setting.game.reward.best_in_box(setting.game.actions, box)
            self.series.optimistic.append(float(unpacked(step.committed) @ best))
            self.series.expected.append(np.nan)
            self.series.reward.append(self.state.reward(step, step.response or {}))
        else:
            cost = self.state.change_cost(step)
            unknown = unknown_actions(learning, feedback.opponent_type)[action]
            middle = np.full(len(mean), np.nan) if unknown else mean
            self._batch.append((action, feedback.response, middle, mean - width * std, mean + width * std, cost))
            if not unknown and (np.abs(feedback.response - mean) > learning.reach(std)).any():
                self._compare(learning, step.round_id, feedback)
        errors = (feedback.response - mean) / np.sqrt(std**2 + learning.noise_variance)
        self.told_strategy = self._strategies.pop(step.round_id)
        self.series.add(errors, self.told_strategy)
        if self.truth is not None:
            rewards = self.truth(feedback.opponent_type)
            self._totals += rewards
            self._earned += float(rewards[action])
            self.series.regret.append(float(self._totals.max() - self._earned))
        if len(self._batch) >= BATCH:
            self._compute_rewards()

    def _compare(self, learning: Learning, round_id: str, feedback: Feedback) -> None:
        """Keep the responses of a round that are surprising, by the rule of the check before a tell."""
        if learning.setting.responses.levels is None:
            expected = response_intervals(learning, feedback.action, feedback.opponent_type)
            values = observed_values(learning.setting, np.asarray(feedback.response), expected)
            found = tuple(value for value in values if value.surprising)
            self.surprises |= {round_id: found} if found else {}

    def _compute_rewards(self) -> None:
        """Rewards and optimistic rewards, Eq. (6), of the rounds of the batch."""
        if not self._batch:
            return
        game = self.state.setting.game
        rows, responses, middle, low, high, costs = (np.array(part) for part in zip(*self._batch, strict=True))
        actions, known = game.actions[rows], np.isfinite(middle).all(axis=1)
        expected, domain = np.full(len(rows), np.nan), game.response_domain
        expected[known] = game.reward(actions[known], np.clip(middle[known], domain.lower, domain.upper))
        best = game.reward.best_in_box(actions, Box(low, high).within(game.response_domain))
        best = best if game.reward_range is None else np.clip(best, *game.reward_range)
        self.series.reward += _rewards(game, rows, responses, costs).tolist()
        self.series.optimistic += np.asarray(best, dtype=float).tolist()
        self.series.expected += (expected - costs).tolist()
        self._batch.clear()


def _rewards(game: Game, rows: NDArray[np.intp], responses: Matrix, costs: Vector) -> Vector:
    """r of actions and responses (k,), less what changes of the action cost."""
    return np.asarray(game.reward(game.actions[rows], responses), dtype=np.float64) - costs


def told_rewards(state: State) -> Vector:
    """The rewards of the told rounds in the order of the tells, which need no learner."""
    setting, told = state.setting, [step for step in state.steps if isinstance(step, MatchRound)]
    found = np.array([state.reward(step, step.response or {}) if step.committed else 0.0 for step in told])
    plain = np.array([not step.committed for step in told], dtype=bool)
    steps = [step for step in told if not step.committed]
    if steps:
        rows = np.array([step.action_played for step in steps], dtype=np.intp)
        responses = np.array([setting.responses.vector(step.response or {}) for step in steps])
        costs = np.array([state.change_cost(step) for step in steps])
        found[plain] = _rewards(setting.game, rows, responses, costs)
    return found


def entropy(strategy: Vector) -> float:
    """−Σ p log p in nats.

    >>> round(entropy(np.array([0.5, 0.5, 0.0])), 4)
    0.6931
    """
    positive = strategy[strategy > 0]
    return float(-np.sum(positive * np.log(positive)))
