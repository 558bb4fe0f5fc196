"""Beliefs against fifty digits, and numbers that are none: the ordinary suite has more of both in tests/beliefs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.contracts import Belief
from firstmover.core.errors import InvalidInput
from tests.beliefs.test_high_precision import check
from tests.matches.played import new
from tests.problems import Problem, random_problem
from tests.torture.sizes import sizes

PROMISE = "numerically true"
NO_NUMBERS = [float("nan"), float("inf"), -float("inf"), "nan", "inf", "1e999", 1e999, None, True, "3 min", np.nan]


@pytest.mark.parametrize(("part", "cases"), sizes("problems in fifty digits"))
def test_random_problems_against_fifty_digits(part: int, cases: int, reached: Callable[[str], None]) -> None:
    first = max(part - 1, 0) * cases
    for seed in range(first, first + cases):
        rng = np.random.default_rng([seed, 1])
        t = 60 if seed % 50 == 0 else int(rng.integers(1, 21))
        check(random_problem(rng, t, regularization=float(rng.choice([1.0, 2.5, 10.0]))), rng)
        reached(f"{seed - first + 1:,} cases: mean and variance within what is promised")


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_is_never_stored(tmp_path: Path, value: object) -> None:
    with new(tmp_path) as match:
        match.ask("a")
        for told in (("low", value), (value, 1.0)):
            with pytest.raises(InvalidInput):
                match.tell("a", *told)
        with pytest.raises(InvalidInput):
            match.import_history([{"action": "north", "type": "low", "response": value}])
        assert match.verify().events == 2


class Jittered(Problem):
    """Adds 1e-9 to every variance before it is inverted, as libraries do to be safe."""

    def priors(self) -> list[Belief]:
        added = self.regularization + 1e-9
        return Problem(self.kernel, added, self.actions, self.types, self.chosen, self.responses).priors()


def test_teeth_a_belief_with_jitter() -> None:
    rng = np.random.default_rng([3, 1])
    plain = random_problem(rng, 12)
    fields = (plain.kernel, 1.0, plain.actions, plain.types, plain.chosen, plain.responses)
    with pytest.raises(AssertionError):
        check(Jittered(*fields), np.random.default_rng(0))
