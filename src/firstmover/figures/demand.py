"""Demand curves of the game of prices: predicted mean with its band, true demand, and observations."""

from pathlib import Path

import numpy as np
import polars as pl

from firstmover.beliefs import posterior
from firstmover.core.errors import InvalidInput
from firstmover.figures.entry import FigureEntry
from firstmover.figures.live.map_drawing import draw_map
from firstmover.games import GAMES
from firstmover.games.default_map import Curve, curve_panels
from firstmover.games.map_record import MapRecord
from firstmover.games.prices.game import SEGMENTS
from firstmover.games.prices.words import segment_words
from firstmover.kernels import bind
from firstmover.runs.store import KIND, read, read_document, read_manifest, task_table

_FINE = 101  # prices of a curve
_BAND = 2.0  # half the width of the band, in standard deviations


def demand_figure(folder: Path) -> MapRecord:
    """Return the curves of the first station after the first run of `stackelucb` in a folder, one per segment."""
    runs = task_table(folder)
    if read_manifest(folder).kind != KIND or runs["game"][0] != "prices":
        raise InvalidInput(f"Folder {str(folder)!r} holds no game of prices: run one with game = 'prices'.")
    firsts = runs.unique("variant", keep="first", maintain_order=True).iter_rows(named=True)
    row = next((r for r in firsts if read_document(folder, r["key"])["learner"]["name"] == "stackelucb"), None)
    if row is None:
        raise InvalidInput(f"Folder {str(folder)!r} has no run of 'stackelucb': only it predicts demand curves.")
    columns = ("learner", "seed", "action", "opponent_type", "response_0", "response_1", "response_2", "best_action")
    run = read(folder, columns).filter(learner=row["variant"], seed=row["seed"])
    axes = ("price of the first station", "demand there (hundreds of drivers)")
    return MapRecord("Demand", tuple(curve_panels(demand_curves(run), *axes)))


def demand_curves(run: pl.DataFrame, station: int = 0) -> list[Curve]:
    """The posterior under the game's own assumptions after one run, at the prices that were best in hindsight."""
    entry = GAMES["prices"]
    game = entry.build()
    respond, kernel = entry.opponents(game).respond, bind(entry.kernel, game.actions.shape[1])
    types, actions = np.array(run["opponent_type"].to_list()), game.actions[run["action"].to_numpy()]
    responses = run.select(pl.col("^response_.*$")).to_numpy()
    prices = np.tile(game.actions[run["best_action"][-1]], (_FINE, 1))
    prices[:, station] = price = np.linspace(game.actions.min(), game.actions.max(), _FINE)
    curves = []
    for segment in SEGMENTS:
        queries = np.hstack([prices, np.tile(segment, (_FINE, 1))])
        found = posterior(kernel, entry.regularization, np.hstack([actions, types]), responses, queries)
        true, mean = respond(prices, segment)[:, station], found.mean[:, station]
        mine = np.all(types == segment, axis=1)
        observed = actions[mine, station], responses[mine, station]
        band = _BAND * found.std
        curves.append(Curve(segment_words(segment), price, true, mean, mean - band, mean + band, *observed, "± 2 σ"))
    return curves


DEMAND = FigureEntry(
    "prices: demand at a station over its price: posterior with its band, true demand and observations",
    demand_figure,
    draw_map,
    (12.0, 3.4),
    first_seed=True,
)
