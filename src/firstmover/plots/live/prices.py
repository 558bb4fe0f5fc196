"""Responses over one feature of the menu, as a live match believes them: for prices, the demand curve with its band."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from firstmover.contracts import ResponseFunction
from firstmover.matches.observing import Types
from firstmover.matches.rounds import Played
from firstmover.matches.setting import Setting
from firstmover.plots.demand import BAND, DemandCurve, draw_curve
from firstmover.plots.live.trace import Trace
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SEEN = 200
"""Observations, the latest, beside a curve."""

MOST_TYPES = 12
"""Types of a panel each: the first so many, or the one met last if any may come."""


@dataclass(frozen=True)
class PricePanel:
    """All curves of one response over one feature, with the feature of the action shown; NaN if none is."""

    feature: str
    response: str
    unit: str
    chosen: float
    curves: tuple[DemandCurve, ...]


@dataclass(frozen=True)
class PriceMap:
    """A panel for each pair of a price and the demand that it is for; bands reach `band` standard deviations."""

    kind: str
    title: str
    band: float
    panels: tuple[PricePanel, ...]
    note: str


def suits(setting: Setting) -> bool:
    """Whether the menu is one of prices: the built-in game, or rows with a single feature."""
    return setting.config.menu.game == "prices" or (
        setting.config.menu.game is None and len(setting.menu.features) == 1 and len(setting.menu.labels) > 1
    )


def price_map(trace: Trace, *, reveal: bool, respond: ResponseFunction | None = None) -> PriceMap:
    """The curves around the action that is shown, or around the likeliest; `respond` adds the truth of a simulation."""
    setting, played = trace.state.setting, trace.shown(reveal=reveal)
    action = int(np.argmax(trace.strategy)) if played is None else played.action
    label = setting.menu.labels[action]
    title = f"Around the likeliest action, {label}" if played is None else f"Round {played.round_id} · {label}"
    pairs = [(0, k) for k in range(len(setting.responses.names))]
    if len(setting.menu.features) > 1:
        pairs = [(j, j) for j in range(len(setting.menu.features))]
    panels = tuple(_panel(trace, action, pair, played, respond) for pair in pairs)
    others = "" if len(setting.menu.features) == 1 else " Other prices stay as they are in this action."
    return PriceMap("prices", title, BAND, panels, f"Line: believed mean; band: ± {BAND:g} σ.{others}")


def _panel(
    trace: Trace, action: int, pair: tuple[int, int], played: Played | None, respond: ResponseFunction | None
) -> PricePanel:
    setting, (feature, output) = trace.state.setting, pair
    actions, spec = setting.game.actions, setting.responses.specs[output]
    others = np.arange(actions.shape[1]) != feature
    along = np.flatnonzero(np.all(actions[:, others] == actions[action, others], axis=1))
    along = along[np.argsort(actions[along, feature], kind="stable")]
    types = setting.game.types if setting.game.types is not None else trace.types_met(1)[0]
    curves = []
    for number, opponent_type in enumerate(types[:MOST_TYPES]):
        prediction = trace.belief.predict(opponent_type)
        true = np.full(len(along), np.nan)
        if respond is not None:
            true = respond(actions[along], opponent_type)[:, output]
        seen = _seen(trace, opponent_type)[:, [feature, actions.shape[1] + output]]
        curves.append(
            DemandCurve(
                type_words(setting, number, opponent_type),
                actions[along, feature],
                true,
                prediction.mean[along, output],
                prediction.std[along],
                seen[:, 0],
                seen[:, 1],
            )
        )
    chosen = np.nan if played is None else float(actions[action, feature])
    return PricePanel(setting.menu.features[feature], spec.name, spec.unit, chosen, tuple(curves))


def type_words(setting: Setting, number: int, opponent_type: Vector) -> str:
    """A type as a person would say it."""
    if isinstance(setting.types, Types):
        combinations = setting.types.combinations
        if combinations is not None:
            return ", ".join(f"{name} {value}" for name, value in combinations[number].items())
        return ", ".join(f"{n} {v:g}" for n, v in zip(setting.types.names, opponent_type, strict=True))
    if setting.config.menu.game == "prices":
        return "type {}: at {:g}, price aversion {:g}, {:g} drivers".format(number + 1, *opponent_type * (1, 1, 100))
    return f"type {number + 1}"


def _seen(trace: Trace, opponent_type: Vector) -> Matrix:
    """Features and responses of the latest observations of a type, whatever the other prices were then: (k, d + m)."""
    setting = trace.state.setting
    rows = [row for step in trace.state.steps[-MOST_SEEN:] for row in step.rows][-MOST_SEEN:]
    mine = [row for row in rows if np.array_equal(setting.types.vector(row[1]), opponent_type)]
    wide = setting.game.actions.shape[1] + len(setting.responses.names)
    found = [np.concatenate([setting.game.actions[row[0]], setting.responses.vector(row[2])]) for row in mine]
    return np.array(found).reshape(len(found), wide)


def draw_prices(record: PriceMap, figure: "Figure") -> None:
    """A row a panel, a column a type."""
    rows, columns = len(record.panels), max(len(panel.curves) for panel in record.panels)
    axes = figure.subplots(rows, columns, squeeze=False, sharey="row", sharex="row")
    for panel, line in zip(record.panels, axes, strict=True):
        for curve, ax in zip(panel.curves, line, strict=False):
            draw_curve(curve, ax)
            if np.isfinite(panel.chosen):
                ax.axvline(panel.chosen, color="0.5", linestyle=":", label="this action")
            ax.set_xlabel(panel.feature, fontsize="small")
        unit = f" ({panel.unit})" if panel.unit else ""
        line[0].set_ylabel(f"{panel.response}{unit}", fontsize="small")
    figure.suptitle(record.title, fontsize="medium")
    axes[0, -1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
