"""Seasons to rehearse: response functions drawn from a fitted model, and rounds drawn from the past."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, Learner
from firstmover.games.opponent import Opponent, Tabulated
from firstmover.learners.decision_rules import DecisionRules
from firstmover.simulation.arrivals import Scripted
from firstmover.simulation.loop import play_run
from firstmover.simulation.response_model import History, ResponseModel

MOST_ROUNDS = 400
"""Rounds of the past that seasons are made of, the latest ones."""


@dataclass(frozen=True, eq=False)
class Seasons:
    """Simulated seasons: in each, one response function for all rounds, and rounds of the past in random blocks.

    `types` (q, p) are the different types of the past, `responses` (s, q, n, m) what each season's opponent answers at
    them, `order` (s, T) the number of the type in every round, and `present` (s, T) the action that was played in that
    round of the past, or the one of the menu that is nearest to it.
    """

    game: Game
    types: Matrix
    responses: NDArray[np.float64]
    order: NDArray[np.int_]
    present: NDArray[np.int_]
    noise_std: Vector

    @classmethod
    def drawn(
        cls,
        game: Game,
        model: ResponseModel,
        history: History,
        *,
        n: int,
        rounds: int,
        seed: int,
        noise_factor: float | Vector = 1.0,
    ) -> Self:
        """Draw n seasons of so many rounds.

        The noise is `noise_factor` times that of the model, which may underrate its errors. Rounds come in blocks of
        about ∛t consecutive ones of the past, so that what belongs together stays together (circular block
        bootstrap). Responses are cut to the response domain.
        """
        rng = np.random.default_rng(seed)
        types, place = np.unique(history.types[-MOST_ROUNDS:], axis=0, return_inverse=True)
        responses = np.clip(model.draw_functions(n, rng, types), game.response_domain.lower, game.response_domain.upper)
        t = len(place)
        length = int(np.ceil(t ** (1 / 3)))
        starts = rng.integers(t, size=(n, -(-rounds // length)))
        weeks = ((starts[:, :, None] + np.arange(length)) % t).reshape(n, -1)[:, :rounds]
        played = history.nearest(game)[-MOST_ROUNDS:]
        return cls(game, types, responses, place.ravel()[weeks], played[weeks], noise_factor * model.noise_std)

    @property
    def count(self) -> int:
        """The number of seasons."""
        return len(self.order)

    @property
    def rounds(self) -> int:
        """T."""
        return self.order.shape[1]

    @cached_property
    def rewards(self) -> NDArray[np.float64]:
        """What every action earns in every round (s, T, n)."""
        game = self.game
        menu, flat = (
            np.tile(game.actions, (self.count * len(self.types), 1)),
            self.responses.reshape(-1, game.n_outputs),
        )
        table = np.asarray(game.reward(menu, flat)).reshape(self.count, len(self.types), -1)
        return np.asarray(np.take_along_axis(table, self.order[:, :, None], axis=1), dtype=np.float64)

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward."""
        return float(self.rewards.min()), float(self.rewards.max())

    def of_actions(self, actions: NDArray[np.int_]) -> Matrix:
        """What these actions (s, T) earn (s, T)."""
        return np.asarray(np.take_along_axis(self.rewards, actions[:, :, None], axis=2)[:, :, 0], dtype=np.float64)

    def of_best_fixed(self) -> Matrix:
        """What the best action of each season, the same in all its rounds, earns (s, T)."""
        best = self.rewards.sum(axis=1).argmax(axis=1)
        return self.of_actions(np.broadcast_to(best[:, None], self.order.shape))

    def of_oracle(self) -> Matrix:
        """What the best action of each round earns (s, T)."""
        return np.asarray(self.rewards.max(axis=2), dtype=np.float64)

    def played_by(self, learner: Learner, season: int, rounds: int, rules: DecisionRules | None = None) -> Vector:
        """What a learner earns in the first rounds of a season, whose number is the seed of actions and noise."""
        types = self.types[self.order[season]]
        respond = Tabulated(self.game.actions, self.types, self.responses[season])
        opponent = Opponent(Scripted(types), respond, self.noise_std)
        game = replace(self.game, reward_range=None)
        return play_run(game, opponent, learner, rounds, season, rules=rules).rewards
