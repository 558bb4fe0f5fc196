"""A choice among places as a response of indicators: rewards linear in them, maximised over box ∩ simplex by a sort."""

from dataclasses import dataclass, field, replace

import numpy as np

from firstmover.core.contracts import Game, Reward
from firstmover.core.errors import InvalidInput
from firstmover.core.grouped_reports import Occasions
from firstmover.core.places import Places
from firstmover.core.records import Box, Matrix, Vector


def best_choice(coefficients: Matrix, box: Box) -> Vector:
    """max Σ_i w_i q_i over q in box ∩ simplex, row by row: coefficients and corners (n, c) give (n,).

    A fractional knapsack: q starts at the lower corner, and 1 − Σ lower is spent on places in falling order of w, each
    up to its upper end. Where box and simplex do not meet, q is the corner nearest to it, scaled to sum to 1: the lower
    if it sums to more than 1, the upper if it sums to less.

    >>> best_choice(np.array([[1.0, 5.0, 2.0]]), Box([[0.2, 0.0, 0.0]], [[1.0, 0.5, 0.2]]))
    array([3.2])
    """
    order = np.argsort(-coefficients, axis=1, kind="stable")
    w, low, high = (np.take_along_axis(a, order, axis=1) for a in (coefficients, *_within_unit(box)))
    room = high - low
    spent = np.cumsum(room, axis=1) - room
    q = low + np.clip(np.maximum(1 - low.sum(axis=1, keepdims=True), 0.0) - spent, 0.0, room)
    total = q.sum(axis=1)
    empty = total <= 0  # an upper corner at 0: nothing is believed possible, so all is
    q[empty] = 1 / q.shape[1]
    return np.einsum("ij,ij->i", q, w) / np.where(empty, 1.0, total)


def _within_unit(box: Box) -> tuple[Matrix, Matrix]:
    return np.clip(box.lower, 0.0, 1.0), np.clip(box.upper, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """r(x, y_i) of these actions at these locations (n, c)."""

    actions: Matrix
    locations: Matrix
    values: Matrix


@dataclass(frozen=True, eq=False)
class ChoiceReward:
    """r(x, q) = Σ_i r(x, y_i) q_i, with y_i the location expected in place i and q the indicators of the places.

    `known` holds what was computed last, for actions that cannot be written to; `moved` hands it on, so that from round
    to round only the columns of places where y_i has changed are computed.
    """

    reward: Reward
    locations: Matrix
    known: list[Coefficients] = field(default_factory=list, repr=False)

    def moved(self, locations: Matrix) -> "ChoiceReward":
        """The same reward, the opponent met elsewhere in the places."""
        return replace(self, locations=locations)

    def coefficients(self, actions: Matrix) -> Matrix:
        """r(x, y_i) of every action and place (n, c)."""
        if actions.flags.writeable:
            return self._computed(actions, self.locations)
        last = self.known[0] if self.known else None
        if last is None or last.actions is not actions:
            values = self._computed(actions, self.locations)
        else:
            stale = (last.locations != self.locations).any(axis=1)
            values = last.values.copy()
            values[:, stale] = self._computed(actions, self.locations[stale])
        self.known[:] = [Coefficients(actions, self.locations, values)]
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


def choice_game(game: Game, readings: Occasions) -> Game:
    """The same game with indicators as its response: what learners of choices see."""
    c = readings.places.count
    return replace(
        game,
        reward=ChoiceReward(game.reward, readings.locations),
        response_domain=Box(np.zeros(c), np.ones(c)),
        places=None,
    )


def met_elsewhere(game: Game, readings: Occasions) -> Game:
    """A game of indicators after one more report of where in the places the opponent is met."""
    assert isinstance(game.reward, ChoiceReward)
    return replace(game, reward=game.reward.moved(readings.locations))


def places_of(game: Game) -> Places:
    """The places that a game declares, or the refusal of one that does not."""
    if game.places is None:
        raise InvalidInput(
            f"game {game.name!r} declares no places: this learner needs Game(places=Places(...)), so let another "
            "learner play, such as 'stackelucb'."
        )
    return game.places
