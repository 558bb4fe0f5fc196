"""The learners of the arena: `auto`, one tuned by hand for each family, and every entry of LEARNERS.

A learner that assumes a kernel is given one that was fitted to 100 rounds of uniform play beforehand, as in the paper,
with the noise variance of the family, β = 0.5 and the horizon. True rewards are given to learners that declare that
they need them.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Kernel, Matern

from firstmover.beliefs import ConstantWidth
from firstmover.beliefs.fitting import fit_kernel
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.learners import DEFAULT_LEARNER, LEARNERS, Setup
from firstmover.runs.arena.families import Instance
from firstmover.runs.arena.instances import instance_of
from firstmover.simulation import RandomTypes, true_rewards

AUTO = DEFAULT_LEARNER
"""The learner that all others are compared with."""

HAND = "hand-tuned"
"""The learner with the settings of HAND_TUNED; it is no entry of LEARNERS."""

ENTRANTS = (
    AUTO,
    HAND,
    "stackelucb",
    "anytime",
    "single-type",
    "hedge",
    "gp-mw",
    "gp-ucb",
    "exp3",
    "uniform",
)
"""The learners that are played if no others are named."""

OF_REWARDS = ("gp-mw", "gp-ucb")
"""Learners that regress the reward: their kernel and noise are those of rewards."""

GIVEN = "true_rewards"
"""The one kind of oracle access that the arena has."""

HAND_TUNED: dict[str, tuple[str, str, float]] = {
    "park": ("choice", "family", 0.0),
    "near park": ("choice", "family", 0.0),
    "prices": ("anytime", "family", 0.1),
    "roads": ("anytime", "family", 0.1),
    "bimatrix": ("anytime", "family", 1.0),
    "security": ("choice", "family", 0.0),
    "response": ("anytime", "family", 1.0),
    "kiosk": ("anytime", "fitted", 1.0),
}
"""The candidate of the smallest mean regret, in shares of the reward range, on development instances from 0, 20 and 40
on."""

SAMPLE = 100
"""Rounds of uniform play from which kernels are fitted beforehand, as in the paper."""

PAPER_WIDTH = 0.5
"""β of the paper's routing experiment."""

DEGREE = 3
"""Of the polynomial kernel of roads, as in the paper's routing experiment."""

MOST_LENGTH_SCALES = 12
"""With more features than these all have one length scale, as in the paper's wildlife experiment."""


def check_learner(name: str) -> None:
    """Raise InvalidInput for a name that is unknown, or of a learner that can play no instance."""
    if name == HAND:
        return
    if name.partition(":")[0] not in LEARNERS:
        raise unknown_name("learner", name, [HAND, *map(LEARNERS.usage, LEARNERS)])
    entry, _ = LEARNERS.resolve(name)
    if beyond := [need for need in entry.needs if need != GIVEN]:
        raise InvalidInput(f"learner {name!r} needs {beyond[0]}, which the arena does not have: leave it out.")
    if entry.mixtures:
        raise InvalidInput(
            f"learner {name!r} plays mixtures outside the menu, and all learners of the arena have the same menu: "
            "leave it out."
        )


def objection(name: str, family: str, game: Game) -> str | None:
    """Return the reason why a learner does not play an instance; None if it does."""
    if name == HAND:
        return None if family in HAND_TUNED else "there are no settings by hand"
    entry, _ = LEARNERS.resolve(name)
    if entry.single_type and not faces_one_type(game):
        return "it plays against one known type only"
    return None if entry.suits(game) else "it does not suit the game"


def is_told_rewards(name: str) -> bool:
    """Return whether a learner has oracle access to the rewards of all actions."""
    return name != HAND and GIVEN in LEARNERS.resolve(name)[0].needs


def contestant(name: str, family: str, seed: int, rounds: int) -> Learner:
    """Return a learner before the first of so many rounds of an instance."""
    if name == HAND:
        return hand_tuned(family, seed, HAND_TUNED[family])
    if name == AUTO:
        return automatic(instance_of(family, seed))
    entry, parameters = LEARNERS.resolve(name)
    setup = _reward_setup(family, seed, rounds) if name in OF_REWARDS else _fitted_setup(family, seed, rounds)
    if GIVEN in entry.needs:
        instance = instance_of(family, seed)
        setup = replace(setup, true_rewards=true_rewards(instance.game, instance.opponent.respond))
    return entry.build(setup, parameters)


def automatic(instance: Instance) -> Learner:
    """Return `auto`, which uses the game alone."""
    setup = Setup(instance.game, instance.kernel, instance.noise_variance, ConstantWidth(PAPER_WIDTH))
    return LEARNERS[AUTO].build(setup)


def faces_one_type(game: Game) -> bool:
    """Return whether the opponent has one known type."""
    return game.types is not None and len(game.types) == 1


def _with_prior(setup: Setup) -> Setup:
    """The setup with its belief built: beliefs are immutable and shared by all runs."""
    return replace(setup, prior=setup.belief())


@lru_cache(maxsize=32)
def _hand_setup(family: str, seed: int, kernel: str, width: float) -> Setup:
    instance = instance_of(family, seed)
    assumed = instance.kernel if kernel == "family" else fitted_kernel(family, seed)
    return _with_prior(Setup(instance.game, assumed, instance.noise_variance, ConstantWidth(width)))


def hand_tuned(family: str, seed: int, candidate: tuple[str, str, float]) -> Learner:
    """Return a learner with the assumption of a candidate; against one type `anytime` is `single-type`."""
    learner, kernel, width = candidate
    name = "single-type" if learner == "anytime" and faces_one_type(instance_of(family, seed).game) else learner
    return LEARNERS[name].build(_hand_setup(family, seed, kernel, width))


@lru_cache(maxsize=16)
def _fitted_setup(family: str, seed: int, rounds: int) -> Setup:
    """The setup of a learner that knows the horizon, with a kernel fitted to the responses of a sample."""
    instance = instance_of(family, seed)
    kernel, width = fitted_kernel(family, seed), ConstantWidth(PAPER_WIDTH)
    return _with_prior(Setup(instance.game, kernel, instance.noise_variance, width, horizon=rounds))


@lru_cache(maxsize=16)
def _reward_setup(family: str, seed: int, rounds: int) -> Setup:
    """The setup of a learner that regresses the reward, with a kernel fitted to the rewards of a sample."""
    instance = instance_of(family, seed)
    game = instance.game
    points, responses, noise = uniform_sample(instance)
    rows = points[:, : game.actions.shape[1]]
    earned = game.reward(rows, responses)
    error = earned - game.reward(rows, responses - noise)
    variance = max(float(np.mean(error**2)), 1e-6 * float(earned.var()))
    kernel = _fit(instance, points, earned[:, None], variance)
    return Setup(game, kernel, variance, ConstantWidth(PAPER_WIDTH), horizon=rounds)


@lru_cache(maxsize=32)
def fitted_kernel(family: str, seed: int) -> Kernel:
    """Return the kernel of the largest marginal likelihood of the responses in a sample."""
    return fitted_to(instance_of(family, seed))


def fitted_to(instance: Instance) -> Kernel:
    """Return the kernel of the largest marginal likelihood of the responses in a sample of an instance."""
    points, responses, _ = uniform_sample(instance)
    return _fit(instance, points, responses, instance.noise_variance)


def uniform_sample(instance: Instance, rounds: int = SAMPLE) -> tuple[Matrix, Matrix, Matrix]:
    """Return points (k, d + p), responses (k, m) and their noise of rounds played uniformly beforehand."""
    rng, game, opponent = np.random.default_rng([instance.seed, 0]), instance.game, instance.opponent
    source = opponent.types if game.types is None else RandomTypes(game.types)
    actions = rng.integers(game.n_actions, size=rounds)
    types = np.array([source.draw(np.empty(0), [], rng) for _ in range(rounds)])
    true = np.array([opponent.respond(game.actions[[a]], theta)[0] for a, theta in zip(actions, types, strict=True)])
    seen = np.array([opponent.seen(response, rng) for response in true])
    return np.hstack([game.actions[actions], types]), seen, seen - true


def _fit(instance: Instance, points: Matrix, responses: Matrix, variance: float) -> Kernel:
    """The kernel of the largest marginal likelihood: a polynomial on roads, elsewhere a constant plus a Matérn."""
    spread = max(float(responses.var()), variance)
    if instance.family == "roads":
        scale = float(np.sqrt(np.max(np.sum(points**2, axis=1))))
        shape = ConstantKernel(spread, (1e-8 * spread, 1e4 * spread)) * DotProduct(1.0, (1e-4, 1e4)) ** DEGREE
        fitted = fit_kernel(shape, points / scale, responses, variance).kernel
        constant, bias = fitted.k1.constant_value, fitted.k2.kernel.sigma_0
        return ConstantKernel(constant * scale ** (-2.0 * DEGREE)) * DotProduct(bias * scale) ** DEGREE
    widths = np.ptp(points, axis=0)
    widths = np.where(widths > 0, widths, 1.0)
    start = widths if len(widths) <= MOST_LENGTH_SCALES else np.array([float(np.median(widths))])
    wide = np.column_stack([0.05 * start, 100 * start])
    matern = Matern(start, wide, nu=2.5)
    level = max(float(responses.mean()) ** 2, 0.01 * spread)
    shape = ConstantKernel(level, "fixed") + ConstantKernel(spread, (1e-3 * spread, 1e3 * spread)) * matern
    return fit_kernel(shape, points, responses, variance).kernel
