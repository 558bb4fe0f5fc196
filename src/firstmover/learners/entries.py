"""The learners of the LEARNERS table: what each builds and which parameters it takes."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field

from firstmover.beliefs.window import WindowBelief
from firstmover.core.contracts import Game
from firstmover.core.documents import Specification
from firstmover.kernels import kernel_from
from firstmover.learners.auto import auto
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.composite import CompositeEI, CompositeTS
from firstmover.learners.contextual_games import ContextualGPMW
from firstmover.learners.exp3 import Exp3
from firstmover.learners.fixed import best_in_hindsight, best_offline, fixed_action, max_min, uniform
from firstmover.learners.growing import Growing, mixes
from firstmover.learners.hedge import Hedge
from firstmover.learners.reward_regression import GPMW, GPUCB
from firstmover.learners.setup import LearnerEntry, Setup
from firstmover.learners.single_type import SingleType
from firstmover.learners.stackelucb import StackelUCB
from firstmover.learners.utility_space import UtilityExp2, UtilityOFUL, known_types
from firstmover.learners.windowed import Windowed
from firstmover.strategies import STRATEGIES


def _kernel(description: dict[str, Any]) -> dict[str, Any]:
    kernel_from(description)
    return description


def _strategy(name: str) -> str:
    STRATEGIES.find(name)
    return name


def _power_of_two(count: int) -> int:
    if count & (count - 1):
        raise ValueError(f"is {count}: give a power of two, such as 256.")
    return count


KernelDescription = Annotated[dict[str, Any], AfterValidator(_kernel)]
StrategyName = Annotated[str, AfterValidator(_strategy)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ModelParameters(Specification):
    """The regression model of a learner; None takes the game's assumption."""

    kernel: KernelDescription | None = None
    regularization: Positive | None = None


class BoxParameters(ModelParameters):
    """The regression model and the width of its confidence boxes; None takes the game's assumption."""

    confidence_width: NotNegative | None = None


class RateParameters(Specification):
    """The weights over actions: an entry of the STRATEGIES table, and a factor of its learning rate."""

    strategy: StrategyName | None = None
    rate_factor: Positive | None = None


class BoxRateParameters(RateParameters, BoxParameters):
    """The regression model, the width of its confidence boxes, and the weights over actions."""


class FixedParameters(Specification):
    """The index of the action that a fixed learner plays."""

    action: int = Field(ge=0, lt=10**9)


class CellParameters(BoxParameters):
    """The regression model of the reward, and the cells of contexts: their radius, or every context in every round."""

    radius: NotNegative = 0.0
    every: bool = False


class CompositeParameters(ModelParameters):
    """The regression model, and the fixed normal numbers by which expectations over its posterior are computed."""

    samples: Annotated[int, Field(ge=2, le=2**16), AfterValidator(_power_of_two)] = 256
    seed: int = Field(default=0, ge=0, lt=2**32)


class WindowParameters(BoxRateParameters):
    """The regression model, the weights, the rounds that count, and the noise variance that each round of age adds."""

    window: int = Field(default=100, ge=1, le=10_000)
    injected: NotNegative = 0.0


class OFULParameters(Specification):
    """The probability with which the confidence set of OFUL may fail."""

    failure_probability: float = Field(default=0.05, gt=0, lt=1)


def _composite_ei(setup: Setup, parameters: CompositeParameters) -> CompositeEI:
    game, kind = setup.game, setup.the_type()
    return CompositeEI(game, setup.belief(), kind, parameters.samples, parameters.seed, np.zeros(game.n_actions))


def _windowed(setup: Setup, parameters: WindowParameters) -> Windowed:
    game, window = setup.game, parameters.window
    belief = WindowBelief.prior(
        setup.kernel, setup.regularization, game.actions, game.n_outputs, window, parameters.injected
    )
    one_type = game.types is not None and len(game.types) == 1
    weights = None if one_type else replace(setup, horizon=window).weights()
    return Windowed.start(game, belief, setup.confidence, weights)


def _answers_in_numbers(game: Game) -> bool:
    return game.places is None


def _has_places_and_types(game: Game) -> bool:
    return game.places is not None and game.types is not None


ENTRIES: dict[str, LearnerEntry] = {
    "auto": LearnerEntry(
        "fits its own model of the opponent: needs a game and nothing else; the default",
        lambda s, _: auto(s.game),
        response_belief=True,
        fits=True,
    ),
    "stackelucb": LearnerEntry(
        "StackelUCB (Algorithm 1): multiplicative weights on optimistic rewards, any sequence of types",
        lambda s, _: StackelUCB(s.game, s.belief(), s.confidence, s.weights()),
        BoxRateParameters,
        response_belief=True,
    ),
    "anytime": LearnerEntry(
        "StackelUCB with AdaHedge and an optimistic first action; needs neither horizon nor reward range",
        lambda s, _: StackelUCB.anytime(s.game, s.belief(), s.confidence),
        BoxParameters,
        response_belief=True,
    ),
    "single-type": LearnerEntry(
        "largest optimistic reward against one known type (Eq. 8)",
        lambda s, _: SingleType(s.game, s.belief(), s.confidence, s.the_type()),
        BoxParameters,
        single_type=True,
        response_belief=True,
    ),
    "choice": LearnerEntry(
        "largest optimistic reward when the response is a choice among places; AdaHedge weights if types are several",
        lambda s, _: ByChoice.start(s.game),
        suits=_has_places_and_types,
    ),
    "choice-mw": LearnerEntry(
        "weights on optimistic rewards when the response is a choice among places, any sequence of known types",
        lambda s, _: replace(ByChoice.start(s.game), weights=s.weights()),
        RateParameters,
        suits=_has_places_and_types,
    ),
    "commitment": LearnerEntry(
        "any mixture of the actions, when the opponent sees the mixture and chooses among places",
        lambda s, _: Committing.start(s.game),
        suits=lambda game: game.places is not None and game.types is None,
        mixtures=True,
    ),
    "growing": LearnerEntry(
        "weights over mixed strategies, with new mixtures added during play; any sequence of known types",
        lambda s, _: Growing.start(s.game, s.kernel, s.regularization, s.confidence),
        BoxParameters,
        suits=lambda game: game.places is None and game.types is not None and mixes(game.actions),
        mixtures=True,
    ),
    "hedge": LearnerEntry(
        "weights with full information, an oracle baseline (Balcan et al. 2015)",
        lambda s, _: Hedge(s.game, s.need("true_rewards", s.true_rewards), s.weights()),
        RateParameters,
        needs=("true_rewards",),
    ),
    "exp3": LearnerEntry(
        "bandit feedback, no model of the opponent (Auer et al. 2002)",
        lambda s, _: Exp3.start(s.game, s.need("horizon", s.horizon)),
        by_probability=True,
    ),
    "exp3p": LearnerEntry(
        "Exp3.P: bandit feedback, with a bound that holds with high probability",
        lambda s, _: Exp3.with_high_probability(s.game, s.need("horizon", s.horizon)),
        by_probability=True,
    ),
    "gp-ucb": LearnerEntry(
        "largest upper bound on the reward against one known type (Srinivas et al. 2010)",
        lambda s, _: GPUCB(s.game, s.reward_belief(), s.confidence, s.the_type()),
        BoxParameters,
        single_type=True,
    ),
    "gp-mw": LearnerEntry(
        "weights on upper bounds on the reward, ignoring the two levels (Sessa et al. 2019)",
        lambda s, _: GPMW(s.game, s.reward_belief(), s.confidence, s.weights()),
        BoxRateParameters,
    ),
    "c-gp-mw": LearnerEntry(
        "weights per context on upper bounds on the reward (contextual games, Sessa et al. 2020)",
        lambda s, p: ContextualGPMW.start(s.game, s.reward_belief(), s.confidence, p.radius, every=p.every),
        CellParameters,
    ),
    "composite-ei": LearnerEntry(
        "largest expected improvement of r(x, b) against one known type (Astudillo and Frazier 2019)",
        _composite_ei,
        CompositeParameters,
        single_type=True,
        suits=_answers_in_numbers,
        response_belief=True,
    ),
    "composite-ts": LearnerEntry(
        "Thompson sampling of r(x, b) against one known type: the probability that an action is the best",
        lambda s, p: CompositeTS(s.game, s.belief(), s.the_type(), p.samples, p.seed),
        CompositeParameters,
        single_type=True,
        suits=_answers_in_numbers,
        response_belief=True,
    ),
    "windowed": LearnerEntry(
        "StackelUCB on the last rounds alone, for opponents that drift (Zhou and Shroff 2021)",
        _windowed,
        WindowParameters,
        shorthand="window",
    ),
    "utility-oful": LearnerEntry(
        "linear bandit over utility vectors, known responses of types that are not told (Balcan et al. 2025)",
        lambda s, p: UtilityOFUL.start(s.game, s.need("true_rewards", s.true_rewards), p.failure_probability),
        OFULParameters,
        suits=lambda game: known_types(game) is not None,
        needs=("true_rewards",),
    ),
    "utility-exp2": LearnerEntry(
        "exponential weights over utility vectors, known responses of types in any order that are not told",
        lambda s, _: UtilityExp2.start(s.game, s.need("true_rewards", s.true_rewards), s.need("horizon", s.horizon)),
        suits=lambda game: not game.context and known_types(game) is not None,
        needs=("true_rewards",),
        by_probability=True,
    ),
    "fixed": LearnerEntry(
        "the same action in every round, written fixed:INDEX",
        lambda s, p: fixed_action(p.action, s.game.n_actions),
        FixedParameters,
        shorthand="action",
    ),
    "uniform": LearnerEntry("every action with equal probability", lambda s, _: uniform(s.game.n_actions)),
    "max-min": LearnerEntry("the action whose worst reward is largest", lambda s, _: max_min(s.game)),
    "best-offline": LearnerEntry(
        "best action by a belief fitted to data collected beforehand, one known type",
        lambda s, _: best_offline(s.game, s.belief(), s.the_type(), s.history),
        ModelParameters,
        single_type=True,
        needs=("history",),
    ),
    "optimum": LearnerEntry(
        "the best fixed action in hindsight, an oracle: the zero of regret",
        lambda s, _: best_in_hindsight(s.need("true_rewards", s.true_rewards), s.need("future_types", s.future_types)),
        needs=("true_rewards", "future_types"),
    ),
}
