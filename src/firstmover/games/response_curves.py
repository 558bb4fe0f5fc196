"""Maps of responses over one feature of the menu: the predicted curve with its band, observations, and the truth."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.records import Vector
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
    short,
)
from firstmover.games.match_view import MatchView

BAND = 2.0
"""Standard deviations on either side of the mean."""

MOST_TYPES = 12
"""Types that have a panel, the first so many."""

SIZE = (248.0, 162.0)


@dataclass(frozen=True, eq=False)
class Curve:
    """One response over one feature for one type, at k points; `true` is NaN where it is not known.

    `seen_x` and `seen` are the observations of the type at any values of the other features.
    """

    title: str
    x: Vector
    true: Vector
    mean: Vector
    std: Vector
    seen_x: Vector
    seen: Vector

    @property
    def extent(self) -> Vector:
        """All values on the vertical axis, and 0."""
        band = BAND * self.std
        return np.concatenate([self.mean - band, self.mean + band, self.true, self.seen, [0.0]])


def curve_panels(
    curves: list[Curve], feature: str, response: str, chosen: float | None = None, *, others: bool = True
) -> list[Panel]:
    """One panel per curve, all on the same axes; `chosen` marks the feature of the action shown."""
    x = nice_axis(np.concatenate([part for curve in curves for part in (curve.x, curve.seen_x)]), feature)
    y = nice_axis(np.concatenate([curve.extent for curve in curves]), response, rules=True)
    return [_panel(curve, x, y, chosen, others=others) for curve in curves]


def _panel(curve: Curve, x: Axis, y: Axis, chosen: float | None, *, others: bool) -> Panel:
    known = bool(np.isfinite(curve.true).any())
    layers: list[Layer] = [
        Band(curve.x, curve.mean - BAND * curve.std, curve.mean + BAND * curve.std, legend=f"± {BAND:g} σ"),
        Lines(curve.x, curve.mean[None], legend="predicted"),
    ]
    if chosen is not None:
        ends = np.array([[y.low, y.high]])
        layers.append(Lines(np.full(2, chosen), ends, colour="soft", width=1.5, dashed=True, legend="this action"))
    if known:
        layers.append(Lines(curve.x, curve.true[None], colour="line-1", dashed=True, legend="true (in simulations)"))
    at_any = "observed, at any values of other features" if others else "observed"
    layers.append(Points(curve.seen_x, curve.seen, "triangle-down", 3.5, "line-4", legend=at_any))
    seen = f"{len(curve.seen)} observed"
    rows = zip(curve.x, curve.mean, BAND * curve.std, curve.true, strict=True)
    columns = (x.label, "predicted", f"± {BAND:g} σ", "true")[: 3 + known]
    return Panel(
        curve.title,
        x,
        y,
        tuple(layers),
        MapTable(f"{y.label} for {curve.title}", columns, tuple(tuple(map(finite, row[: 3 + known])) for row in rows)),
        f"{y.label} over {x.label} for {curve.title}: from {short(curve.mean[0])} to {short(curve.mean[-1])}, {seen}.",
        SIZE,
        seen,
        f"{y.label} over {x.label}",
    )


def curve_map(view: MatchView, pairs: list[tuple[int, int]], heading: str) -> MapRecord | None:
    """Curves around the action shown, or around the likeliest one, for pairs of a feature and a response."""
    if view.posterior is None:
        return None
    action = int(np.argmax(view.posterior.strategy)) if view.action is None else view.action
    panels: list[Panel] = []
    for feature, output in pairs:
        curves = [_curve(view, number, action, (feature, output)) for number in range(len(view.types))]
        chosen = None if view.action is None else float(view.game.actions[action, feature])
        name, response = view.menu.features[feature], str(view.responses[output])
        if curves:
            panels += curve_panels(curves[:MOST_TYPES], name, response, chosen, others=len(view.menu.features) > 1)
    others = " Other features stay as they are in this action." if len(view.menu.features) > 1 else ""
    return MapRecord(
        heading,
        tuple(panels),
        f"Line: predicted mean; band: ± {BAND:g} σ.{others}",
        view.title or f"Around the likeliest action, {view.menu.labels[action]}",
        ("σ",),
    )


def _curve(view: MatchView, number: int, action: int, pair: tuple[int, int]) -> Curve:
    assert view.posterior is not None
    (feature, output), actions = pair, view.game.actions
    opponent_type = view.types[number]
    others = np.arange(actions.shape[1]) != feature
    along = np.flatnonzero(np.all(actions[:, others] == actions[action, others], axis=1))
    along = along[np.argsort(actions[along, feature], kind="stable")]
    prediction = view.posterior.predict(opponent_type)
    true = np.full(len(along), np.nan)
    if view.respond is not None:
        true = view.respond(actions[along], opponent_type)[:, output]
    mine = [seen for seen in view.observed if np.array_equal(seen.opponent_type, opponent_type)]
    return Curve(
        view.type_names[number],
        actions[along, feature],
        true,
        prediction.mean[along, output],
        prediction.std[along],
        np.array([actions[seen.action, feature] for seen in mine]),
        np.array([seen.response[output] for seen in mine]),
    )
