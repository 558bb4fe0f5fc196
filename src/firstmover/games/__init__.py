"""X and r: what is played; the table names the games for the command line and the experiments."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from firstmover.contracts import Game
from firstmover.games.prices import prices_game
from firstmover.games.rewards import Concave, Lattice, Monotone, decreasing, increasing
from firstmover.games.routing import sioux_falls_game
from firstmover.games.toy import flock_game, shore_game
from firstmover.games.wildlife import patrols_game, wildlife_game
from firstmover.kernels import on_action, on_type, polynomial

__all__ = [
    "GAMES",
    "Concave",
    "GameEntry",
    "Lattice",
    "Monotone",
    "decreasing",
    "flock_game",
    "increasing",
    "patrols_game",
    "prices_game",
    "shore_game",
    "sioux_falls_game",
    "wildlife_game",
]


@dataclass(frozen=True)
class GameEntry:
    """A line of the table: what it is, how to build it, and assumptions about b that suit a learner new to it."""

    summary: str
    build: Callable[[], Game]
    kernel: Kernel
    regularization: float
    confidence_width: float


GAMES: dict[str, GameEntry] = {
    "shore": GameEntry(
        "toy: fish where raiders of 5 types do not; scalar response", shore_game, RBF(0.25), 0.01, confidence_width=1.0
    ),
    "flock": GameEntry(
        "toy: place a dog so that flocks of 3 types come to the pen; two-dimensional response",
        flock_game,
        ConstantKernel(0.25) * RBF(0.5),
        0.01,
        confidence_width=1.0,
    ),
    "routing": GameEntry(
        "Sioux Falls: route 300 units by 41 plans while drivers re-route; a new demand every round",
        sioux_falls_game,
        ConstantKernel(75.0) * polynomial(3, bias=0.06, scale=800.0),
        25.0,
        confidence_width=0.5,
    ),
    "wildlife": GameEntry(
        "a park of 25 cells: commit to one of 525 patrols while poachers choose where to strike",
        wildlife_game,
        ConstantKernel(3.4) * Matern(0.34, nu=2.5),
        0.01,
        confidence_width=0.1,
    ),
    "prices": GameEntry(
        "post one of 216 price vectors for three charging stations; drivers of 4 segments answer with their demand",
        prices_game,
        ConstantKernel(0.1) * on_action(RBF(0.6)) * on_type(RBF([1.5, 6.0, 0.7])),
        0.0004,
        confidence_width=0.4,
    ),
    "patrols": GameEntry(
        "the park's whole simplex: poachers see any mixture of the 25 cells and choose where to strike",
        patrols_game,
        ConstantKernel(3.4) * Matern(0.34, nu=2.5),
        0.01,
        confidence_width=0.1,
    ),
}
