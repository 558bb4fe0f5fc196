"""A regressor of scikit-learn as a model of the response function."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, first_line
from firstmover.core.records import Prediction
from firstmover.simulation.response_model import History

FIRST_FIT = 10
"""Observations before the first fit of a regressor; it is fitted again when they have grown by a tenth."""


@dataclass(frozen=True, eq=False)
class RegressorModel:
    """A scikit-learn regressor of the responses on action and type, one per output.

    The standard deviation of a forecast is the root mean square of the errors of its earlier forecasts. A draw of b is
    the regressor fitted to a sample of the rounds, drawn with replacement (bootstrap).
    """

    estimator: Any
    game: Game
    rows: Matrix
    responses: Matrix
    squared_errors: Matrix
    fitted: tuple[Any, ...] = ()
    fitted_to: int = 0

    @classmethod
    def start(cls, estimator: Any, game: Game, history: History) -> Self:
        """Return the model before the first response."""
        width = history.features.shape[1] + history.types.shape[1]
        none = np.empty((0, game.n_outputs))
        return cls(estimator, game, np.empty((0, width)), none, none)

    def forecast(self, features: Vector, opponent_type: Vector) -> Prediction:
        """The prediction of the regressor, with the error of its earlier ones."""
        if not self.fitted:
            return Prediction(np.zeros(self.game.n_outputs), np.full(self.game.n_outputs, np.inf))
        row = np.append(features, opponent_type)[None]
        return Prediction(np.array([each.predict(row).item() for each in self.fitted]), self.noise_std)

    def observe(self, features: Vector, opponent_type: Vector, response: Vector) -> Self:
        """Record the error of the forecast, and fit again if the rows have grown by a tenth."""
        forecast = self.forecast(features, opponent_type)
        rows = np.vstack([self.rows, np.append(features, opponent_type)])
        model = replace(self, rows=rows, responses=np.vstack([self.responses, response]))
        if self.fitted:
            errors = np.vstack([self.squared_errors, (response - forecast.mean) ** 2])
            model = replace(model, squared_errors=errors)
        if len(rows) >= max(FIRST_FIT, 1.1 * self.fitted_to):
            model = model.refitted()
        return model

    def refitted(self) -> Self:
        """Fit the regressors now."""
        count = len(self.rows)
        return replace(self, fitted=self._fit(np.arange(count)), fitted_to=count)

    def _fit(self, chosen: NDArray[np.int_], seed: int = 0) -> tuple[Any, ...]:
        found = []
        for output in self.responses.T:
            estimator = clone(self.estimator)
            if "random_state" in estimator.get_params():
                estimator.set_params(random_state=seed)
            try:
                found.append(estimator.fit(self.rows[chosen], output[chosen]))
            except (ValueError, TypeError) as error:
                raise InvalidInput(
                    f"model {type(estimator).__name__!r} cannot be fitted to this history ({first_line(error)}): "
                    "choose another one."
                ) from None
        return tuple(found)

    def draw_functions(self, n: int, rng: np.random.Generator, types: Matrix) -> NDArray[np.float64]:
        """Regressors fitted to bootstrap samples of the rounds."""
        actions, count = self.game.actions, len(self.rows)
        grid = np.hstack([np.tile(actions, (len(types), 1)), np.repeat(types, len(actions), axis=0)])
        found = np.empty((n, len(types), len(actions), self.game.n_outputs))
        for draw in found:
            fitted = self._fit(rng.integers(count, size=count), int(rng.integers(2**31)))
            draw[:] = np.stack([each.predict(grid) for each in fitted], axis=1).reshape(draw.shape)
        return found

    @property
    def noise_std(self) -> Vector:
        """The root mean square of the errors of forecasts; the spread of the responses before there are some."""
        if len(self.squared_errors) < FIRST_FIT // 2:
            return np.std(self.responses, axis=0)
        return np.asarray(np.sqrt(self.squared_errors.mean(axis=0)), dtype=np.float64)
