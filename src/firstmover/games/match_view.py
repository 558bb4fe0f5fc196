"""A match as plain values, from which a game draws its map."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.errors import look_up
from firstmover.core.records import Prediction
from firstmover.games.map_record import Choice
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


@dataclass(frozen=True, eq=False)
class Posterior:
    """The fitted model after all rounds.

    `predict` gives μ and σ of the whole menu for a type, `intervals` μ and the ends of its band (n, m), within the
    response domain, as every view of a match shows them; where nothing is known, μ is NaN and the band the domain.
    `strategy` is p_t (n,) of the last decision, `played` counts the reported rounds of each action (n,). Expectations
    are averages over `recent_types` (k, p) with `weights` (k,).
    """

    predict: Callable[[Vector], Prediction]
    intervals: Callable[[Vector], tuple[Matrix, Matrix, Matrix]]
    strategy: Vector
    played: NDArray[np.intp]
    recent_types: Matrix
    weights: Vector

    def expected_rewards(self, game: Game) -> tuple[Vector, Vector]:
        """r(x, μ(x, θ)) and σ(x, θ) of each action (n,), averaged over the recent types; NaN where not known.

        Of outputs with a σ of their own, the largest is taken.
        """
        if len(self.recent_types) == 0:
            return np.full(game.n_actions, np.nan), np.full(game.n_actions, np.nan)
        mean, std = np.zeros(game.n_actions), np.zeros(game.n_actions)
        for opponent_type, weight in zip(self.recent_types, self.weights / self.weights.sum(), strict=True):
            predicted = self.intervals(opponent_type)[0]
            known = np.isfinite(predicted).all(axis=1)
            mean[known] += weight * game.reward(game.actions[known], predicted[known])
            mean[~known] = np.nan
            deviation = self.predict(opponent_type).std
            std += weight * deviation.reshape(game.n_actions, -1).max(axis=1)
        return mean, std


@dataclass(frozen=True, eq=False)
class MatchView:
    """A match as its map sees it.

    `action` and `round_id` are those of the round shown; None and empty if there is none. `types` are the known ones
    (q, p), or else the last observed one. `observed` holds the latest observations, oldest first, and `last_type` the
    type of the last one in words. `posterior` is None while it is computed; `respond` is b in a simulation.
    `chosen` has the chosen options of the map, by the names of its choices.
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
    respond: ResponseFunction | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)

    def choice(self, name: str, options: tuple[str, ...], default: int = 0) -> Choice:
        """Return the choice of one of several options; what was chosen must be one of them."""
        chosen = self.chosen.get(name, options[default])
        look_up(name, chosen, dict.fromkeys(options))
        return Choice(name, options, chosen)

    @property
    def title(self) -> str:
        """The round and its action; empty if no round is shown."""
        return "" if self.action is None else f"Round {self.round_id} · {self.menu.labels[self.action]}"
