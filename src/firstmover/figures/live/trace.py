"""A match followed from its journal for the sake of pictures: what was believed before each round was told."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock

import numpy as np

from firstmover.core.contracts import Belief, TrueRewards
from firstmover.core.numerics import one_thread
from firstmover.core.records import Box, Feedback, Matrix, Vector
from firstmover.matches.events import Event, unpacked
from firstmover.matches.journal import Journal
from firstmover.matches.learner_state import Step, observations
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

MOST_POINTS = 500
"""Points of a curve: with more rounds, each point stands for 2, 4, 8 … of them."""

AT_ONCE = 500
"""Rounds whose rewards are computed together."""


class Series:
    """Numbers of each told round, in the order in which rounds were told, and p_t of every so many of them.

    `every` is the smallest power of two that leaves at most MOST_POINTS points, whether rounds come one by one or all
    at once.
    """

    def __init__(self) -> None:
        self.reward: list[float] = []
        self.optimistic: list[float] = []
        self.entropy: list[float] = []
        self.regret: list[float] = []
        self.errors: list[Vector] = []
        self.every, self.strategies = 1, list[Vector]()

    def add(self, errors: Vector, strategy: Vector) -> None:
        """One more round that was told."""
        if len(self.entropy) % self.every == 0:
            self.strategies.append(strategy)
        self.errors.append(errors)
        self.entropy.append(entropy(strategy))
        if len(self.strategies) > MOST_POINTS:
            self.every, self.strategies = 2 * self.every, self.strategies[::2]


class Known:
    """What a match's state alone tells of its rounds, before anything is learnt anew."""

    def __init__(self, state: State) -> None:
        self.state = state

    def shown(self, *, reveal: bool) -> MatchRound | None:
        """The round that a map shows: the one that waits, if it may be revealed, else the one that was told last."""
        rounds = self.state.rounds
        if reveal and self.state.pending:
            return rounds[next(reversed(self.state.pending))]
        return next(self.told(), None)

    def told(self) -> Iterator[MatchRound]:
        """The rounds that were told, the one asked last first."""
        return (played for played in reversed(self.state.rounds.values()) if played.status == "told")


class Trace(Known):
    """Reads a journal as it grows; `series`, `belief`, and how often each action was `played`, are of the last event.

    With `truth`, which only a simulation knows, regret is counted too: R(t) = max_x Σ r(x, b(x, θ_s)) − Σ r(x_s, b).
    A correction changes what was learnt from there on, so all is gone through again. Weights are not followed: p_t of
    every round stands in the journal. Several threads may use one trace, one after the other: hold its `lock`.
    `between` is called after each round that is learnt from: it may wait, or give up by an error.
    """

    def __init__(
        self, journal: Journal, truth: TrueRewards | None = None, between: Callable[[], None] = lambda: None
    ) -> None:
        self.journal, self.truth, self.between, self.lock = journal, truth, between, Lock()
        self._restart()
        self.follow()

    def _restart(self) -> None:
        events = self.journal.read()
        self.state = State.created(next(iter(events)))
        self.belief: Belief = self.state.setting.belief()
        self.series, self._asked, self._done = Series(), dict[str, Vector](), 0
        self._totals, self._earned = np.zeros(self.state.setting.game.n_actions), 0.0
        self.played = np.zeros(self.state.setting.game.n_actions, dtype=np.intp)
        self._met: list[tuple[int, Vector, Vector, Vector]] = []
        self.latest: Vector | None = None

    def follow(self) -> int:
        """Take in what was recorded since; the number of the last event."""
        fresh = list(self.journal.read(self.state.sequence, self.state.mark))
        if any(event.kind == "corrected" for event in fresh) and self._done:
            self._restart()
            fresh = list(self.journal.read(self.state.sequence, self.state.mark))
        self._apply(fresh)
        with one_thread():
            for step in self.state.steps[self._done :]:
                self._learn(step)
                self._done += 1
                if len(self._met) >= AT_ONCE:
                    self._earn()
                self.between()
            self._earn()
        return self.state.sequence

    def _apply(self, events: Iterable[Event]) -> None:
        for event in events:
            self.state.apply(event)
            if event.kind == "asked":
                self.latest = unpacked(event.payload["strategy"])
                self._asked[str(event.round_id)] = self.latest

    def _learn(self, step: Step) -> None:
        setting = self.state.setting
        if isinstance(step, MatchRound):
            [feedback] = observations(setting, [step])
            self._meet(feedback, self._asked.pop(step.round_id))
        elif step.kind == "refitted":
            self.belief = setting.belief(step.payload["theta"])
            self._condition(self.state.steps[: self._done])
        self._condition([step])

    def _condition(self, steps: Sequence[Step]) -> None:
        for feedback in observations(self.state.setting, steps):
            seen = self.state.setting.game.check(feedback)
            self.belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)

    def _meet(self, feedback: Feedback, strategy: Vector) -> None:
        """What was expected of a round just before it was told, and what came."""
        setting, action = self.state.setting, feedback.action
        prediction = self.belief.predict(feedback.opponent_type)
        width = setting.confidence(self.belief.information_gain)
        mean, std = prediction.mean[action], float(prediction.std[action])
        self.played[action] += 1
        self._met.append((action, feedback.response, mean - width * std, mean + width * std))
        self.series.add((feedback.response - mean) / np.sqrt(std**2 + setting.regularization), strategy)
        if self.truth is not None:
            self._totals += self.truth(feedback.opponent_type)
            self._earned += float(self.truth(feedback.opponent_type)[action])
            self.series.regret.append(float(self._totals.max() - self._earned))

    def _earn(self) -> None:
        """Rewards and optimistic rewards of the rounds met last, all at once."""
        if not self._met:
            return
        game = self.state.setting.game
        rows, responses, low, high = (np.array(part) for part in zip(*self._met, strict=True))
        actions = game.actions[rows]
        best = game.reward.best_in_box(actions, Box(low, high).within(game.response_domain))
        best = best if game.reward_range is None else np.clip(best, *game.reward_range)
        self.series.reward += np.asarray(game.reward(actions, responses), dtype=float).tolist()
        self.series.optimistic += np.asarray(best, dtype=float).tolist()
        self._met.clear()

    @property
    def strategy(self) -> Vector:
        """p_t of the round that was asked last; before the first, that of a learner who knows nothing."""
        return self.state.setting.learner().strategy if self.latest is None else self.latest

    def types_met(self, most: int) -> tuple[Matrix, Vector]:
        """The types met last, each once, and how often; all known ones before any was met."""
        rows = self.state.latest_rows(most)
        known = self.state.setting.game.types
        if not rows:
            return (np.empty((0, 0)), np.empty(0)) if known is None else (known, np.ones(len(known)))
        met = np.array([self.state.setting.types.vector(row[1]) for row in rows])
        types, counts = np.unique(met, axis=0, return_counts=True)
        return types, counts.astype(float)


def entropy(strategy: Vector) -> float:
    """−Σ p log p in nats.

    >>> round(entropy(np.array([0.5, 0.5, 0.0])), 4)
    0.6931
    """
    positive = strategy[strategy > 0]
    return float(-np.sum(positive * np.log(positive)))
