"""`play_run` beside a plain NumPy loop of Algorithm 1: `python -m benchmarks.plain_loop [--rounds 100] [--repeat 31]`.

The plain loop has no classes, no checks and no immutable states. It uses kernel tables over the menu, appends one row
to the Cholesky factor per round and makes one triangular solve per round. Both play the same game, opponent, kernel and
seed in one process on one BLAS thread, in turn; the table shows medians of CPU time. A run counts only if both played
the same actions.
"""

import argparse
from collections.abc import Callable
from time import process_time
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.gaussian_process.kernels import Matern

from firstmover import GAMES, Game, Opponent, StackelUCB, opponent_for, play_run
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.numerics import one_thread
from firstmover.kernels import additive, bind
from firstmover.simulation.loop import Streams

Gram = Callable[[list[int], Matrix, Vector], Matrix]
"""Actions (t) and types (t, p) of past rounds and the type now (p,) to k(past, (X, θ)) (t, n)."""


class Kernel(NamedTuple):
    """k by tables: between past rounds and the menu, and k(z, z) of the menu at a type (n,)."""

    gram: Gram
    diagonal: Callable[[Vector], Vector]


def routing_kernel(actions: Matrix) -> Kernel:
    """11.4 Σ_i (x_i x'_i / 300²)⁴ + 0.0635 (1.885 + z·z' / 800²)³."""
    alone = 11.4 * additive(4, scale=300.0)(actions)
    products = actions @ actions.T / 800.0**2 + 1.885

    def gram(past: list[int], types: Matrix, opponent_type: Vector) -> Matrix:
        base = products[past] + (types @ opponent_type / 800.0**2)[:, None]
        return alone[past] + 0.0635 * (base * base * base)

    def diagonal(opponent_type: Vector) -> Vector:
        base = products.diagonal() + opponent_type @ opponent_type / 800.0**2
        return alone.diagonal() + 0.0635 * (base * base * base)

    return Kernel(gram, diagonal)


def wildlife_kernel(actions: Matrix) -> Kernel:
    """3.4 times a Matérn-5/2 kernel of length 0.34 on the patrol; the type is always the same."""
    table = 3.4 * Matern(0.34, nu=2.5)(actions)
    variance = table.diagonal().copy()
    return Kernel(lambda past, _types, _type: table[past], lambda _: variance)


def called_kernel(actions: Matrix) -> Kernel:
    """The kernel expression of the routing game itself, called on z = (x, θ) of the past and of the menu."""
    kernel = bind(GAMES["routing"].kernel, actions.shape[1])

    def menu(opponent_type: Vector) -> Matrix:
        return np.hstack([actions, np.broadcast_to(opponent_type, (len(actions), len(opponent_type)))])

    def gram(past: list[int], types: Matrix, opponent_type: Vector) -> Matrix:
        return kernel(np.hstack([actions[past], types]), menu(opponent_type))

    return Kernel(gram, lambda opponent_type: kernel.diag(menu(opponent_type)))


LOOPS: dict[str, tuple[str, Callable[[Matrix], Kernel]]] = {
    "routing": ("routing", called_kernel),
    "routing, kernel by hand": ("routing", routing_kernel),
    "wildlife": ("wildlife", wildlife_kernel),
}
"""Rows of the table: game, and how the plain loop evaluates its kernel.

The type of a routing round is new, so k is called on z, as everyone would do at first; "by hand" is the same loop with
that one kernel taken apart into tables over the menu, which is what the package does for any kernel expression. The
park has one type, so k is a table.
"""


def plain_run(
    game: Game, opponent: Opponent, make_kernel: Callable[[Matrix], Kernel], rounds: int, seed: int
) -> Vector:
    """Algorithm 1 with the weights of Theorem 1; returns the actions played."""
    entry, streams, (low, high) = GAMES[game.name], Streams.of(seed), game.reward_range or (0.0, 1.0)
    actions, reward, domain = game.actions, game.reward, game.response_domain
    kernel, noise_variance, width = make_kernel(actions), entry.regularization, entry.confidence_width
    n, m = game.n_actions, game.n_outputs
    rate = np.sqrt(8 * np.log(n) / rounds)
    factor = np.zeros((rounds, rounds), order="F")  # L of K + λI
    solved = np.empty((rounds, m))  # L⁻¹ y
    types: Matrix = np.empty((0, 0))
    played: list[int] = []
    total = np.zeros(n)
    for t in range(rounds):
        weights = np.exp(rate * (total - total.max()))
        cumulative = np.cumsum(weights / weights.sum())
        opponent_type = opponent.types.draw(weights, played, streams.types)  # type: ignore[arg-type]
        action = int(np.searchsorted(cumulative, streams.actions.random() * cumulative[-1], side="right"))
        true_response = opponent.respond(actions[[action]], opponent_type)[0]
        response = true_response + opponent.noise_std * streams.noise.standard_normal(m)
        diagonal = kernel.diagonal(opponent_type)
        if t == 0:
            types = np.empty((rounds, len(opponent_type)))
            v = np.empty((0, n))
        else:
            gram = kernel.gram(played, types[:t], opponent_type)
            v = solve_triangular(factor[:t, :t], gram, lower=True, check_finite=False)
        variance = diagonal - np.einsum("ij,ij->j", v, v)
        mean = v.T @ solved[:t]
        reach = width * np.sqrt(variance)[:, None]
        lower = np.minimum(np.maximum(mean - reach, domain.lower), domain.upper)
        upper = np.minimum(np.maximum(mean + reach, domain.lower), domain.upper)
        optimistic = reward.best_in_box(actions, SimpleNamespace(lower=lower, upper=upper))  # type: ignore[arg-type]
        total += (np.minimum(np.maximum(optimistic, low), high) - low) / (high - low)
        row, pivot = v[:, action], np.sqrt(variance[action] + noise_variance)
        factor[t, :t] = row
        factor[t, t] = pivot
        solved[t] = (response - row @ solved[:t]) / pivot
        types[t] = opponent_type
        played.append(action)
    return np.array(played)


def package_run(game: Game, opponent: Opponent, rounds: int, seed: int) -> Vector:
    """The same run by the package; returns the actions played."""
    entry = GAMES[game.name]
    learner = StackelUCB.start(game, entry.kernel, entry.regularization, entry.confidence_width, horizon=rounds)
    return play_run(game, opponent, learner, rounds, seed).actions


def measure(row: str, rounds: int, repeat: int) -> tuple[float, float]:
    """Median CPU seconds of `play_run` and of the plain loop, played in turn with the same seeds."""
    name, make_kernel = LOOPS[row]
    game = GAMES[name].build()
    opponent = opponent_for(name, game, "random")
    times: dict[str, list[float]] = {"package": [], "plain": []}
    for seed in range(-1, repeat):  # the first run fills caches and is not counted
        actions = {}
        for who in ("package", "plain") if seed % 2 else ("plain", "package"):
            start = process_time()
            if who == "package":
                actions[who] = package_run(game, opponent, rounds, abs(seed))
            else:
                with one_thread():
                    actions[who] = plain_run(game, opponent, make_kernel, rounds, abs(seed))
            if seed >= 0:
                times[who].append(process_time() - start)
        if not np.array_equal(actions["package"], actions["plain"]):
            raise AssertionError(f"{row}, seed {seed}: the two loops played different actions.")
    return float(np.median(times["package"])), float(np.median(times["plain"]))


def main() -> None:
    """Print one line per game and horizon."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--games", nargs="+", default=list(LOOPS), choices=list(LOOPS))
    parser.add_argument("--rounds", nargs="+", type=int, default=[100, 1000])
    parser.add_argument("--repeat", type=int, default=31)
    options = parser.parse_args()
    print(f"{'game':24} {'rounds':>6} {'play_run':>12} {'plain loop':>12} {'ratio':>6}")
    for row in options.games:
        for rounds in options.rounds:
            ours, plain = measure(row, rounds, options.repeat if rounds <= 300 else max(3, options.repeat // 6))
            print(f"{row:24} {rounds:6} {1e3 * ours:9.2f} ms {1e3 * plain:9.2f} ms {ours / plain:6.2f}", flush=True)


if __name__ == "__main__":
    main()
