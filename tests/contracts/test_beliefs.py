import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import belief_over
from firstmover.kernels import on_action, on_type, polynomial
from tests.contracts.checks_belief import check_belief

KERNELS = {"rbf": RBF(0.6), "parts": on_action(RBF([0.5, 0.9])) * on_type(RBF(0.7)) + 0.5, "cubic": polynomial(3)}


@pytest.mark.parametrize("known", [True, False], ids=["types known", "types fresh"])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("regularization", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("name", KERNELS)
def test_belief(name, regularization, n_outputs, known):
    rng = np.random.default_rng(0)
    actions, types = rng.uniform(-1, 1, (5, 2)), rng.uniform(-1, 1, (3, 1))
    prior = belief_over(KERNELS[name], regularization, actions, n_outputs, types if known else None)
    check_belief(prior, types, regularization, rng)
