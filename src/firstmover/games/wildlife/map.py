"""The park as a map: the patrol, observed strikes or their density, animals, and the predicted strike with its box."""

import numpy as np

from firstmover.core.arrays import Matrix, Vector
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

FEW = 40
"""The largest number of strikes that are drawn as single marks; more of them are a density with small dots."""

SMOOTHING = 0.3
"""The standard deviation of the Gaussian that smooths strikes to a density, in sides of a cell."""

_FINE = 50  # squares per side of the picture of a density
_SIDE = 92.0  # pixels of a cell
_LARGE = 12  # strikes under the patrol shown up to which their marks are large
_LEAST = 0.005  # coverage below this is not written
_NO_PATROL = "There is no patrol to show yet"
_NOTHING = "No strike has been reported yet: nothing is known about the poachers"


def park_map(view: MatchView) -> MapRecord:
    """The patrol shown, beside it strikes or animals; given a posterior, all with predicted strikes."""
    reward = view.game.reward
    assert isinstance(reward, RangersReward)
    park = reward.park
    predicted = tuple(layer for band in _predictions(view).values() for layer in _box(*band))
    tabs = (_strikes(view, park, predicted), _animals(view, park, predicted))
    patrol = () if view.action is None else (_patrol(view, park, view.action, predicted),)
    panels = (*patrol, *(tabs if view.observed else tabs[::-1]))
    covered = "The number in a cell is the probability that rangers cover it" if patrol else _NO_PATROL
    note = f"{covered}{'; the box holds the predicted strike' if predicted else ''}."
    return MapRecord("The park", panels, note, partial=view.posterior is None and view.action is not None)


def _panel(
    view: MatchView, park: Park, layers: tuple[Layer, ...], table: MapTable, words: tuple[str, str, str]
) -> Panel:
    """A panel of the park; `words` are its title, its subtitle and its tab."""
    title, subtitle, tab = words
    x, y = (
        Axis(0.0, float(side), str(response), tuple(float(i) for i in range(side + 1)), rules=True)
        for side, response in zip(park.cells, view.responses, strict=True)
    )
    size = _SIDE * park.cells[0], _SIDE * park.cells[1]
    reported = f"{len(view.observed)} strikes were reported" if view.observed else _NOTHING
    summary = ". ".join(dict.fromkeys(filter(None, (title, subtitle, reported, *_forecasts(view)))))
    return Panel(title, x, y, layers, table, f"{summary}.", size, subtitle, tab=tab)


def _patrol(view: MatchView, park: Park, action: int, predicted: tuple[Layer, ...]) -> Panel:
    """The coverage of every cell, with strikes under the same patrol."""
    table, rows = _cell_table(view, park, view.game.actions[action])
    coverage = view.game.actions[action].reshape(park.cells).T  # lines from the south
    most = float(coverage.max())
    scale = Scale("coverage", "covered", 0.0, most, "0 %", percent(most))
    texts = tuple(percent(share) if share >= _LEAST else "" for share in coverage.flat)
    same = [seen for seen in view.observed if seen.action == action][-FEW:]
    size = 6.0 if len(same) <= _LARGE else 3.5
    marks = Points(*_places(same), "triangle", size, "line-1", "ground", 1.2, legend="struck under this patrol")
    layers = (Cells(coverage, *_extent(park), scale, texts, rows), marks, *predicted)
    subtitle = "; ".join(_forecasts(view)) if view.observed else _NOTHING
    return _panel(view, park, layers, table, (view.title, subtitle, ""))


def _strikes(view: MatchView, park: Park, predicted: tuple[Layer, ...]) -> Panel:
    """Single strikes; of many, their density and a dot for each."""
    table = MapTable(
        "Strikes, the latest first",
        ("round", *map(str, view.responses), "under this patrol"),
        tuple(
            (_round(seen), *map(float, seen.response), "yes" if seen.action == view.action else "no")
            for seen in reversed(view.observed)
        ),
    )
    (x, y), rows = _places(view.observed), tuple(range(len(view.observed) - 1, -1, -1))
    title, count = "Where poachers struck", len(view.observed)
    if count <= FEW:
        marks = Points(x, y, "triangle-down", 6.5, "line-1", "ground", 1.2, rows=rows, legend="a strike")
        subtitle = f"{count} strike{'s' * (count != 1)}" if count else _NOTHING
        return _panel(view, park, (marks, *predicted), table, (title, subtitle, "Strikes"))
    density = _density_of_strikes(np.column_stack([x, y]), park)
    scale = Scale("strikes", "density of strikes", 0.0, float(density.max()), "0", "highest")
    dots = Points(x, y, "circle", 2.2, "ink", opacity=0.45, rows=rows, legend="a strike")
    subtitle = f"density of the latest {count} strikes"
    layers = (Cells(density, *_extent(park), scale), dots, *predicted)
    return _panel(view, park, layers, table, (title, subtitle, "Strikes"))


def _animals(view: MatchView, park: Park, predicted: tuple[Layer, ...]) -> Panel:
    """The density of animals, with the cells of the table."""
    first, second = _squares(park)
    density = park.density_at(first[None, :], second[:, None])
    most = float(density.max())
    scale = Scale("density", "animals", 0.0, most, "0", short(most))
    table, rows = _cell_table(view, park, None)
    layers = (
        Cells(density, *_extent(park), scale),
        Cells(np.zeros(park.cells[::-1]), *_extent(park), rows=rows),
        *predicted,
    )
    return _panel(view, park, layers, table, ("Animals", "density, as the reward counts it", "Animals"))


def _cell_table(view: MatchView, park: Park, coverage: Vector | None) -> tuple[MapTable, tuple[int, ...]]:
    """The numbers of all cells, and the row of each cell, line by line from the south."""
    centres = np.stack(np.meshgrid(*(np.arange(side) + 0.5 for side in park.cells), indexing="ij"), axis=-1)
    animals = park.density(centres.reshape(-1, 2))
    struck = np.array([seen.response for seen in view.observed]).reshape(-1, 2)
    strikes = np.bincount(park.cell_of(struck), minlength=park.n_cells)
    names = [f"cell {i + 1},{j + 1}" for i in range(park.cells[0]) for j in range(park.cells[1])]
    order = np.argsort(-(animals if coverage is None else coverage), kind="stable")
    covered = () if coverage is None else ("covered",)
    rows = tuple(
        (names[i], *(() if coverage is None else (float(coverage[i]),)), int(strikes[i]), float(animals[i]))
        for i in order
    )
    first = "the most animals" if coverage is None else "the most covered"
    columns = ("cell", *covered, "strikes", "animals in its middle")
    table = MapTable(f"Cells, {first} first", columns, rows, covered)
    return table, tuple(np.argsort(order).reshape(park.cells).T.ravel().tolist())


def _extent(park: Park) -> tuple[tuple[float, float], tuple[float, float]]:
    return (0.0, float(park.cells[0])), (0.0, float(park.cells[1]))


def _squares(park: Park) -> tuple[Vector, Vector]:
    """The middles of the squares of a picture, along both sides."""
    first, second = ((np.arange(_FINE) + 0.5) * side / _FINE for side in park.cells)
    return first, second


def _density_of_strikes(strikes: Matrix, park: Park) -> Matrix:
    """Strikes (k, 2) per cell at every square: Σ_i N(y; y_i, h² I) with h = SMOOTHING."""
    weights = (
        np.exp(-(((squares[:, None] - strikes[:, axis]) / SMOOTHING) ** 2) / 2) / (SMOOTHING * np.sqrt(2 * np.pi))
        for axis, squares in enumerate(_squares(park))
    )
    first, second = weights
    return second @ first.T


def _places(strikes: tuple[Observation, ...] | list[Observation]) -> tuple[Vector, Vector]:
    x, y = np.array([seen.response for seen in strikes]).reshape(-1, 2).T
    return x, y


def _round(seen: Observation) -> str:
    return f"round {seen.round_id}" if seen.round_id else "history"


def _predictions(view: MatchView) -> dict[str, tuple[Vector, Vector, Vector]]:
    """For every type whose strike under the patrol shown can be predicted: its mean and the ends of its band."""
    if view.posterior is None or view.action is None:
        return {}
    found = {}
    for name, opponent_type in zip(view.type_names, view.types, strict=True):
        mean, lower, upper = (part[view.action] for part in view.posterior.intervals(opponent_type))
        if np.isfinite(mean).all():
            found[name] = mean, lower, upper
    return found


def _forecasts(view: MatchView) -> list[str]:
    """The predicted strikes in words; types are named where there are several."""
    return [
        f"Predicted strike{f' of {name}' if len(view.types) > 1 else ''}: "
        + ", ".join(
            f"{response.name} {short(mean)} ({short(low)} to {short(high)})"
            for response, mean, low, high in zip(view.responses, *band, strict=True)
        )
        for name, band in _predictions(view).items()
    ]


def _box(mean: Vector, lower: Vector, upper: Vector) -> tuple[Layer, ...]:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * (upper - lower) + lower
    x, y = corners[:, 0], corners[:, 1][None]
    return (
        Lines(x, y, "ground", 4.5),
        Lines(x, y, "ink", 2.0, dashed=True, legend="band of the predicted strike"),
        Points(mean[:1], mean[1:], "cross", 8.5, "ink", "ground", 1.5, legend="predicted"),
    )
