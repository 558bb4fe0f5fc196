"""Signs that decisions of the past moved with demand, so that a model may take one for the effect of the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # scipy.stats is loaded on first use: it is slow to import

from firstmover.core.arrays import Matrix, Vector
from firstmover.simulation.response_model import History

LEVEL = 0.01
"""Significance level of a sign; with many decisions and types it is divided by their number."""

DEPENDENT = 0.8
"""Share of the variation of a decision that may go along with the types before it is a sign."""

OUTCOME, RELATED = 0.8, 0.3
"""Shares of the variation of a type, told afterwards, that go along with decisions: from the first on it is taken for
an outcome, and from the second on it is a sign."""


@dataclass(frozen=True)
class Confounding:
    """Signs of confounding, each a sentence; none found does not mean that there is none."""

    signs: tuple[str, ...]

    def lines(self) -> list[str]:
        """The signs, and what they mean."""
        if not self.signs:
            return [
                "No sign was found that decisions moved with demand. Only decisions drawn by chance could prove it."
            ]
        return [
            *self.signs,
            "The effect of a decision may be mistaken for that of demand: forecasts for decisions unlike those of the "
            "past are less sure than their bands say.",
        ]


def confounding(
    history: History, decisions: Sequence[str], types: Sequence[str], responses: Sequence[str]
) -> Confounding:
    """Return the signs that the decisions of a history moved with demand.

    For each decision x, by linear regression over the rounds: (1) the share of its variance that the types explain;
    (2) whether it follows the response of the round before, given its own value before and the types; (3) whether x and
    the part of the response that x and the types do not explain both have a trend.
    """
    signs: list[str] = []
    time = np.linspace(0.0, 1.0, len(history.responses))[:, None]
    varied = np.flatnonzero(np.ptp(history.features, axis=0) > 0).tolist()
    kinds = history.types[:, np.ptp(history.types, axis=0) > 0] if history.types.size else np.empty((len(time), 0))
    level = LEVEL / max(1, len(varied) * len(responses))
    for j in varied:
        x, name = history.features[:, j], decisions[j]
        share = _explained(x, kinds)
        if share > DEPENDENT:
            close = _closest(
                x, kinds, [t for t, on in zip(types, np.ptp(history.types, axis=0) > 0, strict=True) if on]
            )
            signs.append(
                f"{share:.0%} of the variation of {name} went along with what else was recorded, most with {close}: "
                "the two effects can hardly be told apart."
            )
        for k, response in enumerate(responses):
            y = history.responses[:, k]
            others = np.column_stack([x[:-1], kinds[1:]])
            slope, p = _slope(x[1:], y[:-1], others)
            if p < level:
                signs.append(
                    f"{name} followed {response} of the round before: it was {'raised' if slope > 0 else 'lowered'} "
                    f"when {response} had been high (p = {p:.1g})."
                )
            rest = _rest(y, np.column_stack([history.features[:, varied], kinds]))
            trends = [_slope(each, time[:, 0], np.empty((len(time), 0))) for each in (x, rest)]
            if all(p < level for _, p in trends):
                same = trends[0][0] * trends[1][0] > 0
                signs.append(
                    f"{name} and {response} moved over time in {'the same direction' if same else 'opposite ones'} for "
                    "reasons that are not recorded."
                )
    return Confounding(tuple(dict.fromkeys(signs)))


def outcome_like(history: History, context: Sequence[int], types: Sequence[str]) -> dict[str, float]:
    """Return the types told afterwards that move with the decisions, each with the share of its variation that does.

    The share is that of a linear regression on the decisions, after what the context explains. An opponent has its type
    before the decision: a type that follows from the decision is an outcome.
    """
    known, decided = history.types[:, list(context)], history.features
    decided = decided[:, np.ptp(decided, axis=0) > 0]
    found: dict[str, float] = {}
    for j, name in enumerate(types):
        values = history.types[:, j]
        if j in context or not np.ptp(values) or not decided.shape[1]:
            continue
        rest = np.column_stack([_rest(column, known) for column in decided.T])
        share = _explained(_rest(values, known), rest)
        if share > RELATED:
            found[name] = max(share, found.get(name, 0.0))
    return found


def _design(columns: Matrix) -> Matrix:
    return np.column_stack([np.ones(len(columns)), columns])


def _rest(values: Vector, columns: Matrix) -> Vector:
    """The part of the values that a linear regression on the columns leaves."""
    design = _design(columns)
    return np.asarray(values - design @ np.linalg.lstsq(design, values, rcond=None)[0])


def _explained(values: Vector, columns: Matrix) -> float:
    """The share of the variance that the columns explain, adjusted for their number."""
    t, k = columns.shape
    if k == 0 or t <= k + 1:
        return 0.0
    left = float(np.sum(_rest(values, columns) ** 2) / (t - k - 1))
    return max(0.0, 1 - left / float(np.var(values, ddof=1)))


def _closest(values: Vector, columns: Matrix, names: Sequence[str]) -> str:
    return names[int(np.argmax(np.abs([np.corrcoef(values, column)[0, 1] for column in columns.T])))]


def _slope(values: Vector, cause: Vector, others: Matrix) -> tuple[float, float]:
    """The coefficient of a cause in the regression of the values on it and on others, and its p-value."""
    x, y = _rest(cause, others), _rest(values, others)
    free = len(values) - others.shape[1] - 2
    if free < 1 or not x.any() or not y.any():
        return 0.0, 1.0
    slope = float(x @ y / (x @ x))
    error = float(np.sqrt(np.sum((y - slope * x) ** 2) / free / (x @ x)))
    if error == 0:
        return slope, 0.0
    return slope, float(2 * scipy.stats.t.sf(abs(slope) / error, free))
