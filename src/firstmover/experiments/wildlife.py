"""The paper's second experiment: rangers against poachers, Section 4.2 and Appendix F."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel, Matern

from firstmover.beliefs import ConstantWidth, FiniteBelief
from firstmover.beliefs.fitting import Fit, fit_kernel
from firstmover.beliefs.noisy import WithNoise
from firstmover.contracts import Belief, Game, Learner
from firstmover.experiments.preset import Deviation, Preset, Several
from firstmover.experiments.run import Stage, Task, table_of
from firstmover.games.park import published_park
from firstmover.games.wildlife import patrol_menu, wildlife_game
from firstmover.learners import GPUCB, SingleType, best_offline
from firstmover.opponents import Opponent, Poachers, Tabulated, single
from firstmover.opponents.poachers import References, references
from firstmover.play import play_run
from firstmover.records import Feedback, Matrix, Vector
from firstmover.regret import regret

OFFLINE_SEED = 0

SHAPE = ConstantKernel(3.0, (1e-8, 1e5)) * Matern(0.2, (1e-3, 1e3), nu=2.5)
"""The Matérn kernel with the start values of its hyperparameters."""

OURS, GP_UCB = "ours", "GP-UCB"
"""The two algorithms compared; a label adds β."""


class WildlifePreset(Preset):
    """What `presets/wildlife-*.toml` say; see the comments there."""

    mixed_patrols: int
    menu_seed: int
    rounds: int
    noise_std: float
    reward_noise_std: float
    offline_points: int
    history_points: int
    widths: Several[float]
    reward_widths: Several[float]
    shown_width: float
    density_of_poachers: float
    density_of_rangers: float
    avoid_rangers: bool
    optimism: Literal["box", "corner"]
    deviation: Deviation
    max_min: Literal["obtained", "guaranteed"]
    first_observation: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """Ours and GP-UCB at every β."""
        return *(f"{OURS} {w:g}" for w in self.widths), *(f"{GP_UCB} {w:g}" for w in self.reward_widths)


@dataclass(frozen=True, eq=False)
class WildlifeScene:
    """The game, its poachers, what each patrol truly earns, and the reference answers."""

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
        """Noisy responses to random patrols."""
        rng = np.random.default_rng(seed)
        actions = rng.integers(self.game.n_actions, size=count)
        responses = self.responses[actions] + noise_std * rng.standard_normal((count, 2))
        return [Feedback(a, self.opponent_type, y) for a, y in zip(actions, responses, strict=True)]


@lru_cache(maxsize=64)
def wildlife_scene(preset: WildlifePreset) -> WildlifeScene:
    """The scene of a preset, built once in each process."""
    park = published_park(preset.density_of_rangers)
    menu = patrol_menu(park.n_cells, preset.mixed_patrols, preset.menu_seed)
    game = wildlife_game(park, menu, corner=preset.optimism == "corner")
    factor = preset.density_of_poachers / preset.density_of_rangers
    poachers = Poachers(park, coverage_sign=1 if preset.avoid_rangers else -1, density_factor=factor)
    assert game.types is not None
    responses = poachers(game.actions, game.types[0])
    return WildlifeScene(game, poachers, responses, game.reward(game.actions, responses), references(game, poachers))


def fit_responses(preset: WildlifePreset) -> Fit:
    """The Matérn kernel of largest marginal likelihood over offline responses, from lengthscale 0.2 and variance 3."""
    scene = wildlife_scene(preset)
    history = scene.sampled(preset.offline_points, preset.noise_std, OFFLINE_SEED)
    return _fit(scene, history, np.array([f.response for f in history]), preset.noise_std**2)


def fit_rewards(preset: WildlifePreset, seed: int) -> Fit:
    """The same for GP-UCB, over offline rewards, anew for every run."""
    scene = wildlife_scene(preset)
    rng = np.random.default_rng([OFFLINE_SEED, seed])
    actions = rng.integers(scene.game.n_actions, size=preset.offline_points)
    rewards = scene.true_rewards[actions] + preset.reward_noise_std * rng.standard_normal(len(actions))
    history = [Feedback(a, scene.opponent_type, np.zeros(2)) for a in actions]
    return _fit(scene, history, rewards[:, None], preset.reward_noise_std**2)


def _fit(scene: WildlifeScene, history: list[Feedback], values: Matrix, noise_variance: float) -> Fit:
    return fit_kernel(SHAPE, scene.game.actions[[f.action for f in history]], values, noise_variance)


@dataclass(frozen=True)
class WildlifeTask:
    """One run of one algorithm at one β."""

    preset: WildlifePreset
    kernel: Kernel
    algorithm: str
    width: float
    seed: int

    @property
    def label(self) -> str:
        """The algorithm with its β."""
        return f"{self.algorithm} {self.width:g}"

    @property
    def rounds(self) -> int:
        """T."""
        return self.preset.rounds

    def stage(self) -> Stage:
        """The park, its poachers, and the algorithm."""
        scene = wildlife_scene(self.preset)
        answers = Tabulated(scene.game.actions, scene.opponent_type[None], scene.responses[None])
        opponent = Opponent(single(scene.opponent_type), answers, self.preset.noise_std)
        return Stage(scene.game, opponent, self._learner(scene))

    def play(self) -> pl.DataFrame:
        """Play the run, and compare it with the best patrol of the menu."""
        scene, stage = wildlife_scene(self.preset), self.stage()
        run = play_run(stage.game, stage.opponent, stage.learner, self.rounds, self.seed)
        return table_of(run, regret(run, lambda _: scene.true_rewards), self.label, self.seed)

    def _learner(self, scene: WildlifeScene) -> Learner:
        confidence = ConstantWidth(self.width)
        if self.algorithm == GP_UCB:
            belief = belief_over_menu(self.preset, scene, self.kernel, 1, self.preset.reward_noise_std)
            return GPUCB(scene.game, belief, confidence, scene.opponent_type)
        belief = belief_over_menu(self.preset, scene, self.kernel, 2, self.preset.noise_std)
        return SingleType(scene.game, belief, confidence, scene.opponent_type)


@lru_cache(maxsize=16)
def _prior(preset: WildlifePreset, theta: tuple[float, ...], n_outputs: int, noise_std: float) -> FiniteBelief:
    """The belief before any observation; runs share it, since a belief is a value and its Gram table costs a run."""
    scene, kernel = wildlife_scene(preset), SHAPE.clone_with_theta(np.array(theta))
    return FiniteBelief.prior(kernel, noise_std**2, scene.game.actions, scene.opponent_type[None], n_outputs)


def belief_over_menu(
    preset: WildlifePreset, scene: WildlifeScene, kernel: Kernel, n_outputs: int, noise_std: float
) -> Belief:
    """The belief before round 1: with the released program's first observation and noise, where the preset says so."""
    belief: Belief = _prior(preset, tuple(kernel.theta), n_outputs, noise_std)
    if preset.first_observation:
        first = scene.sampled(1, preset.noise_std, OFFLINE_SEED)[0]
        value = first.response if n_outputs > 1 else scene.true_rewards[[first.action]]
        belief = belief.condition(first.action, first.opponent_type, value)
    return belief if preset.deviation == "posterior" else WithNoise(belief, noise_std**2)


def wildlife_tasks(preset: WildlifePreset, seeds: int) -> tuple[list[Task], dict[str, Any]]:
    """Every algorithm, β and seed; hyperparameters, reference answers and Best-offline for the manifest."""
    fit, scene = fit_responses(preset), wildlife_scene(preset)
    refits = [fit_rewards(preset, seed) for seed in range(seeds)] if preset.reward_widths else []
    tasks: list[Task] = [
        WildlifeTask(preset, fit.kernel, OURS, width, seed) for width in preset.widths for seed in range(seeds)
    ]
    tasks += [
        WildlifeTask(preset, refits[seed].kernel, GP_UCB, width, seed)
        for width in preset.reward_widths
        for seed in range(seeds)
    ]
    return tasks, {
        "fits": {
            OURS: {"kernel": str(fit.kernel), "log_likelihood": fit.log_likelihood},
            **{
                f"{GP_UCB}, seed {seed}": {"kernel": str(refit.kernel), "log_likelihood": refit.log_likelihood}
                for seed, refit in enumerate(refits)
            },
        },
        "optimum": scene.known.optimum,
        "optimal_action": scene.known.optimal_action,
        "max_min": scene.known.max_min_obtained if preset.max_min == "obtained" else scene.known.max_min_guaranteed,
        "best_offline": [offline_reward(preset, fit.kernel, seed) for seed in range(seeds)],
    }


def offline_reward(preset: WildlifePreset, kernel: Kernel, seed: int) -> float:
    """What the patrol earns that a belief from data collected beforehand calls best."""
    scene = wildlife_scene(preset)
    belief = _prior(preset, tuple(kernel.theta), 2, preset.noise_std)
    history = scene.sampled(preset.history_points, preset.noise_std, seed + 1)
    chosen = best_offline(scene.game, belief, scene.opponent_type, history)
    return float(scene.true_rewards[int(np.argmax(chosen.strategy))])


def held_from(actions: Vector, optimal_action: int) -> int:
    """The round from which the best patrol is played to the end; T + 1 if it is not.

    >>> held_from(np.array([4, 7, 3, 7, 7]), 7)
    4
    """
    other = np.flatnonzero(np.asarray(actions) != optimal_action)
    return 1 if len(other) == 0 else int(other[-1]) + 2
