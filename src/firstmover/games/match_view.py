"""What the map of a game needs to know of a match, as plain values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.records import Matrix, Prediction, Vector
from firstmover.games.menu import Menu


@dataclass(frozen=True)
class Quantity:
    """A response by name, with its unit."""

    name: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, eq=False)
class Observation:
    """A reported round, or a row of imported history, whose `round_id` is empty."""

    round_id: str
    action: int
    opponent_type: Vector
    response: Vector


@dataclass(frozen=True)
class Interval:
    """A predicted quantity: its mean and the ends of its band; `lower` is None where it is not computed."""

    mean: float
    lower: float | None
    upper: float


@dataclass(frozen=True)
class Forecast:
    """The responses and the reward that the fitted model predicts for one action against one type."""

    responses: tuple[Interval, ...]
    reward: Interval


@dataclass(frozen=True, eq=False)
class Posterior:
    """The fitted model after all rounds.

    Parameters
    ----------
    predict
        μ and σ of the whole menu for a type.
    confidence_width
        β.
    strategy, played
        p_t (n,) of the last decision, and in how many reported rounds each action was played (n,).
    recent_types, weights
        Types (k, p) over which expectations are averaged, and how often each was met (k,).
    """

    predict: Callable[[Vector], Prediction]
    confidence_width: float
    strategy: Vector
    played: NDArray[np.intp]
    recent_types: Matrix
    weights: Vector

    def expected_rewards(self, game: Game) -> tuple[Vector, Vector]:
        """r(x, μ(x, θ)) and σ(x, θ) of each action (n,), averaged over the recent types; NaN if there are none."""
        if len(self.recent_types) == 0:
            return np.full(game.n_actions, np.nan), np.full(game.n_actions, np.nan)
        mean, std = np.zeros(game.n_actions), np.zeros(game.n_actions)
        for opponent_type, weight in zip(self.recent_types, self.weights / self.weights.sum(), strict=True):
            prediction = self.predict(opponent_type)
            inside = np.clip(prediction.mean, game.response_domain.lower, game.response_domain.upper)
            mean += weight * game.reward(game.actions, inside)
            std += weight * prediction.std
        return mean, std


@dataclass(frozen=True, eq=False)
class MatchView:
    """A match as its map sees it.

    Parameters
    ----------
    action, round_id
        The round that is shown; None and empty if there is none.
    types, type_names
        The known types (q, p), or else the one met last, with a name for each.
    observed
        The latest observations, oldest first.
    last_type
        The type of the last observation in words.
    posterior, forecast
        The fitted model, and its forecast of an action against a type; None while they are still being computed.
    respond
        The true response function, in a simulation.
    """

    game: Game
    menu: Menu
    responses: tuple[Quantity, ...]
    types: Matrix
    type_names: tuple[str, ...]
    observed: tuple[Observation, ...]
    last_type: str = ""
    action: int | None = None
    round_id: str = ""
    posterior: Posterior | None = None
    forecast: Callable[[int, Vector], Forecast] | None = None
    respond: ResponseFunction | None = None

    @property
    def title(self) -> str:
        """The round and its action; empty if no round is shown."""
        return "" if self.action is None else f"Round {self.round_id} · {self.menu.labels[self.action]}"
