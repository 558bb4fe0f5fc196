"""The long programme: `make torture` runs it, the ordinary suite has a short version in tests/beliefs."""

import numpy as np
import pytest

from tests.beliefs.test_high_precision import check
from tests.problems import random_problem


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(200))
def test_ten_thousand_random_problems_against_fifty_digits(batch):
    for seed in range(50 * batch, 50 * batch + 50):
        rng = np.random.default_rng([seed, 1])
        t = 60 if seed % 50 == 0 else int(rng.integers(1, 21))
        check(random_problem(rng, t, regularization=float(rng.choice([1.0, 2.5, 10.0]))), rng)
