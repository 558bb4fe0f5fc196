"""A Stackelberg game with three leader actions: inspections at three quays, and crews that land goods there."""

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games.rewards import decreasing
from firstmover.games.stackelberg.game import StackelbergGame
from firstmover.games.stackelberg.simplex import radius_for_horizon

HARM = np.array([3.0, 2.0, 1.0]) / 6
"""The harm of a full load of contraband at each quay; it sums to 1."""

CREWS = np.array([[0.5, 0.5, 0.5], [1.0, 0.3, 0.2], [0.1, 0.3, 1.0]])
"""The load that crews of each type land at each quay without inspections."""

REWARD_LIPSCHITZ = 0.5
"""L_r: |∂r/∂y_i| ≤ max HARM; along the simplex, where steps sum to 0, x counts half of its largest derivative."""

RESPONSE_LIPSCHITZ = 1.0
"""L_b: b_i moves by θ_i ≤ 1 times the step of x_i."""


def let_through(inspections: Matrix, loads: Matrix) -> Vector:
    """r(x, y) = 1 − Σ_i harm_i (1 − x_i) y_i: 1 minus the harm of the loads that are not found."""
    return 1 - ((1 - inspections) * loads) @ HARM


def profit(inspections: Matrix, loads: Matrix, crew: Vector) -> Vector:
    """U_θ(x, y) = Σ_i θ_i (1 − x_i) y_i − y_i² / 2: income from loads that are not found, less a quadratic cost."""
    return np.sum(crew * (1 - inspections) * loads - loads**2 / 2, axis=1)


def loads_landed(inspections: Matrix, crew: Vector) -> Matrix:
    """b_i(x, θ) = θ_i (1 − x_i), where the derivative of the profit is 0."""
    return crew * (1 - inspections)


def harbour() -> StackelbergGame:
    """Return the harbour: share the inspections among three quays; crews of three types answer with the best loads.

    r(x, b(x, θ)) = 1 − Σ_i harm_i θ_i (1 − x_i)² is concave, so its smallest value is at a corner: 0.4, of the second
    crew at the third. Its largest is that of the third crew at (0, 3/8, 5/8): 0.8875.

    Returns
    -------
    StackelbergGame
        3 leader actions, 3 types, best responses in closed form.

    Examples
    --------
    >>> from firstmover.games import harbour
    >>> harbour().reward_range
    (0.4, 0.8875)
    """
    return StackelbergGame(
        n_leader_actions=3,
        leader_payoff=decreasing(let_through, n_outputs=3),
        follower_utility=profit,
        types=CREWS,
        response_domain=Box(np.zeros(3), np.ones(3)),
        best_response=loads_landed,
        reward_range=(0.4, 0.8875),
        name="harbour",
    )


def harbour_game(horizon: int = 400) -> Game:
    """Return the harbour on the grid of Eq. (9).

    Parameters
    ----------
    horizon
        T, the number of rounds.

    Returns
    -------
    Game
        Mixed strategies as actions.

    Raises
    ------
    InvalidInput
        If the horizon is not positive.

    Examples
    --------
    >>> from firstmover.games import harbour_game
    >>> harbour_game().n_actions, harbour_game(horizon=1600).n_actions
    (153, 528)
    """
    return harbour().on_grid(radius_for_horizon(3, horizon, REWARD_LIPSCHITZ, RESPONSE_LIPSCHITZ))
