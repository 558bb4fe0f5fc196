"""Covers of the contexts known before a move: how much each past round counts for a decision."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game

MOST_HALVINGS = 5
"""The finest cells have a 32nd of the range of each feature."""

COVERS = MOST_HALVINGS + 2
"""All contexts as one cell, cells of each size, and each context alone."""

BORROWED = 4.0
"""The number of rounds that all rounds outside of a cell count as together."""


class Past(NamedTuple):
    """Past rounds by number, their types if they had come with one context, and how much each counts in every cover."""

    rounds: NDArray[np.int_]
    types: Matrix
    counts: Matrix


def past_rounds(game: Game, types: Matrix, context: Vector, most: int) -> Past:
    """Return at most `most` rounds that represent the past ones, of these types (t, p), for a decision at a context.

    Where types are known, rounds whose rest of the type does not come with this context are left out. If none is left,
    `types` are all those with this context. No more than `most` known types: all rounds are taken.
    """
    columns = list(game.context)
    contexts, types = types[:, columns], types.copy()
    types[:, columns] = context
    halvings = shared_halvings(contexts, context, contexts if game.types is None else game.types[:, columns])
    if game.types is None:
        some, counts = represented(halvings, most)
        return Past(some, types[some], counts)
    possible = game.types[(game.types[:, columns] == context).all(axis=1)]
    usable = np.flatnonzero((types[:, None] == possible).all(axis=2).any(axis=1))
    if not len(usable):
        return Past(usable, possible, np.empty((COVERS, 0)))
    some, counts = represented(halvings[usable], most if len(possible) > most else len(usable))
    return Past(usable[some], types[usable[some]], counts)


def shared_halvings(contexts: Matrix, context: Vector, range_of: Matrix) -> NDArray[np.int_]:
    """Return how often the ranges of all features are halved before a row and the context lie in different cells (t,).

    A row that equals the context never does: 6.

    >>> rows = np.array([[0.0], [3.0], [4.0], [8.0]])
    >>> shared_halvings(rows, np.array([0.0]), rows)
    array([6, 1, 0, 0])
    """
    low, span = range_of.min(axis=0), np.ptp(range_of, axis=0)
    finest = 2**MOST_HALVINGS
    scaled = [finest * (rows - low) / np.where(span > 0, span, 1.0) for rows in (contexts, context)]
    cells, own = (np.clip(rows, 0, finest - 1).astype(int) for rows in scaled)
    differing = np.ceil(np.log2((cells ^ own).max(axis=1) + 1)).astype(int)  # digits of the binary numbers of cells
    return np.where((contexts == context).all(axis=1), MOST_HALVINGS + 1, MOST_HALVINGS - differing)


def represented(halvings: NDArray[np.int_], most: int) -> tuple[NDArray[np.int_], Matrix]:
    """Return rounds that represent all, at most `most`, and how much each counts in every cover (covers, k).

    Cover 0 counts all rounds in full. Cover j counts those in full whose cell is the same after j halvings; the others
    count as in cover j − 1, reduced to 4 rounds in all. Rounds with as many shared halvings count the same, so that
    some of them, equally spaced, represent all.

    >>> represented(np.array([6, 1, 0, 0, 0, 0, 0, 0, 0, 0]), most=10)[1][:3, [0, 1, 2]]
    array([[1. , 1. , 1. ],
           [1. , 1. , 0.5],
           [1. , 0.8, 0.4]])
    """
    counts = np.ones((COVERS, len(halvings)))
    for j in range(1, COVERS):
        others = np.where(halvings < j, counts[j - 1], 0.0)
        counts[j] = np.where(halvings < j, others * min(1.0, BORROWED / max(others.sum(), BORROWED)), 1.0)
    if len(halvings) <= most:
        return np.arange(len(halvings)), counts
    chosen, strata = [], np.unique(halvings)
    for stratum in strata:
        rounds = np.flatnonzero(halvings == stratum)
        some = rounds[np.unique(np.linspace(0, len(rounds) - 1, most // len(strata)).astype(int))]
        counts[:, some] *= len(rounds) / len(some)
        chosen.append(some)
    numbers = np.sort(np.concatenate(chosen))
    return numbers, counts[:, numbers]
