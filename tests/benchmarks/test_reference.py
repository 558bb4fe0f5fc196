import mpmath as mp
import numpy as np
import pytest
from benchmarks.peers.reference import errors, extended_cholesky, extended_solve, reference
from benchmarks.peers.workloads import park

ACTIONS = np.array([0, 7, 519])


def in_fifty_digits(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Eqs. (2) and (3) of the park, observation by observation, with Matérn-5/2 written out."""
    load = park(rounds)

    def k(x: np.ndarray, other: np.ndarray) -> mp.mpf:
        r = mp.sqrt(5 * mp.fsum((mp.mpf(a) - mp.mpf(b)) ** 2 for a, b in zip(x, other, strict=True))) * 2
        return (1 + r + r * r / 3) * mp.exp(-r)

    points = load.actions[load.played]
    gram = mp.matrix([[k(a, b) for b in points] for a in points])
    system = gram + mp.mpf(load.regularization) * mp.eye(rounds)
    means, stds = [], []
    for query in load.actions[ACTIONS]:
        cross = mp.matrix([k(a, query) for a in points])
        solved = mp.lu_solve(system, cross)
        means.append([float(mp.fdot(solved, load.responses[:, j].tolist())) for j in range(2)])
        stds.append(float(mp.sqrt(1 - mp.fdot(solved, cross))))
    return np.array(means), np.array(stds)


def test_it_agrees_with_fifty_digits() -> None:
    with mp.workdps(50):
        mean, std = in_fifty_digits(12)
    ours_mean, ours_std = reference(park(12), 12, ACTIONS)
    np.testing.assert_allclose(ours_mean.astype(float), mean, rtol=0, atol=2e-16)
    np.testing.assert_allclose(ours_std.astype(float), std, rtol=0, atol=2e-16)


def test_joining_repeated_points_changes_nothing() -> None:
    load = park(900)  # 525 patrols: many come twice
    points = load.actions[load.played].astype(np.longdouble)
    queries = load.actions[ACTIONS].astype(np.longdouble)
    system = load.formula(points, points, 25) + np.longdouble(load.regularization) * np.eye(900, dtype=np.longdouble)
    v = extended_solve(extended_cholesky(system), load.formula(points, queries, 25))
    mean, std = reference(load, 900, ACTIONS)
    np.testing.assert_allclose((std**2).astype(float), (1 - (v * v).sum(axis=0)).astype(float), rtol=1e-14)
    assert mean.shape == (3, 2)


def test_the_factor_is_exact_to_nineteen_digits() -> None:
    rng = np.random.default_rng(0)
    root = np.tril(rng.random((70, 70))).astype(np.longdouble) + 3 * np.eye(70, dtype=np.longdouble)
    factor = extended_cholesky(root @ root.T)
    assert float(np.abs(factor - root).max()) < 1e-17
    right = rng.random((70, 3)).astype(np.longdouble)
    assert float(np.abs(root @ extended_solve(root, right) - right).max()) < 1e-17


def test_errors_see_one_wrong_action_and_the_size_of_its_fault() -> None:
    load = park(20)
    mean, std = reference(load, 20, np.arange(525))
    assert max(errors(load, 20, mean, std)) == 0
    std[0] *= 1 + 1e-6
    mean[524, 1] += 1e-9
    mean_error, std_error, relative = errors(load, 20, mean, std)
    assert mean_error == pytest.approx(1e-9, rel=1e-6)
    assert relative == pytest.approx(1e-6, rel=1e-6)
    assert std_error == pytest.approx(1e-6 * float(std[0]), rel=1e-3)
