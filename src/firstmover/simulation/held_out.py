"""Judge a model of responses by forecasts of rounds that it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from firstmover.beliefs.conformal import adaptive_widths
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.simulation.response_model import History, ResponseModel

FEWEST = 20
"""Rounds of a history below which nothing is judged."""

CLEAR = 1.645
"""Standard errors by which the model must be ahead of a constant: one-sided, at the level of 5 %."""

LEVELS = (0.8, 0.9)
"""The shares of responses that bands should hold."""

Model = TypeVar("Model", bound=ResponseModel)


@dataclass(frozen=True)
class HeldOut:
    """Forecasts of the later half of the rounds, each by the rounds before it; one entry per output (m,).

    `error`, `constant` and `last` are root mean squared errors: of the model, of the mean of all responses before, and
    of the response before. `covered` (2, m) are the shares of responses inside of their 80 and 90 % bands, and `width`
    (m,) is the half-width of the next 90 % band in predicted standard deviations. `residuals` (k, m) are the errors of
    the model; `advantage` is how much smaller its squared errors are than those of the constant, in standard errors.
    """

    names: tuple[str, ...]
    rounds: int
    error: Vector
    constant: Vector
    last: Vector
    covered: Matrix
    width: Vector
    residuals: Matrix
    advantage: float

    @property
    def share(self) -> float:
        """The error of the model relative to that of the constant, the geometric mean over outputs."""
        return float(np.exp(np.mean(np.log(self.error / self.constant))))

    @property
    def refusal(self) -> str | None:
        """Why the model is no opponent to rehearse against; None if it is."""
        if self.advantage > CLEAR:
            return None
        return (
            f"The model forecasts {self.rounds} held-out rounds no better than a constant does (its error is "
            f"{self.share:.2f} times that of the mean so far, which may be chance): what was recorded does not explain "
            "the responses. Add columns that do, or more rounds."
        )

    def lines(self) -> list[str]:
        """All of it in sentences."""
        found = []
        for name, error, constant, last, covered in zip(
            self.names, self.error, self.constant, self.last, self.covered.T, strict=True
        ):
            found.append(
                f"{name}: of {self.rounds} rounds forecast from those before, the error is {error:.3g}; a constant has "
                f"{constant:.3g}, the round before {last:.3g}. Bands of 80 and 90 % held {covered[0]:.0%} and "
                f"{covered[1]:.0%}."
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, for programs."""
        figures = {name: getattr(self, name).tolist() for name in ("error", "constant", "last", "covered", "width")}
        return {"names": list(self.names), "rounds": self.rounds, "refusal": self.refusal, **figures}


def judged(model: Model, history: History, names: Sequence[str]) -> tuple[Model, HeldOut]:
    """Return the model after all rounds, and how well it forecast the later half of them one by one."""
    t, first = len(history.responses), len(history.responses) // 2
    if t < FEWEST:
        raise InvalidInput(f"history has {t} rounds with known types: give at least {FEWEST}.")
    if not np.ptp(history.responses, axis=0).all():
        fixed = names[int(np.argmin(np.ptp(history.responses, axis=0)))]
        raise InvalidInput(
            f"response {fixed!r} is the same in all {t} rounds of the history: there is nothing to learn."
        )
    model, means, stds = _forecasts(model, history)
    y = history.responses
    known = np.isfinite(stds).all(axis=1)
    scores = np.abs(y - means)[known] / stds[known]
    before = np.cumsum(y, axis=0)[:-1] / np.arange(1, t)[:, None]
    errors = [y[first:] - means[first:], y[first:] - before[first - 1 :], y[first:] - y[first - 1 : -1]]
    held = t - first
    covered, width = np.empty((len(LEVELS), y.shape[1])), np.empty(y.shape[1])
    for k, level in enumerate(LEVELS):
        for j, column in enumerate(scores.T):
            widths = adaptive_widths(column, 1 - level)
            covered[k, j], width[j] = np.mean(column[-held:] <= widths[-held - 1 : -1]), widths[-1]
    error, constant, last = (np.sqrt(np.mean(each**2, axis=0)) for each in errors)
    advantage = _advantage(errors[0], errors[1], constant)
    return model, HeldOut(tuple(names), held, error, constant, last, covered, width, errors[0], advantage)


def advantage_of_decisions(model: ResponseModel, history: History, found: HeldOut) -> float:
    """Return by how much forecasts are better than those of a `model` to which all decisions look alike.

    It is the mean difference of squared errors in standard errors, over the rounds that were held out.
    """
    alike = history._replace(features=np.tile(history.features[:1], (len(history.features), 1)))
    means = _forecasts(model, alike)[1]
    return _advantage(found.residuals, (history.responses - means)[-found.rounds :], found.constant)


def _forecasts(model: Model, history: History) -> tuple[Model, Matrix, Matrix]:
    """The model after all rounds, and mean and standard deviation of the forecast of each from those before (t, m)."""
    means, stds = np.empty_like(history.responses), np.empty_like(history.responses)
    for i, seen in enumerate(zip(*history, strict=True)):
        means[i], stds[i] = model.forecast(*seen[:2])
        model = model.observe(*seen)
    return model, means, stds


def _advantage(errors: Matrix, others: Matrix, scale: Vector) -> float:
    """How much smaller squared errors are than others (k, m), in standard errors of the mean over rounds."""
    gaps = ((others**2 - errors**2) / scale**2).mean(axis=1)
    spread = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return float(gaps.mean() / spread) if spread else 0.0
