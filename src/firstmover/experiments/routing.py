"""The paper's first experiment: routing vehicles through Sioux Falls, Section 4.1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Kernel

from firstmover.beliefs import ConstantWidth, FreshBelief
from firstmover.beliefs.fitting import Fit, fit_kernel
from firstmover.beliefs.noisy import WithNoise
from firstmover.contracts import Belief, Game, Learner, TrueRewards
from firstmover.experiments.preset import Deviation, Preset, Several
from firstmover.experiments.run import Stage, Task, table_of
from firstmover.games.network import sioux_falls
from firstmover.games.routes import TieRule
from firstmover.games.routing import Plans, UnitsCounted, operator_plans, routing_game
from firstmover.learners import Exp3, Hedge, StackelUCB, fixed_action
from firstmover.many import play_many, plays_together
from firstmover.opponents import Opponent, Scripted, Tabulated, true_rewards
from firstmover.opponents.road_users import RoadUsers, TravelTime, sampled_reward_range
from firstmover.play import Streams
from firstmover.records import Feedback, Matrix
from firstmover.regret import regret_of_table
from firstmover.strategies import MultiplicativeWeights

OFFLINE_SEED = 0
"""Of the points that hyperparameters are fitted to."""

APART = 10_000
"""Seeds of different learners lie so far apart where they are not to meet the same demands."""


class RoutingPreset(Preset):
    """What `presets/routing-*.toml` say; see the comments there."""

    origin: int
    destination: int
    units: float
    shares: Several[float]
    groups: int
    routes: int
    trade_off: float
    scaling: float
    noise_std: float
    rounds: int
    degrees: Several[int]
    confidence_width: float
    offline_points: int
    range_pairs: int
    ties: TieRule
    units_counted: UnitsCounted
    travel_time: TravelTime
    detour_limit: float
    pairs: Literal["all", "with demand"]
    deviation: Deviation
    first_observation: bool
    exp3: Literal["with exploration", "without exploration"]
    baseline_feedback: Literal["noisy", "noiseless"]
    paired: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """The learners, in the order of the paper's legend."""
        return "Hedge", *(f"StackelUCB poly{d}" for d in self.degrees), "Exp3", "shortest", "none"


@dataclass(frozen=True, eq=False)
class RoutingScene:
    """The game and its users, and what is drawn before the first round."""

    plans: Plans
    game: Game
    users: RoadUsers
    history: tuple[Feedback, ...]


@lru_cache(maxsize=4)
def routing_scene(preset: RoutingPreset) -> RoutingScene:
    """The scene of a preset, built once in each process."""
    network = sioux_falls().scaled(preset.scaling)
    plans = operator_plans(
        origin=preset.origin,
        destination=preset.destination,
        units=preset.units,
        shares=preset.shares,
        groups=preset.groups,
        n_routes=preset.routes,
        ties=preset.ties,
    )
    game = routing_game(plans, preset.trade_off, preset.units_counted)
    network = network if preset.pairs == "all" else network.pairs_with_demand()
    users = RoadUsers(network, preset.ties, preset.travel_time, preset.detour_limit)
    rng = np.random.default_rng(OFFLINE_SEED)
    actions = rng.integers(game.n_actions, size=preset.offline_points)
    demands = network.demand * rng.random((preset.offline_points, network.n_pairs))
    responses = users.batch(game.actions, demands)[np.arange(preset.offline_points), actions]
    noisy = responses + preset.noise_std * rng.standard_normal(responses.shape)
    return RoutingScene(plans, game, users, tuple(map(Feedback, actions, demands, noisy)))


def fit_polynomial(preset: RoutingPreset, degree: int) -> Fit:
    """The polynomial kernel of largest marginal likelihood over the offline points.

    The search works on features divided by the longest z, where k stays of the size of the responses; the kernel that
    is returned acts on plain features and carries the scale in its constant and bias.
    """
    scene = routing_scene(preset)
    points = np.array([np.concatenate([scene.game.actions[f.action], f.opponent_type]) for f in scene.history])
    scale = float(np.sqrt(np.max(np.sum(points**2, axis=1))))
    shape = ConstantKernel(1.0, (1e-10, 1e10)) * DotProduct(1.0, (1e-4, 1e4)) ** degree
    fit = fit_kernel(shape, points / scale, np.array([f.response for f in scene.history]), preset.noise_std**2)
    constant, bias = fit.kernel.k1.constant_value, fit.kernel.k2.kernel.sigma_0
    kernel = ConstantKernel(constant * scale ** (-2.0 * degree)) * DotProduct(bias * scale) ** degree
    return replace(fit, kernel=kernel)


@dataclass(frozen=True)
class Prepared:
    """What all runs of a preset share: the range that rewards are scaled by, and the fitted kernels by label."""

    reward_range: tuple[float, float]
    fits: dict[str, Fit]

    @classmethod
    def of(cls, preset: RoutingPreset) -> "Prepared":
        """Sample the range and fit the kernels."""
        scene = routing_scene(preset)
        fits = {f"StackelUCB poly{d}": fit_polynomial(preset, d) for d in preset.degrees}
        return cls(sampled_reward_range(scene.game, scene.users, preset.range_pairs), fits)

    def notes(self) -> dict[str, Any]:
        """For the manifest."""
        fits = {label: {"kernel": str(f.kernel), "log_likelihood": f.log_likelihood} for label, f in self.fits.items()}
        return {"reward_range": list(self.reward_range), "fits": fits}


@dataclass(frozen=True)
class RoutingTask:
    """One run of one learner."""

    preset: RoutingPreset
    prepared: Prepared
    label: str
    seed: int

    @property
    def configuration(self) -> object:
        """StackelUCB under its reading; no other learner is played together."""
        if self.label not in self.prepared.fits:
            return None
        learner = self._stackelucb(routing_scene(self.preset))
        return (self.preset, self.label) if plays_together(learner, self.rounds) else None

    @property
    def rounds(self) -> int:
        """T."""
        return self.preset.rounds

    def stage(self) -> Stage:
        """The game, demands that this seed draws, with all responses to them, and the learner."""
        return self._staged(self.seed)[0]

    def play(self) -> pl.DataFrame:
        """Play the run, and compare it with every plan at every demand."""
        return self.play_seeds([self.seed])[0]

    def play_seeds(self, seeds: Sequence[int]) -> list[pl.DataFrame]:
        """The same for several seeds; Hedge, who knows the demands beforehand, plays one."""
        game, streams = routing_scene(self.preset).game, [self._stream(seed) for seed in seeds]
        staged = [self._staged(seed) for seed in seeds]
        runs = play_many(game, [stage.opponent for stage, _ in staged], staged[0][0].learner, self.rounds, streams)
        return [
            table_of(run, regret_of_table(run, rewards_of(game, responses)), self.label, seed)
            for run, (_, responses), seed in zip(runs, staged, seeds, strict=True)
        ]

    def _stream(self, seed: int) -> int:
        return seed + (0 if self.preset.paired else APART * (1 + self.preset.labels.index(self.label)))

    def _staged(self, seed: int) -> tuple[Stage, NDArray[np.float64]]:
        """The stage, and b of every demand and plan (T, n, 1)."""
        scene, game = routing_scene(self.preset), routing_scene(self.preset).game
        noiseless = self.preset.baseline_feedback == "noiseless" and self.label in ("Exp3", "Hedge")
        noise = 0.0 if noiseless else self.preset.noise_std
        network = scene.users.network
        demands = network.demand * Streams.of(self._stream(seed)).types.random((self.rounds, network.n_pairs))
        responses = scene.users.batch(game.actions, demands)
        opponent = Opponent(Scripted(demands), Tabulated(game.actions, demands, responses), noise)
        return Stage(game, opponent, self._learner(scene, opponent)), responses

    def _learner(self, scene: RoutingScene, opponent: Opponent) -> Learner:
        n, preset, known = scene.game.n_actions, self.preset, self._known(scene)
        if self.label == "Hedge":
            return Hedge(known, _cut(scene.game, opponent, self.prepared.reward_range), self._weights(n))
        if self.label == "Exp3":
            if preset.exp3 == "with exploration":
                return Exp3.start(known, preset.rounds)
            return Exp3(known, 0.0, float(np.sqrt(np.log(n) / (preset.rounds * n))), 0.0, np.zeros(n))
        if self.label in ("shortest", "none"):
            return fixed_action(shortest_plan(scene.plans) if self.label == "shortest" else 0, n)
        return self._stackelucb(scene)

    def _stackelucb(self, scene: RoutingScene) -> StackelUCB:
        belief = _belief(self.preset, scene, self.prepared.fits[self.label].kernel)
        width, weights = ConstantWidth(self.preset.confidence_width), self._weights(scene.game.n_actions)
        return StackelUCB(self._known(scene), belief, width, weights)

    def _known(self, scene: RoutingScene) -> Game:
        """The game as learners know it: optimistic rewards are cut to the range that was sampled."""
        return replace(scene.game, reward_range=self.prepared.reward_range)

    def _weights(self, n_actions: int) -> MultiplicativeWeights:
        return MultiplicativeWeights.start(n_actions, self.prepared.reward_range, self.preset.rounds)


def routing_tasks(preset: RoutingPreset, seeds: int) -> tuple[list[Task], dict[str, Any]]:
    """Every learner with every seed, and what was prepared for them."""
    prepared = Prepared.of(preset)
    tasks: list[Task] = [RoutingTask(preset, prepared, label, seed) for label in preset.labels for seed in range(seeds)]
    return tasks, prepared.notes()


def shortest_plan(plans: Plans) -> int:
    """The plan that sends everything by the shortest route."""
    return plans.index(float(plans.shares.max()), [int(plans.groups.sum(axis=1).max()), *[0] * (len(plans.routes) - 1)])


def rewards_of(game: Game, responses: NDArray[np.float64]) -> Matrix:
    """r(x, b(x, θ_t)) of every round and plan (T, n), from responses (T, n, 1)."""
    rounds, n, _ = responses.shape
    return game.reward(np.tile(game.actions, (rounds, 1)), responses.reshape(-1, 1)).reshape(rounds, n)


def _cut(game: Game, opponent: Opponent, reward_range: tuple[float, float]) -> TrueRewards:
    """True rewards of all plans, cut to the range that the weights scale by."""
    earned = true_rewards(game, opponent.respond)
    return lambda demand: np.clip(earned(demand), *reward_range)


def _belief(preset: RoutingPreset, scene: RoutingScene, kernel: Kernel) -> Belief:
    belief: Belief = FreshBelief.prior(kernel, preset.noise_std**2, scene.game.actions, 1)
    if preset.first_observation:
        first = scene.history[0]
        belief = belief.condition(first.action, first.opponent_type, first.response)
    return belief if preset.deviation == "posterior" else WithNoise(belief, preset.noise_std**2)
