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
from firstmover.core.contracts import Belief, Game, Learner, TrueRewards
from firstmover.core.records import Feedback, Matrix
from firstmover.games.routing.game import Plans, UnitsCounted, operator_plans, routing_game
from firstmover.games.routing.network import sioux_falls
from firstmover.games.routing.opponents import RoadUsers, TravelTime, sampled_reward_range
from firstmover.games.routing.routes import TieRule
from firstmover.games.tabulated import Tabulated
from firstmover.learners import Exp3, Hedge, StackelUCB, fixed_action
from firstmover.paper.preset import Deviation, Preset, Several
from firstmover.runs.play_tasks import Stage, Task, table_of
from firstmover.simulation import Opponent, Scripted, play_many, true_rewards
from firstmover.simulation.hindsight import regret_of_table
from firstmover.simulation.loop import Streams
from firstmover.strategies import MultiplicativeWeights

OFFLINE_SEED = 0
"""The seed of the points that hyperparameters are fitted to."""

SEED_OFFSET = 10_000
"""The distance between the seeds of different learners where these must not meet the same demands."""


class RoutingPreset(Preset):
    """The fields of `presets/routing-*.toml`; see the comments there."""

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
class RoutingSetup:
    """The game, its road users, and the offline observations."""

    plans: Plans
    game: Game
    users: RoadUsers
    history: tuple[Feedback, ...]


@lru_cache(maxsize=4)
def routing_setup(preset: RoutingPreset) -> RoutingSetup:
    """Return the setup of a preset, built once per process."""
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
    return RoutingSetup(plans, game, users, tuple(map(Feedback, actions, demands, noisy)))


def fit_polynomial(preset: RoutingPreset, degree: int) -> Fit:
    """Return the polynomial kernel with the largest marginal likelihood of the offline points.

    The search works on features divided by the largest |z|, where k has the magnitude of the responses; the returned
    kernel acts on the original features and carries the scale in its constant and bias.
    """
    setup = routing_setup(preset)
    points = np.array([np.concatenate([setup.game.actions[f.action], f.opponent_type]) for f in setup.history])
    scale = float(np.sqrt(np.max(np.sum(points**2, axis=1))))
    shape = ConstantKernel(1.0, (1e-10, 1e10)) * DotProduct(1.0, (1e-4, 1e4)) ** degree
    fit = fit_kernel(shape, points / scale, np.array([f.response for f in setup.history]), preset.noise_std**2)
    constant, bias = fit.kernel.k1.constant_value, fit.kernel.k2.kernel.sigma_0
    kernel = ConstantKernel(constant * scale ** (-2.0 * degree)) * DotProduct(bias * scale) ** degree
    return replace(fit, kernel=kernel)


@dataclass(frozen=True)
class Prepared:
    """The values shared by all runs of a preset: the range that rewards are scaled by, and fitted kernels by label."""

    reward_range: tuple[float, float]
    fits: dict[str, Fit]

    @staticmethod
    @lru_cache(maxsize=4)
    def of(preset: RoutingPreset) -> "Prepared":
        """Sample the range and fit the kernels, once per process."""
        setup = routing_setup(preset)
        fits = {f"StackelUCB poly{d}": fit_polynomial(preset, d) for d in preset.degrees}
        return Prepared(sampled_reward_range(setup.game, setup.users, preset.range_pairs), fits)

    def notes(self) -> dict[str, Any]:
        """Return the values for the manifest."""
        fits = {label: {"kernel": str(f.kernel), "log_likelihood": f.log_likelihood} for label, f in self.fits.items()}
        return {"reward_range": list(self.reward_range), "fits": fits}


@lru_cache(maxsize=32)
def demands_and_responses(preset: RoutingPreset, stream: int) -> tuple[Matrix, NDArray[np.float64]]:
    """The demands (T, p) that a seed draws, and b of every demand and plan (T, n, 1), shared by all learners."""
    setup = routing_setup(preset)
    network = setup.users.network
    demands = network.demand * Streams.of(stream).types.random((preset.rounds, network.n_pairs))
    return demands, setup.users.batch(setup.game.actions, demands)


@dataclass(frozen=True)
class RoutingTask:
    """One run of one learner."""

    preset: RoutingPreset
    prepared: Prepared
    label: str
    seed: int

    @property
    def rounds(self) -> int:
        """T."""
        return self.preset.rounds

    def stage(self) -> Stage:
        """Return the game, the demands that this seed draws with all responses to them, and the learner."""
        return self._stage(self.seed)

    def play(self) -> pl.DataFrame:
        """Play the run, and compare it with every plan at every demand."""
        return self.play_seeds([self.seed])[0]

    def play_seeds(self, seeds: Sequence[int]) -> list[pl.DataFrame]:
        """Play several seeds; Hedge, which knows the demands beforehand, plays one."""
        game, streams = routing_setup(self.preset).game, [self._stream(seed) for seed in seeds]
        stages = [self._stage(seed) for seed in seeds]
        runs = play_many(game, [stage.opponent for stage in stages], stages[0].learner, self.rounds, streams)
        tables = []
        for run, seed, stream in zip(runs, seeds, streams, strict=True):
            rewards = rewards_of(game, demands_and_responses(self.preset, stream)[1])
            tables.append(table_of(run, regret_of_table(run, rewards), self.label, seed))
        return tables

    def _stream(self, seed: int) -> int:
        return seed + (0 if self.preset.paired else SEED_OFFSET * (1 + self.preset.labels.index(self.label)))

    def _stage(self, seed: int) -> Stage:
        game = routing_setup(self.preset).game
        noiseless = self.preset.baseline_feedback == "noiseless" and self.label in ("Exp3", "Hedge")
        demands, responses = demands_and_responses(self.preset, self._stream(seed))
        respond = Tabulated(game.actions, demands, responses)
        opponent = Opponent(Scripted(demands), respond, 0.0 if noiseless else self.preset.noise_std)
        return Stage(game, opponent, self._learner(opponent))

    def _learner(self, opponent: Opponent) -> Learner:
        setup, preset, known = routing_setup(self.preset), self.preset, self._known_game()
        n = known.n_actions
        if self.label == "Hedge":
            return Hedge(known, _clipped(setup.game, opponent, self.prepared.reward_range), self._weights())
        if self.label == "Exp3":
            if preset.exp3 == "with exploration":
                return Exp3.start(known, preset.rounds)
            return Exp3(known, 0.0, float(np.sqrt(np.log(n) / (preset.rounds * n))), 0.0, np.zeros(n))
        if self.label in ("shortest", "none"):
            return fixed_action(shortest_plan(setup.plans) if self.label == "shortest" else 0, n)
        return self._stackelucb()

    def _stackelucb(self) -> StackelUCB:
        belief = _belief(self.preset, self.prepared.fits[self.label].kernel)
        return StackelUCB(self._known_game(), belief, ConstantWidth(self.preset.confidence_width), self._weights())

    def _known_game(self) -> Game:
        """The game as learners know it: optimistic rewards are clipped to the sampled range."""
        return replace(routing_setup(self.preset).game, reward_range=self.prepared.reward_range)

    def _weights(self) -> MultiplicativeWeights:
        n_actions = routing_setup(self.preset).game.n_actions
        return MultiplicativeWeights.start(n_actions, self.prepared.reward_range, self.preset.rounds)


def routing_tasks(preset: RoutingPreset, seeds: int) -> tuple[list[Task], dict[str, Any]]:
    """Return a task for every learner and seed, and the notes for the manifest."""
    prepared = Prepared.of(preset)
    tasks: list[Task] = [RoutingTask(preset, prepared, label, seed) for label in preset.labels for seed in range(seeds)]
    return tasks, prepared.notes()


def shortest_plan(plans: Plans) -> int:
    """Return the index of the plan that sends everything by the shortest route."""
    return plans.index(float(plans.shares.max()), [int(plans.groups.sum(axis=1).max()), *[0] * (len(plans.routes) - 1)])


def rewards_of(game: Game, responses: NDArray[np.float64]) -> Matrix:
    """r(x, b(x, θ_t)) of every round and plan (T, n), from responses (T, n, 1)."""
    rounds, n, _ = responses.shape
    return game.reward(np.tile(game.actions, (rounds, 1)), responses.reshape(-1, 1)).reshape(rounds, n)


def _clipped(game: Game, opponent: Opponent, reward_range: tuple[float, float]) -> TrueRewards:
    """True rewards of all plans, clipped to the range that the weights scale by."""
    rewards = true_rewards(game, opponent.respond)
    return lambda demand: np.clip(rewards(demand), *reward_range)


def _belief(preset: RoutingPreset, kernel: Kernel) -> Belief:
    setup = routing_setup(preset)
    belief: Belief = FreshBelief.prior(kernel, preset.noise_std**2, setup.game.actions, 1)
    if preset.first_observation:
        first = setup.history[0]
        belief = belief.condition(first.action, first.opponent_type, first.response)
    return belief if preset.deviation == "posterior" else WithNoise(belief, preset.noise_std**2)
