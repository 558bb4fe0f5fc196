import numpy as np
import pytest

from firstmover.kernels import bind, on_action, on_type
from tests.contracts.checks_kernel import check_kernel
from tests.problems import base_kernels, random_kernel

D, P = 2, 2
Z = np.random.default_rng(0).uniform(-1, 1, (9, D + P))


@pytest.mark.parametrize("place", ["z", "action", "type"])
@pytest.mark.parametrize("name", base_kernels(1, np.random.default_rng(0)))
def test_kernel(name, place):
    kernel = base_kernels(D + P if place == "z" else 2, np.random.default_rng(1))[name]
    check_kernel(bind({"z": lambda k: k, "action": on_action, "type": on_type}[place](kernel), D), Z)


@pytest.mark.parametrize("seed", range(30))
def test_compositions(seed):
    check_kernel(bind(random_kernel(D, P, np.random.default_rng(seed)), D), Z)
