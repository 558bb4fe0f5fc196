"""What every kernel promises, as checks that raise AssertionError."""

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.arrays import Matrix


def check_kernel(kernel: Kernel, z: Matrix) -> None:
    """All checks, for a kernel bound to the columns of z (k, d + p)."""
    check_gram(kernel, z)
    check_blocks(kernel, z)
    check_copies(kernel, z)
    check_gradient(kernel, z)


def check_gram(kernel: Kernel, z: Matrix) -> None:
    """Symmetric and positive semidefinite, also where a row stands twice."""
    gram = kernel(np.vstack([z, z[:2]]))
    assert np.allclose(gram, gram.T, rtol=1e-13, atol=0), "symmetric"
    largest = np.max(np.diag(gram))
    assert np.linalg.eigvalsh(gram)[0] >= -1e-12 * len(gram) * largest, "positive semidefinite"


def check_blocks(kernel: Kernel, z: Matrix) -> None:
    """k(X), k(X, Y) and diag(X) are the same function."""
    gram, half = kernel(z), len(z) // 2
    largest = 1e-13 * np.max(np.abs(gram))
    assert np.allclose(kernel(z[:half], z[half:]), gram[:half, half:], rtol=1e-13, atol=largest), "k(X, Y) is of k(X)"
    assert np.allclose(kernel(z, z), gram, rtol=1e-13, atol=largest), "k of equal rows does not ask where they stand"
    assert np.allclose(kernel.diag(z), np.diag(gram), rtol=1e-13, atol=largest), "diag is the diagonal"


def check_copies(kernel: Kernel, z: Matrix) -> None:
    """A clone is equal and independent; theta can be written and read back."""
    gram, copy = kernel(z), clone(kernel)
    assert copy == kernel, "a clone is equal"
    assert np.array_equal(copy(z), gram), "a clone computes the same"
    moved = kernel.clone_with_theta(kernel.theta + 0.1)
    assert np.allclose(moved.theta, kernel.theta + 0.1), "theta is read as it was written"
    assert np.array_equal(kernel(z), gram), "moving a clone leaves the kernel alone"
    moved.theta = kernel.theta
    assert np.allclose(moved(z), gram, rtol=1e-12), "theta is all there is to move"


def check_gradient(kernel: Kernel, z: Matrix) -> None:
    """eval_gradient matches central differences in theta."""
    gram, gradient = kernel(z, eval_gradient=True)
    assert gradient.shape == (len(z), len(z), kernel.n_dims), "one layer a free hyperparameter"
    step = 1e-5
    for i, direction in enumerate(np.eye(kernel.n_dims)):
        above = kernel.clone_with_theta(kernel.theta + step * direction)(z)
        below = kernel.clone_with_theta(kernel.theta - step * direction)(z)
        slope = (above - below) / (2 * step)
        size = 1e-8 * (1 + np.max(np.abs(gram)))
        assert np.allclose(gradient[:, :, i], slope, rtol=1e-6, atol=size), "the gradient is the slope"
