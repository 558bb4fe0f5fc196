"""An action as a sheet to be carried out: a plan of routes, a patrol, a price list, or the columns of a menu."""

from typing import Any

import numpy as np

from firstmover.games.network import sioux_falls
from firstmover.games.park import published_park
from firstmover.games.routing import operator_plans
from firstmover.matches.setting import Setting

Sheet = dict[str, Any]
"""headline, words, rows of {name, value, unit, words}, and for a park a grid of shares."""

MOST_ROWS = 40
LEADING = 5
"""Cells of a patrol that are named in words."""


def sheet_of(setting: Setting, action: int) -> Sheet:
    """The sheet of one action.

    >>> sheet_of(Setting.of({"menu": {"game": "routing"}}), 23)["headline"]
    'Send 225 units: 150 by route 1, 75 by route 3'
    """
    makers = {"routing": _routes, "wildlife": _patrol, "prices": _prices}
    return makers.get(setting.config.menu.game or "", _columns)(setting, action)


def _sheet(headline: str, rows: list[dict[str, Any]], words: str = "", grid: dict[str, Any] | None = None) -> Sheet:
    return {"headline": headline, "words": words, "rows": rows, "grid": grid}


def _row(name: str, value: float | str, unit: str = "", words: str = "") -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "words": words}


def _routes(_: Setting, action: int) -> Sheet:
    """Units by route, and the nodes that each route passes."""
    plans, nodes = operator_plans(), sioux_falls().nodes
    units, groups = float(plans.units[action]), plans.groups[action]
    sent = units * groups / max(1, int(groups.sum()))
    ways = [" → ".join(str(nodes[row]) for row in route) for route in plans.routes]
    rows = [_row(f"Route {i}", float(s), "units", way) for i, (s, way) in enumerate(zip(sent, ways, strict=True), 1)]
    used = ", ".join(f"{s:g} by route {i}" for i, s in enumerate(sent, 1) if s)
    ends = f"From node {nodes[plans.routes[0][0]]} to node {nodes[plans.routes[0][-1]]}."
    return _sheet(f"Send {units:g} units: {used}" if units else "Send nothing", rows, ends)


def _patrol(setting: Setting, action: int) -> Sheet:
    """Shares of the patrol by cell: a grid with north at the top, and the leading cells in words."""
    first, second = published_park().cells
    shares = setting.menu.actions[action].reshape(first, second)
    unit = setting.responses.specs[0].unit or "cells"
    order = np.argsort(-shares, axis=None)[:LEADING]
    rows = [
        _row(f"{_span(i, unit)} east, {_span(j, unit)} north", f"{shares[i, j]:.1%}".replace("%", "\u00a0%"))
        for i, j in zip(*np.unravel_index(order, shares.shape), strict=True)
        if shares[i, j] > 0
    ]
    grid = {
        "caption": f"Share of the patrol in each cell; {unit} east from left to right, {unit} north from bottom to top",
        "columns": [f"{i}–{i + 1}" for i in range(first)],
        "rows": [f"{j}–{j + 1}" for j in reversed(range(second))],
        "values": shares.T[::-1].tolist(),
    }
    if len(rows) == 1:
        return _sheet(f"Patrol one cell only: {rows[0]['name']}", rows, grid=grid)
    next_ones = "; ".join(f"{row['name']}: {row['value']}" for row in rows[1:3])
    words = f"Then {next_ones}; and so on as in the grid."
    return _sheet(f"Patrol most often {rows[0]['name']}: {rows[0]['value']} of the time", rows, words, grid)


def _span(start: int, unit: str) -> str:
    """Where a cell lies along one side, in words that stay on one line."""
    return f"{start} to {start + 1} {unit}".replace(" ", "\u00a0")


def _prices(setting: Setting, action: int) -> Sheet:
    """The price at each station."""
    prices = setting.menu.actions[action]
    rows = [_row(f"Station {i}", f"{price:.2f}", "€/kWh") for i, price in enumerate(prices, 1)]
    posted = ", ".join(f"€{price:.2f} at station {i}" for i, price in enumerate(prices, 1))
    return _sheet(f"Post {posted}", rows, "Prices are for a kilowatt-hour.")


def _columns(setting: Setting, action: int) -> Sheet:
    """The columns of the menu; the label, where it is a name, says what to do."""
    menu = setting.menu
    names = dict.fromkeys([*menu.features, *menu.columns])
    label, values = menu.labels[action], {name: float(menu.columns[name][action]) for name in names}
    rows = [_row(name, value) for name, value in list(values.items())[:MOST_ROWS]]
    if not label.replace(".", "").isdecimal():
        return _sheet(label[:1].upper() + label[1:], rows)
    figures = ", ".join(f"{name} to {values[name]:g}" for name in menu.features[:LEADING])
    return _sheet(f"Set {figures}", rows)
