"""Sources of θ_t, none of which sees x_t; an `oblivious` one does not use p_t either."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_array, distribution
from firstmover.core.contracts import TrueRewards
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Round


@dataclass(frozen=True)
class KnownRows:
    """Types that are rows of a matrix (q, p)."""

    types: Matrix
    oblivious: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", _rows(self.types))


class Cyclic(KnownRows):
    """The rows of `types` in a repeating order; one row is the same opponent in every round.

    Parameters
    ----------
    types
        Θ (q, p).

    Raises
    ------
    InvalidInput
        If there is no row, or a number is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Cyclic
    >>> order = Cyclic([[0.0], [1.0]])
    >>> order.draw(np.array([1.0]), past=[], rng=np.random.default_rng(0))
    array([0.])
    """

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """Row t modulo the number of rows."""
        return self.types[len(past) % len(self.types)]


def single(opponent_type: Vector) -> Cyclic:
    """Return a source with the same opponent in every round.

    Parameters
    ----------
    opponent_type
        θ̄ (p,).

    Returns
    -------
    Cyclic
        A source of types for `Opponent`.

    Raises
    ------
    InvalidInput
        If the type is not a vector of finite numbers.

    Examples
    --------
    >>> from firstmover import single
    >>> single([0.3, 0.7]).types
    array([[0.3, 0.7]])
    """
    return Cyclic(as_array("opponent_type", opponent_type, ndim=1)[None])


@dataclass(frozen=True)
class RandomTypes(KnownRows):
    """Rows of `types` drawn independently, with the given probabilities or equally often.

    Parameters
    ----------
    types
        Θ (q, p).
    probabilities
        Of the rows (q,); None: equal ones.

    Raises
    ------
    InvalidInput
        If there is no row, or the probabilities are no distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import RandomTypes
    >>> RandomTypes([[0.0], [1.0]], [0.0, 1.0]).draw(np.array([1.0]), past=[], rng=np.random.default_rng(0))
    array([1.])
    """

    probabilities: Vector | Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.probabilities is not None:
            p = distribution("probabilities", self.probabilities, len(self.types))
            object.__setattr__(self, "probabilities", p)

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """One row."""
        n = len(self.types)
        return self.types[rng.integers(n) if self.probabilities is None else rng.choice(n, p=self.probabilities)]


@dataclass(frozen=True)
class Sampled:
    """A new type every round from the user's own sampler.

    Parameters
    ----------
    sampler
        A random generator to a type (p,).

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Sampled
    >>> demand = Sampled(lambda rng: rng.uniform(5, 10, size=2))
    >>> demand.draw(np.array([1.0]), past=[], rng=np.random.default_rng(0)).round(2)
    array([8.18, 6.35])
    """

    sampler: Callable[[np.random.Generator], Vector]
    oblivious: ClassVar[bool] = True

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """Call the sampler."""
        return as_array("opponent_type", self.sampler(rng), ndim=1)


class Scripted(KnownRows):
    """The rows of `types`, each once, in order; raises when none is left.

    Parameters
    ----------
    types
        One row per round (T, p).

    Raises
    ------
    InvalidInput
        If there is no row, or a number is not finite; when a type is drawn, if no row is left.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Scripted
    >>> Scripted([[4.0], [2.0]]).draw(np.array([1.0]), past=[], rng=np.random.default_rng(0))
    array([4.])
    """

    @classmethod
    def from_file(cls, path: Path) -> "Scripted":
        """Read one type per row from a CSV file whose first line names the features.

        Parameters
        ----------
        path
            Of the file, in UTF-8.

        Returns
        -------
        Scripted
            The types of the file, in its order.

        Raises
        ------
        InvalidInput
            If the file cannot be read, has no header or no rows, or a value that is no number.
        """
        import polars as pl  # noqa: PLC0415 - slow to import, as pydantic is

        from firstmover.core.documents import is_number, parse_error_text  # noqa: PLC0415

        try:
            text = path.read_bytes().decode("utf-8-sig")
            table = pl.read_csv(text.encode(), infer_schema=False)
            numbers = table.select(pl.all().str.strip_chars().cast(pl.Float64))
        except (OSError, UnicodeDecodeError, pl.exceptions.PolarsError) as error:
            reason = parse_error_text(error).partition("\n")[0]
            raise InvalidInput(f"types file {str(path)!r} cannot be read as CSV: {reason}.") from None
        if any(is_number(name) for name in table.columns):
            raise InvalidInput(f"types file {str(path)!r} begins with numbers: name the features in its first line.")
        if table.height == 0:
            raise InvalidInput(f"types file {str(path)!r} has no rows: give at least one type below its first line.")
        return cls(as_array(f"types file {str(path)!r}", numbers.to_numpy(), ndim=2))

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """Row t."""
        if len(past) >= len(self.types):
            raise InvalidInput(f"types has {len(self.types)} rows: round {len(past) + 1} needs one more.")
        return self.types[len(past)]


class Adversary:
    """An adaptive adversary: sees p_t and picks the type of the smallest expected reward, ties to the first.

    θ_t = argmin_θ Σ_x p_t[x] r(x, b(x, θ)). It knows b and r, and never sees x_t.

    Parameters
    ----------
    types
        Θ (q, p).
    true_rewards
        θ to r(x, b(x, θ)) of all actions (n,), as `true_rewards` gives it.

    Raises
    ------
    InvalidInput
        If there is no type, or the rewards are no vector of finite numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Adversary
    >>> adversary = Adversary([[0.0], [1.0]], lambda theta: np.array([1.0, 3.0]) if theta[0] else np.array([4.0, 0.0]))
    >>> adversary.draw(np.array([1.0, 0.0]), past=[], rng=np.random.default_rng(0))
    array([1.])
    """

    def __init__(self, types: Matrix, true_rewards: TrueRewards) -> None:
        self.types = _rows(types)
        rows = [as_array("true_rewards", true_rewards(opponent_type), ndim=1) for opponent_type in self.types]
        self._rewards = np.stack(rows)

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """The type of the smallest expected reward."""
        if len(strategy) != self._rewards.shape[1]:
            raise InvalidInput(
                f"strategy has {len(strategy)} actions: true_rewards gave {self._rewards.shape[1]}; an adversary "
                "cannot play against a growing menu, so use another opponent, such as 'cyclic'."
            )
        return self.types[int(np.argmin(self._rewards @ strategy))]


class AdversaryInContext:
    """The context is that of a type drawn at random; then the adversary picks the worst type that has this context.

    θ_t = argmin_θ Σ_x p_t[x] r(x, b(x, θ)) over the types with the context of round t, ties to the first. The context
    does not depend on p_t, since the learner sees it before (docs/theory/contexts.md).

    Parameters
    ----------
    types
        Θ (q, p).
    true_rewards
        θ to r(x, b(x, θ)) of all actions (n,), as `true_rewards` gives it.
    context
        Numbers, from 0, of the features that are known before the action.

    Raises
    ------
    InvalidInput
        If there is no type, or the rewards are no vector of finite numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.simulation import AdversaryInContext
    >>> types = [[0.0, 1.0], [0.0, 2.0]]
    >>> adversary = AdversaryInContext(types, lambda theta: np.array([theta[1], 0.0]), context=[0])
    >>> adversary.draw_given(np.array([0.0]), np.array([1.0, 0.0]), [], np.random.default_rng(0))
    array([0., 1.])
    """

    def __init__(self, types: Matrix, true_rewards: TrueRewards, context: Sequence[int]) -> None:
        self.types = _rows(types)
        self._contexts = np.ascontiguousarray(self.types[:, list(context)])
        rows, self._worst = np.unique(self._contexts, axis=0), {}
        for row in rows:
            self._worst[row.tobytes()] = Adversary(self.types[(self._contexts == row).all(axis=1)], true_rewards)

    def draw_context(self, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """The context of a type that is drawn with equal probabilities."""
        return self._contexts[rng.integers(len(self.types))]

    def draw_given(self, context: Vector, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:
        """The type with this context of the smallest expected reward."""
        return self._worst[context.tobytes()].draw(strategy, past, rng)

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:
        """Both steps, for a learner to which the context is not shown."""
        return self.draw_given(self.draw_context(past, rng), strategy, past, rng)


@dataclass(frozen=True)
class Committed:
    """θ_t = p_t: the opponent sees the mixture that the learner commits to, as followers in a Stackelberg game do.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.simulation import Committed
    >>> Committed().draw(np.array([0.25, 0.75]), past=[], rng=np.random.default_rng(0))
    array([0.25, 0.75])
    """

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:  # noqa: ARG002
        """The commitment itself."""
        return as_array("strategy", strategy, ndim=1)


def _rows(types: Matrix) -> Matrix:
    types = as_array("types", types, ndim=2)
    if len(types) == 0:
        raise InvalidInput("types has no rows: give at least one type.")
    return types
