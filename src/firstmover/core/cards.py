"""What a notebook shows of games, runs, learners, weights and beliefs: each is a card of `html_repr`."""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import counted
from firstmover.core.html_repr import Bars, Curve, card, draw_menu, number
from firstmover.core.records import Box, Prediction, Run, ShortRepr

if TYPE_CHECKING:
    from firstmover.core.contracts import Game


def game_card(game: "Game") -> str:
    """Return a game's card, with its menu if actions have one feature."""
    features, types = counted(game.actions.shape[1], "feature"), game.types
    rows = {"actions": f"{game.n_actions:,}, of {features} each"}
    rows["responses"] = f"{counted(game.n_outputs, 'output')} in {_interval(game.response_domain)}"
    known = "any" if types is None else f"{len(types):,} known, of {counted(types.shape[1], 'feature')} each"
    before = f"; known before the move: {', '.join(map(str, game.context))}" if game.context else ""
    rows["types"] = known + before
    low, high = game.reward_range or (np.nan, np.nan)
    rows["rewards"] = "of unknown range" if game.reward_range is None else f"{number(low)} to {number(high)}"
    if game.places is not None:
        rows["places"] = f"{game.places.count:,}, of which a response is one"
    pictures = [draw_menu(game.actions[:, 0])] if game.actions.shape[1] == 1 else []
    return card(f"Game {game.name}", rows, *pictures)


def _interval(domain: Box) -> str:
    """The domain of the first outputs in words."""
    ends = [f"[{number(low)}, {number(high)}]" for low, high in zip(domain.lower, domain.upper, strict=True)]
    different = list(dict.fromkeys(ends))
    return (
        different[0] + (" each" if len(ends) > 1 else "")
        if len(different) == 1
        else " × ".join(ends[:3]) + (" × …" if len(ends) > 3 else "")
    )


def run_card(run: Run) -> str:
    """Return a run's card: its mean reward so far, and the actions that were played, by round."""
    rounds, actions = run.strategies.shape
    t = np.arange(1, rounds + 1, dtype=float)
    last = effective_actions(run.strategies[-1])
    rows = {
        "rounds": f"{rounds:,}",
        "mean reward": number(float(run.rewards.mean())),
        "actions": f"{len(np.unique(run.actions))} of {actions:,} played, effective number at the end {last:.1f}",
    }
    reward = Curve("mean reward up to round t", t, np.cumsum(run.rewards) / t)
    return card("Run", rows, reward.draw(), Curve("action of round t", t, run.actions.astype(float), marks=True).draw())


def effective_actions(strategy: Vector) -> float:
    """Return exp of the entropy of p, the effective number of actions.

    >>> effective_actions(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    positive = strategy[strategy > 0]
    return float(np.exp(-np.sum(positive * np.log(positive))))


def action_names(game: "Game | None", count: int) -> tuple[str, ...] | None:
    """Return the numbers of actions with their feature, if that is one; None of another menu than the game's."""
    if game is None or game.n_actions != count or game.actions.shape[1] != 1:
        return None
    return tuple(f"{i}: x = {number(value)}" for i, value in enumerate(game.actions[:, 0]))


class HasStrategy(Protocol):
    """Learners and weights."""

    @property
    def strategy(self) -> Vector:
        """p (n,)."""


class StrategyCard(ShortRepr):
    """A short repr, and a card with the most probable actions, for all that has a strategy p."""

    __slots__ = ()

    def _repr_html_(self: HasStrategy) -> str:
        strategy, game = np.asarray(self.strategy), getattr(self, "game", None)
        rows = {"game": game.name} if game is not None else {}
        belief = getattr(self, "belief", None)
        rows |= {"belief": repr(belief)} if belief is not None else {}
        rows["actions"] = f"{len(strategy):,}, effective number {effective_actions(strategy):.1f}"
        return card(type(self).__name__, rows, Bars.of(strategy, action_names(game, len(strategy))).draw())


class TypedBelief(Protocol):
    """A belief that has observed types."""

    count: int

    @property
    def latest_type(self) -> Vector | None:
        """The type of the last observation; before it, a known type, or None."""

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation of all actions at one type."""


class BeliefCard:
    """A short repr, and a card with the mean and the standard deviation of all actions at one type."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(getattr(self, 'count', 0), 'observation')})"

    def _repr_html_(self: TypedBelief) -> str:
        opponent_type, rows = self.latest_type, {"observations": f"{self.count:,}"}
        if opponent_type is None:
            return card(type(self).__name__, rows | {"type": "none was observed yet"})
        shown = ", ".join(number(value) for value in opponent_type[:6])
        rows["type"] = shown + (", …" if len(opponent_type) > 6 else "")
        mean, std = self.predict(opponent_type)
        rows["band"] = "mean ± standard deviation" + (f", output 0 of {mean.shape[1]}" if mean.shape[1] > 1 else "")
        first, reach = mean[:, 0], std if std.ndim == 1 else std[:, 0]
        actions = np.arange(len(first), dtype=float)
        return card(type(self).__name__, rows, Curve("action", actions, first, first - reach, first + reach).draw())
