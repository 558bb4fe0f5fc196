"""The paper's second experiment: rangers against poachers, Section 4.2 and Appendix F."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel, Matern

from firstmover.beliefs import ConstantWidth, FiniteBelief
from firstmover.beliefs.fitting import Fit, fit_kernel
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Feedback
from firstmover.games.opponent import Tabulated
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import Poachers, References, references
from firstmover.games.wildlife.park import published_park
from firstmover.learners import GPUCB, SingleType
from firstmover.paper.preset import OFFLINE_SEED, PaperTask, Preset, Several, fit_notes
from firstmover.runs import Task
from firstmover.runs.setup import Stage
from firstmover.simulation import Opponent, single

SHAPE = ConstantKernel(3.0, (1e-8, 1e5)) * Matern(0.2, (1e-3, 1e3), nu=2.5)
"""The Matérn kernel with the start values of its hyperparameters."""

OURS, GP_UCB = "ours", "GP-UCB"
"""The two algorithms that are compared; a label adds β."""


def labelled(algorithm: str, width: float) -> str:
    """Return the label of an algorithm at one β."""
    return f"{algorithm} {width:g}"


class WildlifePreset(Preset):
    """The fields of `presets/wildlife-*.toml`; see the comments there."""

    game = "wildlife"
    title = "Rangers against poachers"
    mixed_patrols: int
    menu_seed: int
    reward_noise_std: float
    history_points: int
    widths: Several[float]
    reward_widths: Several[float]
    shown_width: float
    density_of_poachers: float
    density_of_rangers: float
    avoid_rangers: bool
    optimism: Literal["box", "corner"]
    max_min: Literal["obtained", "guaranteed"]

    @property
    def labels(self) -> tuple[str, ...]:
        """Ours and GP-UCB at every β."""
        ours = [labelled(OURS, width) for width in self.widths]
        return *ours, *(labelled(GP_UCB, width) for width in self.reward_widths)

    @property
    def shown(self) -> str:
        """The label of ours at the β of Figure 2."""
        return labelled(OURS, self.shown_width)

    @property
    def of_responses(self) -> "WildlifePreset":
        """This preset with a fixed value of every field that leaves the responses unchanged: a key for caches."""
        return self.model_copy(
            update={
                "density_of_rangers": self.density_of_poachers,
                "optimism": "box",
                "deviation": "posterior",
                "max_min": "obtained",
                "first_observation": False,
                "widths": (),
                "reward_widths": (),
            }
        )

    def tasks(self, seeds: int) -> tuple[list[Task], dict[str, Any]]:
        """Return a task for every algorithm, β and seed, and hyperparameters and reference rewards for the manifest."""
        fit, known = fit_responses(self), wildlife_setup(self).known
        refits = [fit_rewards(self, seed) for seed in range(seeds)] if self.reward_widths else []
        tasks: list[Task] = [
            WildlifeTask(self, label, seed, (refits[seed] if label.startswith(GP_UCB) else fit).kernel)
            for label in self.labels
            for seed in range(seeds)
        ]
        return tasks, {
            "fits": fit_notes({OURS: fit} | {f"{GP_UCB}, seed {seed}": refit for seed, refit in enumerate(refits)}),
            "optimum": known.optimum,
            "optimal_action": known.optimal_action,
            "max_min": known.max_min_obtained if self.max_min == "obtained" else known.max_min_guaranteed,
            "best_offline": [offline_reward(self, fit.kernel, seed) for seed in range(seeds)],
        }


@dataclass(frozen=True, eq=False)
class WildlifeSetup:
    """The game, its poachers, the true response to and reward of each patrol, and the reference solutions."""

    game: Game
    poachers: Poachers
    responses: Matrix
    true_rewards: Vector
    known: References

    @property
    def opponent_type(self) -> Vector:
        """θ̄."""
        assert self.game.types is not None
        return self.game.types[0]

    def sampled(self, count: int, noise_std: float, seed: int) -> list[Feedback]:
        """Return noisy responses to random patrols."""
        rng = np.random.default_rng(seed)
        actions = rng.integers(self.game.n_actions, size=count)
        responses = self.responses[actions] + noise_std * rng.standard_normal((count, 2))
        return [Feedback(a, self.opponent_type, y) for a, y in zip(actions, responses, strict=True)]

    def opponent(self, noise_std: float) -> Opponent:
        """Return the poachers with their responses looked up."""
        respond = Tabulated(self.game.actions, self.opponent_type[None], self.responses[None])
        return Opponent(single(self.opponent_type), respond, noise_std)


@lru_cache(maxsize=128)
def wildlife_setup(preset: WildlifePreset) -> WildlifeSetup:
    """Return the setup of a preset, built once per process."""
    park = published_park(preset.density_of_rangers)
    menu = patrol_menu(park.n_cells, preset.mixed_patrols, preset.menu_seed)
    game = wildlife_game(park, menu, corner=preset.optimism == "corner")
    factor = preset.density_of_poachers / preset.density_of_rangers
    poachers = Poachers(park, coverage_sign=1 if preset.avoid_rangers else -1, density_factor=factor)
    assert game.types is not None
    responses = poachers(game.actions, game.types[0])
    return WildlifeSetup(game, poachers, responses, game.reward(game.actions, responses), references(game, poachers))


@lru_cache(maxsize=64)
def fit_responses(preset: WildlifePreset) -> Fit:
    """Return the Matérn kernel with the largest marginal likelihood of offline responses; readings share it."""
    if preset != preset.of_responses:
        return fit_responses(preset.of_responses)
    setup = wildlife_setup(preset)
    history = setup.sampled(preset.offline_points, preset.noise_std, OFFLINE_SEED)
    points = setup.game.actions[[f.action for f in history]]
    return fit_kernel(SHAPE, points, np.array([f.response for f in history]), preset.noise_std**2)


@lru_cache(maxsize=64)
def fit_rewards(preset: WildlifePreset, seed: int) -> Fit:
    """Return the same for GP-UCB, from offline rewards that each seed draws."""
    setup = wildlife_setup(preset)
    rng = np.random.default_rng([OFFLINE_SEED, seed])
    actions = rng.integers(setup.game.n_actions, size=preset.offline_points)
    rewards = setup.true_rewards[actions] + preset.reward_noise_std * rng.standard_normal(len(actions))
    return fit_kernel(SHAPE, setup.game.actions[actions], rewards[:, None], preset.reward_noise_std**2)


@dataclass(frozen=True)
class WildlifeTask(PaperTask[WildlifePreset]):
    """One run of one algorithm at one β, which is the last word of the label."""

    kernel: Kernel

    def stage(self) -> Stage:
        """Return the park, its poachers and the algorithm."""
        setup, (algorithm, _, width) = wildlife_setup(self.preset), self.label.rpartition(" ")
        of_rewards = algorithm == GP_UCB
        noise_std = self.preset.reward_noise_std if of_rewards else self.preset.noise_std
        belief = belief_over_menu(self.preset, self.kernel, 1 if of_rewards else 2, noise_std)
        build = GPUCB if of_rewards else SingleType
        learner = build(setup.game, belief, ConstantWidth(float(width)), setup.opponent_type)
        return Stage(setup.game, setup.opponent(self.preset.noise_std), learner)


@lru_cache(maxsize=16)
def _prior(preset: WildlifePreset, theta: tuple[float, ...], n_outputs: int, noise_std: float) -> FiniteBelief:
    """The belief before any observation; runs share it, since a belief is immutable and its Gram table is costly."""
    setup, kernel = wildlife_setup(preset), SHAPE.clone_with_theta(np.array(theta))
    return FiniteBelief.prior(kernel, noise_std**2, setup.game.actions, setup.opponent_type[None], n_outputs)


def belief_over_menu(preset: WildlifePreset, kernel: Kernel, n_outputs: int, noise_std: float) -> Belief:
    """Return the belief before round 1 about responses, or about rewards if it has one output."""
    setup, prior = wildlife_setup(preset), _prior(preset, tuple(kernel.theta), n_outputs, noise_std)
    first = setup.sampled(1, preset.noise_std, OFFLINE_SEED)[0]
    if n_outputs == 1:
        first = replace(first, response=setup.true_rewards[[first.action]])
    return preset.first_belief(prior, first, noise_std)


def offline_reward(preset: WildlifePreset, kernel: Kernel, seed: int) -> float:
    """Return the reward of Best-offline: of the patrol that is best at the posterior mean of offline observations."""
    setup = wildlife_setup(preset)
    game, domain = setup.game, setup.game.response_domain
    mean = np.clip(_offline_mean(preset.of_responses, tuple(kernel.theta), seed), domain.lower, domain.upper)
    return float(setup.true_rewards[int(np.argmax(game.reward(game.actions, mean)))])


@lru_cache(maxsize=64)
def _offline_mean(preset: WildlifePreset, theta: tuple[float, ...], seed: int) -> Matrix:
    """μ of all patrols (n, 2) after offline observations; readings with equal responses share it."""
    setup, belief = wildlife_setup(preset), _prior(preset, theta, 2, preset.noise_std)
    for seen in setup.sampled(preset.history_points, preset.noise_std, seed + 1):
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
    return belief.predict(setup.opponent_type).mean


def held_from(actions: NDArray[np.int64], optimal_action: int) -> Vector:
    """Return the round from which each run (…, T) plays the best patrol to the end; T + 1 if it does not."""
    rounds = np.arange(1, actions.shape[-1] + 1)
    last_other = np.max(np.where(actions == optimal_action, 0, rounds), axis=-1)
    return np.asarray(last_other + 1.0)
