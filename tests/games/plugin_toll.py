"""A plugin file: a game with its opponents, words and map, a kernel and a figure, registered in the tables."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import RBF, Kernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.documents import Specification
from firstmover.core.records import Box
from firstmover.figures import FIGURES, FigureEntry
from firstmover.games import GAMES, GameEntry, increasing
from firstmover.games.map_record import Axis, Lines, MapRecord, MapTable, Panel
from firstmover.games.match_view import MatchView
from firstmover.games.menu import Menu
from firstmover.games.opponent import Behaviour
from firstmover.games.words import Sheet, SheetRow, Words
from firstmover.kernels import KERNELS, KernelEntry
from firstmover.runs import read


class TollParameters(Specification):
    """The largest toll."""

    largest: float = 7.0


def toll_game(largest: float = 7.0) -> Game:
    """r(x, y) = x y / 100: a toll x, and y cars per hour."""
    return Game(
        name="toll",
        actions=np.linspace(0.0, largest, 8)[:, None],
        reward=increasing(lambda toll, cars: toll[:, 0] * cars[:, 0] / 100),
        response_domain=Box([0.0], [100.0]),
        reward_range=(0.0, largest),
        types=np.array([[2.0], [6.0]]),
    )


def commuters(tolls: Matrix, patience: Vector) -> Matrix:
    """b(x, θ) = 100 / (1 + exp((x − θ) / 2))."""
    return 100 / (1 + np.exp((tolls - patience) / 2))


def sheet(menu: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """The toll to ask."""
    toll = float(menu.actions[action, 0])
    return Sheet(f"Ask {toll:g} euros", (SheetRow("toll", toll, "euros"),))


def toll_map(view: MatchView) -> MapRecord:
    """The strategy over the tolls; empty while the posterior is computed."""
    tolls = view.game.actions[:, 0]
    p = np.zeros(len(tolls)) if view.posterior is None else view.posterior.strategy
    table = MapTable("Tolls", ("toll", "probability"), tuple(zip(tolls.tolist(), p.tolist(), strict=True)))
    axes = Axis(0.0, float(tolls.max()), "toll"), Axis(0.0, 1.0, "probability")
    panel = Panel(view.title or "No round yet", *axes, (Lines(tolls, p[None]),), table, "Tolls.", (300.0, 200.0))
    return MapRecord("The tolls", (panel,), partial=view.posterior is None)


GAMES.add(
    "toll",
    GameEntry(
        "ask a toll of commuters of two types",
        build=toll_game,
        kernel=2500 * RBF(3.0),
        regularization=9.0,
        behaviour=lambda _: Behaviour(commuters, noise_std=3.0),
        parameters=TollParameters,
        words=Words(
            labels=lambda game: tuple(f"toll {toll:g}" for toll in game.actions[:, 0]),
            features=lambda _: ("toll",),
            types=lambda _: ("impatient", "patient"),
            sheet=sheet,
        ),
        map=toll_map,
    ),
)


class FlatParameters(Specification):
    """The variance."""

    variance: float = 1.0


def flat(variance: float = 1.0) -> Kernel:
    """A kernel with long correlations."""
    return variance * RBF(10.0)


KERNELS.add("flat", KernelEntry("long correlations", flat, FlatParameters))


def cars_figure(folder: Path) -> list[float]:
    """The responses of all rounds."""
    return read(folder, ["response_0"])["response_0"].to_list()


def draw_cars(record: list[float], figure: Any) -> None:
    """Draw the responses by round."""
    figure.add_subplot().plot(record)


FIGURES.add("cars", FigureEntry("cars of every round", cars_figure, draw_cars))
