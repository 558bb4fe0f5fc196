"""Any other menu as a table: features, p_t, and what is believed of every action's reward."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firstmover.plots.live.trace import Trace
from firstmover.plots.style import look
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 2000
"""Actions of a table: the likeliest so many."""

MOST_NUMBERS = 20_000
"""Features of a table in all: with many features there are fewer rows."""

MOST_TYPES = 50
"""Types, the latest met, over which rewards are averaged."""


@dataclass(frozen=True)
class MenuTable:
    """A row for each action, or for the likeliest ones.

    Parameters
    ----------
    features, rows
        The menu's names (d) and numbers (k, d).
    probability
        p_t of the round that was asked last.
    mean, std
        The mean of r(x, μ(x, θ)) and of σ(x, θ) over the types met last; NaN before any was met.
    played
        In how many told rounds.
    shown
        The row of the round that is shown; None if there is none, or it is not among the rows.
    """

    kind: str
    title: str
    labels: tuple[str, ...]
    features: tuple[str, ...]
    rows: Matrix
    probability: Vector
    mean: Vector
    std: Vector
    played: NDArray[np.intp]
    shown: int | None
    actions: int


def menu_table(trace: Trace, *, reveal: bool) -> MenuTable:
    """The table as of the last event."""
    menu, played = trace.state.setting.menu, trace.shown(reveal=reveal)
    strategy = trace.strategy
    most = min(MOST_ROWS, max(1, MOST_NUMBERS // len(menu.features)))
    kept = np.sort(np.argsort(-strategy, kind="stable")[:most])
    mean, std = rewards_believed(trace)
    where = [] if played is None else np.flatnonzero(kept == played.action).tolist()
    return MenuTable(
        "table",
        "No round to show yet" if played is None else f"Round {played.round_id} · {menu.labels[played.action]}",
        tuple(menu.labels[i] for i in kept),
        menu.features,
        menu.actions[kept],
        strategy[kept],
        mean[kept],
        std[kept],
        trace.played[kept],
        where[0] if where else None,
        len(menu.labels),
    )


def rewards_believed(trace: Trace) -> tuple[Vector, Vector]:
    """Of each action (n,): r(x, μ(x, θ)) and σ(x, θ), averaged over the types met last, or all known ones at first."""
    game = trace.state.setting.game
    types, counts = trace.types_met(MOST_TYPES if game.types is not None else 1)
    if len(types) == 0:
        return np.full(game.n_actions, np.nan), np.full(game.n_actions, np.nan)
    mean, std = np.zeros(game.n_actions), np.zeros(game.n_actions)
    for opponent_type, count in zip(types, counts / counts.sum(), strict=True):
        prediction = trace.belief.predict(opponent_type)
        inside = np.clip(prediction.mean, game.response_domain.lower, game.response_domain.upper)
        mean += count * game.reward(game.actions, inside)
        std += count * prediction.std
    return mean, std


def draw_table(record: MenuTable, figure: "Figure") -> None:
    """Parallel coordinates: a line an action, from its features to p_t and the reward expected of it."""
    ax = figure.add_subplot()
    names = [*record.features, "expected reward", "p_t"]
    columns = np.column_stack([record.rows, record.mean, record.probability])
    low, high = np.nanmin(columns, axis=0, initial=np.inf), np.nanmax(columns, axis=0, initial=-np.inf)
    span = np.where(high > low, high - low, 1.0)
    for i, line in enumerate((columns - low) / span):
        shown = i == record.shown
        style = look(1 if shown else 0) | {"marker": "o" if shown else "none", "linestyle": "-"}
        strength = 1.0 if shown else 0.15 + 0.7 * float(record.probability[i] / max(record.probability.max(), 1e-300))
        ax.plot(range(len(names)), line, alpha=strength, linewidth=2.5 if shown else 1.2, zorder=3 + shown, **style)
    ends = zip(names, low, high, strict=True)
    ax.set_xticks(range(len(names)), [f"{name}\n{a:.3g} … {b:.3g}" for name, a, b in ends], fontsize="small")
    ax.set(yticks=[0, 1], yticklabels=["least", "most"], title=record.title)
