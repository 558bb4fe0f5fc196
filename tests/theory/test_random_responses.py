import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF, Matern

from firstmover import InvalidInput, on_action, on_type
from firstmover.kernels import bind
from firstmover.theory import KernelSum, random_response

KERNEL = on_action(Matern(0.3, nu=1.5)) * on_type(RBF(0.5))


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_the_norm_is_exact(seed: int, norm: float) -> None:
    """By the interpolant of least norm through the centres, of which b is the only one: ‖b‖² = fᵀ K⁻¹ f."""
    rng = np.random.default_rng(seed)
    actions, types = rng.uniform(size=(5, 2)), rng.uniform(size=(2, 1))
    drawn = random_response(KERNEL, actions, types, norm, n_outputs=2, rng=rng)
    assert drawn.norms == pytest.approx([norm, norm], rel=1e-12)
    values = drawn.at(drawn.centres)
    through = np.linalg.solve(bind(KERNEL, 2)(drawn.centres), values)
    assert np.sum(values * through, axis=0) == pytest.approx([norm**2, norm**2], rel=1e-6)


def test_no_response_exceeds_what_the_norm_allows() -> None:
    """|b(z)| ≤ ‖b‖ √k(z, z), reached where b is one kernel."""
    rng = np.random.default_rng(0)
    grid = np.linspace(-1, 2, 200)[:, None]
    drawn = random_response(KERNEL, rng.uniform(size=(6, 1)), np.zeros((1, 1)), 2.0, n_outputs=1, rng=rng)
    assert np.max(np.abs(drawn(grid, np.zeros(1)))) <= 2
    single = KernelSum.of_norm(KERNEL, 1, np.array([[0.5, 0.0]]), np.array([[0.1]]), 2.0)
    assert single(np.array([[0.5]]), np.zeros(1))[0, 0] == pytest.approx(2.0)


@pytest.mark.parametrize(("n_actions", "centres"), [(3, 6), (6, 12), (20, 12)])
def test_up_to_twelve_points_of_the_domain_are_centres(n_actions: int, centres: int) -> None:
    rng = np.random.default_rng(0)
    actions, types = rng.uniform(size=(n_actions, 1)), np.array([[0.0], [1.0]])
    drawn = random_response(KERNEL, actions, types, 1.0, n_outputs=1, rng=rng)
    assert len(np.unique(drawn.centres, axis=0)) == len(drawn.centres) == centres


def test_one_action_and_one_type_are_enough() -> None:
    drawn = random_response(RBF(), np.zeros((1, 1)), np.zeros((1, 1)), 3.0, n_outputs=1, rng=np.random.default_rng(0))
    assert abs(drawn(np.zeros((1, 1)), np.zeros(1))[0, 0]) == pytest.approx(3.0)


def test_the_zero_function_cannot_be_scaled() -> None:
    with pytest.raises(InvalidInput, match="zero function"):
        KernelSum.of_norm(RBF(), 1, np.zeros((1, 2)), np.zeros((1, 1)), 1.0)
