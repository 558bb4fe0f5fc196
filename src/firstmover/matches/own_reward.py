"""A reward of the user's own: a function that the configuration names, whose failures are said in one sentence."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from firstmover.core.contracts import Reward
from firstmover.core.errors import InvalidInput, first_line
from firstmover.core.records import Box, Matrix, Vector, as_array
from firstmover.matches.config import RewardSpec

ROUNDING = 1e-9
"""How far a reward may move against its direction, relative to its size: sums round."""


@dataclass(frozen=True, eq=False)
class Own:
    """A user's function, or object with `best_in_box`, by the name that the configuration gives it."""

    name: str
    function: Any

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self._tried(self.function, actions, responses, responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """r at the best response in each row of the box."""
        return self._tried(self.function.best_in_box, actions, box, box.lower)

    def _tried(self, function: Callable[[Matrix, Any], Any], actions: Matrix, where: Any, responses: Matrix) -> Vector:
        at = f"reward.function {self.name!r} fails at responses such as {responses[0].tolist()}"
        try:
            found = np.asarray(function(actions, where))
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"{at} ({first_line(error)}): mend it where firstmover runs.") from error
        if found.shape != (len(actions),) or found.dtype.kind not in "biuf":
            raise InvalidInput(
                f"{at} (it gives {found.dtype} of shape {found.shape}): let it give {len(actions)} real number(s), one "
                "for each row."
            )
        return np.asarray(found, dtype=float)


def own_reward(spec: RewardSpec, n_outputs: int) -> Reward:
    """The user's own function, imported because the user's configuration names it."""
    assert spec.function is not None
    function = _imported(spec.function)
    if hasattr(function, "best_in_box") and callable(function):
        return Own(spec.function, function)
    if not callable(function):
        raise InvalidInput(f"reward.function {spec.function!r} is no function: name one of (actions, responses).")
    from firstmover.games import Lattice, Monotone

    if spec.directions is not None:
        if len(spec.directions) != n_outputs:
            raise InvalidInput(f"reward.directions has {len(spec.directions)} sign(s): give one for each response.")
        return Monotone(Own(spec.function, function), tuple(spec.directions))
    if spec.lipschitz is not None:
        return Lattice(Own(spec.function, function), spec.lipschitz)
    raise InvalidInput(
        f"reward.function {spec.function!r} says nothing of boxes: give reward.directions, or reward.lipschitz."
    )


def _imported(named: str) -> Any:
    module, _, name = named.partition(":")
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise InvalidInput(f"reward.function is {named!r}: name a module of your own, not one of Python's.")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        said, remedy = str(error), "install its module where firstmover runs"
    except (Exception, SystemExit) as error:
        said, remedy = first_line(error), "mend its module"
    raise InvalidInput(f"reward.function {named!r} cannot be imported ({said}): {remedy}.")


def check_own(spec: RewardSpec, reward: Reward, actions: Matrix, domain: Box, names: tuple[str, ...]) -> None:
    """Try a user's function once on the whole menu: better when a match begins than when its first round is told."""
    point = np.clip(0.0, domain.lower, domain.upper)
    as_array(f"reward.function {spec.function!r}", _at(reward, actions, point), ndim=1, length=len(actions))
    for k, direction in enumerate(spec.directions or ()):
        ends = domain.lower, domain.upper
        if np.isfinite([ends[0][k], ends[1][k]]).all():
            low, high = (_at(reward, actions, np.where(np.arange(len(point)) == k, end[k], point)) for end in ends)
            if np.any(direction * (high - low) < -ROUNDING * np.maximum(np.abs(high), np.abs(low))):
                raise InvalidInput(
                    f"reward.directions has {direction:+d} for the response {names[k]!r}, but the reward "
                    f"{'falls' if direction > 0 else 'rises'} from {ends[0][k]:g} to {ends[1][k]:g}: give "
                    f"{-direction:+d}, or reward.lipschitz if it does both."
                )


def _at(reward: Reward, actions: Matrix, point: Vector) -> Vector:
    return reward(actions, np.tile(point, (len(actions), 1)))
