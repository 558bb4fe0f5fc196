"""Maps of any menu: response curves over a feature, and a menu of several as parallel coordinates and a table."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.map_record import (
    Axis,
    Band,
    Choice,
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

MOST_VALUES = 24
"""The largest number of points of a curve over one of several features: closer values are joined."""

FEW = 40
"""The largest number of observations that are drawn opaque."""

MOST_AXES = 10
"""The largest number of features in the parallel coordinates."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One response over one feature for one type, at k points, with its band; `true` is NaN where it is not known.

    `seen_x` and `seen` are the observations of the type at any values of the other features, `band` the band's name.
    `chosen` has the feature of the action shown, and the mean and the ends of the band that are predicted for it.
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
    chosen: Vector | None = None


def default_map(view: MatchView) -> MapRecord | None:
    """Responses over the only feature of a menu, or the table of a menu with more; None without a posterior."""
    if view.posterior is None:
        return None
    if len(view.menu.features) == 1 and view.game.n_actions > 1:
        return curve_map(view, f"Responses over {view.menu.features[0]}")
    return menu_map(view, view.posterior)


def curve_map(view: MatchView, heading: str, *, own: bool = False) -> MapRecord | None:
    """A response over a feature, the others as in the action shown, or in the likeliest one.

    With `own`, each response has a feature of its own, the one with the same number, which is shown unless another is
    chosen.
    """
    if view.posterior is None:
        return None
    action = int(np.argmax(view.posterior.strategy)) if view.action is None else view.action
    (feature, output), choices = _chosen_pair(view, own=own)
    others = np.arange(view.game.actions.shape[1]) != feature
    along = np.flatnonzero(np.all(view.game.actions[:, others] == view.game.actions[action, others], axis=1))
    panels = _panels(view, view.posterior, along, (feature, output))
    held = " Other features stay as they are in this action." if others.any() else ""
    title = view.title or f"Around the likeliest action, {view.menu.labels[action]}"
    return MapRecord(heading, panels, f"{_BANDS}{held}", title, ("σ", "β"), choices)


_BANDS = (
    "Line: predicted mean, where observations say anything about it; band: μ ± β √(σ² + λ), the same as in every "
    "forecast, or else all possible responses."
)


def _chosen_pair(view: MatchView, *, own: bool = False) -> tuple[tuple[int, int], tuple[Choice, ...]]:
    """The feature and the response shown, and the choices that have several options."""
    names = tuple(response.name for response in view.responses)
    response = view.choice("response", names)
    output = names.index(response.chosen)
    feature = view.choice("feature", view.menu.features, output if own else 0)
    choices = tuple(choice for choice in (response, feature) if len(choice.options) > 1)
    return (view.menu.features.index(feature.chosen), output), choices


def _panels(
    view: MatchView, posterior: Posterior, actions: NDArray[np.intp], pair: tuple[int, int]
) -> tuple[Panel, ...]:
    """One panel per type with the averages over those of the given actions that have the same value of a feature."""
    curves = [_curve(view, posterior, number, actions, pair) for number in range(min(len(view.types), MOST_TYPES))]
    name, response = view.menu.features[pair[0]], str(view.responses[pair[1]])
    free = (view.game.types is None, "types"), (len(view.menu.features) > 1, "values of other features")
    seen_at = " and ".join(words for is_free, words in free if is_free)
    return tuple(curve_panels(curves, name, response, seen_at)) if curves else ()


def _curve(view: MatchView, posterior: Posterior, number: int, along: NDArray[np.intp], pair: tuple[int, int]) -> Curve:
    (feature, output), actions, opponent_type = pair, view.game.actions, view.types[number]
    bands = [part[:, output] for part in posterior.intervals(opponent_type)]
    x, level = _levels(actions[along, feature], MOST_VALUES if len(view.menu.features) > 1 else len(along))
    mean, lower, upper = (_averages(part[along], level) for part in bands)
    true = np.full(len(x), np.nan)
    if view.respond is not None:
        true = _averages(view.respond(actions[along], opponent_type)[:, output], level)
    any_type = view.game.types is None
    mine = [seen for seen in view.observed if any_type or np.array_equal(seen.opponent_type, opponent_type)]
    chosen = None
    if view.action is not None:
        chosen = np.array([actions[view.action, feature], *(part[view.action] for part in bands)])
    return Curve(
        view.type_names[number],
        x,
        true,
        mean,
        lower,
        upper,
        np.array([actions[seen.action, feature] for seen in mine]),
        np.array([seen.response[output] for seen in mine]),
        chosen=chosen,
    )


def _levels(values: Vector, most: int) -> tuple[Vector, NDArray[np.intp]]:
    """The different values, and of each value its place among them; neighbours are joined where there are too many.

    >>> _levels(np.array([3.0, 1.0, 2.0, 1.0]), most=2)
    (array([1.33333333, 3.        ]), array([1, 0, 0, 0]))
    """
    different, place = np.unique(values, return_inverse=True)
    if len(different) <= most:
        return different, place
    place = place * most // len(different)
    return np.bincount(place, values) / np.bincount(place), place


def _averages(values: Vector, level: NDArray[np.intp]) -> Vector:
    """The mean of the known values at each level; NaN where none is known, or where one is infinite."""
    known = ~np.isnan(values)
    count, total = (np.bincount(level, part) for part in (known, np.where(known, values, 0.0)))
    with np.errstate(invalid="ignore"):
        average = total / count
    return np.where(np.isfinite(average), average, np.nan)


def curve_panels(
    curves: list[Curve], feature: str, response: str, seen_at: str = "values of other features"
) -> list[Panel]:
    """One panel per curve, all on the same axes; observations at any of what `seen_at` names are shown."""
    x = nice_axis(np.concatenate([part for curve in curves for part in (curve.x, curve.seen_x)]), feature)
    heights = [
        (curve.lower, curve.upper, curve.true, curve.seen, () if curve.chosen is None else curve.chosen[1:])
        for curve in curves
    ]
    y = nice_axis(np.concatenate([[0.0], *(part for parts in heights for part in parts)]), response, rules=True)
    return [_curve_panel(curve, x, y, seen_at) for curve in curves]


def _curve_panel(curve: Curve, x: Axis, y: Axis, seen_at: str) -> Panel:
    known = bool(np.isfinite(curve.true).any())
    layers: list[Layer] = [
        Band(curve.x, curve.lower, curve.upper, legend=curve.band),
        Lines(curve.x, curve.mean[None], legend="predicted"),
    ]
    if known:
        layers.append(Lines(curve.x, curve.true[None], colour="line-1", dashed=True, legend="true (in simulations)"))
    at_any = f"observed, at any {seen_at}" if seen_at else "observed"
    opacity = 1.0 if len(curve.seen) <= FEW else 0.5
    layers.append(Points(curve.seen_x, curve.seen, "triangle-down", 3.5, "line-4", opacity=opacity, legend=at_any))
    dots = np.flatnonzero(np.isfinite(curve.mean))
    layers.append(Points(curve.x[dots], curve.mean[dots], size=2.8, fill="line-0", rows=tuple(dots.tolist())))
    if curve.chosen is not None:
        layers += _chosen_layers(curve.chosen, y)
    columns = (x.label, "predicted", "from", "to", "true")[: 4 + known]
    numbers = zip(curve.x, curve.mean, curve.lower, curve.upper, curve.true, strict=True)
    rows = tuple(tuple(map(finite, row[: 4 + known])) for row in numbers)
    seen, about = f"{len(curve.seen)} observed", f"{y.label} over {x.label}"
    summary = f"{about} for {curve.title}: from {short(curve.mean[0])} to {short(curve.mean[-1])}, {seen}."
    table = MapTable(f"{y.label} for {curve.title}", columns, rows)
    return Panel(curve.title, x, y, tuple(layers), table, summary, (300.0, 220.0), seen, about)


def _chosen_layers(chosen: Vector, y: Axis) -> list[Layer]:
    """A line at the action shown, and what is predicted for it, where anything is."""
    at, mean, lower, upper = chosen.tolist()
    x, legend = np.full(2, at), "this action, with its own band"
    layers: list[Layer] = [
        Lines(x, np.array([[y.low, y.high]]), colour="soft", width=1.5, dashed=True, legend="this action")
    ]
    if np.isfinite([mean, lower, upper]).all():
        layers.append(Lines(x, np.array([[lower, upper]]), colour="line-3", width=3.0))
        layers.append(Points(x[:1], np.array([mean]), "diamond", 5.5, "line-3", "ground", 1.2, legend=legend))
    return layers


def menu_map(view: MatchView, posterior: Posterior) -> MapRecord:
    """A response over a feature, averaged over the menu; the likeliest actions as parallel coordinates and a table."""
    most = min(MOST_ROWS, max(1, MOST_NUMBERS // len(view.menu.features)))
    kept = np.argsort(-posterior.strategy, kind="stable")[:most]  # the likeliest first
    panel = _menu_panel(view, posterior, kept)
    count = f"All {len(kept)}" if len(kept) == view.game.n_actions else f"The {most} likeliest of {view.game.n_actions}"
    note = f"{count} actions: features, the reward expected against the types met last, and p_t of the last decision."
    (feature, output), choices = _chosen_pair(view)
    curves = _panels(view, posterior, np.arange(view.game.n_actions), (feature, output))
    if not curves:
        return MapRecord("The menu", (panel,), note, terms=("p_t", "reward", "σ"))
    curves = tuple(replace(curve, group=f"{curve.group}, on average over the menu") for curve in curves)
    name = view.menu.features[feature]
    joined = len(np.unique(view.game.actions[:, feature])) > MOST_VALUES
    average = f"Curves are partial dependences: means over all actions of the menu with {'about ' * joined}this {name}."
    note = f"{note} {average} {_BANDS}"
    return MapRecord("The menu", (*curves, panel), note, terms=("p_t", "reward", "σ", "β"), choices=choices)


def _menu_panel(view: MatchView, posterior: Posterior, kept: NDArray[np.intp]) -> Panel:
    """Parallel coordinates of some actions, from their features to p_t, and the same numbers as a table."""
    menu = view.menu
    mean, std = (values[kept] for values in posterior.expected_rewards(view.game))
    names, features, p = [menu.labels[i] for i in kept], menu.actions[kept], posterior.strategy[kept]
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
    known = np.isfinite(mean).any()  # before the first report there is no axis for what is expected
    columns = [*features.T[:MOST_AXES], *([mean] if known else []), p]
    titles = [*menu.features[:MOST_AXES], *(["expected reward"] if known else []), "probability"]
    return Panel(
        view.title or "No round to show yet",
        Axis(-0.5, len(columns) - 0.5),
        Axis(-0.24, 1.1),
        (*_axes(columns, titles), *_strands(np.column_stack(columns), p, shown)),
        table,
        f"Parallel coordinates of {len(kept)} actions; the table below holds the same numbers. {view.title}.",
        (max(530.0, 110.0 * len(columns)), 300.0),
        stretch=True,
    )


def _axes(columns: list[Vector], titles: list[str]) -> tuple[Lines, Points, Points]:
    """A vertical line per column with its range, and its name below."""
    place = np.arange(len(columns), dtype=float)
    ends = [(float(np.nanmin(column)), float(np.nanmax(column))) for column in columns]
    shown = [percent if title == "probability" else short for title in titles]
    texts = [show(end[k]) for k in (1, 0) for show, end in zip(shown, ends, strict=True)]
    heights = np.repeat([1.05, -0.07], len(columns))
    names = tuple(f"{title[:14]}…" if len(title) > 15 else title for title in titles)
    return (
        Lines(np.column_stack([place, place]), np.tile([0.0, 1.0], (len(columns), 1)), "soft", 1.0),
        Points(np.tile(place, 2), heights, "", fill="soft", texts=tuple(texts)),
        Points(place, np.full(len(columns), -0.17), "", fill="ink", texts=names),
    )


def _strands(table: Matrix, p: Vector, shown: int | None) -> list[Lines]:
    """One line per action through its value on every axis; the action shown on top."""
    low = np.nanmin(table, axis=0, initial=np.inf)
    span = np.nanmax(table, axis=0, initial=-np.inf) - low
    y = (table - low) / np.where(span > 0, span, 1.0)
    x = np.arange(table.shape[1], dtype=float)
    others = np.array([i for i in range(len(y)) if i != shown], dtype=np.intp)
    opacity = 0.15 + 0.75 * p[others] / p.max()
    legend = f"{'' if shown is None else 'other '}actions: the stronger, the more probable"
    drawn = [Lines(x, y[others], width=1.6, opacity=opacity, rows=tuple(others.tolist()), legend=legend)]
    if shown is not None:
        drawn.append(Lines(x, y[[shown]], "line-1", 3.5, rows=(shown,), legend="the action of this round"))
    return drawn
