"""The paper's first experiment: routing vehicles through Sioux Falls, Section 4.1."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

from firstmover.beliefs import ConstantWidth, FreshBelief
from firstmover.beliefs.fitting import Fit, fit_kernel
from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, Learner
from firstmover.core.records import Feedback
from firstmover.games.opponent import Tabulated
from firstmover.games.routing.game import Plans, UnitsCounted, operator_plans, routing_game
from firstmover.games.routing.network import sioux_falls
from firstmover.games.routing.opponents import RoadUsers, TravelTime, sampled_reward_range
from firstmover.games.routing.routes import TieRule
from firstmover.learners import Exp3, Hedge, StackelUCB, fixed_action
from firstmover.paper.preset import OFFLINE_SEED, PaperTask, Preset, Several, fit_notes
from firstmover.runs import Task
from firstmover.runs.setup import Stage
from firstmover.simulation import Opponent, Scripted, true_rewards
from firstmover.simulation.loop import Streams
from firstmover.strategies import MultiplicativeWeights

SEED_OFFSET = 10_000  # distance between the seeds of different learners where these must not meet the same demands


class RoutingPreset(Preset):
    """The fields of `presets/routing-*.toml`; see the comments there."""

    game = "routing"
    title = "Routing vehicles through Sioux Falls"
    origin: int
    destination: int
    units: float
    shares: Several[float]
    groups: int
    routes: int
    trade_off: float
    scaling: float
    degrees: Several[int]
    confidence_width: float
    range_pairs: int
    ties: TieRule
    units_counted: UnitsCounted
    travel_time: TravelTime
    detour_limit: float
    pairs: Literal["all", "with demand"]
    exp3: Literal["with exploration", "without exploration"]
    baseline_feedback: Literal["noisy", "noiseless"]
    paired: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """The learners, in the order of the paper's legend."""
        return "Hedge", *(f"StackelUCB poly{d}" for d in self.degrees), "Exp3", "shortest", "none"

    def tasks(self, seeds: int) -> tuple[list[Task], dict[str, Any]]:
        """Return a task for every learner and seed, and notes on what they share."""
        prepared = Prepared.of(self)
        tasks: list[Task] = [RoutingTask(self, label, seed, prepared) for label in self.labels for seed in range(seeds)]
        return tasks, {"reward_range": list(prepared.reward_range), "fits": fit_notes(prepared.fits)}


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


@lru_cache(maxsize=32)
def drawn_users(preset: RoutingPreset, stream: int) -> Opponent:
    """Return the demands that a seed draws with all responses to them, computed once for all learners."""
    setup = routing_setup(preset)
    network, actions = setup.users.network, setup.game.actions
    demands = network.demand * Streams.of(stream).types.random((preset.rounds, network.n_pairs))
    respond = Tabulated(actions, demands, setup.users.batch(actions, demands))
    return Opponent(Scripted(demands), respond, preset.noise_std)


@dataclass(frozen=True)
class RoutingTask(PaperTask[RoutingPreset]):
    """One run of one learner."""

    prepared: Prepared

    @property
    def stream(self) -> int:
        """The seed itself, or one that no other learner has."""
        return self.seed + (0 if self.preset.paired else SEED_OFFSET * (1 + self.preset.labels.index(self.label)))

    def stage(self) -> Stage:
        """Return the game, the road users with the demands that the seed draws, and the learner."""
        opponent = drawn_users(self.preset, self.stream)
        if self.preset.baseline_feedback == "noiseless" and self.label in ("Exp3", "Hedge"):
            opponent = replace(opponent, noise_std=0.0)
        return Stage(routing_setup(self.preset).game, opponent, self.learner(opponent))

    def learner(self, opponent: Opponent) -> Learner:
        """Return the learner; Hedge knows the rewards of this opponent, clipped to the sampled range."""
        setup, preset, (low, high) = routing_setup(self.preset), self.preset, self.prepared.reward_range
        game, n = replace(setup.game, reward_range=(low, high)), setup.game.n_actions
        if self.label in ("shortest", "none"):
            return fixed_action(shortest_plan(setup.plans) if self.label == "shortest" else 0, n)
        if self.label == "Exp3":
            if preset.exp3 == "with exploration":
                return Exp3.start(game, preset.rounds)
            return Exp3(game, 0.0, float(np.sqrt(np.log(n) / (preset.rounds * n))), 0.0, np.zeros(n))
        weights = MultiplicativeWeights.start(n, (low, high), preset.rounds)
        if self.label == "Hedge":
            rewards = true_rewards(setup.game, opponent.respond)

            def clipped(demand: Vector) -> Vector:
                return np.clip(rewards(demand), low, high)

            return Hedge(game, clipped, weights)
        prior = FreshBelief.prior(self.prepared.fits[self.label].kernel, preset.noise_std**2, game.actions, 1)
        belief = preset.first_belief(prior, setup.history[0], preset.noise_std)
        return StackelUCB(game, belief, ConstantWidth(preset.confidence_width), weights)


def shortest_plan(plans: Plans) -> int:
    """Return the index of the plan that sends everything by the shortest route."""
    return plans.index(float(plans.shares.max()), [int(plans.groups.sum(axis=1).max()), *[0] * (len(plans.routes) - 1)])
