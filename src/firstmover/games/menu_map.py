"""The map of a match whose game brings none: curves over a single feature, or else the menu as a table."""

import numpy as np

from firstmover.core.records import Vector
from firstmover.games.map_record import Axis, Cell, Lines, MapRecord, MapTable, Panel, Points, finite, percent, short
from firstmover.games.match_view import MatchView, Posterior
from firstmover.games.response_curves import curve_map

MOST_ROWS = 2000
"""Actions of a table, the likeliest so many."""

MOST_NUMBERS = 20_000
"""Numbers of a table in all: with many features there are fewer rows."""

MOST_AXES = 10
"""Features in the picture, the first so many."""


def default_map(view: MatchView) -> MapRecord | None:
    """Responses over the only feature of a menu, or the table of a menu with more."""
    if view.posterior is None:
        return None
    if len(view.menu.features) == 1 and view.game.n_actions > 1:
        return curve_map(view, [(0, k) for k in range(len(view.responses))], f"Responses over {view.menu.features[0]}")
    return menu_map(view, view.posterior)


def menu_map(view: MatchView, posterior: Posterior) -> MapRecord:
    """Parallel coordinates of the likeliest actions, from their features to p_t, and the same numbers as a table."""
    menu, strategy = view.menu, posterior.strategy
    most = min(MOST_ROWS, max(1, MOST_NUMBERS // len(menu.features)))
    kept = np.argsort(-strategy, kind="stable")[:most]  # the likeliest first
    mean, std = (values[kept] for values in posterior.expected_rewards(view.game))
    names, features, p = [menu.labels[i] for i in kept], menu.actions[kept], strategy[kept]
    shown = None if view.action is None else next(iter(np.flatnonzero(kept == view.action).tolist()), None)
    count = (
        f"The {len(kept)} likeliest of {view.game.n_actions}" if len(kept) < view.game.n_actions else f"All {len(kept)}"
    )
    played = posterior.played[kept]
    rows: list[tuple[Cell, ...]] = [
        (names[i], float(p[i]), finite(mean[i]), finite(std[i]), int(played[i]), *map(float, features[i]))
        for i in range(len(kept))
    ]
    columns = [*features.T[:MOST_AXES], mean, p]
    titles = [*menu.features[:MOST_AXES], "expected reward", "probability"]
    panel = Panel(
        view.title or "No round to show yet",
        Axis(-0.5, len(columns) - 0.5),
        Axis(-0.24, 1.1),
        (*_axes(columns, titles), *_strands(columns, names, p, mean, shown)),
        MapTable(
            "Actions; click a column's name to sort by it",
            ("action", "probability", "expected reward", "σ", "played", *menu.features),
            tuple(rows),
            ("probability",),
            shown,
            always_open=True,
        ),
        f"Parallel coordinates of {len(kept)} actions; the table below holds the same numbers. {view.title}.",
        (max(530.0, 110.0 * len(columns)), 300.0),
        stretch=True,
    )
    note = f"{count} actions: features, the reward expected against the types met last, and p_t of the last decision."
    return MapRecord("The menu", (panel,), note, terms=("p_t", "reward", "σ"))


def _axes(columns: list[Vector], titles: list[str]) -> tuple[Lines, Points, Points]:
    """A vertical line per column with its range, and its name below."""
    place = np.arange(len(columns), dtype=float)
    ends = [(float(np.nanmin(c)), float(np.nanmax(c))) if np.isfinite(c).any() else (0.0, 0.0) for c in columns]
    shown = [percent if title == "probability" else short for title in titles]
    texts = [show(high) for show, (_, high) in zip(shown, ends, strict=True)]
    texts += [show(low) for show, (low, _) in zip(shown, ends, strict=True)]
    heights = np.repeat([1.05, -0.07], len(columns))
    names = tuple(f"{title[:14]}…" if len(title) > 15 else title for title in titles)
    return (
        Lines(np.column_stack([place, place]), np.tile([0.0, 1.0], (len(columns), 1)), "soft", 1.0),
        Points(np.tile(place, 2), heights, "", fill="soft", texts=tuple(texts)),
        Points(place, np.full(len(columns), -0.17), "", fill="ink", texts=names),
    )


def _strands(columns: list[Vector], names: list[str], p: Vector, mean: Vector, shown: int | None) -> tuple[Lines, ...]:
    """One line per action through its value on every axis; the action shown on top."""
    table = np.column_stack(columns)
    low = np.nanmin(table, axis=0, initial=np.inf)
    span = np.nanmax(table, axis=0, initial=-np.inf) - low
    y = (table - low) / np.where(span > 0, span, 1.0)
    x = np.arange(len(columns), dtype=float)
    labels = [
        f"{name}: probability {percent(share)}, expected reward {short(reward)}"
        for name, share, reward in zip(names, p, mean, strict=True)
    ]
    others = np.array([i for i in range(len(y)) if i != shown], dtype=np.intp)
    opacity = 0.15 + 0.75 * p[others] / p.max()
    legend = "other actions: the stronger, the more probable"
    drawn = [Lines(x, y[others], width=1.6, opacity=opacity, labels=tuple(labels[i] for i in others), legend=legend)]
    if shown is not None:
        drawn.append(Lines(x, y[[shown]], "line-1", 3.5, labels=(labels[shown],), legend="the action of this round"))
    return tuple(drawn)
