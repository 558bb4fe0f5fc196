"""A third party's package: a game, a learner, an opponent, a kernel and a figure, each with a parameter of its own."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.gaussian_process.kernels import Kernel, RationalQuadratic

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, TypeSource
from firstmover.core.documents import Specification
from firstmover.core.records import Box, Feedback
from firstmover.figures import FigureEntry
from firstmover.games import GameEntry, increasing
from firstmover.games.opponent import Behaviour, Opponent
from firstmover.kernels import KernelEntry
from firstmover.learners import LearnerEntry, Setup
from firstmover.runs import read
from firstmover.simulation import Cyclic
from firstmover.simulation.opponents import OpponentEntry

SEASONS = np.array([[0.0], [1.0]])


class FerryParameters(Specification):
    """The number of seats."""

    seats: float = 100.0


def ferry(seats: float = 100.0) -> Game:
    """Post the fare of a ferry; passengers of a season take the seats that they find worth it."""
    return Game(
        name="ferry",
        actions=np.arange(1.0, 11.0)[:, None],
        reward=increasing(lambda fare, taken: fare[:, 0] * taken[:, 0]),
        response_domain=Box([0.0], [seats]),
        reward_range=(0.0, 10 * seats),
        types=SEASONS,
    )


def passengers(game: Game) -> Behaviour:
    seats = float(game.response_domain.upper[0])

    def respond(fares: Matrix, season: Vector) -> Matrix:
        return seats * np.exp(-fares / (2 + 3 * season[0]))

    return Behaviour(respond, noise_std=1.0)


FERRY = GameEntry(
    "third party: post the fare of a ferry",
    build=ferry,
    kernel=100.0**2 * RationalQuadratic(3.0),
    regularization=1.0,
    behaviour=passengers,
    parameters=FerryParameters,
)


class GreedyParameters(Specification):
    """The share of rounds with a uniform action."""

    explore: float = 0.1


@dataclass(frozen=True)
class Greedy:
    """ε-greedy on the observed mean rewards."""

    game: Game
    explore: float
    totals: Vector
    counts: Vector

    @property
    def strategy(self) -> Vector:
        means = np.where(self.counts > 0, self.totals / np.maximum(self.counts, 1), np.inf)
        best = means == means.max()
        return self.explore / len(means) + (1 - self.explore) * best / best.sum()

    def observe(self, feedback: Feedback) -> "Greedy":
        seen = self.game.check(feedback)
        reward = self.game.reward(self.game.actions[[seen.action]], seen.response[None])[0]
        chosen = np.arange(self.game.n_actions) == seen.action
        return replace(self, totals=self.totals + reward * chosen, counts=self.counts + chosen)


def greedy(setup: Setup, parameters: GreedyParameters) -> Greedy:
    nothing = np.zeros(setup.game.n_actions)
    return Greedy(setup.game, parameters.explore, nothing, nothing)


GREEDY = LearnerEntry("third party: ε-greedy", greedy, GreedyParameters)


class TideParameters(Specification):
    """Which season comes first."""

    first: int = 0


def tide(game: Game, behaviour: Behaviour, parameters: TideParameters) -> Opponent:
    assert game.types is not None
    types: TypeSource = Cyclic(np.roll(game.types, -parameters.first, axis=0))
    return Opponent(types, behaviour.respond, behaviour.noise_std)


TIDE = OpponentEntry("third party: seasons in turn", tide, TideParameters, shorthand="first")


class TriangleParameters(Specification):
    """Length scale and variance."""

    reach: float = 3.0
    variance: float = 1.0


def triangle(reach: float, variance: float) -> Kernel:
    return variance * RationalQuadratic(reach)


TRIANGLE = KernelEntry("third party: a rational quadratic kernel", triangle, TriangleParameters)


def last_rewards(folder: Path) -> Any:
    return read(folder, ["reward"])["reward"].to_list()


def draw(rewards: Any, figure: Figure) -> None:
    figure.subplots().plot(rewards)


REWARD_TRACE = FigureEntry("third party: the reward of every round", last_rewards, draw)
