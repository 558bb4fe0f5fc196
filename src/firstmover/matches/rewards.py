"""Rewards that a configuration describes: linear in the responses, or a function of the user's own."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import Any

import numpy as np

from firstmover.core.arrays import LARGEST as LARGEST_REWARD
from firstmover.core.arrays import Mask, Matrix, Vector, as_array
from firstmover.core.contracts import Reward
from firstmover.core.errors import InvalidInput, first_line, unknown_name
from firstmover.core.linear_bounds import LinearBounds, Plane
from firstmover.core.records import Box
from firstmover.games.menu import Menu
from firstmover.matches.config import LARGEST, Coefficient, RewardSpec, Share
from firstmover.matches.value_schema import Responses

ROUNDING = 1e-9
"""Relative amount by which a reward may move against its direction, because sums round."""


@dataclass(frozen=True, eq=False)
class LinearReward:
    """r(x, y) = v(x) + Σ_k c_k(x) y_k, with a known value and known coefficients of each action.

    Over a box it is largest at the corner that the signs of c point to: max r = v + Σ_k max(c_k lower_k, c_k upper_k).
    Of outputs that are `logarithms` (m,), the exponential counts in place of y_k.

    >>> reward = LinearReward(np.array([[0.0], [1.0]]), np.array([5.0, 9.0]), np.array([[-1.0], [2.0]]))
    >>> reward.best_in_box(reward.actions, Box([[1.0], [1.0]], [[2.0], [2.0]]))
    array([ 4., 13.])
    """

    actions: Matrix
    values: Vector
    coefficients: Matrix
    logarithms: Mask | None = None

    def _amounts(self, responses: Matrix) -> Matrix:
        """y_k, or exp(y_k)."""
        if self.logarithms is None:
            return responses
        with np.errstate(over="ignore"):
            return np.where(self.logarithms, np.exp(np.where(self.logarithms, responses, 0.0)), responses)

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
        return values + np.sum(coefficients * self._amounts(responses), axis=1)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the best corner."""
        values, coefficients = self._at(actions)
        corner = np.where(coefficients >= 0, box.upper, box.lower)
        return values + np.sum(coefficients * self._amounts(corner), axis=1)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the worst corner."""
        values, coefficients = self._at(actions)
        corner = np.where(coefficients >= 0, box.lower, box.upper)
        return values + np.sum(coefficients * self._amounts(corner), axis=1)

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:  # noqa: ARG002 - of the contract
        """The reward itself, unless it counts exponentials."""
        if self.logarithms is not None:
            return None
        plane = Plane(*self._at(actions))
        return LinearBounds(plane, plane)

    def range_over(self, domain: Box, *, levels: bool = False) -> tuple[float, float] | None:
        """Smallest and largest reward over all actions and a domain, or its unit vectors; None where it is infinite."""
        with np.errstate(invalid="ignore", over="ignore"):
            ends = np.stack([self.coefficients * self._amounts(end) for end in (domain.lower, domain.upper)])
        ends[:, self.coefficients == 0] = 0.0  # 0 · ∞
        lowest, highest = ends.min(axis=0).sum(axis=1), ends.max(axis=0).sum(axis=1)
        if levels:
            lowest, highest = self.coefficients.min(axis=1), self.coefficients.max(axis=1)
        low, high = float(np.min(self.values + lowest)), float(np.max(self.values + highest))
        return (low, high) if np.isfinite(low) and np.isfinite(high) and low < high else None


@dataclass(frozen=True, eq=False)
class UserReward:
    """A function of the user's own, or an object with `best_in_box`; its failures become one sentence."""

    name: str
    function: Any

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self._call(self.function, actions, responses, responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the best response in each row of the box."""
        return self._call(self.function.best_in_box, actions, box, box.lower)

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the worst response in each row of the box, if the user's object has it."""
        if not hasattr(self.function, "worst_in_box"):
            raise InvalidInput(
                f"reward.function {self.name!r} has no method worst_in_box, which a floor needs: add it, or leave the "
                "floor out."
            )
        return self._call(self.function.worst_in_box, actions, box, box.lower)

    def _call(self, function: Callable[[Matrix, Any], Any], actions: Matrix, where: Any, responses: Matrix) -> Vector:
        failure = f"reward.function {self.name!r} fails at responses such as {responses[0].tolist()}"
        try:
            found = np.asarray(function(actions, where))
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"{failure} ({first_line(error)}): correct it where firstmover runs.") from error
        if found.shape != (len(actions),) or found.dtype.kind not in "biuf":
            raise InvalidInput(
                f"{failure} (it returns {found.dtype} of shape {found.shape}): return {len(actions)} real number(s), "
                "one for each row."
            )
        return np.asarray(found, dtype=float)


def reward_for(spec: RewardSpec, menu: Menu, actions: Matrix, responses: Responses) -> Reward:
    """The reward that a configuration describes, over the actions of its menu."""
    if spec.function is not None:
        return _user_reward(spec, spec.function, len(responses.outputs))
    if spec.directions is not None or spec.lipschitz is not None:
        raise InvalidInput("reward.directions and reward.lipschitz belong to reward.function: leave them out.")
    for name in spec.responses:
        if name not in responses.names:
            raise unknown_name("response in reward.responses", name, responses.names)
    if not spec.responses:
        raise InvalidInput("reward.responses is empty: give the worth of a response, such as {congestion = -10.0}.")
    values = _column(spec.value, menu)
    coefficients = np.column_stack([_column(worth, menu) for worth in _worths(spec, responses)])
    worth, first = np.column_stack([values, coefficients]), dict[bytes, int]()
    for i, row in enumerate(actions):
        j = first.setdefault(row.tobytes(), i)
        if not np.array_equal(worth[i], worth[j]):  # actions with equal features are one action to a belief
            raise InvalidInput(
                f"actions {menu.labels[j]!r} and {menu.labels[i]!r} have the same features and different rewards: add "
                "a feature that distinguishes them."
            )
    logarithms = np.array(responses.logarithms)
    return LinearReward(actions, values, coefficients, logarithms if logarithms.any() else None)


def _worths(spec: RewardSpec, responses: Responses) -> list[Coefficient]:
    """The coefficient of each coordinate of y."""
    worths: list[Coefficient] = []
    for name in responses.names:
        worth = spec.responses.get(name, 0.0)
        if isinstance(worth, dict) != (responses.levels is not None):
            expected = "a number or a column" if responses.levels is None else "a table with the worth of each level"
            raise InvalidInput(f"reward.responses.{name} is {worth!r}: give {expected}.")
        if not isinstance(worth, dict):
            worths.append(worth)
            continue
        for level in [*worth, *(responses.levels or ())]:
            if level not in (responses.levels or ()):
                raise unknown_name(f"level of response {name!r}", level, responses.levels or ())
            if level not in worth:
                raise InvalidInput(f"reward.responses.{name} has no worth of {level!r}: give it, such as 0.0.")
        worths += [worth[level] for level in responses.levels or ()]
    return worths


def _column(coefficient: Coefficient, menu: Menu) -> Vector:
    if isinstance(coefficient, float):
        return np.full(len(menu.labels), coefficient)
    share = coefficient if isinstance(coefficient, Share) else Share(column=coefficient)
    if share.column not in menu.columns:
        raise unknown_name("column of the menu", share.column, menu.columns)
    return share.times * menu.columns[share.column]


def _user_reward(spec: RewardSpec, reference: str, n_outputs: int) -> Reward:
    """The user's own function, imported because the user's configuration names it."""
    if reference.partition(".")[0].partition(":")[0] in sys.stdlib_module_names:
        raise InvalidInput(f"reward.function is {reference!r}: name a module of your own, not one of Python's.")
    try:
        function = resolve_name(reference)
    except (Exception, SystemExit) as error:
        missing = isinstance(error, ImportError | AttributeError)
        reason = str(error) if missing else first_line(error)
        remedy = "install its module where firstmover runs" if missing else "correct its module"
        raise InvalidInput(f"reward.function {reference!r} cannot be imported ({reason}): {remedy}.") from None
    if not callable(function):
        raise InvalidInput(f"reward.function {reference!r} is no function: name one of (actions, responses).")
    reward = UserReward(reference, function)
    if hasattr(function, "best_in_box"):
        return reward
    from firstmover.games import Lattice, Monotone

    if spec.directions is not None:
        if len(spec.directions) != n_outputs:
            raise InvalidInput(f"reward.directions has {len(spec.directions)} sign(s): give one for each response.")
        return Monotone(reward, tuple(spec.directions))
    if spec.lipschitz is not None:
        return Lattice(reward, spec.lipschitz)
    raise InvalidInput(
        f"reward.function {reference!r} has no bound over boxes: give reward.directions or reward.lipschitz."
    )


def check_reward(spec: RewardSpec | None, reward: Reward, actions: Matrix, domain: Box, names: tuple[str, ...]) -> None:
    """Check the reward of a new match: a linear one must be finite, a user's function is tried on the whole menu."""
    if isinstance(reward, LinearReward):
        ends = [np.abs(reward._amounts(end)) for end in (domain.lower, domain.upper)]
        reach = np.minimum(np.maximum(*ends), LARGEST)
        with np.errstate(over="ignore"):
            largest = np.max(np.abs(reward.values) + np.abs(reward.coefficients) @ reach)
        if not largest <= LARGEST_REWARD:  # squares must be finite too
            raise InvalidInput(
                f"reward reaches {largest:.3g} over the menu and the responses: keep it within {LARGEST_REWARD:g} by "
                "smaller coefficients, or by lower and upper of each response."
            )
    if spec is None or spec.function is None:
        return
    point = np.clip(0.0, domain.lower, domain.upper)

    def at(point: Vector) -> Vector:
        return reward(actions, np.tile(point, (len(actions), 1)))

    as_array(f"reward.function {spec.function!r}", at(point), ndim=1, length=len(actions))
    for k, direction in enumerate(spec.directions or ()):
        low, high = domain.lower[k], domain.upper[k]
        if np.isfinite([low, high]).all():
            first, last = (at(np.where(np.arange(len(point)) == k, end, point)) for end in (low, high))
            if np.any(direction * (last - first) < -ROUNDING * np.maximum(np.abs(last), np.abs(first))):
                raise InvalidInput(
                    f"reward.directions has {direction:+d} for the response {names[k]!r}, but the reward "
                    f"{'falls' if direction > 0 else 'rises'} from {low:g} to {high:g}: give {-direction:+d}, or "
                    "reward.lipschitz if it does both."
                )


def reward_formula(spec: RewardSpec) -> str:
    """Return the reward of a round as a formula.

    >>> print(reward_formula(RewardSpec(value="units", responses={"congestion": -10.0})))
    units − 10 · congestion
    >>> print(reward_formula(RewardSpec(responses={"landing": {"north": "caught", "south": 2.0}})))
    caught · (landing is north) + 2 · (landing is south)
    """
    if spec.function is not None:
        return f"{spec.function}(action, response)"
    parts = [] if spec.value == 0.0 else [_term(spec.value)]
    for name, worth in spec.responses.items():
        each = (
            {f"({name} is {level})": one for level, one in worth.items()} if isinstance(worth, dict) else {name: worth}
        )
        parts += [_term(one, what) for what, one in each.items()]
    formula = " ".join(parts or [_term(spec.value)])
    return f"−{formula[2:]}" if formula.startswith("−") else formula[2:]


def _term(coefficient: Coefficient, *names: str) -> str:
    """A product with its sign; a factor of one is left out."""
    share = Share(column=coefficient) if isinstance(coefficient, str) else coefficient
    number, names = (share.times, (share.column, *names)) if isinstance(share, Share) else (share, names)
    factors = names if names and abs(number) == 1 else (f"{abs(number):g}", *names)
    return f"{'−' if number < 0 else '+'} {' · '.join(factors)}"
