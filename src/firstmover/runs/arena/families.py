"""Families of games by seed: parks, prices, roads, payoff tables, security, kiosks and random response functions.

Each generator returns one `Instance`: the game, its opponent and an assumption made by hand for the family.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, ResponseFunction, Reward, TypeSource
from firstmover.core.places import Places
from firstmover.core.records import Box
from firstmover.games.choice_rules import Choosing, logit
from firstmover.games.opponent import Opponent, true_rewards
from firstmover.games.prices.game import Stations, prices_game
from firstmover.games.prices.opponents import KERNEL as DEMAND_KERNEL
from firstmover.games.prices.opponents import Customers
from firstmover.games.rewards import Bilinear, increasing, lattice
from firstmover.games.routing.game import operator_plans, routing_game
from firstmover.games.routing.network import Network
from firstmover.games.routing.opponents import RoadUsers, certain_reward_range, random_demands, sioux_falls_users
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.wildlife.game import REPORT_NOISE, patrol_menu, patrols_game, wildlife_game
from firstmover.games.wildlife.opponents import KERNEL as PARK_KERNEL
from firstmover.games.wildlife.opponents import Poachers, answering_commitments
from firstmover.games.wildlife.park import Park, published_park
from firstmover.kernels import additive, on_action, on_type, polynomial
from firstmover.simulation import Adversary, Committed, Cyclic, RandomTypes, Sampled, single

DEVELOPMENT = range(9000)
"""Seeds of instances to develop on."""

REPORT = range(9000, 10_000)
"""Seeds of instances for the report: nothing is selected on them, and every one that is played is reported."""

ARRIVALS = ("random", "cyclic", "adversary")
"""The orders in which known types arrive: drawn independently, in turn, or the worst for the learner's strategy."""

WEEKDAYS = 7


@dataclass(frozen=True, eq=False)
class Instance:
    """A game and its opponent, with the kernel and the noise variance that suit the family.

    Hand-tuned learners assume both; `words` describes the instance in a table.
    """

    family: str
    seed: int
    words: str
    game: Game
    opponent: Opponent
    kernel: Kernel
    noise_variance: float


def _factor(rng: np.random.Generator, largest: float) -> float:
    """A factor between 1 / largest and largest, uniform in its logarithm."""
    return float(largest ** rng.uniform(-1.0, 1.0))


def _arriving(arrival: str, game: Game, respond: ResponseFunction) -> TypeSource:
    assert game.types is not None
    if arrival == "adversary":
        return Adversary(game.types, true_rewards(game, respond))
    return Cyclic(game.types) if arrival == "cyclic" else RandomTypes(game.types)


def _with_range(game: Game, respond: ResponseFunction, types: Matrix, margin: float = 0.0) -> Game:
    """The game with the range of its true rewards over these types, and a margin in shares of it on both sides."""
    rewards = np.concatenate([true_rewards(game, respond)(theta) for theta in types])
    slack = margin * float(np.ptp(rewards))
    return replace(game, reward_range=(float(rewards.min()) - slack, float(rewards.max()) + slack))


# Parks


def random_park(seed: int) -> Instance:
    """Return a park of 4 × 4 to 8 × 8 cells, one to six peaks, any camp and a menu of random patrols.

    Poachers perceive a density that peaks at 0.4 to 1. That of the rangers is a tenth of it, × 0.1 to × 10; noise is
    that of the published park, × 1/3 to × 3. Parks in which few patrols change the poachers' choice are drawn again.
    """
    rng = np.random.default_rng([seed, 1])
    while True:
        cells = (int(rng.integers(4, 9)), int(rng.integers(4, 9)))
        means, covariances, weights = _mixture(rng, cells)
        plain = Park(weights, means, covariances, cells)
        peak = rng.uniform(0.4, 1.0) / plain.density(plain.grid).max()
        scale = 0.1 * _factor(rng, 10.0)
        park = replace(plain, density_scale=scale * peak)
        camp = tuple(rng.uniform(0, cells).tolist())
        poachers = Poachers(park, coverage_sign=1, density_factor=1 / scale, start=camp)
        patrols = patrol_menu(park.n_cells, int(rng.integers(100, 400)), int(rng.integers(2**31)))
        sparse = rng.dirichlet(np.full(park.n_cells, 0.15), 100)
        instance = _park_instance(
            "park", seed, poachers, np.vstack([patrols, sparse]), REPORT_NOISE * _factor(rng, 3.0)
        )
        earned = true_rewards(instance.game, poachers)(park.largest_in_cells)
        chosen = len(np.unique(park.cell_of(poachers(instance.game.actions, park.largest_in_cells))))
        if chosen > 2 and earned.max() - np.quantile(earned, 0.9) > 0.02 * np.ptp(earned) and np.ptp(earned) > 0.05:
            return instance


def _mixture(rng: np.random.Generator, cells: tuple[int, int]) -> tuple[Matrix, NDArray[np.float64], Vector]:
    count = int(rng.integers(1, 7))
    spread = rng.uniform(0.4, 1.6, (count, 2))
    angle = rng.uniform(0, np.pi, count)
    turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], axis=1).reshape(count, 2, 2)
    covariances = turn @ (spread[:, :, None] ** 2 * np.eye(2)) @ turn.transpose(0, 2, 1)
    return (
        rng.uniform(0, cells, (count, 2)),
        (covariances + covariances.transpose(0, 2, 1)) / 2,
        rng.dirichlet(np.full(count, 2.0)),
    )


def near_park(seed: int) -> Instance:
    """Return the published Gaussians with other centres and another camp, the published noise and a menu of 525."""
    rng = np.random.default_rng([seed, 2])
    published = published_park(density_scale=1.0)
    park = replace(published, means=rng.uniform(0.5, 4.5, (4, 2)))
    camp = tuple(rng.uniform(0, 5, 2).tolist())
    poachers = Poachers(park, coverage_sign=1, density_factor=10.0, start=camp)
    return _park_instance("near park", seed, poachers, patrol_menu(25, menu_seed=seed), REPORT_NOISE)


def _park_instance(family: str, seed: int, poachers: Poachers, menu: Matrix, noise: float) -> Instance:
    game = wildlife_game(poachers.park, menu)
    assert game.places is not None
    game = replace(game, places=Places(game.places.box, noise))
    words = (
        f"{poachers.park.cells[0]} × {poachers.park.cells[1]}, {len(poachers.park.weights)} peaks, noise {noise:.2g}"
    )
    opponent = Opponent(single(poachers.park.largest_in_cells), poachers, noise)
    return Instance(family, seed, words, game, opponent, PARK_KERNEL, noise**2)


def watched(instance: Instance) -> Instance:
    """Return a park in which poachers see the mixture of cells that rangers commit to: the whole simplex."""
    poachers = instance.opponent.respond
    assert isinstance(poachers, Poachers)
    game = replace(patrols_game(poachers.park), places=instance.game.places)
    opponent = Opponent(Committed(), answering_commitments(poachers), instance.opponent.noise_std)
    return replace(instance, family="whole simplex", game=game, opponent=opponent)


# Prices


def random_prices(seed: int, arrival: str | None = None) -> Instance:
    """Return a price game: 2 to 4 stations, 3 to 8 segments, prices in euros or cents, noise × 1/3 to × 3.

    Stations and segments are drawn again until the best fixed prices earn at least twice the mean.
    """
    rng = np.random.default_rng([seed, 3])
    while True:
        m, q = int(rng.integers(2, 5)), int(rng.integers(3, 9))
        nests = rng.integers(2, size=m)
        stations = Stations(
            np.sort(rng.random(m)),
            rng.uniform(2.0, 4.0, m),
            rng.uniform(0.15, 0.5, m),
            tuple((nests - nests.min()).tolist()),
        )
        unit = float(rng.choice([1.0, 100.0]))
        levels = unit * np.linspace(rng.uniform(0.1, 0.3), rng.uniform(0.5, 1.0), {2: 12, 3: 6, 4: 4}[m])
        segments = np.column_stack([rng.random(q), rng.uniform(3.0, 10.0, q) / unit, rng.uniform(0.3, 1.2, q)])
        game = prices_game(stations, lattice([levels] * m), segments, overload_penalty=unit * rng.uniform(0.2, 0.8))
        customers = Customers(stations, rng.uniform(1.0, 3.0), rng.uniform(0.4, 1.0))
        noise = 0.02 * _factor(rng, 3.0)
        drawn = str(rng.choice(ARRIVALS))
        mean = np.mean([true_rewards(game, customers)(theta) for theta in segments], axis=0)
        if mean.max() > max(2 * mean.mean(), 0.02 * unit):
            break
    arrival = arrival or drawn
    words = f"{m} stations, {q} segments, {'euros' if unit == 1 else 'cents'}, noise {noise:.2g}, {arrival}"
    opponent = Opponent(_arriving(arrival, game, customers), customers, noise)
    return Instance("prices", seed, words, game, opponent, DEMAND_KERNEL, noise**2)


# Roads

KAPPA, UNITS, ROAD_NOISE = 10.0, 300.0, 5.0
"""Trade-off, units and noise of the published routing game."""

CHANGES = ("trade-off ÷ 5", "trade-off × 3", "units × 2", "noise × 3", "all drawn", "grid network")
"""The change of an instance of roads: entry `seed` modulo 6."""


def random_roads(seed: int) -> Instance:
    """Return Sioux Falls with another pair and the change that the seed names, or a random grid network."""
    rng, change = np.random.default_rng([seed, 4]), CHANGES[seed % len(CHANGES)]
    kappa = {CHANGES[0]: KAPPA / 5, CHANGES[1]: KAPPA * 3}.get(change, KAPPA)
    units = 2 * UNITS if change == CHANGES[2] else UNITS
    noise = 3 * ROAD_NOISE if change == CHANGES[3] else ROAD_NOISE
    if change in CHANGES[4:]:
        kappa, units = KAPPA * float(rng.uniform(0.2, 3.0)), UNITS * float(rng.choice([1.0, 2.0]))
        noise = ROAD_NOISE * float(rng.uniform(1.0, 3.0))
    users = _grid_users(rng.integers(2**31)) if change == CHANGES[5] else sioux_falls_users()
    network = users.network
    while True:
        origin, destination = rng.choice(network.nodes, 2, replace=False)
        plans = operator_plans(network, origin=int(origin), destination=int(destination), units=units)
        game = routing_game(plans, kappa)
        half = true_rewards(game, users)(network.demand / 2)
        if len(plans.routes[0]) > 2 and half.argmax() > 0 and np.ptp(half) > 0.1 * units:  # sending nothing is not best
            break
    game = replace(game, reward_range=certain_reward_range(game, users))
    words = f"{change}, {origin} to {destination}, trade-off {kappa:.3g}, {units:g} units, noise {noise:.2g}"
    opponent = Opponent(Sampled(random_demands(network)), users, noise)
    return Instance("roads", seed, words, game, opponent, _roads_kernel(network, units), noise**2)


def _roads_kernel(network: Network, units: float) -> Kernel:
    """The kernel of the registry, with scales in the units and demands of a network."""
    longest = float(np.hypot(800.0 * np.linalg.norm(network.demand) / np.linalg.norm(_sioux_demand()), units - UNITS))
    full = 0.15 / network.n_links * np.mean((UNITS / network.capacity) ** 8) ** 0.5
    return ConstantKernel(11.4 * float(full / _sioux_full()) ** 2) * on_action(
        additive(4, scale=UNITS)
    ) + ConstantKernel(0.0635) * polynomial(3, bias=1.885, scale=longest)


def _sioux_demand() -> Vector:
    return sioux_falls_users().network.demand


def _sioux_full() -> float:
    network = sioux_falls_users().network
    return float(0.15 / network.n_links * np.mean((UNITS / network.capacity) ** 8) ** 0.5)


@lru_cache(maxsize=64)
def _grid_users(seed: int) -> RoadUsers:
    """Users of a grid of roads in both directions, with random capacities, lengths and demands of a third of the pairs.

    Demands are scaled so that the mean load on shortest routes is that of Sioux Falls.
    """
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(3, 6)), int(rng.integers(4, 7))
    at = lattice([np.arange(rows, dtype=float), np.arange(columns, dtype=float)])
    n = len(at)
    tails, heads = np.nonzero(np.abs(at[:, None] - at).sum(axis=2) == 1)
    origins, destinations = np.nonzero(~np.eye(n, dtype=bool))
    length = rng.integers(2, 11, len(tails)) + rng.random(len(tails))
    network = Network(
        nodes=np.arange(1, n + 1),
        positions=at,
        tails=tails,
        heads=heads,
        capacity=100.0 * np.exp(0.5 * rng.standard_normal(len(tails))),
        length=length,
        free_flow_time=length.copy(),
        origins=origins,
        destinations=destinations,
        demand=rng.exponential(size=len(origins)) * (rng.random(len(origins)) < 1 / 3),
        b=np.full(len(tails), 0.15),
        power=np.full(len(tails), 4.0),
        through=np.ones(n, dtype=bool),
    )
    users, known = RoadUsers(network), sioux_falls_users()
    load, aim = users._stay @ network.demand, known._stay @ known.network.demand
    return RoadUsers(replace(network, demand=network.demand * float(aim.mean() / load.mean())))


# Payoff tables

BIMATRIX_KERNEL = on_action(Matern(1.0, nu=1.5)) * on_type(RBF(1.0))
SECURITY_KERNEL = on_action(Matern(0.3, nu=1.5)) * on_type(RBF(1.0))
"""Selected on development instances, among length scales 0.3, 0.6 and 1 of the action and 0.5 and 1 of the type."""


def random_bimatrix(seed: int, arrival: str | None = None) -> Instance:
    """Return a finite game of 2 to 4 leader and 3 to 6 follower actions, 2 to 5 types of follower, on a grid.

    Payoffs of the leader have random units. Every third game has followers who choose by logit.
    """
    rng = np.random.default_rng([seed, 5])
    while True:
        n, f, q = int(rng.integers(2, 5)), int(rng.integers(3, 7)), int(rng.integers(2, 6))
        leader = _factor(rng, 100.0) * (rng.random((n, f)) + rng.uniform(-1.0, 1.0))
        tables = BimatrixGame(leader, rng.random((q, n, f)))
        rationality = 20.0 if seed % 3 == 2 else np.inf
        respond = tables.best_response if np.isinf(rationality) else Choosing(tables.utilities, logit(rationality))
        game = tables.on_small_grid()
        drawn = str(rng.choice(ARRIVALS))
        if _is_worthwhile(game, respond):
            break
    arrival = arrival or drawn
    words = f"{n} × {f}, {q} types{', logit' if np.isfinite(rationality) else ''}, {arrival}"
    opponent = Opponent(_arriving(arrival, game, respond), respond, sampled=bool(np.isfinite(rationality)))
    return Instance("bimatrix", seed, words, game, opponent, BIMATRIX_KERNEL, 0.1 if opponent.sampled else 0.01)


def random_security(seed: int, arrival: str | None = None) -> Instance:
    """Return a security game: 4 to 8 targets, one or two resources, 2 to 5 types of attacker, 200 random coverages.

    A response is the unit vector of the attacked target; r(x, j) = x_j R_j + (1 − x_j) P_j for the defender, and an
    attacker of type θ attacks the target of the largest (1 − x_j) R^θ_j + x_j P^θ_j. Σ x_j is the number of resources,
    so that r is bilinear.
    """
    rng = np.random.default_rng([seed, 6])
    while True:
        n, resources, q = int(rng.integers(4, 9)), int(rng.integers(1, 3)), int(rng.integers(2, 6))
        draws = rng.dirichlet(np.full(n, rng.uniform(0.3, 1.0)), 5000) * resources
        coverage = draws[draws.max(axis=1) <= 1][:200]
        gain, loss = rng.uniform(0.0, 1.0, n), rng.uniform(-2.0, 0.0, n)
        attacked, caught = rng.uniform(0.0, 1.0, (q, n)), rng.uniform(-1.0, 0.0, (q, n))
        kinds = np.eye(q)

        def respond(
            actions: Matrix, opponent_type: Vector, /, attacked: Matrix = attacked, caught: Matrix = caught
        ) -> Matrix:
            utility = (1 - actions) * (opponent_type @ attacked) + actions * (opponent_type @ caught)
            return np.eye(utility.shape[1])[utility.argmax(axis=1)]

        reward = Bilinear(np.diag(gain - loss) + loss / resources)
        targets = Places(Box(np.eye(n), np.eye(n)), noise_std=0.1)
        game = Game("security", coverage, reward, Box(np.zeros(n), np.ones(n)), types=kinds, places=targets)
        drawn = str(rng.choice(ARRIVALS))
        if len(coverage) == 200 and _is_worthwhile(game, respond):
            break
    game = _with_range(game, respond, kinds)
    arrival = arrival or drawn
    words = f"{n} targets, {resources} resource(s), {q} types, {arrival}"
    opponent = Opponent(_arriving(arrival, game, respond), respond)
    return Instance("security", seed, words, game, opponent, SECURITY_KERNEL, 0.01)


def _is_worthwhile(game: Game, respond: ResponseFunction) -> bool:
    """Whether the best action over all types is clearly ahead of the average one."""
    assert game.types is not None
    mean = np.mean([true_rewards(game, respond)(theta) for theta in game.types], axis=0)
    return bool(mean.max() - mean.mean() > 0.25 * np.ptp(mean) > 0)


# Random response functions


@dataclass(frozen=True, eq=False)
class Tracking:
    """r(x, y) = −Σ_j w_j |y_j − t_j(x)|: responses should be near a target that depends on the action."""

    weights: Vector
    targets: Callable[[Matrix], Matrix]

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return -np.abs(responses - self.targets(actions)) @ self.weights

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Every response as near to its target as the box allows."""
        return self(actions, np.clip(self.targets(actions), box.lower, box.upper))

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Every response as far from its target as the box allows."""
        middle = (box.lower + box.upper) / 2
        return self(actions, np.where(self.targets(actions) > middle, box.lower, box.upper))


@dataclass(frozen=True, eq=False)
class Directed:
    """r(x, y) = c · x + Σ_j w_j y_j with weights of any sign."""

    costs: Vector
    weights: Vector

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return actions @ self.costs + responses @ self.weights

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The corner that the weights point to."""
        return self(actions, np.where(self.weights > 0, box.upper, box.lower))

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The opposite corner."""
        return self(actions, np.where(self.weights > 0, box.lower, box.upper))


SHAPES = ("smooth", "rough", "additive")
"""Response functions drawn from a Gaussian process of an RBF kernel, of a Matérn kernel of ν = 3/2, or of a sum of RBF
kernels, one per feature."""


def random_response(seed: int, arrival: str | None = None) -> Instance:
    """Return a game whose b is drawn from a Gaussian process, with random units of features and responses.

    1 to 4 features of actions, 0 to 3 of types, 1 to 3 outputs; types are a known set, or new in every round. Rewards
    are linear in the response, or fall with its distance from a target. `kernel` is the one that b was drawn from.
    """
    rng = np.random.default_rng([seed, 7])
    d, p, m = int(rng.integers(1, 5)), int(rng.integers(0, 4)), int(rng.integers(1, 4))
    shape = SHAPES[seed % len(SHAPES)]
    unit = np.array([_factor(rng, 100.0) for _ in range(d + max(p, 1))])
    origin = unit * rng.normal(0.0, 3.0, len(unit))
    response_unit, response_origin = _factor(rng, 1000.0), float(rng.normal(0.0, 2.0))
    scales = rng.uniform(0.3, 1.2, d + max(p, 1)) * np.sqrt(d + p if shape != "additive" else 1)
    function = _gaussian_process_draw(rng, shape, scales, m)

    def free(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        z = np.hstack([actions, np.tile(opponent_type, (len(actions), 1))])
        return response_unit * (response_origin + function((z - origin) / unit))

    actions = origin[:d] + unit[:d] * rng.random((int(rng.integers(20, 101)), d))
    known = p == 0 or rng.random() < 0.6
    types = origin[d:] + unit[d:] * (rng.random((int(rng.integers(2, 9)) if p else 1, max(p, 1))))

    def sampler(generator: np.random.Generator) -> Vector:
        return origin[d:] + unit[d:] * generator.random(max(p, 1))

    met = types if known else np.array([sampler(rng) for _ in range(200)])
    responses = np.concatenate([free(actions, theta) for theta in met])
    low, high = responses.min(axis=0), responses.max(axis=0)
    domain = Box(low - 0.2 * (high - low), high + 0.2 * (high - low))

    def respond(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        return np.clip(free(actions, opponent_type), domain.lower, domain.upper)

    reward = _drawn_reward(rng, actions, responses)
    plain = Game("response", actions, reward, domain, types=types if known else None)
    game = _with_range(plain, respond, met, margin=0.0 if known else 0.3)
    noise = float(response_unit * 0.1 * _factor(rng, 3.0))
    if p == 0:
        arrival = "single"
    elif known:
        arrival = arrival or str(rng.choice(ARRIVALS))
    else:
        arrival = "new types"
    source = _arriving(arrival, game, respond) if known else Sampled(sampler)
    linear = "linear" if isinstance(reward, Directed) else "target"
    words = f"{shape}, {d} + {p} features, {m} outputs, {linear}, noise {noise / response_unit:.2g} sd, {arrival}"
    kernel = ConstantKernel(max(response_origin**2, 0.01) * response_unit**2) + ConstantKernel(
        response_unit**2
    ) * _drawn_kernel(shape, scales * unit)
    return Instance("response", seed, words, game, Opponent(source, respond, noise), kernel, noise**2)


def _drawn_reward(rng: np.random.Generator, actions: Matrix, responses: Matrix) -> Reward:
    """A linear reward with a cost of the action, or a distance from a target; both of random units."""
    spread, unit = np.ptp(responses, axis=0), _factor(rng, 100.0)
    if rng.random() < 0.6:
        costs = rng.normal(0.0, 0.2, actions.shape[1]) / np.ptp(actions, axis=0)
        return Directed(
            unit * costs, unit * rng.choice([-1.0, 1.0], len(spread)) * rng.uniform(0.5, 1.0, len(spread)) / spread
        )
    middle, slope = (
        rng.uniform(responses.min(axis=0), responses.max(axis=0)),
        rng.normal(0.0, 0.3, (actions.shape[1], len(spread))),
    )
    start, width = actions.min(axis=0), np.ptp(actions, axis=0)
    return Tracking(unit / spread, lambda x: middle + ((x - start) / width - 0.5) @ slope * spread)


def _gaussian_process_draw(
    rng: np.random.Generator, shape: str, scales: Vector, outputs: int, features: int = 300
) -> Callable[[Matrix], Matrix]:
    """Draw f (k, m) by random Fourier features: √(2/D) Σ_i w_i cos(ω_i · z + φ_i), ω from the kernel's spectrum."""
    d = len(scales)
    omega = rng.standard_normal((features, d)) / scales
    if shape == "rough":  # the spectrum of a Matérn kernel of ν = 3/2 is a t distribution of 3 degrees
        omega /= np.sqrt(rng.chisquare(3.0, (features, 1)) / 3.0)
    if shape == "additive":
        omega *= np.eye(d)[np.arange(features) % d]
    phase, weights = rng.uniform(0, 2 * np.pi, features), rng.standard_normal((features, outputs))
    return lambda z: np.sqrt(2 / features) * np.cos(z @ omega.T + phase) @ weights


def _drawn_kernel(shape: str, scales: Vector) -> Kernel:
    """The kernel of such draws, of variance 1."""
    if shape == "rough":
        return Matern(scales, nu=1.5)
    if shape == "smooth":
        return RBF(scales)
    alone = [RBF(np.where(np.arange(len(scales)) == i, scales, 1e6 * scales)) for i in range(len(scales))]
    total = alone[0]
    for kernel in alone[1:]:
        total = total + kernel
    return ConstantKernel(1 / len(scales)) * total


# Kiosks


@dataclass(frozen=True)
class Counting(Opponent):
    """An opponent whose response is a count: Poisson with the mean b(x, θ)."""

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """The observed count."""
        return rng.poisson(np.maximum(true_response, 0.0)).astype(float)


def kiosk(seed: int) -> Instance:
    """Return a kiosk: prices 1 to 12, demand by temperature in °C, weekday and holiday, and the margin as reward.

    A type is (temperature, indicator of the weekday (7), holiday). Even seeds have new types in every round, odd ones
    known levels of temperature; every other pair of seeds has Poisson counts, the others Gaussian noise.
    """
    rng = np.random.default_rng([seed, 8])
    free, counts = seed % 2 == 0, seed // 2 % 2 == 0
    prices, cost = np.arange(1.0, 13.0)[:, None], float(rng.uniform(0.2, 2.0))
    size, middle, slope = rng.uniform(20.0, 200.0), rng.uniform(12.0, 24.0), rng.uniform(0.1, 0.4)
    weekday, holiday = rng.uniform(0.5, 1.5, WEEKDAYS), rng.uniform(0.6, 2.0)
    aversion, warm = rng.uniform(0.15, 0.4), rng.uniform(-0.5, 0.5)

    def respond(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        heat = expit(slope * (opponent_type[0] - middle))
        visitors = size * (0.3 + heat) * (weekday @ opponent_type[1:8]) * holiday ** opponent_type[8]
        return visitors * np.exp(-aversion * (1 + warm * heat) * actions)

    def sampler(generator: np.random.Generator) -> Vector:
        day = np.eye(WEEKDAYS)[generator.integers(WEEKDAYS)]
        return np.concatenate([[np.round(generator.normal(16.0, 8.0), 1)], day, [float(generator.random() < 0.1)]])

    levels = np.linspace(0.0, 32.0, 5)
    known = np.array([[t, *day, rest] for t in levels for day in np.eye(WEEKDAYS) for rest in (0.0, 1.0)])
    most = float(np.ceil(2 * size * 1.3 * weekday.max() * max(1.0, holiday)))
    reward = increasing(lambda x, y: (x[:, 0] - cost) * y[:, 0])
    plain = Game("kiosk", prices, reward, Box([0.0], [most]), types=None if free else known)
    game = _with_range(plain, respond, known, margin=0.3)
    noise = float(0.15 * np.sqrt(size) * size**0.5 * rng.uniform(0.3, 1.0))
    source = Sampled(sampler) if free else RandomTypes(known)
    opponent = Counting(source, respond) if counts else Opponent(source, respond, noise)
    variance = size**2
    kernel = ConstantKernel(variance) * on_action(RBF(4.0)) * on_type(RBF(np.array([10.0] + [1.0] * WEEKDAYS + [1.0])))
    words = (
        f"{'new types' if free else '70 known types'}, {'counts' if counts else f'noise {noise:.2g}'}, size {size:.0f}"
    )
    return Instance("kiosk", seed, words, game, opponent, kernel, float(size) if counts else noise**2)


FAMILIES: dict[str, Callable[[int], Instance]] = {
    "park": random_park,
    "near park": near_park,
    "prices": random_prices,
    "roads": random_roads,
    "bimatrix": random_bimatrix,
    "security": random_security,
    "response": random_response,
    "kiosk": kiosk,
}
"""Generators by family."""
