"""The park as a map: animals, the patrol, observed strikes, and the predicted strike with its confidence box."""

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.games.map_record import (
    Axis,
    Cells,
    Layer,
    Lines,
    MapRecord,
    MapTable,
    Panel,
    Points,
    Scale,
    percent,
    short,
)
from firstmover.games.match_view import MatchView, Observation
from firstmover.games.wildlife.game import RangersReward
from firstmover.games.wildlife.park import Park

_FINE = 50  # squares per side of the picture of the density
_SIDE = 84.0  # pixels of a cell
_LEAST = 0.005  # coverage below this is not written


def park_map(view: MatchView) -> MapRecord:
    """Animals on the left, the patrol shown on the right; both with strikes, and, given a posterior, predictions."""
    reward = view.game.reward
    assert isinstance(reward, RangersReward)
    park, predicted = reward.park, _predictions(view)
    marks = [
        _strikes(view, same=False),
        _strikes(view, same=True),
        *(layer for box in predicted for layer in _box(*box)),
    ]
    places = [f"Poachers are predicted at {_place(m)}, between {_place(a)} and {_place(b)}." for m, a, b in predicted]
    summary = " ".join([f"{len(view.observed)} strikes were observed.", *places])
    x, y = (
        Axis(0.0, float(side), str(response), tuple(float(i) for i in range(side + 1)), rules=True)
        for side, response in zip(park.cells, view.responses, strict=True)
    )
    size, title = (_SIDE * park.cells[0], _SIDE * park.cells[1]), view.title or "No patrol to show yet"
    names = [f"cell {i + 1},{j + 1}" for j in range(park.cells[1]) for i in range(park.cells[0])]
    cover = [] if view.action is None else view.game.actions[view.action].reshape(park.cells).T.ravel().tolist()
    cells = list(zip(names, cover, strict=False))  # row by row from the south
    covered = "probability that a cell is covered" if cells else ""
    by_cover = tuple(sorted(cells, key=lambda cell: -cell[1]))
    cell_table = MapTable("Cells, the most covered first", ("cell", "covered"), by_cover, ("covered",))
    strikes = MapTable(
        "Strikes, the latest first",
        ("round", *map(str, view.responses), "under this patrol"),
        tuple(
            (_round(seen), *map(float, seen.response), "yes" if seen.action == view.action else "no")
            for seen in reversed(view.observed)
        ),
    )
    density = "density, as the reward counts it"
    panels = (
        Panel("Animals", x, y, (_animals(park), *marks), strikes, f"Animals. {summary}", size, density),
        Panel(title, x, y, (*_patrol(cells, park), *marks), cell_table, f"{title}. {summary}", size, covered),
    )
    note = "The number in a cell is the probability that rangers cover it; the box holds the predicted strike."
    return MapRecord("The park", panels, note, partial=view.posterior is None and view.action is not None)


def _animals(park: Park) -> Cells:
    first, second = ((np.arange(_FINE) + 0.5) * side / _FINE for side in park.cells)
    density = park.density_at(first[None, :], second[:, None])
    most = float(density.max())
    scale = Scale("density", "animals", 0.0, most, "0", short(most))
    return Cells(density, (0.0, float(park.cells[0])), (0.0, float(park.cells[1])), scale)


def _patrol(cells: list[tuple[str, float]], park: Park) -> list[Cells]:
    """The coverage of the cells by name; none without a patrol."""
    if not cells:
        return []
    shares = [share for _, share in cells]
    scale = Scale("coverage", "covered", 0.0, max(shares), "0 %", percent(max(shares)))
    texts = tuple(percent(share) if share >= _LEAST else "" for share in shares)
    labels = tuple(f"{name}: covered with probability {percent(share)}" for name, share in cells)
    values = np.array(shares).reshape(park.cells[1], park.cells[0])
    return [Cells(values, (0.0, float(park.cells[0])), (0.0, float(park.cells[1])), scale, texts, labels)]


def _strikes(view: MatchView, *, same: bool) -> Points:
    """The strikes under the patrol shown, or under the others."""
    strikes = [seen for seen in view.observed if (seen.action == view.action) == same]
    x, y = np.array([seen.response for seen in strikes]).reshape(-1, 2).T
    labels = tuple(f"{_round(seen)}: struck at {_place(seen.response)}" for seen in strikes)
    if same:
        return Points(x, y, "triangle", 6.0, "day-1", "white", 0.8, (), labels, "struck, under this patrol")
    return Points(x, y, "triangle-down", 6.0, "none", "day-1", 1.8, (), labels, "struck, under another patrol")


def _place(place: Vector) -> str:
    return ", ".join(map(short, place))


def _round(seen: Observation) -> str:
    return f"round {seen.round_id}" if seen.round_id else "history"


def _predictions(view: MatchView) -> list[tuple[Vector, Vector, Vector]]:
    """For every type whose strike under the patrol shown can be predicted: its mean and the ends of its band."""
    if view.posterior is None or view.action is None:
        return []
    predicted = [view.posterior.intervals(opponent_type) for opponent_type in view.types]
    shown = [(mean[view.action], lower[view.action], upper[view.action]) for mean, lower, upper in predicted]
    return [strike for strike in shown if np.isfinite(strike[0]).all()]


def _box(mean: Vector, lower: Vector, upper: Vector) -> tuple[Layer, ...]:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * (upper - lower) + lower
    x, y = corners[:, 0], corners[:, 1][None]
    return (
        Points(mean[:1], mean[1:], "cross", 8.0, "black", "white", 1.2, legend="predicted"),
        Lines(x, y, "white", 4.0),
        Lines(x, y, "black", 2.0, dashed=True, legend="band of the predicted strike"),
    )
