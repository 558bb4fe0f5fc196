"""Small matches to test with, and a rule by which opponents answer in them."""

from pathlib import Path
from typing import Any

import numpy as np

from firstmover.matches import Decision, Match

ROUTES: dict[str, Any] = {
    "title": "two roads",
    "menu": {
        "rows": [
            {"label": "none", "north": 0.0, "south": 0.0, "units": 0.0},
            {"label": "north", "north": 10.0, "south": 0.0, "units": 10.0},
            {"label": "south", "north": 0.0, "south": 10.0, "units": 10.0},
            {"label": "both", "north": 5.0, "south": 5.0, "units": 10.0},
        ],
        "features": ["north", "south"],
    },
    "reward": {"value": "units", "responses": {"congestion": -2.0}},
    "responses": [{"name": "congestion", "unit": "min", "lower": 0.0, "upper": 20.0}],
    "types": [{"name": "demand", "levels": {"low": 0.0, "high": 1.0}}],
    "kernel": {"name": "rbf", "length_scale": 6.0, "variance": 9.0},
    "regularization": 1.0,
    "confidence": {"width": 1.0},
    "strategy": "adahedge",
}


ASSUMED: dict[str, Any] = {
    "kernel": {
        "name": "product",
        "action": {"name": "rbf", "length_scale": 150.0, "variance": 100.0},
        "opponent_type": {"name": "rbf", "length_scale": 2.0},
    },
    "regularization": 4.0,
    "confidence": {"width": 1.5},
}
"""Assumptions about the responses of the template routing, for tests of learners that need them."""


def answer(decision: Decision, number: int) -> tuple[str, float]:
    """Demand and congestion in round `number`: fixed, so that two matches of equal actions see the same."""
    demand = ("low", "high")[number % 2]
    congestion = 0.3 * decision.features["north"] + (0.5 if demand == "high" else 0.1) * decision.features["south"]
    return demand, float(np.round(congestion + 0.1 * (number % 3), 3))


def play(match: Match, rounds: range) -> None:
    """Ask and tell some rounds."""
    for number in rounds:
        decision = match.ask(f"r{number}")
        match.tell(decision.round_id, *answer(decision, number))


def new(folder: Path, **changes: Any) -> Match:
    """A match in a file of its own."""
    return Match.create(folder / "matches.db", "roads", ROUTES | changes)


def reopened(folder: Path) -> Match:
    """The match of `new` once more, from its file."""
    return Match.open(folder / "matches.db", "roads")
