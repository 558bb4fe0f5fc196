"""The park of a live match: animals, the patrol, where poachers struck, and where they are expected."""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.games.wildlife import RangersReward
from firstmover.matches.setting import Setting
from firstmover.plots.live.trace import Known, Trace
from firstmover.plots.style import COLOURS, colour_map
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_SEEN = 300
"""Places where poachers struck, the latest, on a map."""

_FINE = 50  # squares a side of the density's picture


@dataclass(frozen=True)
class Expected:
    """Where poachers of a type are expected under the patrol: μ (2,) and the box μ ± β σ, cut to the park."""

    opponent_type: str
    mean: Vector
    lower: Vector
    upper: Vector


@dataclass(frozen=True)
class Strike:
    """Where poachers struck in a round, and whether the patrol was the one that is shown."""

    place: Vector
    round_id: str
    same_patrol: bool


@dataclass(frozen=True)
class ParkMap:
    """Density at the middles of a lattice's squares and coverage of the cells, the second coordinate down the rows."""

    kind: str
    title: str
    axes: tuple[str, ...]
    cells: tuple[int, int]
    density: Matrix
    coverage: Matrix | None
    seen: tuple[Strike, ...]
    expected: tuple[Expected, ...]
    note: str


def suits(setting: Setting) -> bool:
    """Whether the match is played in the park."""
    return setting.config.menu.game == "wildlife"


def park_map(trace: Known, *, reveal: bool) -> ParkMap:
    """The park with the patrol that is shown; without one, its animals and what was seen.

    Where poachers are expected only a trace knows, which has learnt.
    """
    setting, played = trace.state.setting, trace.shown(reveal=reveal)
    reward = setting.game.reward
    assert isinstance(reward, RangersReward)
    park = reward.park
    first, second = ((np.arange(_FINE) + 0.5) * side / _FINE for side in park.cells)
    action = None if played is None else played.action
    axes = tuple(f"{spec.name} ({spec.unit})" if spec.unit else spec.name for spec in setting.responses.specs)
    return ParkMap(
        "park",
        "No patrol to show yet"
        if played is None
        else f"Round {played.round_id} · {setting.menu.labels[played.action]}",
        axes,
        park.cells,
        park.density_at(first[None, :], second[:, None]),
        None if action is None else setting.game.actions[action].reshape(park.cells).T,
        _seen(trace, action),
        _expected(trace, action) if isinstance(trace, Trace) and action is not None else (),
        "A cell's number is the probability that rangers cover it; the box holds where poachers are expected.",
    )


def _seen(trace: Known, action: int | None) -> tuple[Strike, ...]:
    told = reversed(list(islice(trace.told(), MOST_SEEN)))
    read = trace.state.setting.responses.vector
    return tuple(Strike(read(p.response), p.round_id, p.action == action) for p in told if p.response is not None)


def _expected(trace: Trace, action: int) -> tuple[Expected, ...]:
    setting, found = trace.state.setting, []
    width = setting.confidence(trace.belief.information_gain)
    types = setting.game.types if setting.game.types is not None else trace.types_met(1)[0]
    for number, opponent_type in enumerate(types, start=1):
        prediction = trace.belief.predict(opponent_type)
        box = confidence_box(prediction, width, setting.game.response_domain)
        mean = np.clip(prediction.mean[action], setting.game.response_domain.lower, setting.game.response_domain.upper)
        found.append(Expected(str(number), mean, box.lower[action], box.upper[action]))
    return tuple(found)


def draw_park(record: ParkMap, figure: "Figure") -> None:
    """Animals on the left, the patrol on the right, and on both where poachers struck and are expected."""
    left, right = figure.subplots(1, 2)
    sides = (0, record.cells[0], 0, record.cells[1])
    shown = left.imshow(record.density, origin="lower", extent=sides, cmap=colour_map("density"), vmin=0)
    figure.colorbar(shown, ax=left, shrink=0.7, label="animal density φ")
    left.set_title("animals", fontsize="medium")
    if record.coverage is not None:
        covered = right.imshow(record.coverage, origin="lower", extent=sides, cmap=colour_map("coverage"), vmin=0)
        figure.colorbar(covered, ax=right, shrink=0.7, label="probability that a cell is covered")
        _write_shares(record.coverage, right)
    right.set_title(record.title, fontsize="medium")
    for ax in (left, right):
        _draw_places(record, ax)
        ax.set(xlim=sides[:2], ylim=sides[2:], xlabel=record.axes[0], ylabel=record.axes[1], aspect="equal")
        ax.set(xticks=range(record.cells[0] + 1), yticks=range(record.cells[1] + 1))
    handles, labels = left.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    if once:
        figure.legend(list(once.values()), list(once), loc="outside lower center", ncols=4, fontsize="small")


def _write_shares(coverage: Matrix, ax: "Axes") -> None:
    for (row, column), share in np.ndenumerate(coverage):
        if share >= 0.005:
            colour = "white" if share > 0.6 * coverage.max() else "0.2"
            ax.text(column + 0.05, row + 0.07, f"{share:.0%}", fontsize=6, color=colour)


def _draw_places(record: ParkMap, ax: "Axes") -> None:
    for strike in record.seen:
        name = "struck under this patrol" if strike.same_patrol else "struck under another patrol"
        shape, inside = ("^", COLOURS[1]) if strike.same_patrol else ("v", "none")
        ax.plot(*strike.place, shape, ms=5, label=name, clip_on=False, mfc=inside, mec=COLOURS[1])
    for expected in record.expected:
        low, size = expected.lower, expected.upper - expected.lower
        ax.plot(*expected.mean, "P", ms=9, color=COLOURS[4], markeredgecolor="white", label="expected", zorder=5)
        edge = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * size + low
        ax.plot(*edge.T, color=COLOURS[4], linewidth=1.5, linestyle="--", label="confidence box", zorder=5)
