"""Learners decide p from what was observed; the table names them for the command line and the experiments."""

from collections.abc import Callable
from dataclasses import dataclass

from firstmover.contracts import Game, Learner
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.exp3 import Exp3
from firstmover.learners.fixed import Fixed, best_in_hindsight, best_offline, fixed_action, max_min, uniform
from firstmover.learners.gp_mw import GPMW
from firstmover.learners.gp_ucb import GPUCB
from firstmover.learners.growing import Growing, mixes
from firstmover.learners.hedge import Hedge
from firstmover.learners.setup import Setup
from firstmover.learners.single_type import SingleType
from firstmover.learners.stackelucb import StackelUCB

__all__ = [
    "GPMW",
    "GPUCB",
    "LEARNERS",
    "ByChoice",
    "Committing",
    "Exp3",
    "Fixed",
    "Growing",
    "Hedge",
    "LearnerEntry",
    "Setup",
    "SingleType",
    "StackelUCB",
    "best_in_hindsight",
    "best_offline",
    "fixed_action",
    "max_min",
    "uniform",
]


@dataclass(frozen=True)
class LearnerEntry:
    """A line of the table: what it is, how to build it, if it needs exactly one known type, and which games suit it.

    `reads` says which of the assumptions and settings of a specification it looks at.
    """

    summary: str
    build: Callable[[Setup], Learner]
    single_type: bool = False
    suits: Callable[[Game], bool] = lambda _: True
    reads: tuple[str, ...] = ()


MODEL = ("kernel", "regularization")
BOX = (*MODEL, "confidence_width")
RATE = ("strategy", "rate_factor")


def _choice_single_type(setup: Setup) -> ByChoice:
    opponent_type = setup.the_type()
    readings, game, belief, width = setup.choices()
    return ByChoice(setup.game, readings, SingleType(game, belief, width, opponent_type), belief)


def _choice_stackelucb(setup: Setup) -> ByChoice:
    readings, game, belief, width = setup.choices()
    return ByChoice(setup.game, readings, StackelUCB(game, belief, width, setup.weights()), belief)


def _has_places_and_types(game: Game) -> bool:
    return game.places is not None and game.types is not None


LEARNERS: dict[str, LearnerEntry] = {
    "stackelucb": LearnerEntry(
        "StackelUCB (Algorithm 1): optimistic rewards and weights, any types in any order",
        lambda s: StackelUCB(s.game, s.belief(), s.confidence, s.weights()),
        reads=(*BOX, *RATE),
    ),
    "anytime": LearnerEntry(
        "StackelUCB without horizon and reward range, as recommended: AdaHedge, and a hopeful first move",
        lambda s: StackelUCB.anytime(s.game, s.belief(), s.confidence),
        reads=BOX,
    ),
    "single-type": LearnerEntry(
        "largest optimistic reward against one known type (Eq. 8)",
        lambda s: SingleType(s.game, s.belief(), s.confidence, s.the_type()),
        single_type=True,
        reads=BOX,
    ),
    "choice": LearnerEntry(
        "largest optimistic reward when the response is a choice among places, one known type",
        _choice_single_type,
        single_type=True,
        suits=_has_places_and_types,
    ),
    "choice-mw": LearnerEntry(
        "weights over optimistic rewards when the response is a choice among places, known types in any order",
        _choice_stackelucb,
        suits=_has_places_and_types,
        reads=RATE,
    ),
    "commitment": LearnerEntry(
        "any mixture of the actions, when the opponent sees the mixture and chooses among places",
        lambda s: Committing.start(s.game),
        suits=lambda game: game.places is not None and game.types is None,
    ),
    "growing": LearnerEntry(
        "weights over mixed strategies, to which new mixtures are added on the way; known types in any order",
        lambda s: Growing.start(s.game, s.kernel, s.regularization, s.confidence),
        suits=lambda game: game.places is None and game.types is not None and mixes(game.actions),
        reads=BOX,
    ),
    "hedge": LearnerEntry(
        "weights with full information, a privilege (Balcan et al. 2015)",
        lambda s: Hedge(s.game, s.need("true_rewards", s.true_rewards), s.weights()),
        reads=RATE,
    ),
    "exp3": LearnerEntry(
        "bandit feedback, no model of the opponent (Auer et al. 2002)",
        lambda s: Exp3.start(s.game, s.need("horizon", s.horizon)),
    ),
    "exp3p": LearnerEntry(
        "Exp3.P, whose bound holds with high probability",
        lambda s: Exp3.with_high_probability(s.game, s.need("horizon", s.horizon)),
    ),
    "gp-ucb": LearnerEntry(
        "largest upper bound on the reward against one known type (Srinivas et al. 2010)",
        lambda s: GPUCB(s.game, s.reward_belief(), s.confidence, s.the_type()),
        single_type=True,
        reads=BOX,
    ),
    "gp-mw": LearnerEntry(
        "weights over upper bounds on the reward, ignoring the two levels (Sessa et al. 2019)",
        lambda s: GPMW(s.game, s.reward_belief(), s.confidence, s.weights()),
        reads=(*BOX, *RATE),
    ),
    "fixed": LearnerEntry(
        "one action for ever, given as fixed:INDEX", lambda s: fixed_action(s.action, s.game.n_actions)
    ),
    "uniform": LearnerEntry("every action equally often", lambda s: uniform(s.game.n_actions)),
    "max-min": LearnerEntry("the action whose worst reward is largest", lambda s: max_min(s.game)),
    "best-offline": LearnerEntry(
        "best by a belief learnt from data collected beforehand, one known type",
        lambda s: best_offline(s.game, s.belief(), s.the_type(), s.history),
        single_type=True,
        reads=MODEL,
    ),
    "optimum": LearnerEntry(
        "the best fixed action in hindsight, a privilege: the zero of regret",
        lambda s: best_in_hindsight(s.need("true_rewards", s.true_rewards), s.need("future_types", s.future_types)),
    ),
}
