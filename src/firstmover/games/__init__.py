"""X and r: what is played; the table names the games for the command line and the experiments."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from firstmover.contracts import Game
from firstmover.errors import InvalidInput, unknown_name
from firstmover.games.bimatrix import BimatrixGame
from firstmover.games.commitment import Commitment, optimal_commitment
from firstmover.games.harbour import harbour, harbour_game
from firstmover.games.prices import prices_game
from firstmover.games.rewards import Bilinear, Concave, Lattice, Monotone, decreasing, increasing
from firstmover.games.routing import sioux_falls_game
from firstmover.games.simplex import grid_size, radius_for_horizon, radius_for_size, simplex_grid
from firstmover.games.stackelberg import StackelbergGame
from firstmover.games.toy import flock_game, shore_game
from firstmover.games.wildlife import patrols_game, wildlife_game
from firstmover.kernels import additive, demand, on_action, on_type, polynomial

__all__ = [
    "GAMES",
    "Bilinear",
    "BimatrixGame",
    "Commitment",
    "Concave",
    "GameEntry",
    "Lattice",
    "Monotone",
    "StackelbergGame",
    "decreasing",
    "flock_game",
    "game_named",
    "grid_size",
    "harbour",
    "harbour_game",
    "increasing",
    "optimal_commitment",
    "patrols_game",
    "prices_game",
    "radius_for_horizon",
    "radius_for_size",
    "shore_game",
    "simplex_grid",
    "sioux_falls_game",
    "tables_named",
    "wildlife_game",
]


@dataclass(frozen=True)
class GameEntry:
    """A line of the table: what it is, how to build it, and assumptions about b that suit a learner new to it.

    `parameters` names the numbers that `build` takes, all of which can be left out.
    """

    summary: str
    build: Callable[..., Game]
    kernel: Kernel
    regularization: float
    confidence_width: float
    parameters: tuple[str, ...] = ()


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
        ConstantKernel(11.4) * on_action(additive(4, scale=300.0))
        + ConstantKernel(0.0635) * polynomial(3, bias=1.885, scale=800.0),
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
        demand(length_scale=4.13, place_scale=0.671, variance=0.202),
        0.0004,
        confidence_width=0.2,
        parameters=("overload_penalty",),
    ),
    "patrols": GameEntry(
        "the park's whole simplex: poachers see any mixture of the 25 cells and choose where to strike",
        patrols_game,
        ConstantKernel(3.4) * Matern(0.34, nu=2.5),
        0.01,
        confidence_width=0.1,
    ),
    "harbour": GameEntry(
        "repeated Stackelberg: share inspections among 3 quays while crews of 3 types land goods",
        harbour_game,
        RBF(1.0),
        0.01,
        confidence_width=1.0,
        parameters=("horizon",),
    ),
}

FROM_TABLES = "bimatrix:LEADER,FOLLOWER"
"""How a game of payoff tables is named: the files of the leader's and of each follower type's, CSV or .npy."""

LARGEST_MENU = 500
"""Mixed strategies that a game of payoff tables has at most when it is named, so that a round takes milliseconds; with
more leader actions than that, these are its strategies."""


def game_named(name: str, tables: BimatrixGame | None = None) -> GameEntry:
    """The line of the table, one for payoff tables in files, or the refusal that names all there is to choose from.

    Payoff tables that were read before can be given, and files are then left alone.

    >>> game_named("sohre")
    Traceback (most recent call last):
    ...
    firstmover.errors.InvalidInput: Unknown game 'sohre': did you mean 'shore'? Known: bimatrix:LEADER,FOLLOWER, ...
    """
    if name in GAMES:
        return GAMES[name]
    tables = tables or tables_named(name)
    if tables is None:
        raise unknown_name("game", name, [*GAMES, FROM_TABLES])
    n = len(tables.leader)
    return GameEntry(
        "a finite Stackelberg game from payoff tables",
        lambda: tables.stackelberg().on_grid(radius_for_size(n, max(n, LARGEST_MENU))),
        on_action(Matern(0.3, nu=1.5)) * on_type(RBF(0.5)),
        0.01,
        confidence_width=0.5,
    )


def tables_named(name: str) -> BimatrixGame | None:
    """The game of `bimatrix:LEADER,FOLLOWER[,FOLLOWER…]`; None for a name of another kind."""
    kind, colon, paths = name.partition(":")
    if kind != "bimatrix":
        return None
    files = [path for path in paths.split(",") if path]
    if not colon or len(files) < 2:
        raise InvalidInput(f"game {name!r} names {len(files)} file(s): write {FROM_TABLES}, one file a follower type.")
    return BimatrixGame.from_files(*files)
