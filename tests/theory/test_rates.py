from collections.abc import Callable

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Kernel, Matern, RationalQuadratic

from firstmover import on_action, on_type, polynomial
from firstmover.core.arrays import Vector
from firstmover.theory import greedy_gain, rate_of


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (DotProduct(), "d log T"),
        (ConstantKernel(3.0) + DotProduct(), "d log T"),
        (RBF(), "(log T)^4"),
        (ConstantKernel(2.0) * RBF(), "(log T)^4"),
        (on_action(RBF()) * on_type(RBF(2.0)), "(log T)^4"),
        (Matern(nu=1.5), "T^0.50 (log T)^0.50"),
        (Matern(nu=np.inf), "(log T)^4"),
        (polynomial(2, scale=3.0), "10 log T"),
    ],
    ids=str,
)
def test_the_rate_of_each_kernel_in_three_dimensions(kernel: Kernel, words: str) -> None:
    rate = rate_of(kernel, 3)
    assert rate is not None
    assert rate.words == words


@pytest.mark.parametrize(
    ("kernel", "shape"),
    [
        (DotProduct(), lambda t: np.log(1 + t)),
        (polynomial(2), lambda t: np.log(1 + t)),
        (RBF(), lambda t: np.log(1 + t) ** 4),
        (Matern(nu=1.5), lambda t: np.sqrt(t * np.log(1 + t))),
    ],
    ids=["linear", "polynomial", "RBF", "Matérn"],
)
def test_a_rate_has_the_shape_of_its_words(kernel: Kernel, shape: Callable[[Vector], Vector]) -> None:
    """T = 0 has the value 0, so that log T is log(1 + T)."""
    rate, t = rate_of(kernel, 3), np.array([1.0, 10.0, 1000.0])
    assert rate is not None
    np.testing.assert_allclose(rate.shape(t), shape(t))


@pytest.mark.parametrize("kernel", [RationalQuadratic(), RBF() + Matern(), RBF() * Matern()], ids=str)
def test_no_rate_is_made_up(kernel: Kernel) -> None:
    assert rate_of(kernel, 3) is None


@pytest.mark.parametrize("kernel", [DotProduct(), RBF(0.3), Matern(0.3, nu=1.5)], ids=str)
def test_the_gain_grows_no_faster_than_its_rate(kernel: Kernel) -> None:
    """Gain divided by rate settles: it rises by less than a tenth from T = 100 to T = 400."""
    points = np.random.default_rng(0).uniform(size=(1500, 2))
    gains, t = greedy_gain(kernel, points, 1.0, 400).gains, np.arange(1.0, 401)
    rate = rate_of(kernel, 2)
    assert rate is not None
    ratio = gains / rate.shape(t)
    assert ratio[399] <= 1.1 * ratio[99]
    assert rate.through(t, gains)[-1] == pytest.approx(gains[-1])
