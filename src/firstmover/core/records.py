"""Immutable values that the packages exchange: Box, Prediction, Feedback, Round, Run, Alarm."""

import numbers
from dataclasses import dataclass, fields
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.core.arrays import Mask, Matrix, Vector, as_array, as_floats, as_index, as_mask
from firstmover.core.errors import InvalidInput

if TYPE_CHECKING:
    import polars as pl


def _set(record: Any, **fields: Any) -> None:
    """Store checked fields in a frozen record during its construction."""
    for name, value in fields.items():
        object.__setattr__(record, name, value)


class ShortRepr:
    """A repr for dataclasses that leaves arrays and functions out: numbers by name, then the parts of the value."""

    __slots__ = ()

    def __repr__(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        shown = {name: v for name, v in values.items() if not isinstance(v, np.ndarray | FunctionType | NoneType)}
        parts = [f"{n}={_short(v)}" if isinstance(v, numbers.Real | tuple | str) else repr(v) for n, v in shown.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


def _short(value: object) -> str:
    """Six digits of a number."""
    return repr(float(f"{value:.6g}") if isinstance(value, float) else value)


@dataclass(frozen=True, init=False)
class Box:
    """An axis-parallel box: lower and upper corner (m,) or, with one box per action, (n, m).

    Parameters
    ----------
    lower, upper
        Corners of equal shape, lower ≤ upper in every coordinate; infinite values are allowed.

    Raises
    ------
    InvalidInput
        If the shapes differ, or a lower coordinate is not at or below the upper one.

    Examples
    --------
    >>> from firstmover import Box
    >>> Box([0.0, 0.0], [2.0, 5.0]).within(Box([1.0, 1.0], [3.0, 3.0]))
    Box(lower=array([1., 1.]), upper=array([2., 3.]))
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        lower, upper = as_floats("box.lower", lower), as_floats("box.upper", upper)
        if lower.shape != upper.shape or lower.ndim not in (1, 2):
            raise InvalidInput(f"box corners have shapes {lower.shape} and {upper.shape}: give two of (m,) or (n, m).")
        if not np.all(lower <= upper):  # also refuses NaN
            at = tuple(np.argwhere(~(lower <= upper))[0].tolist())
            raise InvalidInput(
                f"box.lower {lower[at]} is not at or below box.upper {upper[at]} at {at}: swap or correct them."
            )
        lower.flags.writeable = upper.flags.writeable = False
        _set(self, lower=lower, upper=upper)

    @classmethod
    def unchecked(cls, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> "Box":
        """Return a box of two new arrays that are known to be ordered; it takes them over, read-only."""
        box = cls.__new__(cls)
        lower.flags.writeable = upper.flags.writeable = False
        box.__dict__.update(lower=lower, upper=upper)
        return box

    def within(self, domain: "Box") -> "Box":
        """Return the intersection with a domain; where they do not meet, the nearest face of the domain."""
        return Box(np.clip(self.lower, domain.lower, domain.upper), np.clip(self.upper, domain.lower, domain.upper))


class Prediction(NamedTuple):
    """The posterior of all actions at one type: mean (n, m) and standard deviation (n,).

    A belief with a separate noise variance per output has a standard deviation per output, (n, m).
    """

    mean: Matrix
    std: NDArray[np.float64]


@dataclass(frozen=True)
class Feedback:
    """The part of a round that a learner observes: the index of its action, the type, the noisy response.

    Parameters
    ----------
    action
        The index of the action that was played.
    opponent_type
        θ_t (p,).
    response
        y_t (m,).
    allowed
        Which actions were allowed in the round (n,); None: all.
    advised
        The action that was drawn from p_t, if another one was played; None if it was played.

    Raises
    ------
    InvalidInput
        If an index is negative, or an array has a wrong shape or a number that is not finite.

    Examples
    --------
    >>> from firstmover import Feedback
    >>> Feedback(action=3, opponent_type=[0.5], response=[1.0, 2.0]).response
    array([1., 2.])
    """

    action: int
    opponent_type: Vector
    response: Vector
    allowed: Mask | None = None
    advised: int | None = None

    def __post_init__(self) -> None:
        _set(
            self,
            action=as_index("action", self.action),
            opponent_type=as_array("opponent_type", self.opponent_type, ndim=1),
            response=as_array("response", self.response, ndim=1),
            advised=None if self.advised is None else as_index("advised", self.advised),
            allowed=None if self.allowed is None else as_mask("allowed", self.allowed),
        )

    @classmethod
    def unchecked(cls, action: int, opponent_type: Vector, response: Vector, allowed: Mask | None = None) -> "Feedback":
        """Return feedback of values that were checked before and are read-only."""
        feedback = cls.__new__(cls)
        feedback.__dict__.update(action=action, opponent_type=opponent_type, response=response, allowed=allowed)
        return feedback


@dataclass(frozen=True, repr=False)
class Round(ShortRepr):
    """One simulated round: the reward is that of the noiseless response.

    Parameters
    ----------
    t
        The number of the round, from 1.
    strategy
        p_t (n,).
    action
        The index of x_t, drawn from p_t.
    opponent_type
        θ_t (p,).
    true_response
        b(x_t, θ_t) (m,).
    response
        y_t, with noise (m,).
    reward
        r(x_t, b(x_t, θ_t)), minus the cost of a change if rules state one.
    menu
        X (n, d), if the menu grows.
    allowed
        Which actions were allowed (n,); None: all.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, play
    >>> from firstmover.learners import uniform
    >>> game = GAMES["shore"].build()
    >>> one = next(play(game, opponent_for("shore", game, "cyclic"), uniform(game.n_actions), seed=0))
    >>> one.t, one.action, round(one.reward, 3)
    (1, 22, 0.86)
    """

    t: int
    strategy: Vector
    action: int
    opponent_type: Vector
    true_response: Vector
    response: Vector
    reward: float
    menu: Matrix | None = None
    allowed: Mask | None = None

    @property
    def feedback(self) -> Feedback:
        """The part of this round that the learner observes."""
        return Feedback(self.action, self.opponent_type, self.response, self.allowed)


@dataclass(frozen=True, repr=False)
class Run:
    """The rounds of one game as columns: T rounds, n actions, p type features, m outputs.

    Parameters
    ----------
    strategies
        p_t of every round (T, n).
    actions
        Indices of the played actions (T,).
    opponent_types
        θ_t (T, p).
    true_responses, responses
        b(x_t, θ_t) and, with noise, y_t (T, m).
    rewards
        Rewards of the noiseless responses (T,).
    menu
        X after the last round (n, d), if the menu grew.
    allowed
        Which actions were allowed (T, n), if some were not.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, play_run
    >>> from firstmover.learners import uniform
    >>> game = GAMES["shore"].build()
    >>> run = play_run(game, opponent_for("shore", game, "cyclic"), uniform(game.n_actions), rounds=20, seed=0)
    >>> run
    Run(20 rounds, 24 actions, mean reward 0.6248)
    >>> run.to_frame().columns[:4]
    ['t', 'action', 'probability', 'opponent_type']
    """

    strategies: Matrix
    actions: NDArray[np.int64]
    opponent_types: Matrix
    true_responses: Matrix
    responses: Matrix
    rewards: Vector
    menu: Matrix | None = None
    allowed: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, rounds: "list[Round]") -> "Run":
        """Collect rounds into columns; strategies over a smaller menu are padded with zeros.

        Parameters
        ----------
        rounds
            Rounds in order, as `play` yields them.

        Returns
        -------
        Run
            The same rounds as arrays.

        Raises
        ------
        InvalidInput
            If there is no round.
        """
        if not rounds:
            raise InvalidInput("A run needs at least one round: none were played.")
        strategies = np.zeros((len(rounds), len(rounds[-1].strategy)))
        for row, r in zip(strategies, rounds, strict=True):
            row[: len(r.strategy)] = r.strategy
        masks = [r.allowed for r in rounds if r.allowed is not None]
        return cls(
            strategies=strategies,
            actions=np.array([r.action for r in rounds], dtype=np.int64),
            opponent_types=np.array([r.opponent_type for r in rounds]),
            true_responses=np.array([r.true_response for r in rounds]),
            responses=np.array([r.response for r in rounds]),
            rewards=np.array([r.reward for r in rounds]),
            menu=rounds[-1].menu,
            allowed=np.array(masks) if len(masks) == len(rounds) else None,
        )

    def to_frame(self) -> "pl.DataFrame":
        """Return a polars table with one row per round: t, action and its probability, type, responses, reward."""
        import polars as pl  # noqa: PLC0415 - slow to import

        rounds, outputs = self.responses.shape
        return pl.DataFrame(
            {
                "t": np.arange(1, rounds + 1),
                "action": self.actions,
                "probability": self.strategies[np.arange(rounds), self.actions],
                "opponent_type": pl.Series(self.opponent_types).cast(pl.List(pl.Float64)),
                **{f"response_{i}": self.responses[:, i] for i in range(outputs)},
                **{f"true_response_{i}": self.true_responses[:, i] for i in range(outputs)},
                "reward": self.rewards,
            }
        )

    def __repr__(self) -> str:
        rounds, actions = self.strategies.shape
        return f"Run({rounds} rounds, {actions} actions, mean reward {self.rewards.mean():.4g})"

    def _repr_html_(self) -> str:
        from firstmover.core.cards import run_card  # noqa: PLC0415 - only notebooks draw cards

        return run_card(self)


@dataclass(frozen=True)
class Alarm:
    """A sign that the learner is not learning: what was measured, one remedy, and the first round that shows it.

    Parameters
    ----------
    name
        Of the kind of alarm, such as "optimism".
    measured, remedy
        One sentence each.
    since
        The first round that shows it: its number in the order of observation; in a match its name.

    Examples
    --------
    >>> from firstmover import Alarm
    >>> print(Alarm("optimism", "Rewards are overestimated by 20 %.", "Give a smaller confidence_width.", since=40))
    optimism, since round 40: Rewards are overestimated by 20 %. Give a smaller confidence_width.
    """

    name: str
    measured: str
    remedy: str
    since: int | str

    def __str__(self) -> str:
        return f"{self.name}, since round {self.since}: {self.measured} {self.remedy}"
