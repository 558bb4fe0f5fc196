"""All contracts: n actions with d features, types with p features, m response outputs, t rounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Mask, Matrix, Vector, as_array, as_index, as_mask, as_range
from firstmover.core.errors import InvalidInput, counted, shown
from firstmover.core.places import Places
from firstmover.core.records import Box, Feedback, Prediction, Round


class Reward(Protocol):
    """r(x, y), known to the learner; row i of the arguments is one pair (x, y)."""

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row: actions (k, d) and responses (k, m) give (k,)."""

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Eq. (6): max of r(x, y) over y in row i of the box (k, m), for each row x of actions (k, d)."""


@runtime_checkable
class BoundedReward(Reward, Protocol):
    """A reward with its minimum over a box too, which the lower bounds of a floor need."""

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """min of r(x, y) over y in row i of the box (k, m), for each row x of actions (k, d)."""


def worst_in_box(reward: Reward, actions: Matrix, box: Box) -> Vector:
    """Return the minimum of a reward over boxes; raise if it has none."""
    if not isinstance(reward, BoundedReward):
        raise InvalidInput(
            f"reward {reward!r} has no method worst_in_box, which a floor needs: add it, or leave the floor out."
        )
    return np.asarray(reward.worst_in_box(actions, box))


class Belief(Protocol):
    """The posterior of b given the responses so far, over a finite menu of actions."""

    def predict(self, opponent_type: Vector) -> Prediction:
        """Eqs. (2) and (3) for all actions at one type: mean (n, m), std (n,)."""

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more observation; this one stays usable."""

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance at some actions (all by default) and one type: (k, k)."""

    def sample(
        self, n: int, rng: np.random.Generator, opponent_type: Vector, /, actions: Sequence[int] | None = None
    ) -> NDArray[np.float64]:
        """Return n joint draws at some actions (all by default) and one type: (n, k, m)."""

    @property
    def information_gain(self) -> float:
        """½ log det(I + K_t / λ) of the observations so far."""


class ConfidenceWidth(Protocol):
    """β_t, the half-width of the confidence box in standard deviations."""

    def __call__(self, information_gain: float) -> float:
        """β_t from the information gained so far."""


class Weights(Protocol):
    """A distribution over n actions that follows the rewards of all of them."""

    @property
    def strategy(self) -> Vector:
        """p_t (n,), on the simplex."""

    def update(self, rewards: Vector) -> Self:
        """The weights after a round in which action i would have earned rewards[i]."""


class Learner(Protocol):
    """Decides p_t from the observations; an immutable value without random numbers."""

    @property
    def strategy(self) -> Vector:
        """p_t (n,), on the simplex."""

    def observe(self, feedback: Feedback) -> Self:
        """Return the learner of the next round; this one stays usable."""


@runtime_checkable
class Refitting(Protocol):
    """A belief or learner whose hyperparameters are fitted to its observations from time to time.

    A fit is a table of plain JSON numbers that can be recorded: with the recorded numbers `fitted` gives the same
    value on every machine, while `fit` may differ in the last bits.
    """

    @property
    def fit_due(self) -> bool:
        """Whether the observations since the last fit call for another one."""

    def fit(self) -> dict[str, Any]:
        """Return the hyperparameters that fit all observations so far, without a change of this value."""

    def fitted(self, fit: Mapping[str, Any], /) -> Self:
        """Return the value with these hyperparameters and all observations so far."""


@runtime_checkable
class RefittingLearner(Learner, Refitting, Protocol):
    """A learner that refits: `observe` is `learn` and then, if a fit is due, `fitted(fit())`."""

    def learn(self, feedback: Feedback) -> Self:
        """Return the learner of the next round with the same hyperparameters."""


@runtime_checkable
class DecidingLearner(Learner, Protocol):
    """A learner that takes a context known before the move, or a mask of allowed actions; `strategy` is `decide()`."""

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        """p_t (n,) for the features of the type that are known, 0 outside of `allowed` (n,); None: unknown, all."""


def decided(learner: Learner, context: Vector | None, allowed: Mask | None) -> Vector:
    """Return p_t for this context and mask; of a learner that takes neither, p_t given that the action is allowed."""
    decide = getattr(learner, "decide", None)  # isinstance of a protocol would compute the strategy
    if decide is not None and not (context is None and allowed is None):
        return np.asarray(decide(context, allowed))
    if allowed is None:
        return learner.strategy
    weights = np.where(allowed, learner.strategy, 0.0)
    return weights / weights.sum() if weights.any() else allowed / allowed.sum()


@runtime_checkable
class GrowsMenu(Protocol):
    """A learner that adds actions during play; its strategy has one entry per action so far."""

    @property
    def grown(self) -> "Game":
        """The game with the menu of the coming round: first the old actions, in their order, then the new."""


class TypeSource(Protocol):
    """The source of θ_t; it sees p_t and the past, never x_t."""

    def draw(self, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:
        """θ_t (p,)."""


@runtime_checkable
class ContextSource(Protocol):
    """A source of θ_t in two steps: the context, which the learner sees before p_t, and then the whole type."""

    def draw_context(self, past: Sequence[Round], rng: np.random.Generator) -> Vector:
        """The features of θ_t that are known before the move."""

    def draw_given(self, context: Vector, strategy: Vector, past: Sequence[Round], rng: np.random.Generator) -> Vector:
        """θ_t (p,), with this context."""


class ResponseFunction(Protocol):
    """b(x, θ), noiseless, for all given actions at once."""

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """Responses (k, m) to actions (k, d) by an opponent of one type (p,)."""


TrueRewards = Callable[[Vector], Vector]
"""θ to r(x, b(x, θ)) of all actions (n,): full information, an oracle."""


def check_reward(name: str, reward: object) -> None:
    """Raise if the value is not a Reward."""
    if not (callable(reward) and hasattr(reward, "best_in_box")):
        remedy = "give one with a method best_in_box, such as increasing(function)"
        raise InvalidInput(f"{name} is {shown(reward)}: {remedy}.")


def check_domain(domain: object) -> None:
    """Raise if the value is not one box of responses."""
    if not isinstance(domain, Box):
        raise InvalidInput(f"response_domain is {shown(domain)}: give a Box of two corners (m,).")
    if domain.lower.ndim != 1:
        raise InvalidInput(f"response_domain has corners of shape {domain.lower.shape}: give one box (m,).")


@dataclass(frozen=True, repr=False)
class Game:
    """The part of the game that the learner knows: X, r, the domain of responses, and perhaps Θ.

    Parameters
    ----------
    name
        Shown in tables and figures.
    actions
        X, one row of features for each action (n, d).
    reward
        r, with its maximum over a box.
    response_domain
        The box that contains all responses, corners of shape (m,); infinite where unknown.
    reward_range
        Smallest and largest reward that noiseless responses can give; weights with a fixed rate need it.
    types
        Θ (q, p) if the types are finitely many and known; None if every round may have a new one.
    places
        The places, if a response is a choice among finitely many; None otherwise.
    congestion
        Whether the features of an action are loads of links, such as roads, and a response is the congestion that they
        cause: a sum over links, each about the fourth power of its load.
    context
        Numbers, from 0, of the features of the type that are known before the action; the others are reported after it.

    Raises
    ------
    InvalidInput
        If an array has a wrong shape or a number that is not finite, if the reward has no `best_in_box`, or if the
        context or the places do not fit the types and responses.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Box, Game, increasing
    >>> prices = np.array([[1.0], [2.0], [3.0]])
    >>> income = increasing(lambda x, y: x[:, 0] * y[:, 0])
    >>> Game("stall", prices, income, Box([0.0], [9.0]), reward_range=(0.0, 27.0))
    Game('stall', 3 actions, 1 output, any type)
    """

    name: str
    actions: Matrix
    reward: Reward
    response_domain: Box
    reward_range: tuple[float, float] | None = None
    types: Matrix | None = None
    places: Places | None = None
    congestion: bool = False
    context: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidInput(f"name is {shown(self.name)}: give a text.")
        object.__setattr__(self, "actions", as_array("actions", self.actions, ndim=2))
        if self.types is not None:
            object.__setattr__(self, "types", as_array("types", self.types, ndim=2))
            if len(self.types) == 0:
                raise InvalidInput("types has no rows: give at least one type, or None when any may come.")
        if self.actions.size == 0:
            raise InvalidInput(f"actions has shape {self.actions.shape}: a game needs an action and a feature.")
        check_reward("reward", self.reward)
        check_domain(self.response_domain)
        if self.reward_range is not None:
            object.__setattr__(self, "reward_range", as_range("reward_range", self.reward_range))
        if self.places is not None and self.places.box.lower.shape[1] != self.n_outputs:
            raise InvalidInput(
                f"places have {self.places.box.lower.shape[1]} coordinate(s): responses of game {self.name!r} have "
                f"{self.n_outputs}."
            )
        object.__setattr__(self, "context", self._checked_context())

    def _checked_context(self) -> tuple[int, ...]:
        if not isinstance(self.context, Sequence):
            raise InvalidInput(f"context is {shown(self.context)}: give a list of numbers of features.")
        context = tuple(as_index("context", i) for i in self.context)
        count = np.inf if self.types is None else self.types.shape[1]
        if len(set(context)) < len(context) or any(not 0 <= i < count for i in context):
            raise InvalidInput(f"context is {context}: give different numbers of features of the type, from 0.")
        if context and self.places is not None:
            raise InvalidInput(f"context is {context}: a game with places takes none; leave out the context or places.")
        return context

    def checked_context(self, context: Vector) -> Vector:
        """Return the context if a type of this game can have it; raise otherwise."""
        if not self.context:
            raise InvalidInput(f"context is {shown(context)}: game {self.name!r} has no context, so leave it out.")
        context = as_array("context", context, ndim=1, length=len(self.context))
        if self.types is not None and not (self.types[:, list(self.context)] == context).all(axis=1).any():
            raise InvalidInput(f"context is {context.tolist()}: give that of a type of game {self.name!r}.")
        return context

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def n_outputs(self) -> int:
        """m, the length of a response."""
        return len(self.response_domain.lower)

    def __repr__(self) -> str:
        types = "any type" if self.types is None else counted(len(self.types), "type")
        outputs = counted(self.n_outputs, "output")
        return f"Game({self.name!r}, {counted(self.n_actions, 'action')}, {outputs}, {types})"

    def _repr_html_(self) -> str:
        from firstmover.core.cards import game_card  # noqa: PLC0415 - only notebooks draw cards

        return game_card(self)

    def check(self, feedback: Feedback) -> Feedback:
        """Return the feedback if its action, type and response fit this game; raise otherwise."""
        as_index("action", feedback.action, self.n_actions)
        if len(feedback.response) != self.n_outputs:
            raise InvalidInput(
                f"response has {len(feedback.response)} number(s): game {self.name!r} has {self.n_outputs}."
            )
        if self.types is not None and len(feedback.opponent_type) != self.types.shape[1]:
            raise InvalidInput(
                f"opponent_type has {len(feedback.opponent_type)} feature(s): types of game {self.name!r} have "
                f"{self.types.shape[1]}."
            )
        if feedback.allowed is not None:
            as_mask("allowed", feedback.allowed, self.n_actions)
        return feedback


def check_game(game: object) -> None:
    """Raise if the value is not a Game."""
    if not isinstance(game, Game):
        raise InvalidInput(f"game is {shown(game)}: give a Game, such as GAMES['shore'].build().")
