"""Rules of a decision beside the learner's own: a floor, blocks of rounds, and a cost of changing the action."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import scipy  # scipy.special is loaded on first use: it is slow to import

from firstmover.core.arrays import Mask, Matrix, Vector, as_count, as_index, as_number, non_negative
from firstmover.core.contracts import Game, GrowsMenu, Learner, decided, worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.learners.fixed import always
from firstmover.learners.mean_rewards import MeanRewards, mean_rewards, optimistic_means, response_belief, type_shares

HEAD_START = 2
"""Trials that a floor allows before the first rounds at the baseline have paid for one."""

MOST_CONTEXTS = 12
"""Contexts up to which each past round is judged in its own one; of more, all are judged over all types."""

Rule = Literal["floor", "hold", "change_cost"]
"""The name of a rule."""


class PastRounds(NamedTuple):
    """The actions of the rounds so far as they were played, their contexts (t, c), and the types observed (k, p)."""

    actions: Sequence[int]
    contexts: Matrix
    types: Matrix


@dataclass(frozen=True)
class Floor:
    """A share of what a baseline earns, below which few rounds may lie.

    Rewards are means over the types of the rounds so far, with the posterior mean m(x) and standard deviations. Where
    the baseline earns b the floor is f(b) = b − (1 − at_least) abs(b). The risk of an action is its probability to earn
    less,

    risk(x) = Φ(−(m(x) − f(m(baseline))) / √(below(x)² + (f' above(baseline))²)),   risk(baseline) = 0

    An action is safe while risk(x) ≤ 1 − confidence. A round with another one is a trial: it is allowed while trials
    are at most the share `tolerance` of the rounds, and two. Trials are counted by the present belief: an action that
    turned out to be safe was none. Before anything is known, and with no tolerance for trials, only safe actions are
    allowed; the baseline always is.

    Parameters
    ----------
    baseline
        Index of the action to compare with.
    at_least
        The share of its reward, from 0 to 1.
    tolerance
        The largest share of trials, from 0 to 1.
    confidence
        Of an action to be safe, from 0.5 to below 1.

    Raises
    ------
    InvalidInput
        If a share or the confidence is outside its range.

    Examples
    --------
    >>> from firstmover import Floor
    >>> Floor(baseline=0, at_least=0.9).of(10.0)
    9.0
    """

    baseline: int
    at_least: float = 0.95
    tolerance: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_index("baseline", self.baseline)
        for name in ("at_least", "tolerance"):
            if not 0 <= as_number(name, getattr(self, name)) <= 1:
                raise InvalidInput(f"{name} is {getattr(self, name)}: give a share from 0 to 1.")
        if not 0.5 <= as_number("confidence", self.confidence) < 1:
            raise InvalidInput(f"confidence is {self.confidence}: give a probability from 0.5 to below 1.")

    def of(self, reward: float) -> float:
        """f: the least that an action may earn where the baseline earns this reward.

        Parameters
        ----------
        reward
            What the baseline earns.

        Returns
        -------
        float
            b − (1 − at_least) abs(b).

        Examples
        --------
        >>> from firstmover import Floor
        >>> Floor(0, 0.9).of(10.0), Floor(0, 0.9).of(-10.0)
        (9.0, -11.0)
        """
        return reward - (1 - self.at_least) * abs(reward)

    def risks(self, rewards: MeanRewards) -> Vector:
        """The probability of each action to earn less than the floor (n,)."""
        b = float(rewards.mean[self.baseline])
        slope = self.at_least if b > 0 else 2 - self.at_least
        std = np.hypot(rewards.below, slope * rewards.above[self.baseline])
        above = rewards.mean - self.of(b)
        certain = np.where(above >= 0, np.inf, -np.inf)
        risks = scipy.special.ndtr(-np.divide(above, std, out=certain, where=std > 0))
        risks[self.baseline] = 0.0
        return np.asarray(risks, dtype=np.float64)

    def safe(self, risks: Vector) -> Mask:
        """The actions that are safe."""
        return np.asarray(risks <= 1 - self.confidence)

    def permitted(self, risks: Vector, trials: int, rounds: int) -> Mask:
        """The actions that may be played after so many rounds with so many trials: the safe ones, or all."""
        safe = self.safe(risks)
        return safe | (self.tolerance > 0 and trials + 1 <= self.tolerance * (rounds + 1) + HEAD_START)


@dataclass(frozen=True)
class DecisionRules:
    """Rules that a decision keeps beside the learner's own; p_t follows from the learner and the past alone.

    After k rounds with the same action x, a cost of changes permits another one only if

    k (r̃(p_t) − r̃(x)) ≥ change_cost

    with r̃ the optimistic mean rewards over the types so far: once the rounds since the last change would have paid for
    it (ski rental).

    Parameters
    ----------
    floor
        Masks actions; the mask is not reported to the learner, whose weights continue to learn about all actions.
    hold
        The length of blocks: the action drawn in the first round of a block is kept, as long as it is allowed.
    change_cost
        The cost of a round in which another action is played than in the one before.

    Raises
    ------
    InvalidInput
        If `hold` is not positive or `change_cost` is negative.

    Examples
    --------
    >>> from firstmover import GAMES, DecisionRules, auto, opponent_for, play_run
    >>> game = GAMES["shore"].build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> run = play_run(game, opponent, auto(game), rounds=12, seed=0, rules=DecisionRules(hold=4))
    >>> bool((run.actions.reshape(3, 4) == run.actions[::4, None]).all())
    True
    """

    floor: Floor | None = None
    hold: int = 1
    change_cost: float = 0.0

    def __post_init__(self) -> None:
        as_count("hold", self.hold)
        non_negative("change_cost", self.change_cost)

    def check(self, learner: Learner, game: Game) -> None:
        """Raise InvalidInput if these rules cannot be kept by this learner in this game.

        Parameters
        ----------
        learner
            Before the first round.
        game
            Which it plays.

        Raises
        ------
        InvalidInput
            If the learner grows its menu or has no belief, the baseline is not on the menu, or the reward has no
            minimum over a box.
        """
        if self.floor is None and not self.change_cost:
            return
        if isinstance(learner, GrowsMenu):
            raise InvalidInput(
                f"learner {type(learner).__name__} adds actions to the menu: leave floor and change_cost out."
            )
        response_belief(learner)
        if self.floor is not None:
            as_index("baseline", self.floor.baseline, game.n_actions)
            point = np.clip(0.0, game.response_domain.lower, game.response_domain.upper)[None]
            worst_in_box(game.reward, game.actions[:1], Box(point, point))

    def strategy(
        self, learner: Learner, game: Game, past: PastRounds, context: Vector | None = None, allowed: Mask | None = None
    ) -> Vector:
        """Return p_t of a learner after these rounds, in a context and over the allowed actions.

        Parameters
        ----------
        learner
            After the rounds so far.
        game
            Which it plays.
        past
            The rounds as they were played.
        context
            The features of θ_t that are known (c,).
        allowed
            The actions that may be played (n,); None: all.

        Returns
        -------
        Vector
            p_t (n,).
        """
        return self._decided(learner, game, past, context, allowed)[0]

    def deciding_rule(
        self, learner: Learner, game: Game, past: PastRounds, context: Vector | None = None, allowed: Mask | None = None
    ) -> Rule | None:
        """Return the rule by which the same decision is another one than the learner's own; None if it is that."""
        strategy, kept_by = self._decided(learner, game, past, context, allowed)
        if np.array_equal(strategy, decided(learner, context, allowed)):
            return None
        return kept_by or "floor"

    def _decided(
        self, learner: Learner, game: Game, past: PastRounds, context: Vector | None, allowed: Mask | None
    ) -> tuple[Vector, Rule | None]:
        """p_t, and the rule by which the previous action is kept, if one is."""
        mask = allowed if self.floor is None else self.mask(learner, game, past, context, allowed)
        previous = past.actions[-1] if len(past.actions) else None
        if previous is None or not (mask is None or mask[previous]):
            return decided(learner, context, mask), None
        if len(past.actions) % self.hold:
            return always(previous, game.n_actions), "hold"
        strategy = decided(learner, context, mask)
        if not self.change_cost or self._pays(learner, game, past, context, strategy):
            return strategy, None
        return always(previous, game.n_actions), "change_cost"

    def _pays(self, learner: Learner, game: Game, past: PastRounds, context: Vector | None, strategy: Vector) -> bool:
        """Whether the rounds since the last change would have paid for another."""
        shares = type_shares(game, past.types, context)
        if not len(shares.types):
            return False
        rewards = optimistic_means(learner, game, shares)
        gain = float(strategy @ rewards - rewards[past.actions[-1]])
        return rounds_since_change(past.actions) * gain >= self.change_cost

    def mask(
        self, learner: Learner, game: Game, past: PastRounds, context: Vector | None, allowed: Mask | None
    ) -> Mask:
        """Return the allowed actions that the floor permits; where it permits none of them, those of the least risk."""
        floor, everything = self.floor, np.ones(game.n_actions, dtype=bool)
        assert floor is not None
        allowed = everything if allowed is None else allowed
        risks = self.risks(learner, game, past, context)
        if risks is None:
            baseline = np.arange(game.n_actions) == floor.baseline
            return baseline if allowed[floor.baseline] else allowed
        tried = sum(action != floor.baseline for action in past.actions)  # at least as many as trials: quick to count
        if floor.permitted(risks, tried, len(past.actions))[allowed].all():
            return allowed
        trials = int(np.sum(self.trials(learner, game, past)))
        mask = allowed & floor.permitted(risks, trials, len(past.actions))
        return mask if mask.any() else allowed & (risks == risks[allowed].min())

    def risks(self, learner: Learner, game: Game, past: PastRounds, context: Vector | None) -> Vector | None:
        """Return the risk of each action in a context (n,); None while nothing is known."""
        assert self.floor is not None
        rewards = mean_rewards(game, response_belief(learner), type_shares(game, past.types, context))
        return None if rewards is None else self.floor.risks(rewards)

    def trials(self, learner: Learner, game: Game, past: PastRounds) -> Mask:
        """Return which rounds were trials by the present belief (t,): each with its action not safe in its context."""
        return self.judged(learner, game, past).unsafe

    def judged(self, learner: Learner, game: Game, past: PastRounds) -> "Judged":
        """Return which rounds had an action that is not safe in its context, or that is expected below the floor."""
        floor = self.floor
        assert floor is not None
        actions = np.asarray(past.actions, dtype=int)
        unsafe, below = np.zeros(len(actions), dtype=bool), np.zeros(len(actions), dtype=bool)
        contexts, place = np.unique(past.contexts, axis=0, return_inverse=True)
        alike = not game.context or len(contexts) > MOST_CONTEXTS
        groups = [(None, actions >= 0)] if alike else [(c, place.ravel() == i) for i, c in enumerate(contexts)]
        for context, own in groups:
            rewards = mean_rewards(game, response_belief(learner), type_shares(game, past.types, context))
            if rewards is not None:
                unsafe[own] = ~floor.safe(floor.risks(rewards))[actions[own]]
                below[own] = rewards.mean[actions[own]] < floor.of(float(rewards.mean[floor.baseline]))
        return Judged(unsafe, below)


class Judged(NamedTuple):
    """Rounds (t,) whose action is not safe, and those whose action is expected to earn less than the floor."""

    unsafe: Mask
    below: Mask


def rounds_since_change(actions: Sequence[int]) -> int:
    """Return for how many rounds the last action has been played without a change.

    >>> rounds_since_change([2, 1, 1, 1]), rounds_since_change([3])
    (3, 1)
    """
    last = np.asarray(actions)
    return len(last) if (last == last[-1]).all() else int(np.argmax(last[::-1] != last[-1]))


def changes(actions: Sequence[int]) -> Mask:
    """Return in which rounds another action was played than in the round before (t,); the first is no change."""
    played = np.asarray(actions, dtype=int)
    return np.append([False], played[1:] != played[:-1])[: len(played)]
