"""The learners that `auto` is compared with: tuned by hand, the paper's with fitted kernels, and baselines."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Kernel, Matern

from firstmover.beliefs import ConstantWidth
from firstmover.beliefs.fitting import fit_kernel
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Learner
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import RandomTypes, true_rewards
from studies.families import FAMILIES, Instance

AUTO = "auto"
"""The learner under test."""

HAND, PAPER, HEDGE, REWARDS, EXP3 = "hand-tuned", "StackelUCB", "Hedge", "GP-MW", "Exp3"
RIVALS = (HAND, PAPER, HEDGE, REWARDS, EXP3)
"""Beside `auto`: the hand-tuned learner of the family; StackelUCB as in the paper, with its rate, horizon and a fitted
kernel; Hedge with full information and the paper's rate; GP-MW with a fitted kernel, GP-UCB against one type; Exp3."""

WIDTHS = (0.1, 0.3, 1.0, 2.0)

CANDIDATES: dict[str, tuple[tuple[str, str, float], ...]] = {
    **{
        family: tuple(("anytime", kernel, width) for kernel in ("family", "fitted") for width in WIDTHS)
        for family in FAMILIES
    },
    **{
        family: (("choice", "family", 0.0), *(("single-type", "fitted", width) for width in WIDTHS))
        for family in ("park", "near park")
    },
}
CANDIDATES["security"] = (("choice", "family", 0.0), *CANDIDATES["security"])
"""Settings by hand: the learner, the kernel, which is that of the instance or fitted beforehand, and β."""

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


@lru_cache(maxsize=8)
def instance_of(family: str, seed: int) -> Instance:
    """Return an instance, built once per process."""
    return FAMILIES[family](seed)


def faces_one_type(instance: Instance) -> bool:
    """Return whether the opponent has one known type."""
    return instance.game.types is not None and len(instance.game.types) == 1


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
    name = "single-type" if learner == "anytime" and faces_one_type(instance_of(family, seed)) else learner
    return LEARNERS[name].build(_hand_setup(family, seed, kernel, width))


def automatic(instance: Instance) -> Learner:
    """Return `auto`, which uses the game alone."""
    setup = Setup(instance.game, instance.kernel, instance.noise_variance, ConstantWidth(0.5))
    if AUTO in LEARNERS:
        return LEARNERS[AUTO].build(setup)
    if instance.game.places is None:
        return LEARNERS["anytime"].build(setup)
    return LEARNERS["commitment" if instance.game.types is None else "choice"].build(setup)


def contestant(label: str, family: str, seed: int, rounds: int) -> Learner:
    """Return a learner by its label, for so many rounds of an instance."""
    instance = instance_of(family, seed)
    if label == HAND:
        return hand_tuned(family, seed, HAND_TUNED[family])
    if label == AUTO:
        return automatic(instance)
    one = faces_one_type(instance)
    names = {PAPER: "single-type" if one else "stackelucb", REWARDS: "gp-ucb" if one else "gp-mw"}
    return LEARNERS[names.get(label, label.lower())].build(_fitted_setup(family, seed, label, rounds))


@lru_cache(maxsize=16)
def _fitted_setup(family: str, seed: int, label: str, rounds: int) -> Setup:
    """The setup of a learner that knows the horizon; kernels are fitted to the sample of the instance."""
    instance = instance_of(family, seed)
    game = instance.game
    rewards = true_rewards(game, instance.opponent.respond)
    kernel, width = instance.kernel, ConstantWidth(PAPER_WIDTH)
    setup = Setup(game, kernel, instance.noise_variance, width, "fixed-rate", rounds, true_rewards=rewards)
    if label == PAPER:
        return _with_prior(replace(setup, kernel=fitted_kernel(family, seed)))
    if label != REWARDS:
        return setup
    points, responses, noise = uniform_sample(instance)
    rows = points[:, : game.actions.shape[1]]
    earned = game.reward(rows, responses)
    error = earned - game.reward(rows, responses - noise)
    variance = max(float(np.mean(error**2)), 1e-6 * float(earned.var()))
    return replace(setup, kernel=_fit(instance, points, earned[:, None], variance), regularization=variance)


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
