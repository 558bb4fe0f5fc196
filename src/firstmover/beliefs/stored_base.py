"""A low-rank decomposition as bytes, so that a later process need not compute it again."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.low_rank import LowRank, Sample
from firstmover.core.arrays import Matrix

MOST_BYTES = 64_000_000
"""Largest size that is stored: about 2,800 features."""

PROBES = 8
"""Observations whose kernel with all others is part of the key: it differs if a hyperparameter does."""

_DIGEST = 32


class StoredBase(NamedTuple):
    """Bytes from a store, not trusted, and what the decomposition depends on besides its observations."""

    context: str
    content: bytes

    def base(self, sample: Sample) -> LowRank | None:
        """Return the decomposition of the first of these observations; None for bytes of others, or damaged ones."""
        check, key, rest = self.content[:_DIGEST], self.content[_DIGEST : 2 * _DIGEST], self.content[2 * _DIGEST :]
        if len(rest) < 32 or hashlib.sha256(key + rest).digest() != check:
            return None
        count, r, left_out, outputs = np.frombuffer(rest, "<i8", 4).tolist()
        if count > len(sample.points) or key != _key(self.context, sample, count):
            return None
        indices = np.frombuffer(rest, "<i8", r + left_out, 32).astype(np.intp)
        sizes = np.cumsum([r * (r + 1) // 2, r * (r + 1) // 2, count * outputs])
        numbers = np.frombuffer(rest, "<f8", offset=32 + 8 * (r + left_out)).astype(np.float64)
        root, precision, weights, shift = np.split(numbers, sizes)
        triangles = _square(root, r), _square(precision, r)
        responses = weights.reshape(count, outputs), shift.reshape(r, outputs)
        return LowRank(count, indices[:r], indices[r:], *triangles, *responses)


def base_bytes(context: str, base: LowRank, sample: Sample) -> bytes | None:
    """Return checksum, key, sizes and numbers of a decomposition; None if they are too many to be stored."""
    r, count = len(base.pivots), base.count
    if 8 * r * (r + 1) > MOST_BYTES:
        return None
    sizes = np.array([count, r, len(base.outside), base.weights.shape[1]])
    rows = [row[: i + 1] for square in (base.root, base.precision) for i, row in enumerate(square)]
    numbers = np.concatenate([*rows, base.weights.ravel(), base.shift.ravel()])
    parts = [_bytes(part, "<i8") for part in (sizes, base.pivots, base.outside)]
    content = b"".join([_key(context, sample, count), *parts, _bytes(numbers, "<f8")])
    return hashlib.sha256(content).digest() + content


def _key(context: str, sample: Sample, count: int) -> bytes:
    """A hash of everything that the decomposition of the first observations depends on."""
    points = sample.points[:count]
    found = hashlib.sha256(context.encode())
    for part in (points, sample.responses[:count], sample.variances[:count], sample.kernel(points[:PROBES], points)):
        found.update(_bytes(part, "<f8"))
    return found.digest()


def _bytes(numbers: NDArray[np.generic], kind: str) -> bytes:
    return np.ascontiguousarray(numbers, dtype=kind).tobytes()


def _square(triangle: NDArray[np.float64], size: int) -> Matrix:
    """Return the matrix with this lower triangle, row by row, and zeros above it."""
    square, start = np.zeros((size, size)), 0
    for i, row in enumerate(square):
        row[: i + 1] = triangle[start : start + i + 1]
        start += i + 1
    return square
