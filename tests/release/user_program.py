"""A program of a user, with the types that it relies on: own game, own learner, simulation, comparison, live match."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import firstmover as fm


@dataclass(frozen=True)
class RoundRobin:
    """A learner of the user's own: plays one action after the other."""

    game: fm.Game
    t: int = 0

    @property
    def strategy(self) -> NDArray[np.float64]:
        """All probability on one action."""
        return np.eye(len(self.game.actions))[self.t % len(self.game.actions)]

    def observe(self, feedback: fm.Feedback) -> "RoundRobin":
        """The learner of the next round."""
        self.game.check(feedback)
        return replace(self, t=self.t + 1)


def kiosk() -> tuple[fm.Game, fm.Opponent]:
    """A game of the user's own and its simulated customers."""
    prices, types = np.arange(1.0, 9.0)[:, None], np.array([[2.0], [4.0]])
    revenue = fm.increasing(lambda price, sold: price[:, 0] * sold[:, 0])
    game = fm.Game("kiosk", prices, revenue, response_domain=fm.Box([0], [10]), types=types)
    arrivals = fm.RandomTypes(types, [0.7, 0.3])
    return game, fm.Opponent(arrivals, lambda price, kind: 10 * np.exp(-price / kind), noise_std=0.5)


def simulate() -> float:
    """The time-averaged regret of the own learner."""
    game, buyers = kiosk()
    run = assert_type(fm.play_run(game, buyers, RoundRobin(game), rounds=16, seed=0), fm.Run)
    result = assert_type(fm.regret(run, fm.true_rewards(game, buyers.respond)), fm.Regret)
    return float(result.time_averaged[-1])


def compared() -> str:
    """A comparison of learners by name and by value, as a table."""
    game, buyers = kiosk()
    comparison = fm.compare(game, buyers, {"auto": "auto", "mine": RoundRobin(game)}, rounds=16, seeds=2)
    return str(comparison.table)


def live(store: Path, config: Path) -> str:
    """One round of a live match."""
    with fm.Match.create(store, "shop", config) as match:
        decision = match.ask()
        match.tell(decision.round_id, "tourists", 20.0)
        return assert_type(decision.round_id, str)


def refused() -> str:
    """The sentence of an error."""
    try:
        fm.GAMES.find("sure")
    except fm.InvalidInput as error:
        return str(error)
    return ""
