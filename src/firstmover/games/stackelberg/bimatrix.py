"""Finite Stackelberg games: payoff tables of a leader and of followers, from arrays or from files."""

import csv
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.core.arrays import Matrix, as_array
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, _set
from firstmover.games.rewards import Bilinear
from firstmover.games.stackelberg.game import StackelbergGame
from firstmover.games.stackelberg.simplex import radius_for_size

TIE = 1e-9
"""Two follower actions tie if they differ by at most this fraction of a player's stakes at a mixed strategy."""

LARGEST_PAYOFF = 1e100
"""Sums and differences of larger payoffs would overflow."""

LARGEST_MENU = 500
"""The largest number of mixed strategies of `on_small_grid`, so that a round takes milliseconds; with more leader
actions the menu has these actions alone."""


@dataclass(frozen=True, eq=False)
class BimatrixGame:
    """Payoffs of n leader and f follower actions: A (n, f) to the leader, B_θ (n, f) to a follower of each type.

    A follower answers the mixed strategy x with an action of the largest xᵀ B_θ; ties go in the leader's favour, as in
    the strong Stackelberg equilibrium, and then to the first. A response is the unit vector (f,) of that action, and a
    type the unit vector (q,) of its number, so that all types are equally far apart.

    Parameters
    ----------
    leader
        A (n, f).
    followers
        B_θ of every type (q, n, f).
    name
        Of the game.

    Raises
    ------
    InvalidInput
        If a table is empty, shapes differ, or a payoff is larger than 10¹⁰⁰.

    Examples
    --------
    >>> from firstmover import BimatrixGame
    >>> game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    >>> game.best_response([[1.0, 0.0], [0.2, 0.8]], [1.0])
    array([[1., 0.],
           [0., 1.]])
    """

    leader: Matrix
    followers: NDArray[np.float64]
    name: str = "bimatrix"

    def __init__(self, leader: ArrayLike, followers: ArrayLike, name: str = "bimatrix") -> None:
        leader, followers = as_array("leader", leader, ndim=2), as_array("followers", followers, ndim=3)
        if leader.size == 0 or len(followers) == 0:
            raise InvalidInput("payoff tables are empty: give an action to each player, and one follower or more.")
        if followers.shape[1:] != leader.shape:
            raise InvalidInput(
                f"followers' tables have shape {followers.shape[1:]}, the leader's {leader.shape}: each needs a row "
                "for every leader action and a column for every follower action."
            )
        largest = max(np.abs(leader).max(), np.abs(followers).max())
        if largest > LARGEST_PAYOFF:
            raise InvalidInput(
                f"payoff tables have a payoff of size {largest:g}: give at most {LARGEST_PAYOFF:g}, in a larger unit."
            )
        _set(self, leader=leader, followers=followers, name=name)

    @classmethod
    def from_files(cls, leader: str | Path, *followers: str | Path, name: str = "bimatrix") -> Self:
        """Read one file per table, CSV or NumPy's .npy: first the leader's, then one for each type of follower.

        Parameters
        ----------
        leader
            The file of A: a row per leader action, a column per follower action.
        followers
            The files of B_θ, one per type, of the same shape.
        name
            Of the game.

        Returns
        -------
        Self
            The game of these tables.

        Raises
        ------
        InvalidInput
            If a file cannot be read, has a value that is no number, or another shape than the leader's.
        """
        if not followers:
            raise InvalidInput("no file has payoffs of a follower: name the leader's table, then one for each type.")
        tables = [payoff_table(Path(path)) for path in (leader, *followers)]
        for path, table in zip(followers, tables[1:], strict=True):
            if table.shape != tables[0].shape:
                raise InvalidInput(
                    f"payoff table {str(path)!r} has shape {table.shape}, that of the leader {tables[0].shape}: both "
                    "need a row for every leader action and a column for every follower action."
                )
        return cls(tables[0], np.stack(tables[1:]), name)

    @property
    def types(self) -> Matrix:
        """Θ, unit vectors (q, q)."""
        return np.eye(len(self.followers))

    def utilities(self, strategies: ArrayLike, opponent_type: ArrayLike) -> Matrix:
        """The utility of every follower action to a type (k, f).

        Parameters
        ----------
        strategies
            Mixed strategies (k, n).
        opponent_type
            A unit vector (q,).

        Returns
        -------
        Matrix
            xᵀ B_θ (k, f).
        """
        return self._strategies(strategies) @ self._table(opponent_type)

    def ties(self, strategies: ArrayLike, opponent_type: ArrayLike) -> NDArray[np.bool_]:
        """The follower actions that are best for a type (k, f), up to `TIE` of its stakes."""
        return _best(self._strategies(strategies), self._table(opponent_type))

    def best_response(self, actions: ArrayLike, opponent_type: ArrayLike, /) -> Matrix:
        """b: the unit vector (k, f) of the follower's action; ties go in the leader's favour, then to the first."""
        strategies = self._strategies(actions)
        chosen = np.argmax(_best(strategies, self.leader, self.ties(strategies, opponent_type)), axis=1)
        return np.eye(self.leader.shape[1])[chosen]

    def _strategies(self, strategies: ArrayLike) -> Matrix:
        rows = as_array("strategies", strategies, ndim=2)
        if rows.shape[1] != len(self.leader):
            raise InvalidInput(f"strategies has {rows.shape[1]} column(s): give {len(self.leader)} probabilities.")
        return rows

    def _table(self, opponent_type: ArrayLike) -> Matrix:
        kind = as_array("opponent_type", opponent_type, ndim=1)
        known = (self.types == kind).all(axis=1) if len(kind) == len(self.followers) else np.False_
        if not np.any(known):
            raise InvalidInput(f"opponent_type is {kind.tolist()}: give a unit vector of {len(self.followers)}.")
        return self.followers[int(np.argmax(known))]

    def on_small_grid(self) -> Game:
        """The game on a grid of at most `LARGEST_MENU` mixed strategies."""
        n = len(self.leader)
        return self.stackelberg().on_grid(radius_for_size(n, max(n, LARGEST_MENU)))

    def stackelberg(self) -> StackelbergGame:
        """The same game with mixed strategies as actions, ready for a grid; a constant payoff c has range c ± ½."""
        low, high = float(self.leader.min()), float(self.leader.max())
        outputs = self.leader.shape[1]
        return StackelbergGame(
            n_leader_actions=len(self.leader),
            leader_payoff=Bilinear(self.leader),
            follower_utility=None,
            types=self.types,
            response_domain=Box(np.zeros(outputs), np.ones(outputs)),
            best_response=self.best_response,
            reward_range=(low, high) if low < high else (low - 0.5, low + 0.5),
            name=self.name,
        )


def _best(strategies: Matrix, payoffs: Matrix, among: NDArray[np.bool_] | bool = True) -> NDArray[np.bool_]:
    """The columns j with the largest xᵀ P_j among some (k, f), up to TIE of Σ_i x_i (max_j P_ij − min_j P_ij).

    Only differences within a row matter, so the smallest entry of each row is subtracted first.
    """
    stakes = payoffs - payoffs.min(axis=1, keepdims=True)
    worth = np.where(among, strategies @ stakes, -np.inf)
    slack = TIE * (strategies @ stakes.max(axis=1, keepdims=True))
    return worth >= worth.max(axis=1, keepdims=True) - slack


def payoff_table(path: Path) -> Matrix:
    """Read a payoff table, one row per leader action: .npy, or CSV whose first line may name the follower actions."""
    where = f"payoff table {str(path)!r}"
    try:
        table = np.load(path, allow_pickle=False) if path.suffix == ".npy" else _from_csv(path, where)
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read: {error.strerror}; name a file.") from None
    except InvalidInput:
        raise
    except (ValueError, EOFError):
        raise InvalidInput(f"{where} is no NumPy array of numbers: write it with numpy.save, or as CSV.") from None
    if table.dtype.kind not in "biuf":
        raise InvalidInput(f"{where} holds values of type {table.dtype}: give real numbers.")
    return as_array(where, table, ndim=2)


def _from_csv(path: Path, where: str) -> Matrix:
    from firstmover.core.documents import is_number  # noqa: PLC0415 - pydantic is needed only to read files

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"{where} is no text in UTF-8: save it as CSV, or as .npy.") from None
    lines = [(line, cells) for line, cells in lines if any(cells)]
    if lines and all(cell and not _is_separated(cell) and not is_number(cell) for cell in lines[0][1]):
        lines = lines[1:]  # names of the follower actions
    if not lines:
        raise InvalidInput(f"{where} has no numbers: give a row for each leader action.")
    first, width = lines[0][0], len(lines[0][1])
    for line, cells in lines:
        if len(cells) != width:
            raise InvalidInput(
                f"{where} has {len(cells)} entries in line {line}, and {width} in line {first}: give as many."
            )
        for column, cell in enumerate(cells, 1):
            if not (is_number(cell) and isfinite(float(cell))):
                found = f"has {cell!r}" if cell else "misses the entry"
                remedy = "separate numbers by commas" if _is_separated(cell) else "give a finite number"
                raise InvalidInput(f"{where} {found} in line {line}, column {column}: {remedy}.")
    return np.array([[float(cell) for cell in cells] for _, cells in lines])


def _is_separated(cell: str) -> bool:
    """Whether a cell holds several values that another sign than a comma separates."""
    return ";" in cell or "\t" in cell
