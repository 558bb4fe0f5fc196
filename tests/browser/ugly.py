"""A match that is hard to show: twelve responses, forty actions, long names and units."""

from pathlib import Path
from typing import Any

import numpy as np

from firstmover.matches import Match
from tests.figures.long_match import write_rounds

LONG = "a context with quite a long name"
LEVELS = ["one rather long level", "another one", "x"]
RESPONSES = [f"a rather long response name no. {i} of the twelve" if i % 3 == 0 else f"y{i}" for i in range(12)]
CONFIG: dict[str, Any] = {
    "title": "A title of a match that says at length what it is about, for whom it is played, where, and since when",
    "menu": {
        "rows": [
            {
                "label": f"action {i:02d} with a long and winding label, number {i}",
                "x": float(i),
                "z": float(7 * i % 13),
            }
            for i in range(40)
        ],
        "features": ["x", "z"],
    },
    "reward": {"responses": {name: 1.0 if i % 2 else -0.5 for i, name in enumerate(RESPONSES)}},
    "responses": [
        {"name": name, "unit": "thousand litres per week" if i % 4 == 0 else "€"} for i, name in enumerate(RESPONSES)
    ],
    "types": [
        {"name": LONG, "levels": LEVELS, "known": "before"},
        {"name": "temperature", "unit": "°C"},
    ],
}
NAME = "a match with quite a long name, spaces & more, as long as they may be"


def ugly_match(store: Path, rounds: int, name: str = NAME, *, waits: bool = True) -> None:
    """Create the match with so many told rounds, each fifth under a long name, and perhaps one that waits."""
    rng = np.random.default_rng(0)
    with Match.create(store, name, CONFIG) as match:
        for t in range(rounds):
            round_id = str(t) if t % 5 else f"round {t} of the spring season in the northern district"
            decision = match.ask(round_id, context={LONG: LEVELS[t % 3]})
            response = {each: rng.normal(decision.features["x"] * (i + 1), 2) for i, each in enumerate(RESPONSES)}
            match.tell(round_id, {"temperature": rng.normal(15, 5)}, {k: float(v) for k, v in response.items()})
        if waits:
            match.ask("next", context={LONG: "x"})


def long_ugly_match(store: Path, rounds: int, name: str) -> None:
    """The same with many rounds, which nobody learns from while they are written."""
    levels = [{LONG: level, "temperature": 15.0} for level in LEVELS]
    with Match.create(store, name, CONFIG) as match:
        write_rounds(match, rounds, levels)
