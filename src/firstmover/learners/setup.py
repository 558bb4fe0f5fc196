"""The inputs of a learner: the game, assumptions about b, parameters, and oracle access in simulations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from firstmover.beliefs import ConstantWidth, belief_over
from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Learner, TrueRewards, Weights, check_game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.kernels import kernel_from
from firstmover.strategies import STRATEGIES, MultiplicativeWeights

if TYPE_CHECKING:  # pydantic is loaded when parameters are read
    from sklearn.gaussian_process.kernels import Kernel

    from firstmover.core.documents import Specification

Value = TypeVar("Value")


@dataclass(frozen=True)
class Setup:
    """The inputs of the builders of the LEARNERS table.

    The assumptions about b are k, λ and β_t. Only a simulation has `true_rewards` and `future_types`.

    Parameters
    ----------
    game
        X, r and the response domain.
    kernel
        k over z = (action, type).
    regularization
        λ.
    confidence
        β_t, such as `ConstantWidth` or `LemmaWidth`.
    strategy
        Name of the weights in the STRATEGIES table.
    horizon
        T if it is known.
    rate_factor
        Multiplies η.
    reward_kernel
        The kernel of learners that regress the reward; None: `kernel`.
    history
        Rounds collected beforehand, for best-offline.
    true_rewards
        θ to the rewards of all actions (n,), full information.
    future_types
        The types of all rounds (T, p).
    prior
        The belief about responses before the first round, if it was built already.

    Raises
    ------
    InvalidInput
        If `game` is not a Game; a learner raises it where a field that it needs is missing.

    Examples
    --------
    >>> from firstmover import GAMES, LEARNERS, ConstantWidth, Setup
    >>> shore = GAMES["shore"]
    >>> setup = Setup(shore.build(), shore.kernel, shore.regularization, ConstantWidth(1.0), horizon=100)
    >>> LEARNERS["exp3"].build(setup).strategy[:2].round(4)
    array([0.0417, 0.0417])
    """

    game: Game
    kernel: "Kernel"
    regularization: float
    confidence: ConfidenceWidth
    strategy: str = "fixed-rate"
    horizon: int | None = None
    rate_factor: float = 1.0
    reward_kernel: "Kernel | None" = None
    history: Iterable[Feedback] = ()
    true_rewards: TrueRewards | None = None
    future_types: Matrix | None = None
    prior: Belief | None = None

    def __post_init__(self) -> None:
        check_game(self.game)

    def using(self, parameters: "Specification") -> "Setup":
        """Return the setup with the parameters of a learner.

        Fields named kernel, regularization, confidence_width, strategy and rate_factor replace those of the setup.

        Parameters
        ----------
        parameters
            The parameters of an entry of the LEARNERS table.

        Returns
        -------
        Setup
            A copy; fields that are None stay as they are.
        """
        names = ("kernel", "regularization", "confidence_width", "strategy", "rate_factor")
        given: dict[str, Any] = {name: v for name in names if (v := getattr(parameters, name, None)) is not None}
        if "kernel" in given:
            given["kernel"] = kernel_from(given["kernel"])
        if "confidence_width" in given:
            given["confidence"] = ConstantWidth(given.pop("confidence_width"))
        return replace(self, **given) if given else self

    def belief(self) -> Belief:
        """The belief about responses before the first round."""
        if self.prior is not None:
            return self.prior
        game = self.game
        return belief_over(self.kernel, self.regularization, game.actions, game.n_outputs, game.types)

    def reward_belief(self) -> Belief:
        """A belief about rewards, one number, before the first round."""
        kernel = self.kernel if self.reward_kernel is None else self.reward_kernel
        return belief_over(kernel, self.regularization, self.game.actions, 1, self.game.types)

    def weights(self) -> Weights:
        """Uniform weights of the named kind."""
        build = STRATEGIES.find(self.strategy).build
        weights = build(self.game.n_actions, self.game.reward_range, self.horizon)
        if self.rate_factor == 1:
            return weights
        if not isinstance(weights, MultiplicativeWeights):
            raise InvalidInput(
                f"rate_factor is {self.rate_factor}: strategy {self.strategy!r} finds its own rate, so leave it out."
            )
        return replace(weights, rate_factor=positive("rate_factor", self.rate_factor))

    def the_type(self) -> Vector:
        """θ̄, for learners that face one known type."""
        types = self.game.types
        if types is None or len(types) != 1:
            raise InvalidInput(
                f"game {self.game.name!r} has {'no known' if types is None else len(types)} types: this learner needs "
                "exactly one known type, as against opponent 'single'; or use another learner, such as 'stackelucb'."
            )
        return types[0]

    def need(self, field: str, value: Value | None) -> Value:
        """Return a value that this learner needs; raise if it is None."""
        if value is None:
            raise InvalidInput(f"{field} is not given: this learner needs it.")
        return value


@dataclass(frozen=True)
class LearnerEntry:
    """An entry of the LEARNERS table.

    Parameters
    ----------
    summary
        One line for people.
    builder
        The setup and the parameters to the learner of the first round.
    parameters
        The model of the parameters, or None.
    single_type
        Whether the learner needs exactly one known type.
    suits
        Whether the learner can play a game.
    needs
        Fields of the setup that only a simulation provides: true_rewards, future_types, history.
    response_belief
        Whether the learner's field `belief` is the posterior over responses, which a match conditions on imported
        history and replaces after a refit.
    fits
        Whether the learner takes no kernel, λ and β, but finds its own assumptions about b.
    mixtures
        Whether the learner plays mixtures that are not actions of the game.
    by_probability
        Whether the learner divides by the probability with which an action was drawn, so that it cannot learn from
        rounds that somebody else decided.
    shorthand
        The parameter that `NAME:VALUE` gives.

    Examples
    --------
    >>> from firstmover import LEARNERS
    >>> LEARNERS["hedge"].needs, LEARNERS["exp3"].by_probability
    (('true_rewards',), True)
    """

    summary: str
    builder: "Callable[[Setup, Any], Learner]"
    parameters: "type[Specification] | None" = None
    single_type: bool = False
    suits: Callable[[Game], bool] = lambda _: True
    needs: tuple[str, ...] = ()
    response_belief: bool = False
    fits: bool = False
    mixtures: bool = False
    by_probability: bool = False
    shorthand: str | None = None

    def build(self, setup: Setup, parameters: "Mapping[str, Any] | Specification | None" = None) -> Learner:
        """Return the learner of the first round; parameters replace those of the setup.

        Parameters
        ----------
        setup
            The game and the assumptions.
        parameters
            By name, or as the model; they replace those of the setup.

        Returns
        -------
        Learner
            The learner of the first round.
        """
        from firstmover.core.documents import Specification  # noqa: PLC0415

        if not isinstance(parameters, Specification):
            parameters = (self.parameters or Specification).read(parameters or {})
        return self.builder(setup.using(parameters), parameters)
