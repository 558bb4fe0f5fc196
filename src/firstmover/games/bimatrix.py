"""Finite Stackelberg games: payoff tables of a leader and of followers, read from CSV or NumPy files."""

import csv
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.errors import InvalidInput
from firstmover.games.rewards import Bilinear
from firstmover.games.stackelberg import StackelbergGame
from firstmover.records import Box, Matrix, Vector, as_array

TIE = 1e-9
"""Share of the largest payoff within which two follower actions tie."""


@dataclass(frozen=True, eq=False)
class BimatrixGame:
    """Payoffs of n leader and f follower actions: A (n, f) to the leader, B_θ (n, f) to a follower of each type.

    A follower answers the mixed strategy x with an action of the largest xᵀ B_θ; ties go to the leader's favour, as in
    the strong Stackelberg equilibrium, and then to the first. A response is the unit vector (f,) of that action, and a
    type the unit vector (q,) of its number: no two types look more alike than others.

    >>> game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    >>> game.best_response(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([1.0]))
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
        for field, value in (("leader", leader), ("followers", followers), ("name", name)):
            object.__setattr__(self, field, value)

    @classmethod
    def from_files(cls, leader: str | Path, *followers: str | Path, name: str = "bimatrix") -> Self:
        """One file a table, CSV or NumPy's .npy: first the leader's, then one for each type of follower."""
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

    def utilities(self, strategies: Matrix, opponent_type: Vector) -> Matrix:
        """What every follower action is worth to a type (k, f)."""
        known = (self.types == opponent_type).all(axis=1) if len(opponent_type) == len(self.followers) else np.False_
        if not np.any(known):
            raise InvalidInput(
                f"opponent_type is {np.asarray(opponent_type).tolist()}: give a unit vector of {len(self.followers)}."
            )
        return strategies @ self.followers[int(np.argmax(known))]

    def best_response(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b: the unit vector (k, f) of the follower's action; ties to the leader's favour, then to the first."""
        utility, favour = self.utilities(actions, opponent_type), actions @ self.leader
        slack = TIE * np.abs(self.followers).max()
        tied = utility >= utility.max(axis=1, keepdims=True) - slack
        most = np.where(tied, favour, -np.inf).max(axis=1, keepdims=True)
        chosen = np.argmax(tied & (favour >= most - TIE * np.abs(self.leader).max()), axis=1)
        return np.eye(self.leader.shape[1])[chosen]

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


def payoff_table(path: Path) -> Matrix:
    """A row of numbers for each leader action: .npy, or CSV whose first line may name the follower's actions."""
    if path.suffix == ".npy":
        try:
            table = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise InvalidInput(f"payoff table {str(path)!r} cannot be read as NumPy: {error}.") from None
        return as_array(f"payoff table {str(path)!r}", table, ndim=2)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"payoff table {str(path)!r} cannot be read as CSV: {error}.") from None
    if rows and not any(_number(cell) is not None or not cell for cell in rows[0]):
        rows = rows[1:]
    if not rows:
        raise InvalidInput(f"payoff table {str(path)!r} has no numbers: give a row for each leader action.")
    return np.array([_numbers(path, i, row, len(rows[0])) for i, row in enumerate(rows, start=1)])


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _numbers(path: Path, row: int, cells: list[str], width: int) -> list[float]:
    if len(cells) != width:
        raise InvalidInput(
            f"payoff table {str(path)!r} has {len(cells)} entries in row {row}, and {width} in row 1: give as many."
        )
    values = [_number(cell) for cell in cells]
    for column, (cell, value) in enumerate(zip(cells, values, strict=True), start=1):
        if value is None:
            what = f"has {cell!r}" if cell else "misses the entry"
            raise InvalidInput(
                f"payoff table {str(path)!r} {what} in row {row}, column {column}: give a finite number."
            )
    return [value for value in values if value is not None]
