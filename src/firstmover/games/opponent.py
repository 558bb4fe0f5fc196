"""Opponents as a simulation knows them: the response function b, its noise and its drift."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector, as_array, distribution, non_negative, positive
from firstmover.core.contracts import Game, ResponseFunction, TrueRewards, TypeSource
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action


class Drift(NamedTuple):
    """A drift of b: the type that learners see in every round, and b as a function of the round, for its length."""

    opponent_type: Vector
    over: Callable[[float], ResponseFunction]


@dataclass(frozen=True)
class Behaviour:
    """The responses of a game's opponents in simulations.

    Parameters
    ----------
    respond
        b: actions (k, d) and a type (p,) to responses (k, m).
    noise_std
        Standard deviation of the noise, of all outputs or of each (m,).
    sampler
        Draws a new type; without it types are those of the game.
    sees_commitment
        Whether the type is the learner's strategy.
    sampled
        Whether b gives probabilities, of which one choice is observed.
    logit
        The game and a rationality to the same opponents with a logit choice.
    drift
        A drift other than from the first type to the last.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> shore = GAMES["shore"]
    >>> behaviour = shore.opponents(shore.build())
    >>> behaviour.noise_std, behaviour.sampled
    (0.1, False)
    """

    respond: ResponseFunction
    noise_std: float | Vector
    sampler: Callable[[np.random.Generator], Vector] | None = None
    sees_commitment: bool = False
    sampled: bool = False
    logit: "Callable[[Game, float], Behaviour] | None" = None
    drift: Drift | None = None


@dataclass(frozen=True)
class Opponent:
    """A simulated opponent: a source of types, the response function b, and noise.

    Parameters
    ----------
    types
        The source of θ_t, such as `Cyclic` or `RandomTypes`.
    respond
        b: actions (k, d) and a type (p,) to responses (k, m).
    noise_std
        Standard deviation of the noise, the same for all outputs or one for each (m,).
    sampled
        Whether b gives the probabilities of finitely many places, of which the drawn one is observed.
    drifts
        Whether b is evaluated at the number of the round instead of the type that the learner sees.

    Raises
    ------
    InvalidInput
        If `noise_std` is negative or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Opponent, single
    >>> opponent = Opponent(single([2.0]), lambda actions, theta: theta * actions, noise_std=0.1)
    >>> opponent.respond(np.array([[1.0], [3.0]]), np.array([2.0]))
    array([[2.],
           [6.]])
    """

    types: TypeSource
    respond: ResponseFunction
    noise_std: float | Vector = 0.0
    sampled: bool = False
    drifts: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.noise_std, np.ndarray):
            non_negative("noise_std", float(as_array("noise_std", self.noise_std, ndim=1).min(initial=0.0)))
        else:
            non_negative("noise_std", self.noise_std)

    def asked(self, opponent_types: Matrix, first: int = 1) -> Matrix:
        """The second argument of b in each round from `first` on: the types (k, p), or the rounds (k, 1)."""
        return first + np.arange(len(opponent_types), dtype=float)[:, None] if self.drifts else opponent_types

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """The observation of b(x, θ): with noise, or the indicator of the place drawn."""
        noise = self.noise_std * rng.standard_normal(len(true_response))
        if not self.sampled:
            return true_response + noise
        chances = distribution("responses of a sampled opponent", true_response, len(true_response))
        return np.eye(len(chances))[sample_action(chances, rng.random())] + noise


def responses_of(game: Game, respond: ResponseFunction, opponent_type: Vector, rows: list[int] | None = None) -> Matrix:
    """Return b(x, θ) of all actions, or of some; raise an error for a wrong shape or value.

    Parameters
    ----------
    game
        X and the response domain.
    respond
        b, the response function.
    opponent_type
        θ (p,).
    rows
        Indices of actions; None: all.

    Returns
    -------
    Matrix
        Responses (n, m), or of the rows.

    Raises
    ------
    InvalidInput
        If b fails, gives a wrong shape, or a number that is not finite or outside the response domain.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for
    >>> from firstmover.simulation import responses_of
    >>> game = GAMES["shore"].build()
    >>> responses_of(game, opponent_for("shore", game, "random").respond, game.types[0], [0, 23]).round(3)
    array([[0.707],
           [0.   ]])
    """
    actions = game.actions if rows is None else game.actions[rows]
    try:
        responses = np.asarray(respond(actions, opponent_type), dtype=float)
    except InvalidInput:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"respond failed for {len(actions)} action(s) of game {game.name!r}: {error}.") from error
    if responses.shape != (len(actions), game.n_outputs):
        raise InvalidInput(
            f"respond gave shape {responses.shape} for {len(actions)} action(s): "
            f"game {game.name!r} needs ({len(actions)}, {game.n_outputs})."
        )
    if not isfinite(np.vdot(responses, responses)) and not np.isfinite(responses).all():
        raise InvalidInput(f"respond gave a number that is not finite for type {np.asarray(opponent_type).tolist()}.")
    low, high = game.response_domain.lower, game.response_domain.upper
    if (responses >= low).all() and (responses <= high).all():
        return responses
    slack = 1e-9 * (1 + np.abs(responses))
    outside = (responses < low - slack) | (responses > high + slack)
    if outside.any():  # boxes are cut to the domain, so rewards would not be optimistic
        worst, output = np.argwhere(outside)[0]
        raise InvalidInput(
            f"respond gave {responses[worst, output]:.6g} for output {output}, outside the response_domain "
            f"({low[output]:.6g}, {high[output]:.6g}) of game {game.name!r}: state where responses can lie."
        )
    return responses


def true_rewards(game: Game, respond: ResponseFunction) -> TrueRewards:
    """Return θ ↦ r(x, b(x, θ)) of all actions (n,), the full information.

    Parameters
    ----------
    game
        X and r.
    respond
        b, such as the `respond` of an `Opponent`.

    Returns
    -------
    TrueRewards
        A function of the type: an oracle for Hedge, adversaries and regret.

    Raises
    ------
    InvalidInput
        When it is called, if b gives a wrong shape, or a number that is not finite or outside the response domain.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, true_rewards
    >>> game = GAMES["shore"].build()
    >>> rewards = true_rewards(game, opponent_for("shore", game, "random").respond)
    >>> rewards(game.types[0])[:3].round(3)
    array([0.205, 0.105, 0.004])
    """

    def earned(opponent_type: Vector) -> Vector:
        rewards = game.reward(game.actions, responses_of(game, respond, opponent_type))
        return as_array("reward", rewards, ndim=1, length=game.n_actions)

    return earned


@dataclass(frozen=True, eq=False)
class Blended:
    """b_t(x) = (1 − s) b(x, θ₁) + s b(x, θ₂) with s = min(1, (t − 1) / rounds): one type turns into another.

    It is called with the number of the round, 1, 2, 3, …, as the type.
    """

    respond: ResponseFunction
    before: Vector
    after: Vector
    rounds: float

    def __post_init__(self) -> None:
        positive("rounds", self.rounds)

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b_t of each action (k, m)."""
        share = float(np.clip((opponent_type[0] - 1) / self.rounds, 0, 1))
        return (1 - share) * self.respond(actions, self.before) + share * self.respond(actions, self.after)


class Tabulated:
    """b from a table, for simulations that know their types beforehand.

    >>> table = Tabulated(np.array([[0.0], [1.0]]), np.array([[5.0]]), np.array([[[2.0], [3.0]]]))
    >>> table(np.array([[1.0]]), np.array([5.0]))
    array([[3.]])
    """

    def __init__(self, actions: Matrix, opponent_types: Matrix, responses: NDArray[np.float64]) -> None:
        """Responses (T, n, m) of T types to a menu of n actions."""
        expected = (len(opponent_types), len(actions))
        if responses.shape[:2] != expected:
            raise InvalidInput(f"responses has shape {responses.shape}: give {expected} rows, types by actions.")
        self._menu = actions
        self._rows = {row.tobytes(): i for i, row in enumerate(actions)}
        self._tables = dict(zip((row.tobytes() for row in opponent_types), responses, strict=True))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b of some actions of the menu at one of the types."""
        table = self._tables.get(opponent_type.tobytes())
        if table is None:
            raise InvalidInput(f"opponent_type {opponent_type.tolist()[:3]}… is not in the table of responses.")
        if actions is self._menu:
            return table
        try:
            return table[[self._rows[row.tobytes()] for row in actions]]
        except KeyError:
            raise InvalidInput("actions holds a row that is not in the table of responses.") from None
