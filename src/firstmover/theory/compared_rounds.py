"""What each action would have earned more than the actions played: the terms of the regret, and bounds on their sum."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.functionals import Pairs, Posterior, Regression
from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import Game, worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.linear_bounds import LinearBounds, Plane, linear_bounds, linear_plane
from firstmover.core.records import Box, Run


class Played(NamedTuple):
    """Observations in their order; those that are not rounds of play inform the belief alone.

    Parameters
    ----------
    actions
        By number (t,); off the menu, with larger numbers, only where `rounds` is false.
    types
        (t, p).
    responses
        (t, m).
    rounds
        Which of them are rounds of play (t,).
    allowed
        The actions that could have been played instead (t, n); None: all.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, play_run
    >>> from firstmover.learners import uniform
    >>> from firstmover.theory import Played
    >>> game = GAMES["shore"].build()
    >>> run = play_run(game, opponent_for("shore", game, "random"), uniform(24), rounds=5, seed=0)
    >>> Played.of(run).actions.shape
    (5,)
    """

    actions: NDArray[np.intp]
    types: Matrix
    responses: Matrix
    rounds: Mask
    allowed: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, run: Run) -> "Played":
        """Return the rounds of a run."""
        every = np.ones(len(run.actions), dtype=bool)
        return cls(run.actions.astype(np.intp), run.opponent_types, run.responses, every, run.allowed)


class Sums(NamedTuple):
    """Of Σ_t r(x, θ_t) − r(x_t, θ_t) for each x: the mean (n,), and the standard deviation of each output (n, m)."""

    mean: Vector
    std: Matrix


class ComparedRounds(NamedTuple):
    """Distinct types (q, p), distinct pairs of action and type, and in how many rounds actions are compared.

    `given_up` (n, u) counts the rounds at each pair in which action x could have been played instead, and was not;
    `gained` (n, q) counts them by type.
    """

    game: Game
    types: Matrix
    pairs: Pairs
    given_up: Matrix
    gained: Matrix

    @classmethod
    def of(cls, game: Game, played: Played) -> "ComparedRounds":
        """Return the rounds in which each action is compared with those played."""
        if not played.rounds.any():
            raise InvalidInput("no round was told: a certificate is about rounds that were played.")
        types, place = np.unique(played.types, axis=0, return_inverse=True)
        pairs = Pairs.of(played.actions, place.ravel())
        given_up = np.zeros((len(pairs.actions), game.n_actions))
        instead = (
            np.ones((len(played.types), game.n_actions)) if played.allowed is None else played.allowed.astype(float)
        )
        np.add.at(given_up, pairs.place[played.rounds], instead[played.rounds])
        on_menu = pairs.actions < game.n_actions
        given_up[on_menu, pairs.actions[on_menu]] = 0.0  # where the action itself was played, nothing is lost
        gained = np.zeros((len(types), game.n_actions))
        np.add.at(gained, pairs.types, given_up)
        return cls(game, types, pairs, given_up.T, gained.T)

    @property
    def plane(self) -> Plane | None:
        """The reward of each action as a linear function of the response; None if it is not declared to be one."""
        return linear_plane(self.game.reward, self.game.actions)

    def actions_at(self, action: int) -> Matrix:
        """The features of an action, once for each type (q, d)."""
        return np.tile(self.game.actions[action], (len(self.types), 1))

    def linear(self, plane: Plane) -> list[LinearBounds]:
        """Return the bounds of a linear reward, which are the same at all types."""
        every = np.zeros(len(self.types), dtype=int)
        rows = [Plane(plane.value[x] + every, plane.slope[x] + every[:, None]) for x in range(self.game.n_actions)]
        return [LinearBounds(row, row) for row in rows]

    def bounded(self, boxes: Sequence[Box]) -> list[LinearBounds]:
        """Return linear bounds of the reward of each action over its boxes (q, m)."""
        return [linear_bounds(self.game.reward, self.actions_at(x), box) for x, box in enumerate(boxes)]

    def sums(self, regressions: Sequence[Regression], bounds: Sequence[LinearBounds]) -> Sums:
        """Return the posterior of Σ_t upper(x, θ_t) − lower(x_t, θ_t) over rounds t in which x was not played.

        `bounds` has those of each action at all types; `regressions` one for all outputs, or one for each.
        """
        n, own = self.game.n_actions, np.minimum(self.pairs.actions, self.game.n_actions - 1)
        value, slope = (np.stack([each.upper[i] for each in bounds]) for i in (0, 1))
        lowest, downward = (np.stack([each.lower[i] for each in bounds])[own, self.pairs.types] for i in (0, 1))
        gained, given_up = self.gained[:, :, None] * slope, self.given_up[:, :, None] * downward
        if len(regressions) == 1:
            found = regressions[0].sums(gained, given_up)
        else:
            each = [r.sums(gained[:, :, [j]], given_up[:, :, [j]]) for j, r in enumerate(regressions)]
            found = Posterior(*(np.hstack(part) for part in zip(*each, strict=True)))
        fixed = np.vecdot(self.gained, value.reshape(n, -1)) - self.given_up @ lowest
        return Sums(fixed + found.mean.sum(axis=1), np.sqrt(found.variance))

    def most(self, boxes: Sequence[Box]) -> Vector:
        """Return Σ_t [max r(x, y) − min r(x_t, y)] over boxes (q, m) of each action, t with x_t ≠ x, for all x (n,)."""
        low, high = self.game.reward_range or (-np.inf, np.inf)
        ends = []
        for x, box in enumerate(boxes):
            actions = self.actions_at(x)
            ends.append((self.game.reward.best_in_box(actions, box), worst_in_box(self.game.reward, actions, box)))
        best, worst = (np.clip(np.stack(part), low, high) for part in zip(*ends, strict=True))
        own = np.minimum(self.pairs.actions, self.game.n_actions - 1)  # no pair off the menu is in a round
        return np.asarray(np.vecdot(self.gained, best) - self.given_up @ worst[own, self.pairs.types])


def predictions(regressions: Sequence[Regression], n_actions: int) -> Posterior:
    """Return mean and variance (n, q, m) of b at all actions and types."""
    each = [regression.predict(n_actions) for regression in regressions]
    return Posterior(*(np.concatenate(part, axis=2) for part in zip(*each, strict=True)))
