"""Repeated Stackelberg games, Section 3.3: a leader commits to a mixed strategy, a follower answers it."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Matrix, Vector, as_array, as_count
from firstmover.core.contracts import Game, ResponseFunction, Reward, check_domain, check_reward
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.stackelberg.simplex import simplex_grid

FollowerUtility = Callable[[Matrix, Matrix, Vector], Vector]
"""U: mixed strategies (k, n), responses (k, m) and a type (p,) to utilities (k,), row by row."""


@dataclass(frozen=True)
class StackelbergGame:
    """X = Δⁿ and r for the leader, U_θ for the followers, who answer with b(x, θ) = argmax_y U_θ(x, y).

    `on_grid` returns a `Game` that learners can play, `follower` the response function.

    Parameters
    ----------
    n_leader_actions
        n, the length of a mixed strategy.
    leader_payoff
        r(x, y), the leader's expected payoff, with its maximum over a box.
    follower_utility
        U: mixed strategies (k, n), responses (k, m) and a type (p,) to utilities (k,); None with a `best_response`.
    types
        Θ (q, p).
    response_domain
        The box in which followers choose y, corners of shape (m,).
    best_response
        b in closed form; without it the argmax of U is computed numerically.
    reward_range
        Smallest and largest payoff of the leader under best responses; weights with a fixed rate need it.
    name
        Of the game.

    Raises
    ------
    InvalidInput
        If neither U nor b is given, one of them takes other arguments, or an array has a wrong shape.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, StackelbergGame, increasing
    >>> payoff = increasing(lambda x, y: x[:, 0] * y[:, 0])
    >>> domain = Box([0.0], [1.0])
    >>> game = StackelbergGame(2, payoff, lambda x, y, theta: -((y - theta * x[:, :1])[:, 0] ** 2), np.eye(1), domain)
    >>> game.on_grid(radius=0.5)
    Game('stackelberg', 3 actions, 1 output, 1 type)
    """

    n_leader_actions: int
    leader_payoff: Reward
    follower_utility: FollowerUtility | None
    types: Matrix
    response_domain: Box
    best_response: ResponseFunction | None = None
    reward_range: tuple[float, float] | None = None
    name: str = "stackelberg"

    def __post_init__(self) -> None:
        as_count("n_leader_actions", self.n_leader_actions)
        object.__setattr__(self, "types", as_array("types", self.types, ndim=2))
        if self.follower_utility is None and self.best_response is None:
            raise InvalidInput("follower_utility is None: give it, or the followers' best_response in closed form.")
        check_reward("leader_payoff", self.leader_payoff)
        check_domain(self.response_domain)
        for field, value, arguments in (
            ("follower_utility", self.follower_utility, ("strategies", "responses", "opponent_type")),
            ("best_response", self.best_response, ("strategies", "opponent_type")),
        ):
            if value is not None and not _takes(value, len(arguments)):
                raise InvalidInput(f"{field} is {value!r}: give a function of ({', '.join(arguments)}).")

    def on_grid(self, radius: float) -> Game:
        """The game on a uniform grid: no mixed strategy is further than `radius` in ‖·‖₁ from the menu.

        Parameters
        ----------
        radius
            The largest distance, as `radius_for_horizon` gives it for T rounds.

        Returns
        -------
        Game
            The game whose actions are the points of the grid.

        Raises
        ------
        InvalidInput
            If the grid does not fit into memory.
        """
        return self.on_menu(simplex_grid(self.n_leader_actions, radius))

    def on_menu(self, strategies: ArrayLike) -> Game:
        """The game on the given mixed strategies, one per row.

        Parameters
        ----------
        strategies
            Mixed strategies (k, n), each 0 or more with sum 1.

        Returns
        -------
        Game
            The game whose actions are these rows.

        Raises
        ------
        InvalidInput
            If a row is no mixed strategy.
        """
        menu = as_array("strategies", strategies, ndim=2)
        if menu.shape[1] != self.n_leader_actions:
            raise InvalidInput(f"strategies has {menu.shape[1]} columns: give {self.n_leader_actions} probabilities.")
        wrong = (menu < 0).any(axis=1) | (np.abs(menu.sum(axis=1) - 1) > 1e-9)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"strategies has in row {row} the numbers {menu[row].tolist()}: they must be 0 or more and sum to 1."
            )
        return Game(self.name, menu, self.leader_payoff, self.response_domain, self.reward_range, self.types)


def _takes(function: object, count: int) -> bool:
    """Whether an object can be called with so many arguments; true for callables without a signature."""
    if not callable(function):
        return False
    try:
        signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True
