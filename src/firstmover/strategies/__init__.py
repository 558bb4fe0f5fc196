"""Strategies: distributions p over actions. STRATEGIES names them."""

from collections.abc import Callable
from dataclasses import dataclass

from firstmover.core.contracts import Weights
from firstmover.core.errors import InvalidInput
from firstmover.core.registry import Table
from firstmover.strategies.adahedge import AdaHedge, GrowingWeights
from firstmover.strategies.multiplicative import FollowTheLeader, MultiplicativeWeights, scaled
from firstmover.strategies.revised import RevisedWeights

__all__ = [
    "STRATEGIES",
    "AdaHedge",
    "FollowTheLeader",
    "GrowingWeights",
    "MultiplicativeWeights",
    "RevisedWeights",
    "StrategyEntry",
    "scaled",
]

Range = tuple[float, float] | None


@dataclass(frozen=True)
class StrategyEntry:
    """An entry of the STRATEGIES table.

    Parameters
    ----------
    summary
        One line for people.
    build
        The number of actions, the reward range and the horizon, each of the last two perhaps None, to the weights.

    Examples
    --------
    >>> from firstmover import STRATEGIES
    >>> STRATEGIES["fixed-rate"].build(2, (0.0, 1.0), 100).strategy
    array([0.5, 0.5])
    """

    summary: str
    build: Callable[[int, Range, int | None], Weights]


def _fixed_rate(n_actions: int, reward_range: Range, horizon: int | None) -> Weights:
    if reward_range is None or horizon is None:
        raise InvalidInput("strategy 'fixed-rate' needs a horizon and the game's reward_range: or use 'adahedge'.")
    return MultiplicativeWeights.start(n_actions, reward_range, horizon)


def _decreasing_rate(n_actions: int, reward_range: Range, _: int | None) -> Weights:
    if reward_range is None:
        raise InvalidInput("strategy 'decreasing-rate' needs the game's reward_range: or use 'adahedge'.")
    return MultiplicativeWeights.start(n_actions, reward_range)


STRATEGIES: Table[StrategyEntry] = Table(
    "strategy",
    {
        "fixed-rate": StrategyEntry("multiplicative weights with the rate of Theorem 1; needs a horizon", _fixed_rate),
        "decreasing-rate": StrategyEntry("multiplicative weights with a rate that falls as 1/√t", _decreasing_rate),
        "adahedge": StrategyEntry(
            "AdaHedge: needs neither horizon nor reward range", lambda n, _r, _h: AdaHedge.start(n)
        ),
        "growing": StrategyEntry(
            "AdaHedge over a set of actions that can grow", lambda n, _r, _h: GrowingWeights.start(n)
        ),
        "follow-the-leader": StrategyEntry(
            "all weight on the best action so far: linear regret against an adversary",
            lambda n, _r, _h: FollowTheLeader.start(n),
        ),
    },
)
"""Weights over actions by name: each entry (`StrategyEntry`) builds them from n, the reward range and the horizon."""
