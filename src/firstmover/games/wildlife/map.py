"""The park as a map: animals, the patrol, where poachers struck, and where they are expected."""

from dataclasses import replace

import numpy as np

from firstmover.core.records import Vector
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
_EMPTY = (np.empty(0), np.empty(0))


def park_map(view: MatchView) -> MapRecord:
    """Animals on the left, the patrol shown on the right; both with strikes, and, given a posterior, predictions."""
    reward = view.game.reward
    assert isinstance(reward, RangersReward)
    park = reward.park
    predicted = _predictions(view)
    marks = (*_strikes(view), *(layer for box in predicted for layer in _box(*box)))
    strikes = f"{len(view.observed)} strikes were observed."
    places = [f"Poachers are predicted at {_place(m)}, between {_place(a)} and {_place(b)}." for m, a, b in predicted]
    summary = " ".join([strikes, *places])
    animals, patrol = _animals(park), _patrol(view, park)
    x, y = (
        Axis(0.0, float(side), str(response), tuple(float(i) for i in range(side + 1)), rules=True)
        for side, response in zip(park.cells, view.responses, strict=True)
    )
    size, title = (_SIDE * park.cells[0], _SIDE * park.cells[1]), view.title or "No patrol to show yet"
    covered = "probability that a cell is covered" if patrol else ""
    animal_words = "density, as the reward counts it"
    panels = (
        Panel("Animals", x, y, (animals, *marks), _strike_table(view), f"Animals. {summary}", size, animal_words),
        Panel(title, x, y, (*patrol, *marks), _cell_table(view, park), f"{title}. {summary}", size, covered),
    )
    note = "The number in a cell is the probability that rangers cover it; the box holds the predicted strike."
    return MapRecord("The park", panels, note, partial=view.posterior is None and view.action is not None)


def _animals(park: Park) -> Cells:
    first, second = ((np.arange(_FINE) + 0.5) * side / _FINE for side in park.cells)
    density = park.density_at(first[None, :], second[:, None])
    most = float(density.max())
    scale = Scale("density", "animals", 0.0, most, "0", short(most))
    return Cells(density, (0.0, float(park.cells[0])), (0.0, float(park.cells[1])), scale)


def _coverage(view: MatchView, park: Park) -> list[tuple[str, float]]:
    """Cells by name with their coverage, row by row from the south."""
    shares = np.zeros(park.cells) if view.action is None else view.game.actions[view.action].reshape(park.cells)
    return [(f"cell {i + 1},{j + 1}", float(shares[i, j])) for j in range(park.cells[1]) for i in range(park.cells[0])]


def _patrol(view: MatchView, park: Park) -> tuple[Cells, ...]:
    if view.action is None:
        return ()
    cells = _coverage(view, park)
    most = max(share for _, share in cells)
    return (
        Cells(
            np.array([share for _, share in cells]).reshape(park.cells[1], park.cells[0]),
            (0.0, float(park.cells[0])),
            (0.0, float(park.cells[1])),
            Scale("coverage", "covered", 0.0, most, "0 %", percent(most)),
            tuple(percent(share) if share >= _LEAST else "" for _, share in cells),
            tuple(f"{name}: covered with probability {percent(share)}" for name, share in cells),
        ),
    )


def _place(place: Vector) -> str:
    return ", ".join(map(short, place))


def _round(seen: Observation) -> str:
    return f"round {seen.round_id}" if seen.round_id else "history"


def _strikes(view: MatchView) -> tuple[Points, Points]:
    same = [seen for seen in view.observed if seen.action == view.action]
    other = [seen for seen in view.observed if seen.action != view.action]

    return (
        _markers(
            other, Points(*_EMPTY, "triangle-down", 6.0, "none", "day-1", 1.8, legend="struck, under another patrol")
        ),
        _markers(same, Points(*_EMPTY, "triangle", 6.0, "day-1", "white", 0.8, legend="struck, under this patrol")),
    )


def _markers(strikes: list[Observation], like: Points) -> Points:
    x, y = np.array([seen.response for seen in strikes]).reshape(-1, 2).T
    labels = tuple(f"{_round(seen)}: struck at {_place(seen.response)}" for seen in strikes)
    return replace(like, x=x, y=y, labels=labels)


def _predictions(view: MatchView) -> list[tuple[Vector, Vector, Vector]]:
    """For every type the forecast of the strike under the patrol shown: its mean and the ends of its band."""
    if view.forecast is None or view.action is None:
        return []
    found = []
    for opponent_type in view.types:
        responses = view.forecast(view.action, opponent_type).responses
        mean, lower, upper = np.array([(each.mean, each.lower, each.upper) for each in responses], dtype=float).T
        found.append((mean, lower, upper))
    return found


def _box(mean: Vector, lower: Vector, upper: Vector) -> tuple[Layer, ...]:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * (upper - lower) + lower
    x, y = corners[:, 0], corners[:, 1][None]
    return (
        Points(mean[:1], mean[1:], "cross", 8.0, "black", "white", 1.2, legend="predicted"),
        Lines(x, y, "white", 4.0),
        Lines(x, y, "black", 2.0, dashed=True, legend="band of the predicted strike"),
    )


def _strike_table(view: MatchView) -> MapTable:
    names = tuple(map(str, view.responses))
    rows = [
        (_round(seen), *map(float, seen.response), "yes" if seen.action == view.action else "no")
        for seen in reversed(view.observed)
    ]
    return MapTable("Strikes, the latest first", ("round", *names, "under this patrol"), tuple(rows))


def _cell_table(view: MatchView, park: Park) -> MapTable:
    cells = sorted(_coverage(view, park), key=lambda cell: -cell[1]) if view.action is not None else []
    return MapTable("Cells, the most covered first", ("cell", "covered"), tuple(cells), ("covered",))
