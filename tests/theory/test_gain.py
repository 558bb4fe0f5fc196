import re
import resource
import subprocess
import sys
from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, DotProduct, Kernel, Matern

from firstmover import InvalidInput
from firstmover.beliefs import information_gain
from firstmover.core.arrays import Matrix, Vector
from firstmover.theory import greedy_gain


def dense_greedy(kernel: Kernel, points: Matrix, regularization: float, rounds: int) -> Vector:
    """The same choice on the full covariance matrix, one rank at a time."""
    covariance, gains, total = kernel(points), [], 0.0
    for _ in range(rounds):
        j = int(np.argmax(np.diag(covariance)))
        total += 0.5 * np.log(1 + covariance[j, j] / regularization)
        covariance = covariance - np.outer(covariance[:, j], covariance[j]) / (covariance[j, j] + regularization)
        gains.append(total)
    return np.array(gains)


@pytest.mark.parametrize("kernel", [RBF(0.5), Matern(0.7, nu=1.5), DotProduct(0.5)], ids=["rbf", "matern", "linear"])
@pytest.mark.parametrize("regularization", [0.01, 1.0])
def test_equals_the_dense_choice(kernel: Kernel, regularization: float) -> None:
    points = np.random.default_rng(1).uniform(size=(300, 3))
    greedy = greedy_gain(kernel, points, regularization, 60)
    assert greedy.gains == pytest.approx(dense_greedy(kernel, points, regularization, 60), abs=1e-8)
    assert greedy.gains[-1] == pytest.approx(information_gain(kernel(points[greedy.points]), regularization), abs=1e-8)


def test_two_thousand_points_equal_the_dense_choice() -> None:
    points = np.random.default_rng(2).uniform(size=(2000, 6))
    dense = dense_greedy(RBF(0.8), points, 1.0, 60)
    assert np.max(np.abs(greedy_gain(RBF(0.8), points, 1.0, 60).gains - dense)) < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_the_maximum_lies_between_the_greedy_gain_and_its_bound(seed: int) -> None:
    """Over all ways to observe four of six points, repetitions allowed."""
    points = np.random.default_rng(seed).uniform(size=(6, 2))
    gram = RBF(0.4)(points)
    best = max(
        information_gain(gram[np.ix_(chosen, chosen)], 0.3)
        for chosen in map(list, combinations_with_replacement(range(6), 4))
    )
    greedy = greedy_gain(RBF(0.4), points, 0.3, 4)
    assert greedy.gains[-1] - 1e-12 <= best <= greedy.upper[-1]


def test_one_point_again_and_again() -> None:
    """t observations of one point with k = 1: ½ log(1 + t / λ)."""
    greedy = greedy_gain(RBF(), np.zeros((1, 2)), 0.5, 5)
    assert greedy.gains == pytest.approx(0.5 * np.log(1 + np.arange(1, 6) / 0.5))
    same = greedy_gain(RBF(), np.zeros((7, 2)), 0.5, 5)  # identical actions are one
    assert same.gains == pytest.approx(greedy.gains)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rounds is 0: give 1 or more"):
        greedy_gain(RBF(), np.zeros((1, 1)), 1.0, 0)
    with pytest.raises(InvalidInput, match="regularization is 0"):
        greedy_gain(RBF(), np.zeros((1, 1)), 0, 1)


LARGE = """
import resource, time
import numpy as np
from sklearn.gaussian_process.kernels import RBF
from firstmover.theory import greedy_gain
points = np.random.default_rng(0).uniform(size=(100_000, 6))
began = time.process_time()
greedy_gain(RBF(0.5), points, 1.0, 500)
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
def test_a_hundred_thousand_points_in_a_minute_and_two_gigabytes() -> None:
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0  # kilobytes, as on Linux
    run = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=True)
    seconds, memory = map(float, run.stdout.split())
    assert seconds < 60
    assert memory < 2e9


@pytest.mark.parametrize(
    ("kernel", "points", "rounds", "sentence"),
    [
        (3, np.zeros((2, 1)), 2, "kernel is 3: give a kernel of scikit-learn, such as RBF()."),
        (RBF(), np.zeros((0, 1)), 2, "points has no rows: give at least one."),
        (RBF([1.0, 2.0, 3.0]), np.zeros((2, 2)), 2, "kernel does not fit z with 2 columns"),
        (RBF(), np.zeros((2, 1)), 10**12, "the greedy information gain takes 16,000,000 MB"),
    ],
)
def test_what_cannot_be_worked_out_is_refused(kernel: Kernel, points: Matrix, rounds: int, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        greedy_gain(kernel, points, 1.0, rounds)
