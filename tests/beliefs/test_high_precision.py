"""Every belief against a solve with fifty digits; the kernel's floating-point entries count as exact."""

import numpy as np
import pytest

from firstmover.beliefs import posterior
from firstmover.core.records import Prediction
from firstmover.kernels import on_action, on_type, polynomial
from tests.beliefs.high_precision import posterior_50
from tests.problems import Problem, base_kernels, random_problem

NAMES = ("finite", "fresh", "exact")


def predictions(problem, opponent_type) -> list[Prediction]:
    told = [belief.predict(opponent_type) for belief in problem.beliefs()]
    queries = problem.queries(opponent_type)
    return [
        *told,
        posterior(problem.bound, problem.regularization, problem.points, problem.responses, queries),
    ]


def check(problem: Problem, rng, mean_tolerance=1e-10) -> None:
    """Mean within the tolerance and variance within 1e-12 of k(z, z), at three actions of one type."""
    t, opponent_type = len(problem.chosen), rng.choice(problem.types)
    some = rng.permutation(len(problem.actions))[:3]
    gram = problem.bound(np.vstack([problem.points, problem.queries(opponent_type)[some]]))
    diagonal = np.diag(gram)[t:]
    mean, variance = posterior_50(gram[:t, :t], problem.regularization, problem.responses, gram[:t, t:], diagonal)
    for name, said in zip(NAMES, predictions(problem, opponent_type), strict=True):
        assert np.max(np.abs(said.mean[some] - mean)) <= mean_tolerance, (name, problem.kernel)
        assert np.max(np.abs(said.std[some] ** 2 - variance) / diagonal) <= 1e-12, (name, problem.kernel)


@pytest.mark.parametrize("batch", range(20))
def test_random_kernels(batch):
    for seed in range(15 * batch, 15 * batch + 15):
        rng = np.random.default_rng(seed)
        t = 60 if seed % 15 == 0 else int(rng.integers(1, 21))
        check(random_problem(rng, t, regularization=float(rng.choice([1.0, 2.5, 10.0]))), rng)


@pytest.mark.parametrize("name", base_kernels(1, np.random.default_rng(0)))
def test_every_kernel_on_every_part(name):
    for seed, place in enumerate(("z", "action", "type")):
        rng = np.random.default_rng([seed, 7])
        bare = random_problem(rng, t=12)
        d, p = bare.actions.shape[1], bare.types.shape[1]
        features = {"z": d + p, "action": d, "type": p}[place]
        kernel = base_kernels(features, rng)[name]
        kernel = {"z": kernel, "action": on_action(kernel), "type": on_type(kernel)}[place]
        check(Problem(kernel, 1.0, bare.actions, bare.types, bare.chosen, bare.responses), rng)


@pytest.mark.parametrize("seed", range(2))
def test_one_pair_sixty_times(seed):
    rng = np.random.default_rng(seed)
    bare = random_problem(rng, t=60)
    chosen = np.tile(bare.chosen[:1], (60, 1))
    check(Problem(bare.kernel, 1.0, bare.actions, bare.types, chosen, bare.responses), rng)


@pytest.mark.parametrize("seed", range(5))
def test_large_kernels_lose_no_more_than_the_gram_matrix_does(seed):
    """Rounding K by ε moves μ by about ε t k(z, z) / λ: no algorithm can promise more."""
    rng = np.random.default_rng(seed)
    bare = random_problem(rng, t=20, kernel=polynomial(4))
    large = Problem(polynomial(4), 1.0, 6 * bare.actions, 6 * bare.types, bare.chosen, bare.responses)
    largest = np.max(large.bound.diag(large.points))
    check(large, rng, mean_tolerance=20 * np.finfo(float).eps * largest)
