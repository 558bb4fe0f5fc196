"""Uniform grids of mixed strategies on the simplex, counted before they are built."""

from math import ceil, comb, inf, log10, nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, as_count, non_negative, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import available_memory

DIAMETER = 2.0
"""The largest distance ‖x − x'‖₁ between two mixed strategies."""

LARGEST_CHOICE = 10_000
"""k of C(n, k) up to which the size of a grid is counted: C(20,000, 10,000) has 6,000 digits."""

MOST_BYTES = 1e12
"""The largest size of a grid, also where the available memory is unknown."""


def radius_for_horizon(
    n_leader_actions: int,
    horizon: int,
    reward_lipschitz: float,
    response_lipschitz: float,
    reward_width: float = 1.0,
) -> float:
    """Eq. (9): the largest distance of a mixed strategy from the grid for T rounds.

    ‖x − [x]_D‖₁ ≤ w √(n_l / T) / (L_r (1 + L_b)), and at most the diameter 2, also for a constant reward (L_r = 0).
    The paper's rewards lie in [0, 1], so w = 1; with the width w of another range the grid costs w √(n_l T) in all, as
    the other terms of the bound grow with w.

    Parameters
    ----------
    n_leader_actions
        n_l.
    horizon
        T, the number of rounds.
    reward_lipschitz
        L_r of the reward in ‖·‖₁ of strategy and response.
    response_lipschitz
        L_b of the followers' responses.
    reward_width
        w, largest minus smallest reward.

    Returns
    -------
    float
        The radius for `simplex_grid` or `StackelbergGame.on_grid`.

    Raises
    ------
    InvalidInput
        If a count is not positive, or a constant is negative.

    Examples
    --------
    >>> from firstmover import radius_for_horizon
    >>> radius_for_horizon(3, horizon=300, reward_lipschitz=1.0, response_lipschitz=1.0)
    0.05
    """
    slope = non_negative("reward_lipschitz", reward_lipschitz) * (
        1 + non_negative("response_lipschitz", response_lipschitz)
    )
    width = positive("reward_width", reward_width)
    reach = width * sqrt(as_count("n_leader_actions", n_leader_actions) / as_count("horizon", horizon))
    return reach / slope if reach < DIAMETER * slope else DIAMETER


def grid_steps(n_leader_actions: int, radius: float) -> int:
    """N, the fewest steps between two corners of the simplex with ρ_n(N) ≤ radius; 0 if one point is enough."""
    n, radius = as_count("n_leader_actions", n_leader_actions), positive("radius", radius)
    if radius >= DIAMETER or n == 1:
        return 0
    steps = 2 * (n // 2) * ((n + 1) // 2) / n / radius
    if steps == inf:
        raise InvalidInput(f"radius {radius:g} asks for more steps than a float holds: give a larger one.")
    many = ceil(steps)
    return many if many > n // 2 else max(1, ceil(n - n * radius / 2))


def grid_size(n_leader_actions: int, radius: float) -> int:
    """Return C(N + n − 1, n − 1), the size of the grid: the ways to divide N steps among n actions; it is not built.

    Parameters
    ----------
    n_leader_actions
        n, the number of actions.
    radius
        The largest distance of a mixed strategy from the grid.

    Returns
    -------
    int
        The number of rows of `simplex_grid`.

    Raises
    ------
    InvalidInput
        If the radius is not positive, or the number has more than 6000 digits.

    Examples
    --------
    >>> from firstmover.games import grid_size
    >>> grid_size(3, radius=0.1)
    120
    """
    return _points(grid_steps(n_leader_actions, radius), n_leader_actions)


def radius_for_size(n_leader_actions: int, most: float) -> float:
    """Return the smallest radius whose grid has at most so many points.

    Parameters
    ----------
    n_leader_actions
        n, the number of actions.
    most
        Number of points, 1 or more.

    Returns
    -------
    float
        The radius for `simplex_grid`.

    Raises
    ------
    InvalidInput
        If `most` is below 1.

    Examples
    --------
    >>> from firstmover.games import radius_for_size
    >>> round(radius_for_size(3, most=100), 4)
    0.1111
    """
    n = as_count("n_leader_actions", n_leader_actions)
    if positive("most", most) < 1:
        raise InvalidInput(f"most is {most}: give 1 or more, as no grid is empty.")
    if n == 1 or n > most:
        return DIAMETER
    fits, fails = 1, 2
    while _points(fails, n) <= most:
        fits, fails = fails, 2 * fails
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if _points(middle, n) <= most else (fits, middle)
    m = min(fits, n // 2)
    radius = 2 * m * (n - m) / (n * fits)  # ρ_n(N)
    return radius if grid_steps(n, radius) == fits else nextafter(radius, DIAMETER)


def simplex_grid(n_leader_actions: int, radius: float) -> Matrix:
    """D = {k / N : k ∈ ℕⁿ, Σ k_i = N}, with ‖x − [x]_D‖₁ ≤ ρ_n(N) ≤ radius for every x on the simplex.

    Here ρ_n(N) = 2 m (n − m) / (n N) at m = min(N, ⌊n/2⌋). Proof: let f_i ∈ [0, 1) be the fractional parts of N x_i.
    N x sums to the whole number N, so Σ f_i = m is whole, m < n and m ≤ N. Round the m largest up and the others down:
    the result has no negative entry and sums to N, so it is in N · D. It differs from N x by Σ_up (1 − f_i) +
    Σ_down f_i = 2 (m − Σ_up f_i), as Σ_down f_i = m − Σ_up f_i. The m largest are together at least m times the mean
    m / n, so this is at most 2 m (n − m) / n, which is largest at the stated m. Division by N gives the claim. It is
    tight, at f_i = m / n. For a radius of 2 or more, D is the centre of the simplex.

    Parameters
    ----------
    n_leader_actions
        n, the number of actions.
    radius
        The largest distance ‖x − [x]_D‖₁.

    Returns
    -------
    Matrix
        D, one mixed strategy per row, in lexicographic order.

    Raises
    ------
    InvalidInput
        If the radius is not positive, or the grid does not fit into memory.

    Examples
    --------
    >>> from firstmover import simplex_grid
    >>> simplex_grid(3, radius=0.7)
    array([[0. , 0. , 1. ],
           [0. , 0.5, 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5],
           [0.5, 0.5, 0. ],
           [1. , 0. , 0. ]])
    """
    n, steps = as_count("n_leader_actions", n_leader_actions), grid_steps(n_leader_actions, radius)
    _check_fits(n, float(radius), _points(steps, n))
    return _compositions(steps, n) / steps if steps else np.full((1, n), 1 / n)


def _points(steps: int, n: int) -> int:
    if min(steps, n - 1) > LARGEST_CHOICE:
        raise InvalidInput(
            f"a grid of {steps:.6g} steps over {n:.6g} leader actions has more than 10^6000 mixed strategies: give a "
            "larger radius, or a menu of your own to StackelbergGame.on_menu."
        )
    return comb(steps + n - 1, n - 1)


def _check_fits(n: int, radius: float, size: int) -> None:
    bytes_each = 3 * 8 * n  # whole numbers, a copy while they grow, and the shares
    available = min(available_memory(), MOST_BYTES)
    if size * bytes_each <= available:
        return
    shown = f"{size:,}" if size < 10**15 else f"10^{log10(size):.0f}"
    fitting = radius_for_size(n, max(1.0, available / bytes_each))
    enough = min(DIAMETER, fitting * (1 + 1e-5))  # also when it is printed
    raise InvalidInput(
        f"radius {radius:g} asks for a grid of {shown} mixed strategies of {n} leader actions, more than the "
        f"{available / 1e6:,.0f} MB of memory hold: give radius {enough:.6g} or more, a menu of your own to "
        "StackelbergGame.on_menu, or ask optimal_commitment, which needs no grid, where payoffs are known."
    )


def _compositions(total: int, parts: int) -> NDArray[np.int64]:
    """All rows of `parts` whole numbers, 0 or more, that sum to `total`, in lexicographic order."""
    rows, left = np.zeros((1, 0), dtype=np.int64), np.array([total])
    for _ in range(parts - 1):
        counts = left + 1
        parents = np.repeat(np.arange(len(left)), counts)
        values = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows, left = np.column_stack([rows[parents], values]), left[parents] - values
    return np.column_stack([rows, left])
