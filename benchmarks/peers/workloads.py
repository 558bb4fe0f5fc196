"""The workloads: games' beliefs of three shapes, with everything that a run observes drawn beforehand."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import RBF, Kernel, Matern

from benchmarks.peers.machine import Machine
from firstmover.core.arrays import Matrix, Vector
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import Indices
from firstmover.games.routing.opponents import sioux_falls_users
from firstmover.kernels import on_action, on_type, polynomial

Formula = Callable[[NDArray[Any], NDArray[Any], int], NDArray[Any]]
"""k of rows z (a, d + p) and others (b, d + p), the first d columns the action's, in the precision of its arguments."""

Told = tuple[int, Vector, Vector]
"""Action, type and response of a round."""


@dataclass(frozen=True, eq=False)
class Workload:
    """A belief over a menu and T rounds of what it is told; methods differ only in how they compute μ and σ.

    Parameters
    ----------
    name, title
        Short and in words.
    kernel, formula
        The kernel for scikit-learn and firstmover, and written out for the reference.
    actions, types
        X (n, d) and Θ (q, p); types is None when every round brings a new one.
    played, seen, responses
        Actions (T,), types (T + 1, p) and responses (T, m) with |y| ≤ 1; the last type is asked for after the run.
    settled
        The round from which the cost of a round follows its law.
    least_seconds
        What the algorithm's arithmetic and memory traffic cost at least on a machine, over T rounds.
    """

    name: str
    title: str
    kernel: Kernel
    formula: Formula
    regularization: float
    actions: Matrix
    types: Matrix | None
    played: Indices
    seen: Matrix
    responses: Matrix
    settled: int
    least_seconds: Callable[[Machine, int], float]

    @property
    def n_outputs(self) -> int:
        """m, the length of a response."""
        return self.responses.shape[1]

    @cached_property
    def told(self) -> list[Told]:
        """Action, type and response of each round."""
        return list(zip(self.played.tolist(), self.seen[:-1], self.responses, strict=True))

    @property
    def small_domain(self) -> bool:
        """Whether a table over all pairs of (action, type) is no burden."""
        return self.types is not None and len(self.types) * len(self.actions) <= 2048


def _squared_distances(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """|z − z'|² by differences, one feature at a time: nothing cancels."""
    total = np.zeros((len(rows), len(others)), dtype=rows.dtype)
    for column, other in zip(rows.T, others.T, strict=True):
        total += np.square(column[:, None] - other)
    return total


def _matern(rows: NDArray[Any], others: NDArray[Any], _: int) -> NDArray[Any]:
    """(1 + r + r² / 3) exp(−r), r = √5 |z − z'| / 0.5."""
    r = np.sqrt(20 * _squared_distances(rows, others))
    return (1 + r + r * r / 3) * np.exp(-r)


def _cubic(rows: NDArray[Any], others: NDArray[Any], _: int) -> NDArray[Any]:
    """(0.25 + z · z')³."""
    return (0.25 + np.einsum("ik,jk->ij", rows, others)) ** 3


def _product(rows: NDArray[Any], others: NDArray[Any], d: int) -> NDArray[Any]:
    """exp(−2 |x − x'|²) exp(−2 |θ − θ'|²): two lengthscales of 0.5."""
    on_actions = np.exp(-2 * _squared_distances(rows[:, :d], others[:, :d]))
    return on_actions * np.exp(-2 * _squared_distances(rows[:, d:], others[:, d:]))


def park(rounds: int) -> Workload:
    """W1: 500 random patrols of 25 cells and the 25 that guard one cell, one type, the place of a strike."""
    rng, n = np.random.default_rng(1), 525
    cuts = np.sort(rng.random((500, 24)), axis=1)
    patrols = np.vstack([np.diff(cuts, axis=1, prepend=0.0, append=1.0), np.eye(25)])
    played = rng.integers(n, size=rounds)
    places = np.sin(patrols @ rng.normal(size=(25, 2)))
    return Workload(
        name="W1",
        title="park: 525 patrols, one type, Matérn-5/2, two outputs, λ = 0.01",
        kernel=Matern(0.5, nu=2.5),
        formula=_matern,
        regularization=0.01,
        actions=patrols,
        types=np.zeros((1, 1)),
        played=played,
        seen=np.zeros((rounds + 1, 1)),
        responses=_told(places[played], 0.1, rng),
        settled=n // 2,
        least_seconds=lambda machine, t: min(t * n**2, t**2 * n) / machine.product_rate,
    )


def routing(rounds: int) -> Workload:
    """W2: the 41 plans of Sioux Falls and a fresh demand of 552 pairs in every round."""
    rng, users, plans = np.random.default_rng(2), sioux_falls_users(), operator_plans().occupancy
    p = users.network.n_pairs
    demands = users.network.demand * rng.random((rounds + 1, p))
    played = rng.integers(len(plans), size=rounds)
    congestion = users.batch(plans, demands[:-1])[np.arange(rounds), played]
    return Workload(
        name="W2",
        title="routing: 41 plans of Sioux Falls, a fresh demand of 552 pairs every round, cubic kernel, λ = 0.001",
        kernel=polynomial(3, bias=0.25),
        formula=_cubic,
        regularization=1e-3,
        actions=_within_ball(plans),
        types=None,
        played=played,
        seen=_within_ball(demands),
        responses=_told(congestion, 0.05, rng),
        settled=200,
        least_seconds=lambda machine, t: (
            len(plans) * t**3 / 3 / machine.thin_rate + 4 * p * t**2 / machine.read_bandwidth
        ),
    )


def menu(rounds: int, n: int = 100_000) -> Workload:
    """W3: a large menu of ten features and ten known types, one RBF kernel for each part."""
    rng, q = np.random.default_rng(3), 10
    actions, types = rng.random((n, 10)), rng.random((q, 2))
    played, seen = rng.integers(n, size=rounds), types[rng.integers(q, size=rounds + 1)]
    smooth = np.sin(3 * actions[played].sum(axis=1) + seen[:-1].sum(axis=1))
    return Workload(
        name="W3" if n == 100_000 else "W3-million",
        title=f"menu: {n:,} actions of 10 features, 10 types, RBF × RBF, λ = 0.01",
        kernel=on_action(RBF(0.5)) * on_type(RBF(0.5)),
        formula=_product,
        regularization=0.01,
        actions=actions,
        types=types,
        played=played,
        seen=seen,
        responses=_told(smooth[:, None], 0.1, rng),
        settled=50,
        least_seconds=lambda machine, t: max(
            q * t**2 * n / machine.product_rate, 4 * t**2 * n / machine.read_bandwidth
        ),
    )


def _within_ball(rows: Matrix) -> Matrix:
    """The rows scaled by one number, so that |row|² ≤ 3/8: two such parts and the bias of 1/4 make k ≤ 1."""
    return rows * np.sqrt(0.375) / np.linalg.norm(rows, axis=1).max()


def _told(responses: Matrix, noise_std: float, rng: np.random.Generator) -> Matrix:
    """Noisy responses, scaled to |y| ≤ 1 so that errors of the mean can be read as they are."""
    spread = np.abs(responses).max()
    noisy = responses / spread + noise_std * rng.normal(size=responses.shape)
    return noisy / np.abs(noisy).max()


WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "W1": park,
    "W2": routing,
    "W3": menu,
    "W3-million": lambda rounds: menu(rounds, n=1_000_000),
}
"""Name to workload, for a number of rounds."""
