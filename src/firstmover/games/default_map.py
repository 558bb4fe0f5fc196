"""Maps of any menu: response curves over one feature, or else the menu as parallel coordinates and a table."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.map_record import (
    Axis,
    Band,
    Layer,
    Lines,
    MapRecord,
    MapTable,
    Panel,
    Points,
    finite,
    nice_axis,
    percent,
    short,
)
from firstmover.games.match_view import MatchView, Posterior

MOST_TYPES = 12
"""The largest number of types that have a panel."""

MOST_ROWS = 2000
"""The largest number of actions in a table, the likeliest ones."""

MOST_NUMBERS = 20_000
"""The largest number of features in a table: with many per action there are fewer rows."""

MOST_AXES = 10
"""The largest number of features in the parallel coordinates."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One response over one feature for one type, at k points, with its band; `true` is NaN where it is not known.

    `seen_x` and `seen` are the observations of the type at any values of the other features, `band` the band's name.
    """

    title: str
    x: Vector
    true: Vector
    mean: Vector
    lower: Vector
    upper: Vector
    seen_x: Vector
    seen: Vector
    band: str = "band"


def default_map(view: MatchView) -> MapRecord | None:
    """Responses over the only feature of a menu, or the table of a menu with more; None without a posterior."""
    if view.posterior is None:
        return None
    if len(view.menu.features) == 1 and view.game.n_actions > 1:
        return curve_map(view, [(0, k) for k in range(len(view.responses))], f"Responses over {view.menu.features[0]}")
    return menu_map(view, view.posterior)


def curve_map(view: MatchView, pairs: list[tuple[int, int]], heading: str) -> MapRecord | None:
    """Curves around the action shown, or around the likeliest one, for pairs of a feature and a response."""
    if view.posterior is None:
        return None
    action = int(np.argmax(view.posterior.strategy)) if view.action is None else view.action
    several = len(view.menu.features) > 1
    panels: list[Panel] = []
    for feature, output in pairs:
        curves = [_curve(view, view.posterior, number, action, (feature, output)) for number in range(len(view.types))]
        chosen = None if view.action is None else float(view.game.actions[action, feature])
        name, response = view.menu.features[feature], str(view.responses[output])
        if curves:
            panels += curve_panels(curves[:MOST_TYPES], name, response, chosen, others=several)
    others = " Other features stay as they are in this action." if several else ""
    note = (
        "Line: predicted mean, where observations say anything about it; band: μ ± β √(σ² + λ), the same as in every "
        f"forecast, or else all possible responses.{others}"
    )
    title = view.title or f"Around the likeliest action, {view.menu.labels[action]}"
    return MapRecord(heading, tuple(panels), note, title, ("σ", "β"))


def _curve(view: MatchView, posterior: Posterior, number: int, action: int, pair: tuple[int, int]) -> Curve:
    (feature, output), actions, opponent_type = pair, view.game.actions, view.types[number]
    others = np.arange(actions.shape[1]) != feature
    along = np.flatnonzero(np.all(actions[:, others] == actions[action, others], axis=1))
    along = along[np.argsort(actions[along, feature], kind="stable")]
    bands = (part[along, output] for part in posterior.intervals(opponent_type))
    mean, lower, upper = (np.where(np.isfinite(part), part, np.nan) for part in bands)
    true = np.full(len(along), np.nan)
    if view.respond is not None:
        true = view.respond(actions[along], opponent_type)[:, output]
    mine = [seen for seen in view.observed if np.array_equal(seen.opponent_type, opponent_type)]
    return Curve(
        view.type_names[number],
        actions[along, feature],
        true,
        mean,
        lower,
        upper,
        np.array([actions[seen.action, feature] for seen in mine]),
        np.array([seen.response[output] for seen in mine]),
    )


def curve_panels(
    curves: list[Curve], feature: str, response: str, chosen: float | None = None, *, others: bool = True
) -> list[Panel]:
    """One panel per curve, all on the same axes; `chosen` marks the feature of the action shown."""
    x = nice_axis(np.concatenate([part for curve in curves for part in (curve.x, curve.seen_x)]), feature)
    heights = [(curve.lower, curve.upper, curve.true, curve.seen) for curve in curves]
    y = nice_axis(np.concatenate([[0.0], *(part for parts in heights for part in parts)]), response, rules=True)
    return [_curve_panel(curve, x, y, chosen, others=others) for curve in curves]


def _curve_panel(curve: Curve, x: Axis, y: Axis, chosen: float | None, *, others: bool) -> Panel:
    known = bool(np.isfinite(curve.true).any())
    layers: list[Layer] = [
        Band(curve.x, curve.lower, curve.upper, legend=curve.band),
        Lines(curve.x, curve.mean[None], legend="predicted"),
    ]
    if chosen is not None:
        ends = np.array([[y.low, y.high]])
        layers.append(Lines(np.full(2, chosen), ends, colour="soft", width=1.5, dashed=True, legend="this action"))
    if known:
        layers.append(Lines(curve.x, curve.true[None], colour="line-1", dashed=True, legend="true (in simulations)"))
    at_any = "observed, at any values of other features" if others else "observed"
    layers.append(Points(curve.seen_x, curve.seen, "triangle-down", 3.5, "line-4", legend=at_any))
    columns = (x.label, "predicted", "from", "to", "true")[: 4 + known]
    numbers = zip(curve.x, curve.mean, curve.lower, curve.upper, curve.true, strict=True)
    rows = tuple(tuple(map(finite, row[: 4 + known])) for row in numbers)
    seen, about = f"{len(curve.seen)} observed", f"{y.label} over {x.label}"
    summary = f"{about} for {curve.title}: from {short(curve.mean[0])} to {short(curve.mean[-1])}, {seen}."
    table = MapTable(f"{y.label} for {curve.title}", columns, rows)
    return Panel(curve.title, x, y, tuple(layers), table, summary, (248.0, 162.0), seen, about)


def menu_map(view: MatchView, posterior: Posterior) -> MapRecord:
    """Parallel coordinates of the likeliest actions, from their features to p_t, and the same numbers as a table."""
    menu, strategy = view.menu, posterior.strategy
    most = min(MOST_ROWS, max(1, MOST_NUMBERS // len(menu.features)))
    kept = np.argsort(-strategy, kind="stable")[:most]  # the likeliest first
    mean, std = (values[kept] for values in posterior.expected_rewards(view.game))
    names, features, p = [menu.labels[i] for i in kept], menu.actions[kept], strategy[kept]
    shown = None if view.action is None else next(iter(np.flatnonzero(kept == view.action).tolist()), None)
    played = posterior.played[kept]
    table = MapTable(
        "Actions; click a column's name to sort by it",
        ("action", "probability", "expected reward", "σ", "played", *menu.features),
        tuple(
            (names[i], float(p[i]), finite(mean[i]), finite(std[i]), int(played[i]), *map(float, features[i]))
            for i in range(len(kept))
        ),
        ("probability",),
        shown,
        always_open=True,
    )
    columns = [*features.T[:MOST_AXES], mean, p]
    titles = [*menu.features[:MOST_AXES], "expected reward", "probability"]
    labels = [
        f"{name}: probability {percent(share)}, expected reward {short(reward)}"
        for name, share, reward in zip(names, p, mean, strict=True)
    ]
    panel = Panel(
        view.title or "No round to show yet",
        Axis(-0.5, len(columns) - 0.5),
        Axis(-0.24, 1.1),
        (*_axes(columns, titles), *_strands(np.column_stack(columns), labels, p, shown)),
        table,
        f"Parallel coordinates of {len(kept)} actions; the table below holds the same numbers. {view.title}.",
        (max(530.0, 110.0 * len(columns)), 300.0),
        stretch=True,
    )
    all_shown = len(kept) == view.game.n_actions
    count = f"All {len(kept)}" if all_shown else f"The {len(kept)} likeliest of {view.game.n_actions}"
    note = f"{count} actions: features, the reward expected against the types met last, and p_t of the last decision."
    return MapRecord("The menu", (panel,), note, terms=("p_t", "reward", "σ"))


def _axes(columns: list[Vector], titles: list[str]) -> tuple[Lines, Points, Points]:
    """A vertical line per column with its range, and its name below."""
    place = np.arange(len(columns), dtype=float)
    ends = [(float(np.nanmin(c)), float(np.nanmax(c))) if np.isfinite(c).any() else (0.0, 0.0) for c in columns]
    shown = [percent if title == "probability" else short for title in titles]
    texts = [show(end[k]) for k in (1, 0) for show, end in zip(shown, ends, strict=True)]
    heights = np.repeat([1.05, -0.07], len(columns))
    names = tuple(f"{title[:14]}…" if len(title) > 15 else title for title in titles)
    return (
        Lines(np.column_stack([place, place]), np.tile([0.0, 1.0], (len(columns), 1)), "soft", 1.0),
        Points(np.tile(place, 2), heights, "", fill="soft", texts=tuple(texts)),
        Points(place, np.full(len(columns), -0.17), "", fill="ink", texts=names),
    )


def _strands(table: Matrix, labels: list[str], p: Vector, shown: int | None) -> list[Lines]:
    """One line per action through its value on every axis; the action shown on top."""
    low = np.nanmin(table, axis=0, initial=np.inf)
    span = np.nanmax(table, axis=0, initial=-np.inf) - low
    y = (table - low) / np.where(span > 0, span, 1.0)
    x = np.arange(table.shape[1], dtype=float)
    others = np.array([i for i in range(len(y)) if i != shown], dtype=np.intp)
    opacity = 0.15 + 0.75 * p[others] / p.max()
    legend = "other actions: the stronger, the more probable"
    drawn = [Lines(x, y[others], width=1.6, opacity=opacity, labels=tuple(labels[i] for i in others), legend=legend)]
    if shown is not None:
        drawn.append(Lines(x, y[[shown]], "line-1", 3.5, labels=(labels[shown],), legend="the action of this round"))
    return drawn
