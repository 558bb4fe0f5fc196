"""A choice among places as a response of indicators: rewards are linear, maximised over box ∩ simplex by a sort."""

from dataclasses import dataclass, field, replace

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, Reward
from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places
from firstmover.core.records import Box


def best_choice(coefficients: Matrix, box: Box) -> Vector:
    """max Σ_i w_i q_i over q in box ∩ simplex, row by row: coefficients and corners (n, c) give (n,).

    A fractional knapsack: q starts at the lower corner, and 1 − Σ lower is spent on places in falling order of w, each
    up to its upper end. Where box and simplex do not meet, q is the corner nearest to it, scaled to sum to 1: the lower
    if it sums to more than 1, the upper if it sums to less.

    >>> best_choice(np.array([[1.0, 5.0, 2.0]]), Box([[0.2, 0.0, 0.0]], [[1.0, 0.5, 0.2]]))
    array([3.2])
    """
    order = np.argsort(-coefficients, axis=1, kind="stable")
    w, low, high = (
        np.take_along_axis(a, order, axis=1) for a in (coefficients, box.lower.clip(0.0, 1.0), box.upper.clip(0.0, 1.0))
    )
    room = high - low
    spent = np.cumsum(room, axis=1) - room
    q = low + np.clip(np.maximum(1 - low.sum(axis=1, keepdims=True), 0.0) - spent, 0.0, room)
    total = q.sum(axis=1)
    empty = total <= 0  # an upper corner at 0 excludes all places: treat them as equally possible
    q[empty] = 1 / q.shape[1]
    return np.einsum("ij,ij->i", q, w) / np.where(empty, 1.0, total)


@dataclass(frozen=True, eq=False)
class ChoiceReward:
    """r(x, q) = Σ_i r(x, y_i) q_i, with y_i the expected location in place i and q the indicators of the places.

    `cache` holds the last actions, locations and coefficients, for actions that cannot be written to; copies with other
    locations share it, so that in the next round only the columns of places whose y_i has changed are computed.
    """

    reward: Reward
    locations: Matrix
    cache: list[tuple[Matrix, Matrix, Matrix]] = field(default_factory=list, repr=False)

    def coefficients(self, actions: Matrix) -> Matrix:
        """r(x, y_i) of every action and place (n, c)."""
        if actions.flags.writeable:
            return self._computed(actions, self.locations)
        known, locations, values = self.cache[0] if self.cache else (None, None, None)
        if known is not actions or locations is None or values is None:
            values = self._computed(actions, self.locations)
        else:
            stale = (locations != self.locations).any(axis=1)
            values = values.copy()
            values[:, stale] = self._computed(actions, self.locations[stale])
        self.cache[:] = [(actions, self.locations, values)]
        return values

    def _computed(self, actions: Matrix, locations: Matrix) -> Matrix:
        n, c = len(actions), len(locations)
        values = self.reward(np.repeat(actions, c, axis=0), np.tile(locations, (n, 1)))
        return np.asarray(values).reshape(n, c)

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row; responses (n, c) are shares of places."""
        return np.einsum("ij,ij->i", self.coefficients(actions), responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Eq. (6) over box ∩ simplex, where indicators lie."""
        return best_choice(self.coefficients(actions), box)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The minimum over the same set."""
        return -best_choice(-self.coefficients(actions), box)


def choice_game(game: Game, locations: Matrix) -> Game:
    """The same game with indicators of its places as the response, and the expected location in each place (c, m)."""
    c = len(locations)
    domain = Box(np.zeros(c), np.ones(c))
    return replace(game, reward=ChoiceReward(game.reward, locations), response_domain=domain, places=None)


def with_locations(game: Game, locations: Matrix) -> Game:
    """A game of indicators with other expected locations in the places (c, m)."""
    assert isinstance(game.reward, ChoiceReward)
    return replace(game, reward=replace(game.reward, locations=locations))


def places_of(game: Game) -> Places:
    """Return the places that a game declares; raise if it declares none."""
    if game.places is None:
        raise InvalidInput(
            f"game {game.name!r} declares no places: this learner needs Game(places=Places(...)), so use another "
            "learner, such as 'stackelucb'."
        )
    return game.places
