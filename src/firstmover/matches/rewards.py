"""Rewards that a configuration can describe."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from firstmover.core.contracts import Reward
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.records import Box, Matrix, Vector
from firstmover.games.menu import Menu
from firstmover.matches.config import LARGEST, Coefficient, RewardSpec, Share
from firstmover.matches.own_reward import own_reward

LARGEST_REWARD = LARGEST**1.5


@dataclass(frozen=True, eq=False)
class LinearReward:
    """r(x, y) = v(x) + Σ_k c_k(x) y_k, with a known value and known coefficients of each action.

    Over a box it is largest at the corner that the signs of c point to: max r = v + Σ_k max(c_k lower_k, c_k upper_k).

    >>> reward = LinearReward(np.array([[0.0], [1.0]]), np.array([5.0, 9.0]), np.array([[-1.0], [2.0]]))
    >>> reward.best_in_box(reward.actions, Box([[1.0], [1.0]], [[2.0], [2.0]]))
    array([ 4., 13.])
    """

    actions: Matrix
    values: Vector
    coefficients: Matrix

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {row.tobytes(): i for i, row in enumerate(self.actions)}

    def _at(self, actions: Matrix) -> tuple[Vector, Matrix]:
        """v and c of the given rows of the menu."""
        if actions is self.actions:
            return self.values, self.coefficients
        rows = [self._rows[row.tobytes()] for row in np.ascontiguousarray(actions)]
        return self.values[rows], self.coefficients[rows]

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        values, coefficients = self._at(actions)
        return values + np.sum(coefficients * responses, axis=1)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the best corner."""
        values, coefficients = self._at(actions)
        corner = np.where(coefficients >= 0, box.upper, box.lower)
        return values + np.sum(coefficients * corner, axis=1)

    def range_over(self, domain: Box) -> tuple[float, float] | None:
        """Smallest and largest reward over all actions and a domain; None where it is infinite."""
        with np.errstate(invalid="ignore"):
            ends = np.stack([self.coefficients * domain.lower, self.coefficients * domain.upper])
        ends[:, self.coefficients == 0] = 0.0  # 0 · ∞
        low = float(np.min(self.values + ends.min(axis=0).sum(axis=1)))
        high = float(np.max(self.values + ends.max(axis=0).sum(axis=1)))
        return (low, high) if np.isfinite(low) and np.isfinite(high) and low < high else None


def reward_for(spec: RewardSpec, menu: Menu, actions: Matrix, responses: tuple[str, ...]) -> Reward:
    """The reward that a configuration describes, over the actions of its menu."""
    if spec.function is not None:
        return own_reward(spec, len(responses))
    if spec.directions is not None or spec.lipschitz is not None:
        raise InvalidInput("reward.directions and reward.lipschitz belong to reward.function: leave them out.")
    for name in spec.responses:
        if name not in responses:
            raise unknown_name("response in reward.responses", name, responses)
    if not spec.responses:
        raise InvalidInput("reward.responses is empty: say what the response is worth, such as {congestion = -10.0}.")
    values = _column(spec.value, menu)
    coefficients = np.column_stack([_column(spec.responses.get(name, 0.0), menu) for name in responses])
    _check_alike(menu, actions, np.column_stack([values, coefficients]))
    return LinearReward(actions, values, coefficients)


def _column(coefficient: Coefficient, menu: Menu) -> Vector:
    if isinstance(coefficient, float):
        return np.full(len(menu.labels), coefficient)
    share = coefficient if isinstance(coefficient, Share) else Share(column=coefficient)
    if share.column not in menu.columns:
        raise unknown_name("column of the menu", share.column, menu.columns)
    return share.times * menu.columns[share.column]


def _check_alike(menu: Menu, actions: Matrix, worth: Matrix) -> None:
    """Actions of equal features are one action to a belief, so they must be worth the same."""
    first: dict[bytes, int] = {}
    for i, row in enumerate(actions):
        j = first.setdefault(row.tobytes(), i)
        if not np.array_equal(worth[i], worth[j]):
            raise InvalidInput(
                f"actions {menu.labels[j]!r} and {menu.labels[i]!r} have the same features and different rewards: add "
                "a feature that tells them apart."
            )


def check_size(reward: Reward, domain: Box) -> None:
    """Rewards that a configuration describes must be numbers, and their squares too, wherever responses may lie."""
    if not isinstance(reward, LinearReward):
        return
    reach = np.minimum(np.maximum(np.abs(domain.lower), np.abs(domain.upper)), LARGEST)
    with np.errstate(over="ignore"):
        largest = np.max(np.abs(reward.values) + np.abs(reward.coefficients) @ reach)
    if not largest <= LARGEST_REWARD:
        raise InvalidInput(
            f"reward reaches {largest:.3g} over the menu and the responses: keep it within {LARGEST_REWARD:g} by "
            "smaller coefficients, or ends (lower, upper) for each response."
        )
