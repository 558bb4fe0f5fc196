"""Rehearsals made by hand, without a fit and without seasons."""

from typing import Any

import numpy as np

from firstmover.matches.rehearsal import EARLY, EVERY, Rehearsal
from firstmover.simulation.confounding import Confounding
from firstmover.simulation.gains import Gain
from firstmover.simulation.held_out import HeldOut

LEARNT = 0.2
"""The gain per round after the first rounds, as a share of the present earnings."""


def held_out(names: tuple[str, ...] = ("sold",), error: float = 6.0, constant: float = 24.0) -> HeldOut:
    """Forecasts of 90 rounds; the last response is forecast as well by a constant if there are several."""
    m = len(names)
    errors = np.full(m, error)
    errors[-1] = constant if m > 1 else error
    covered = np.stack([np.full(m, 0.78), np.full(m, 0.89)])
    return HeldOut(
        names, 90, errors, np.full(m, constant), np.full(m, 2 * error), covered, np.full(m, 1.6), np.zeros((90, m)), 9.0
    )


def rehearsal(
    *,
    seasons: int = 40,
    rounds: int = 104,
    present: float = 100.0,
    gain: float = LEARNT,
    spread: float = 0.1,
    names: tuple[str, ...] = ("sold",),
    **changes: Any,
) -> Rehearsal:
    """A match that loses a little in four rounds, then earns `gain` more than now; `spread` is that of seasons."""
    rng = np.random.default_rng(3)
    scale = abs(present)
    season = 1 + spread * np.linspace(-1, 1, seasons)[:, None]
    now = present + 0.05 * scale * rng.standard_normal((seasons, rounds))
    learnt = np.where(np.arange(rounds) < 4, -0.1, gain)

    def of(name: str, share: Any, earned: Any = slice(None), length: int = rounds) -> Gain:
        ahead = (scale * share * season + 0.1 * scale * rng.standard_normal((seasons, rounds)))[earned, :length]
        return Gain(name, now[earned, :length] + ahead, now[earned, :length])

    some, early = slice(None, None, EVERY), min(EARLY, rounds)
    values: dict[str, Any] = {
        "title": "sold by price",
        "source": "kiosk.csv",
        "rounds_used": 180,
        "left_out": 0,
        "model": "belief",
        "held_out": held_out(names),
        "decisions": 5.0,
        "confounding": Confounding(()),
        "recorded": present * 1.02,
        "learner": "auto",
        "baseline": "2.4",
        "at_least": 0.95,
        "match": of("match", learnt),
        "floored_early": of("with a floor", np.maximum(learnt, -0.02), length=early),
        "floored": of("with a floor", np.maximum(0.9 * learnt, -0.02), some),
        "others": (
            of("best single action", np.full(rounds, gain / 2)),
            of("StackelUCB", np.full(rounds, gain / 4), some),
            of("Exp3", np.full(rounds, -gain / 4), some),
        ),
        "oracle": of("oracle", np.full(rounds, 1.1 * abs(gain))),
    }
    return Rehearsal(**values | changes)
