"""Models of the response function that are fitted to the past: forecasts, and draws of whole functions."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.joint import fitted_posterior
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Prediction


class History(NamedTuple):
    """Rounds of the past, in order: features of the actions (t, d), types (t, p) and responses (t, m)."""

    features: Matrix
    types: Matrix
    responses: Matrix

    def nearest(self, game: Game) -> NDArray[np.int_]:
        """Return the number of the action of a menu that is nearest to each action of the past (t,).

        Distances are in spans of the features on the menu.
        """
        span = np.ptp(game.actions, axis=0)
        scale = np.where(span > 0, span, 1.0)
        squares = np.square((self.features[:, None] - game.actions) / scale).sum(axis=2)
        return np.asarray(np.argmin(squares, axis=1))


class ResponseModel(Protocol):
    """A model of b and its noise, given the observations so far."""

    def forecast(self, features: Vector, opponent_type: Vector) -> Prediction:
        """Mean and standard deviation (m,) of the next response, noise included; infinite while nothing is known."""

    def observe(self, features: Vector, opponent_type: Vector, response: Vector) -> Self:
        """Return the model after one more response."""

    def refitted(self) -> Self:
        """Return the model fitted to all observations."""

    def draw_functions(self, n: int, rng: np.random.Generator, types: Matrix) -> NDArray[np.float64]:
        """Return n draws of b, joint over all actions of the menu and some types: (n, q, n actions, m)."""

    @property
    def noise_std(self) -> Vector:
        """The standard deviation of the noise of each output (m,)."""


@dataclass(frozen=True, eq=False)
class BeliefModel:
    """The belief of `auto`, fitted by its own schedule; it must know the features of all actions to come."""

    belief: FittedBelief

    @classmethod
    def start(cls, game: Game, history: History) -> Self:
        """Return the model before the first response."""
        return cls(FittedBelief.prior(game).reaching(history.features))

    def forecast(self, features: Vector, opponent_type: Vector) -> Prediction:
        """The prediction of the belief, with the noise."""
        mean, std = self.belief.predict_at(features, opponent_type)
        return Prediction(mean, np.sqrt(std**2 + self.belief.noise_variance))

    def observe(self, features: Vector, opponent_type: Vector, response: Vector) -> Self:
        """Condition the belief, and fit it if that is due."""
        belief = self.belief.condition_at(features, opponent_type, response)
        model = replace(self, belief=belief)
        return model.refitted() if belief.fit_due else model

    def refitted(self) -> Self:
        """Fit the belief now."""
        return replace(self, belief=self.belief.fitted(self.belief.fit()))

    def draw_functions(self, n: int, rng: np.random.Generator, types: Matrix) -> NDArray[np.float64]:
        """Draws of the posterior."""
        return np.moveaxis(fitted_posterior(self.belief, types).functions(n, rng), 1, 2)

    @property
    def noise_std(self) -> Vector:
        """√λ of each output."""
        return np.sqrt(self.belief.noise_variance)
