"""p: distributions over actions, and the table of those that can be named."""

from collections.abc import Callable
from dataclasses import dataclass

from firstmover.contracts import Weights
from firstmover.errors import InvalidInput
from firstmover.strategies.adahedge import AdaHedge
from firstmover.strategies.follow_the_leader import FollowTheLeader
from firstmover.strategies.growing import GrowingWeights
from firstmover.strategies.multiplicative import MultiplicativeWeights, scaled

__all__ = [
    "STRATEGIES",
    "AdaHedge",
    "FollowTheLeader",
    "GrowingWeights",
    "MultiplicativeWeights",
    "StrategyEntry",
    "scaled",
]

Range = tuple[float, float] | None


@dataclass(frozen=True)
class StrategyEntry:
    """A line of the table: what it is, and how to start it for n actions, a reward range and a horizon."""

    summary: str
    start: Callable[[int, Range, int | None], Weights]


def _fixed_rate(n_actions: int, reward_range: Range, horizon: int | None) -> Weights:
    if reward_range is None or horizon is None:
        raise InvalidInput("strategy 'fixed-rate' needs a horizon and the game's reward_range: or use 'adahedge'.")
    return MultiplicativeWeights.start(n_actions, reward_range, horizon)


def _decreasing_rate(n_actions: int, reward_range: Range, _: int | None) -> Weights:
    if reward_range is None:
        raise InvalidInput("strategy 'decreasing-rate' needs the game's reward_range: or use 'adahedge'.")
    return MultiplicativeWeights.start(n_actions, reward_range)


STRATEGIES: dict[str, StrategyEntry] = {
    "fixed-rate": StrategyEntry("multiplicative weights with the rate of Theorem 1, for a known horizon", _fixed_rate),
    "decreasing-rate": StrategyEntry("multiplicative weights whose rate falls as 1/√t", _decreasing_rate),
    "adahedge": StrategyEntry("AdaHedge: neither horizon nor reward range needed", lambda n, _r, _h: AdaHedge.start(n)),
    "growing": StrategyEntry(
        "AdaHedge over a menu that new members can enter", lambda n, _r, _h: GrowingWeights.start(n)
    ),
    "follow-the-leader": StrategyEntry(
        "all weight on the best so far: loses to an adversary", lambda n, _r, _h: FollowTheLeader.start(n)
    ),
}
