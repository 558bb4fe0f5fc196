"""Demand curves as a learner of prices believes them: the mean, its band, the truth, and what was seen."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.beliefs import posterior
from firstmover.errors import InvalidInput
from firstmover.experiments.store import read, read_manifest
from firstmover.games import GAMES
from firstmover.kernels import bind
from firstmover.opponents import BEHAVIOURS
from firstmover.plots.style import look
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 2.0
"""Standard deviations on either side of the mean."""

_FINE = 101  # prices of a curve


@dataclass(frozen=True)
class DemandCurve:
    """Demand at one station over its own price, others at their best, for one segment.

    `price`, `true` (NaN where it is not known), `mean` and `std` have one number for each point of the curve;
    `seen_price` and `seen` are the observations of this segment at any prices of the other stations.
    """

    title: str
    price: Vector
    true: Vector
    mean: Vector
    std: Vector
    seen_price: Vector
    seen: Vector


def demand_figure(folder: Path) -> list[DemandCurve]:
    """The curves of the first station after the first run of `stackelucb` in a folder, one for each segment."""
    manifest = read_manifest(folder)
    if manifest.kind != "experiment" or manifest.spec.get("game") != "prices":
        raise InvalidInput(f"Folder {str(folder)!r} holds no game of prices: run one with game = 'prices'.")
    names = [learner["label"] for learner in manifest.spec["learners"] if learner["name"] == "stackelucb"]
    if not names:
        raise InvalidInput(f"Folder {str(folder)!r} has no run of 'stackelucb': only it believes in demand curves.")
    columns = ("learner", "seed", "action", "opponent_type", "response_0", "response_1", "response_2", "best_action")
    run = read(folder, columns).filter(learner=names[0], seed=manifest.seeds[0])
    return demand_curves(run)


def demand_curves(run: pl.DataFrame, station: int = 0) -> list[DemandCurve]:
    """The belief that the game's own assumptions give after one run, at the prices that were best in hindsight."""
    entry = GAMES["prices"]
    game = entry.build()
    respond, kernel = BEHAVIOURS["prices"](game).respond, bind(entry.kernel, game.actions.shape[1])
    assert game.types is not None
    types, actions = np.array(run["opponent_type"].to_list()), game.actions[run["action"].to_numpy()]
    responses = run.select(pl.col("^response_.*$")).to_numpy()
    asked = np.tile(game.actions[run["best_action"][-1]], (_FINE, 1))
    asked[:, station] = price = np.linspace(game.actions.min(), game.actions.max(), _FINE)
    curves = []
    for segment in game.types:
        queries = np.hstack([asked, np.tile(segment, (_FINE, 1))])
        found = posterior(kernel, entry.regularization, np.hstack([actions, types]), responses, queries)
        mine = np.all(types == segment, axis=1)
        title = "at {:g}, price aversion {:g}, {:g} drivers".format(*segment * (1, 1, 100))
        true = respond(asked, segment)[:, station]
        seen: Matrix = np.stack([actions[mine, station], responses[mine, station]])
        curves.append(DemandCurve(title, price, true, found.mean[:, station], found.std, seen[0], seen[1]))
    return curves


def draw_demand(curves: list[DemandCurve], figure: "Figure") -> None:
    """One panel a segment."""
    panels = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
    for curve, ax in zip(curves, panels, strict=True):
        draw_curve(curve, ax)
        ax.set_xlabel("price of the first station")
    panels[0].set_ylabel("demand there (hundreds of drivers)")
    panels[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside, never on, the data


def draw_curve(curve: DemandCurve, ax: "Axes") -> None:
    """Mean, band, truth where it is known, and what was seen."""
    low, high = curve.mean - BAND * curve.std, curve.mean + BAND * curve.std
    ax.fill_between(curve.price, low, high, color=look(0)["color"], alpha=0.2, linewidth=0, label="± 2 σ")
    ax.plot(curve.price, curve.mean, label="believed", **look(0) | {"marker": "none"})
    if np.isfinite(curve.true).any():
        ax.plot(curve.price, curve.true, label="true", **look(1) | {"marker": "none"})
    ax.plot(curve.seen_price, curve.seen, label="seen, at any\nother prices", **look(4) | {"linestyle": "none"}, ms=3)
    ax.set_title(curve.title, fontsize="small")
